"""No answer is surer than its cases: what was not tested says so, a difference is no larger than it
can be, and the same question has one p-value.
"""

import math

import numpy as np
import pytest
from tests.cli.helpers import answered, first_point, told

import baserate as br
from baserate.notation import base_rate


def drawn(positives, negatives, shifts, seed=7, digits=3):
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], [positives, negatives])
    common = math.sqrt(0.5) * rng.normal(size=len(y))
    return y, {
        name: (common + math.sqrt(0.5) * rng.normal(size=len(y)) + shift * y).round(digits)
        for name, shift in shifts.items()
    }


def written(path, y, scores, **more):
    columns = {"y": y, **scores, **more}
    rows = zip(*(values.tolist() for values in columns.values()), strict=True)
    lines = (",".join(map(str, row)) for row in rows)
    path.write_text("\n".join([",".join(columns), *lines]) + "\n")
    return path


THREE = {"a": 1.6, "b": 1.4, "c": 1.5}
DATA = ("--label", "y", "--score", "a,b,c")


@pytest.fixture(scope="module")
def three(tmp_path_factory):
    return written(tmp_path_factory.mktemp("three") / "scores.csv", *drawn(60, 2000, THREE))


class TestWhatWasNotTestedSaysSo:
    @pytest.mark.parametrize("positives", [1, 3])
    def test_against_flagging_nothing_with_few_positives(self, positives, tmp_path, capsys):
        """One positive above all negatives: "0.000 errors per case", and no word of chance."""
        y, scores = drawn(positives, 300, {"a": 9, "b": 8})
        path = written(tmp_path / "few.csv", y, scores)
        said = told(capsys, "choose", path, "--label", "y", "--score", "a,b").out.split("\n")[0]
        few = "1 positive" if positives == 1 else f"{positives} positives"
        assert f"was not tested (only {few}: too few to resample)." in said
        choice = br.choose(br.count(y, scores))
        assert f"not tested against flagging nothing: only {few}" in repr(choice)

    def test_of_weighted_cases(self, tmp_path, capsys):
        y, scores = drawn(60, 900, THREE)
        path = written(tmp_path / "w.csv", y, scores, w=np.where(y, 1, 2.5))
        asked = ("choose", path, *DATA, "--weight", "w", "--cost", "fn=20", "--prior", "1%")
        said = told(capsys, *asked).out.split("\n")[0]
        assert "The differences were not tested (the cases are weighted" in said
        assert said.endswith("was not tested either.")

    def test_two_thresholds_of_several_models(self, three, capsys):
        asked = ("--prior", "1%", "--cost", "fn=100,fp=20", "--review", "1")
        said = told(capsys, "triage", three, *DATA, *asked).out.split("\n")[0]
        assert said.startswith("Use ")
        assert said.endswith(
            "The differences were not tested, and no intervals are computed for two thresholds."
        )

    def test_an_estimated_base_rate_is_called_one(self, three, tmp_path, capsys):
        """It was printed in four digits, as if it were known."""
        _, scores = drawn(30, 1500, THREE, seed=8)
        field = written(tmp_path / "field.csv", scores["a"], {k: scores[k] for k in "bc"})
        field.write_text(field.read_text().replace("y,", "a,", 1))
        asked = ("choose", three, *DATA, "--cost", "fn=20", "--prior-from", field)
        said = told(capsys, *asked).out.split("\n")[0]
        point = first_point(answered(capsys, *asked))
        assert "At an estimated base rate of " in said
        assert f"base rate of {base_rate(point['at']['prior'])}" not in said


