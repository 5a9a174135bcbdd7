"""Fraud, a clinic and a security log, end to end: what a user would write, checked strictly."""

import numpy as np
import numpy.typing as npt

import baserate as br

Numbers = npt.NDArray[np.float64]
rng = np.random.default_rng(1)


def scored(cases: int, prior: float, shift: float) -> tuple[npt.NDArray[np.bool_], Numbers]:
    """Labels, and scores that are higher for positives."""
    labels = rng.random(cases) < prior
    return labels, rng.normal(shift * labels, 1.0)


def fraud() -> tuple[str, float, float]:
    """Which model, where, and what does it do on the test month?"""
    labels, logit = scored(20_000, 0.02, 1.5)
    forest: Numbers = logit + rng.normal(0.3 * labels, 0.5)
    half = slice(0, 10_000), slice(10_000, None)
    dev, test = (br.count(labels[s], {"logit": logit[s], "forest": forest[s]}) for s in half)
    at = br.Conditions(prior="1 in 1000", costs=br.Costs(fp=1, fn=100))
    choice: br.Choice = br.choose(dev, at=at)
    budget = br.choose(dev, "alerts <= 200", prior="0.1%", volume=100_000)
    robust = br.choose(dev, prior="0.05%..0.3%", costs={"fn": 100, "fp": 1})
    assert robust.regret.value >= 0
    assert budget.point["alerts"] <= 200
    there = choice.on(test)
    difference: br.types.Differences = br.compare(test, "auc")
    flagged = there.flags({"logit": logit[half[1]], "forest": forest[half[1]]})
    assert int(flagged.sum()) == there.point.tp + there.point.fp
    br.report(test, at=at).save("report.html")
    return there.model, there.point.precision, difference.p_value


def clinic() -> tuple[float, float, bool]:
    """What does a positive test mean at 10 % prevalence, and is the sensitivity demonstrated?"""
    labels, marker = scored(800, 0.36, 1.2)
    counts: br.Counts = br.count(labels, marker)
    ppv = br.interval(counts, "precision", threshold=0.8, prior="10%")
    likelihood: float = br.measure(counts, "lr_positive", threshold=0.8)
    youden: br.OperatingPoint = br.choose(counts, optimize="informedness")
    verdict: br.Requirement = br.require(counts, "recall >= 0.5", threshold=0.5)
    table = br.table(counts, ["tp", "fp", "precision"], prior="10%")
    assert len(table) == len(counts.scores) + 1
    assert ppv.low <= ppv.value <= ppv.high
    assert youden.intervals["tpr"].level == 0.95
    return likelihood, br.auc(counts), verdict.passed


def security_log() -> tuple[str, float]:
    """One threshold for every site, from a log of which most is unlabelled."""
    labels, score = scored(30_000, 0.01, 2.0)
    site = np.array(["oslo", "bern"])[rng.integers(0, 2, 30_000)]
    sites: br.GroupedCounts = br.count(labels, score, by=site)
    point = br.choose(sites, "posfrac <= 2%", prior="0.1%..1%", costs={"fn": 50})
    by_site = br.segments.by_group(sites, threshold=point.threshold)
    field: br.Unlabelled = br.count_unlabelled(rng.normal(0, 1, 5_000))
    estimate = br.estimate_prior(sites.total(), field, replicates=200)
    curve: br.Curve = br.curve(sites.total(), "broc", prior="1 in 1000")
    assert len(curve) > 2
    assert estimate.low <= estimate.value <= estimate.high
    return str(max(by_site, key=lambda name: by_site[name]["tpr"])), point.tpr