class TestTheBestOfSeveralModels:
    def test_is_called_optimistic_beyond_its_threshold(self, three, capsys):
        """Ten equally good models: the interval of the best held in 81 % of simulated sets."""
        joint = br.count(*drawn(60, 2000, THREE))
        noted = [note for note in br.choose(joint, costs={"fn": 20}).notes if note.code == "BR657"]
        assert len(noted) == 1
        assert "best of 3 models" in noted[0].text
        assert "level=0.9833" in noted[0].override.python
        asked = ("choose", three, *DATA, "--cost", "fn=20")
        assert "(400 resamples), not for choosing the best of 3 models" in told(capsys, *asked).out
        assert "BR657" in {note["code"] for note in answered(capsys, *asked)["notes"]}

    def test_of_two_or_on_other_cases_or_guaranteed_it_is_not(self, three, capsys):
        two = br.count(*drawn(60, 2000, {"a": 1.6, "b": 1.4}))
        joint = br.count(*drawn(60, 2000, THREE))
        choices = (
            br.choose(two, costs={"fn": 20}),
            br.choose(joint, costs={"fn": 20}).on(br.count(*drawn(60, 2000, THREE, seed=9))),
            br.choose(joint, guarantee="recall >= 0.5"),
            br.choose(joint, prior="0.1%..1%", costs={"fn": 20}),
        )
        assert not [note for one in choices for note in one.notes if note.code == "BR657"]
        asked = ("choose", three, *DATA, "--cost", "fn=20", "--test", three)
        assert "BR657" not in told(capsys, *asked, "--notes").err


class TestDifferences:
    @pytest.mark.parametrize("seed", range(3))
    @pytest.mark.parametrize("rule", ["recall >= 0.9", "fpr <= 0.1", None])
    @pytest.mark.parametrize("costs", [None, {"fn": 50}, {"fn": 5, "tp": -3}])
    def test_are_no_larger_than_they_can_be(self, seed, rule, costs):
        """With 3 positives the errors per case of two models differed by -6 to 6."""
        joint = br.count(*drawn(3, 60, {"a": 1.5, "b": 1.2}, seed=seed))
        at = br.Conditions(0.1, None if costs is None else br.Costs(**costs))
        (found,) = br.choose(joint, rule, at=at).differences
        ends = [
            br.measure(br.Confusion(tp=tp, fn=1 - tp, fp=fp, tn=1 - fp), "expected_cost", at=at)
            for tp in (0, 1)
            for fp in (0, 1)
        ]
        widest = max(ends) - min(ends) + 1e-12
        assert -widest <= found.low <= found.value <= found.high <= widest

    @pytest.mark.parametrize("measure", ["expected_cost", "precision", "mcc", "f1", "posfrac"])
    def test_at_fixed_thresholds_are_those_of_a_choice_on_test_data(self, measure):
        """`compare` resampled where `choose --test` computed: two p-values for one question, and
        of the resampled one 7 to 12 % below 0.05 for equal models with 10 and 20 positives.
        """
        at = br.Conditions("1%", br.Costs(fn=50))
        goal = {} if measure == "expected_cost" else {"optimize": measure}
        if measure == "posfrac":
            goal = {"optimize": "tnr", "rule": "recall >= 0.6"}
        dev, test = (br.count(*drawn(40, 900, {"a": 1.8, "b": 1.2}, seed=seed)) for seed in (1, 2))
        choice = br.choose(dev, at=at, **goal)
        cuts = {name: choice[name].threshold for name in choice}
        (there,) = choice.on(test).differences
        pair = {"pair": there.models}
        found = br.compare(test, there.name, threshold=cuts, at=at, **pair)
        assert (found.value, found.low, found.high, found.p_value, found.method) == pytest.approx(
            (there.value, there.low, there.high, there.p_value, there.method)
        )
        assert br.compare(test, measure, threshold=cuts, at=at, **pair).method != "percentile"

    def test_of_equal_models_at_fixed_thresholds_are_rarely_significant(self):
        """5 % + 3 standard errors of 400 sets are 8.3 %."""
        at = br.Conditions("1%", br.Costs(fn=50))
        significant = dict.fromkeys(("expected_cost", "precision"), 0)
        for seed in range(400):
            joint = br.count(*drawn(10, 300, {"a": 1.2, "b": 1.2}, seed=seed, digits=6))
            for name in significant:
                try:
                    found = br.compare(joint, name, threshold={"a": 1.5, "b": 1.5}, at=at)
                except br.errors.InputError:  # nothing is flagged: there is no precision
                    continue
                significant[name] += found.p_value < 0.05
        assert max(significant.values()) <= 400 * 0.083

    def test_of_a_choice_are_shown_by_their_adjusted_p(self):
        """ "not significant, p = 0.018": the p-value before the adjustment for three pairs."""
        joint = br.count(*drawn(60, 2000, THREE))
        choice = br.choose(joint, costs={"fn": 20})
        for one in choice.differences:
            assert f"p = {one.p_adjusted:.3g})" in repr(choice)

    def test_over_a_range_have_intervals_in_the_text(self, three, capsys):
        asked = ("choose", three, *DATA, "--cost", "fn=20", "--prior", "0.5%..5%")
        lines = told(capsys, *asked).out.split("\n")
        found = answered(capsys, *asked)["result"]["decision"]["differences"]
        start = lines.index("The chosen option against the others, on the same cases:")
        shown = lines[start + 3 : start + 3 + len(found)]
        assert [line.split("  ")[0] for line in shown] == [
            f"{one['models'][1]} - {one['models'][0]}" for one in found
        ]
        assert all(" to " in line for line in shown)


def test_a_report_over_a_range_names_every_base_rate():
    """ "computed for base rates of 0.3162%,  (not those of the samples)"."""
    joint = br.count(*drawn(60, 2000, THREE))
    report = br.report(joint, prior="0.1%..1%", costs={"fn": 20})
    texts = [note["text"] for note in report.document["notes"] if note["code"] == "BR526"]
    assert not [text for text in texts if ",  (" in text]
    assert any("from 0.1% to 1%" in text for text in texts)
    assert "significant" in report.sentences[0]


def test_slices_of_a_report_say_that_thresholds_are_taken_as_fixed():
    y, scores = drawn(60, 2000, {"a": 1.6})
    site = np.where(np.arange(len(y)) % 2, "north", "south")
    slices = {"site": {"a": br.count(y, scores["a"], by=site)}}
    page = br.report(br.count(y, scores), costs={"fn": 20}, slices=slices).html
    assert "these intervals and bounds are optimistic" in page
    chosen = br.choose(br.count(y, scores["a"]), costs={"fn": 20}).threshold
    assert f"2 groups, at score ≥ {chosen!r}." not in page or len(repr(chosen)) < 6


# ---- models that cost the same and differ in both classes ----------------------------------------

AT = br.Conditions(prior=0.3, costs=br.Costs(fn=100, fp=1))


def equally_expensive(misses, seed, positives=200, negatives=1000):
    """Flags of two models of the same expected cost: `a` has so many misses more than `b` in a data
    set of this size, and as much fewer false alarms.
    """
    rng = np.random.default_rng(seed)
    fewer = 0.3 * 100 * misses / positives / 0.7
    alarms = rng.random(negatives) < 0.6
    found = rng.random(positives) >= misses / positives
    a = np.concatenate((found, alarms & (rng.random(negatives) >= fewer / 0.6)))
    b = np.concatenate((np.ones(positives, dtype=bool), alarms))
    y = np.repeat([1, 0], [positives, negatives])
    return br.count(y, {"a": a.astype(float), "b": b.astype(float)})


@pytest.mark.parametrize("misses", [0.5, 1.5, 3])
def test_equal_costs_are_not_called_different_because_no_miss_was_seen(misses):
    """Before, 20 to 70 of 100 such sets were called different."""
    half = {"a": 0.5, "b": 0.5}
    found = [
        br.compare(equally_expensive(misses, seed), "expected_cost", threshold=half, at=AT)
        for seed in range(100)
    ]
    assert sum(one.p_value < 0.05 for one in found) <= 11  # of 5 % the chance of more is 0.4 %


@pytest.mark.parametrize("seed", range(8))
def test_a_test_of_costs_agrees_with_its_interval(seed):
    y, scores = drawn(80, 1500, {"a": 1.5 + seed / 5, "b": 1.5}, seed=seed)
    models = br.count(y, scores)
    for found in (
        *br.choose(models, at=AT).differences,
        br.compare(models, "expected_cost", threshold={"a": 0.5, "b": 0.5}, at=AT),
    ):
        assert found.method == "weighted-mcnemar"
        assert (found.p_value < 0.05) == (found.low > 0 or found.high < 0)
