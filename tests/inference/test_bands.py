"""The bands around curves, and around differences of two."""

import math

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from tests.inference.helpers_bands import COUNTS, NAMED

import baserate as br
from baserate.inference import bands
from baserate.inference.resample import Plan, resample_counts

SEPARATED = br.Counts([2, 1], positives=[10, 0], negatives=[0, 100])
AT = br.Conditions(prior=0.03)


def binormal(positives, negatives, distance, rng):
    """One sample of a binormal model: positives lie `distance` standard deviations higher."""
    y = np.repeat([1, 0], [positives, negatives])
    return y, rng.normal(size=len(y)) + distance * y


@pytest.mark.parametrize("simultaneous", [False, True])
@pytest.mark.parametrize("curve", [*NAMED, "cost"])
def test_a_band_contains_its_curve_and_stays_in_range(curve, simultaneous):
    at = None if curve == "cost" else AT
    band = br.curves.band(
        COUNTS, curve, at=at, simultaneous=simultaneous, replicates=None if simultaneous else 200
    )
    assert len(band) >= 100
    assert (band.low <= band.y).all()
    assert (band.y <= band.high).all()
    assert band.low.min() >= 0
    assert band.high.max() <= (1 if curve != "lift" else 1 / 0.03 + 1e-9)
    assert (band.high - band.low).max() > 0.02
    assert band.kind == ("simultaneous" if simultaneous else "pointwise")


@pytest.mark.parametrize("curve", ["roc", "pr", "cost"])
def test_a_simultaneous_band_is_wider_than_a_pointwise_one(curve):
    y, scores = binormal(60, 200, 1.2, np.random.default_rng(3))
    counts = br.count(y, scores)
    each, all_along = (
        br.curves.band(counts, curve, simultaneous=simultaneous) for simultaneous in (False, True)
    )
    narrower = (all_along.low > each.low + 1e-12) | (all_along.high < each.high - 1e-12)
    assert narrower.mean() <= 0.02
    assert (all_along.high - all_along.low).mean() > 1.1 * (each.high - each.low).mean()


def test_a_simultaneous_band_covers_the_whole_true_curve_nearly_as_often_as_it_says():
    """The true binormal ROC, over 40 data sets; a pointwise band covers it at every place at once
    in four of five only.
    """
    rng, places = np.random.default_rng(20), np.array([0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9])
    truth, covered = ndtr(1.2 + ndtri(places)), 0
    for seed in range(40):
        band = br.curves.band(
            br.count(*binormal(60, 120, 1.2, rng)),
            br.roc,
            x=places,
            simultaneous=True,
            replicates=1500,
            seed=seed,
        )
        covered += bool(((band.low <= truth) & (truth <= band.high)).all())
    assert covered / 40 >= 0.87


def walks(rows):
    return np.random.default_rng(5).normal(size=(rows, 20)).cumsum(axis=1)


@pytest.mark.parametrize("sides", ["both", "lower"])
@pytest.mark.parametrize("rows", [2000, 8000])
def test_a_simultaneous_band_leaves_out_about_as_many_resampled_curves_as_it_says(rows, sides):
    values = walks(rows)
    low, high, _ = bands.resampled_bounds(values, 0.95, sides)
    inside = ((values >= low) & ((values <= high) | (sides == "lower"))).all(axis=1).mean()
    assert 0.95 <= inside <= 0.965


@pytest.mark.parametrize("sides", ["both", "lower"])
def test_a_curve_that_is_none_of_the_resamples_leaves_the_band_hardly_more_often(sides):
    """With five resamples beyond the bound at a place, about a fifth more often: 6 % instead of 5
    %.
    """
    left = []
    for seed in range(30):
        rng = np.random.default_rng((9, seed))
        values = rng.normal(size=(8000, 20)).cumsum(axis=1)
        rows = next(
            rows
            for rows in range(200, 8000, 100)
            if bands.beyond(values[:rows], 0.95, sides) >= bands.LEAST_BEYOND
        )
        low, high, _ = bands.resampled_bounds(values[:rows], 0.95, sides)
        fresh = rng.normal(size=(4000, 20)).cumsum(axis=1)
        left.append(
            1 - ((fresh >= low) & ((fresh <= high) | (sides == "lower"))).all(axis=1).mean()
        )
    assert np.mean(left) <= 0.06 + 3 * np.std(left) / math.sqrt(len(left))


def test_too_few_replicates_for_a_simultaneous_bound_are_refused():
    with pytest.raises(
        br.InputError,
        match=(
            "BR580: of 200 replicates only 1 replicate lies beyond bounds that hold at 20 places at"
            " once; 5 are needed. Fix: replicates=1500"  # 1.25 · 5 · 200, in steps of 500
        ),
    ):
        bands.resampled_bounds(walks(200), 0.95, "both")
    for asked in (
        lambda: br.curves.band(COUNTS, br.roc, simultaneous=True, replicates=100),
        lambda: br.curves.difference_band(models(), br.roc, replicates=200),
        lambda: br.robustness.winner_map(models(), level=0.95, replicates=200),
    ):
        with pytest.raises(br.InputError, match=r"BR580: of .* Fix: replicates=\d+"):
            asked()
    assert (
        br.curves.band(COUNTS, br.roc, replicates=100).replicates == 100
    )  # at each place on its own


def test_where_the_number_is_left_open_as_many_are_drawn_as_the_bound_needs():
    found = br.curves.difference_band(models(), br.roc)
    assert found.replicates >= 2000
    again = br.curves.difference_band(models(), br.roc, replicates=found.replicates)
    np.testing.assert_array_equal(found.low, again.low)
    np.testing.assert_array_equal(found.high, again.high)


def models():
    y, a = binormal(60, 200, 1.2, np.random.default_rng(3))
    return br.count(y, {"a": a, "b": a + np.random.default_rng(4).normal(size=len(a))})


@pytest.mark.parametrize("rows", [2000, 8000])
def test_a_simultaneous_band_contains_at_least_the_share_of_resampled_curves_that_it_says(rows):
    values = walks(rows)
    low, high, _ = bands.resampled_bounds(values, 0.95, "both")
    assert ((values >= low) & (values <= high)).all(axis=1).mean() >= 0.95


def test_where_every_resample_is_perfect_the_bound_for_none_missed_stands_in():
    missed = 1 - 0.05 ** (1 / 10)
    band = br.curves.band(SEPARATED, br.roc, x=[0.0, 0.2])
    assert band.y.tolist() == [1, 1]
    assert band.low == pytest.approx([1 - missed, 1 - missed])
    assert band.high.tolist() == [1, 1]
    det = br.curves.band(SEPARATED, br.det, x=[0.0])
    assert (det.low[0], det.high[0]) == (0, pytest.approx(missed))
    narrow = br.curves.band(
        br.Counts([2, 1], positives=[1000, 0], negatives=[0, 100]), br.roc, x=[0.0]
    )
    assert narrow.low == pytest.approx([0.05 ** (1 / 1000)])
    at_90 = br.curves.band(SEPARATED, br.roc, x=[0.0], level=0.9)
    assert at_90.low == pytest.approx([0.1 ** (1 / 10)])


def test_where_no_negative_was_ever_flagged_precision_is_bounded_by_what_so_many_negatives_show():
    fpr = 1 - 0.05 ** (1 / 100)
    places = np.array([0.5, 1.0])
    false = 0.97 * fpr / (0.03 * places + 0.97 * fpr)
    broc = br.curves.band(SEPARATED, br.broc, at=AT, x=places)
    assert (broc.y.tolist(), broc.low.tolist()) == ([0, 0], [0, 0])
    assert broc.high == pytest.approx(false)
    assert br.curves.band(SEPARATED, br.pr, at=AT, x=places).low == pytest.approx(1 - false)
    flagged = br.curves.band(SEPARATED, "posfrac", at=AT, x=places)
    assert flagged.high == pytest.approx(0.03 * places + 0.97 * fpr)


def test_a_worthless_end_is_open_upwards():
    # The top half of the negatives outranks every positive.
    counts = br.Counts([2, 1], positives=[0, 20], negatives=[50, 50])
    band = br.curves.band(counts, br.roc, x=[0.1])
    assert (band.y[0], band.low[0]) == (0, 0)
    assert band.high[0] == pytest.approx(1 - 0.05 ** (1 / 20))


def test_the_bands_of_precision_and_of_its_complement_are_images_of_each_other():
    y, scores = binormal(80, 300, 1.5, np.random.default_rng(8))
    counts = br.count(y, scores)
    pr, broc = (br.curves.band(counts, curve, at=AT) for curve in (br.pr, br.broc))
    assert broc.x.tolist() == pr.x.tolist()
    assert broc.y == pytest.approx(1 - pr.y)
    assert broc.low == pytest.approx(1 - pr.high)
    assert broc.high == pytest.approx(1 - pr.low)


def paired_models(seed=11, cases=150):
    rng = np.random.default_rng(seed)
    y, scores = binormal(cases // 3, cases - cases // 3, 1.0, rng)
    return br.count(
        y, {"a": scores, "b": scores + rng.normal(size=cases) + 0.8 * y, "twin": scores}
    )


@pytest.mark.parametrize("curve", ["roc", "pr", "cost", "precision"])
def test_identical_models_differ_nowhere(curve):
    given = {"priors": [0.5, 0.1], "threshold": 0.5} if curve == "precision" else {}
    band = br.curves.difference_band(
        paired_models(), curve, pair=("a", "twin"), replicates=200, **given
    )
    for values in (band.y, band.low, band.high):
        assert values.tolist() == [0] * len(band)


@pytest.mark.parametrize("simultaneous", [False, True])
def test_a_difference_changes_its_sign_when_the_pair_is_swapped(simultaneous):
    models, places = paired_models(), [0.1, 0.3, 0.5, 0.8]
    one, other = (
        br.curves.difference_band(models, br.roc, pair=pair, x=places, simultaneous=simultaneous)
        for pair in (("a", "b"), ("b", "a"))
    )
    assert one.models == ("a", "b")
    assert one.y.any()
    assert other.y.tolist() == (-one.y).tolist()
    within = {"abs": 0.03} if simultaneous else {}
    assert other.low == pytest.approx(-one.high, **within)
    assert other.high == pytest.approx(-one.low, **within)
    assert (one.low <= one.y).all()
    assert (one.y <= one.high).all()


def test_bounds_of_the_negated_curves_are_the_bounds_negated():
    values = walks(2000)
    low, high, _ = bands.resampled_bounds(values, 0.95, "both")
    mirrored_low, mirrored_high, _ = bands.resampled_bounds(-values, 0.95, "both")
    assert mirrored_low.tolist() == (-high).tolist()
    assert mirrored_high.tolist() == (-low).tolist()


def test_a_difference_is_that_of_the_two_curves_in_pairs():
    models = paired_models()
    band = br.curves.difference_band(models, br.roc, pair=("a", "b"), x=[0.1, 0.5], replicates=600)
    each = [
        br.curves.band(models.marginal(name), br.roc, x=[0.1, 0.5], replicates=100).y
        for name in ("a", "b")
    ]
    assert band.y == pytest.approx(each[1] - each[0])
    assert band.kind == "simultaneous"
    rng = np.random.default_rng(0)
    y, scores = binormal(50, 100, 1.0, rng)
    near = br.count(y, {"a": scores, "b": scores + rng.normal(scale=0.02, size=150)})
    paired = br.curves.difference_band(near, br.roc, x=[0.3], replicates=300)
    alone = br.curves.band(near.marginal("a"), br.roc, x=[0.3], replicates=300)
    assert paired.high[0] - paired.low[0] < 0.5 * (alone.high[0] - alone.low[0]), (
        "pairing makes it sharp"
    )


def test_thresholds_of_each_model_are_given_by_name():
    models = paired_models()
    band = br.curves.difference_band(
        models, "tpr", pair=("a", "b"), priors=[0.1], threshold={"a": 0.5, "b": 1.0}, replicates=400
    )
    expected = (
        br.choose(models.marginal("b"), threshold=1.0).tpr
        - br.choose(models.marginal("a"), threshold=0.5).tpr
    )
    assert band.y == pytest.approx([expected])
    with pytest.raises(br.InputError, match="no threshold is given for 'b'"):
        br.curves.difference_band(
            models, "tpr", pair=("a", "b"), priors=[0.1], threshold={"a": 0.5}
        )


def test_the_same_seed_gives_the_same_band_and_another_seed_another():
    one, again, other = (
        br.curves.band(COUNTS, br.roc, replicates=100, seed=seed) for seed in (7, 7, 8)
    )
    assert (one.low.tolist(), one.high.tolist()) == (again.low.tolist(), again.high.tolist())
    assert one.low.tolist() != other.low.tolist()
    assert (one.seed, one.replicates) == (7, 100)


def test_more_cases_make_a_band_narrower():
    many = br.Counts(COUNTS.scores, COUNTS.positives * 25, COUNTS.negatives * 25)
    few, more = (
        br.curves.band(counts, br.roc, x=[0.1, 0.3], replicates=400) for counts in (COUNTS, many)
    )
    assert few.y == pytest.approx(more.y)
    assert (more.high - more.low) == pytest.approx((few.high - few.low) / 5, rel=0.35)


def test_the_prior_is_resampled_only_where_it_is_the_samples_own():
    assert br.curves.band(COUNTS, br.pr, replicates=100).method == "bootstrap, cases"
    assert br.curves.band(COUNTS, br.pr, at=AT, replicates=100).method == "bootstrap, stratified"
    assert br.curves.band(COUNTS, br.roc, replicates=100).method == "bootstrap, stratified"
    chosen = br.count([0, 1] * 20, range(40), design="case-control")
    assert br.curves.band(chosen, br.roc, replicates=100).method == "bootstrap, stratified"
    with pytest.raises(br.InputError, match="BR509.*so a prior must be given"):
        br.curves.band(chosen, br.pr, replicates=100)


def clusters(groups=40):
    rng = np.random.default_rng(4)
    names = np.repeat(np.arange(groups), 10)
    shift = np.repeat(rng.normal(size=groups), 10)
    y = rng.random(len(names)) < 0.3
    return y, y + shift + 0.1 * rng.normal(size=len(names)), names


def test_clusters_are_resampled_whole_which_makes_a_band_wider():
    y, scores, names = clusters()
    grouped, plain = br.count(y, scores, cluster=names), br.count(y, scores)
    whole, each = (
        br.curves.band(counts, br.roc, x=[0.1, 0.3, 0.5], replicates=300)
        for counts in (grouped, plain)
    )
    assert whole.method == "bootstrap, clusters"
    assert whole.y == pytest.approx(each.y)
    assert (whole.high - whole.low).mean() > 1.2 * (each.high - each.low).mean()


def test_few_clusters_are_noted():
    y, scores, names = clusters(groups=12)
    assert "only 12 clusters hold positives" in str(
        br.curves.band(br.count(y, scores, cluster=names), br.roc, replicates=100).notes
    )
    assert not br.curves.band(COUNTS, br.roc, replicates=100).notes


def test_replicates_on_which_a_rule_cannot_be_kept_are_counted():
    band = br.curves.band(
        COUNTS, "tpr", priors=[0.5], rule="precision >= 0.76 and tpr >= 0.5", replicates=200
    )
    assert [note.code for note in band.notes] == ["BR592"]
    assert "of 200 replicates are undefined somewhere" in band.notes[0].text
    assert 0 < band.low[0] < band.high[0]


def test_a_band_says_what_it_is_and_gives_its_columns():
    band = br.curves.band(
        COUNTS, "precision", priors=[0.1, 0.01], threshold=4, replicates=100, level=0.9
    )
    assert repr(band) == "Band precision: precision along prior, 2 places, 90 % pointwise"
    assert list(band.to_dict()) == ["prior", "precision", "low", "high"]
    assert band.to_dict()["prior"] == [0.1, 0.01]
    with pytest.raises(ValueError, match="read-only"):
        band.low[0] = 0
    models = br.count([0, 1] * 20, {"x": range(40), "y": range(40)})
    between = br.curves.difference_band(models, "roc", x=[0.5], replicates=100)
    assert repr(between) == "Band roc of y - x: tpr along fpr, 1 places, 95 % simultaneous"


@pytest.mark.parametrize(
    ("short", "name"),
    [("gain", "gain_curve"), ("cost", "cost_curve"), ("posfrac", "posfrac_curve"), ("roc", "roc")],
)
def test_curves_go_by_their_short_names_too(short, name):
    assert br.curves.band(COUNTS, short, x=[0.5], replicates=100).name == name


def test_the_lift_curve_goes_by_its_short_name_too():
    assert br.curves.band(COUNTS, "lift", x=[0.5], replicates=100).name == "lift_curve"


def test_a_synonym_is_the_measure_that_it_names():
    assert br.curves.band(COUNTS, "recall", priors=[0.1], threshold=4).name == "tpr"


def test_a_place_where_nothing_is_defined_stays_undefined():
    band = br.curves.band(COUNTS, br.pr, x=[0.0, 0.5], replicates=100)
    assert np.isnan(band.y).tolist() == np.isnan(band.low).tolist() == [True, False]
    # So rare that flagging nothing is cheapest, in every resample: precision is 0/0.
    rare = br.curves.band(
        br.Counts([2, 1], [30, 20], [20, 80]), "precision", priors=[0.5, 1e-6], replicates=100
    )
    assert np.isnan(rare.y).tolist() == [False, True]


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (
            lambda: br.curves.band(COUNTS, "rocc"),
            'BR531.*there is no band for "rocc".*one of roc, det, pr, broc, posfrac',
        ),
        (lambda: br.curves.band(COUNTS, "ks"), 'BR531.*there is no band for "ks"'),
        (lambda: br.curves.band(COUNTS, 7), "BR531.*there is no band for 7"),
        (
            lambda: br.curves.band(COUNTS, br.roc, x=[0.5, 1.5]),
            "BR573.*read at shares between 0 and 1",
        ),
        (
            lambda: br.curves.band(COUNTS, br.roc, x=[math.nan]),
            "BR573.*read at shares between 0 and 1",
        ),
        (lambda: br.curves.band(COUNTS, br.roc, x=[]), "BR573.*read at shares between 0 and 1"),
        (lambda: br.curves.band(COUNTS, br.roc, x="all"), "BR573.*read at shares between 0 and 1"),
        (lambda: br.curves.band(COUNTS, br.roc, x=0.5), "BR573.*read at shares between 0 and 1"),
        (
            lambda: br.curves.band(COUNTS, "precision", at=AT),
            "BR573.*a measure is read along base rates",
        ),
        (
            lambda: br.curves.band(COUNTS, "precision", x=[0.5]),
            "BR573.*a measure is read along base rates",
        ),
        (
            lambda: br.curves.band(COUNTS, br.roc, priors=[0.1]),
            "BR573.*belong to a measure along base rates",
        ),
        (
            lambda: br.curves.band(COUNTS, br.roc, threshold=3),
            "BR573.*belong to a measure along base rates",
        ),
        (lambda: br.curves.band(COUNTS, "precision", priors=["sample"]), "BR519.*needs base rates"),
        (lambda: br.curves.band(COUNTS, "precision", priors=[]), "BR519.*needs base rates"),
        (lambda: br.curves.band(COUNTS, "precision", priors=[5]), "BR503"),
        (
            lambda: br.curves.band(
                COUNTS, "precision", priors=[0.1], rule="tpr >= 0.5", threshold=3
            ),
            "BR594.*give a rule or a threshold for precision, not both",
        ),
        (
            lambda: br.curves.band(COUNTS, "total_cost", priors=[0.1]),
            "BR573.*counts the cases of the sample",
        ),
        (lambda: br.curves.band(COUNTS, "alerts", priors=[0.1]), "volume"),
        (
            lambda: br.curves.band(paired_models(), br.roc),
            "BR429.*a band is made of Counts, got JointCounts",
        ),
        (lambda: br.curves.band(COUNTS, br.roc, level=95), "BR580.*level=0.95"),
        (
            lambda: br.curves.band(COUNTS, br.roc, replicates=99),
            "BR580.*100 to 10,000,000 replicates, got 99",
        ),
        (lambda: br.curves.band(COUNTS, br.roc, seed=-1), "BR580.*a seed is a whole number"),
        (lambda: br.curves.band(COUNTS, br.roc, resample="rows"), "BR581.*resamples are drawn by"),
        (lambda: br.curves.band(COUNTS, br.roc, resample="clusters"), "BR581.*need GroupedCounts"),
        (
            lambda: br.curves.band(br.Counts([2, 1], [4, 0], [5, 5]), br.roc),
            "BR590.*only 4 positives",
        ),
        (
            lambda: br.curves.band(
                br.count([0, 1] * 9, range(18), sample_weight=[1.5] * 18), br.roc
            ),
            "BR583.*weighted",
        ),
        (
            lambda: br.curves.band(
                br.count([0, 1] * 4, range(8), cluster=[1, 1, 2, 2, 3, 3, 4, 4]), br.roc
            ),
            "BR590.*only 4 clusters",
        ),
        (lambda: br.curves.difference_band(COUNTS, br.roc), "BR595.*needs JointCounts, got Counts"),
        (
            lambda: br.curves.difference_band(paired_models(), br.roc),
            "BR595.*there are 3 models: which two",
        ),
        (
            lambda: br.curves.difference_band(paired_models(), br.roc, pair=("a", "z")),
            'BR408.*there is no model "z"',
        ),
        (
            lambda: br.curves.difference_band(paired_models(), br.roc, pair=("a", "a")),
            "BR595.*two different models",
        ),
        (
            lambda: br.curves.difference_band(
                paired_models(), br.roc, pair=("a", "b"), replicates=5
            ),
            "BR580.*got 5",
        ),
    ],
)
def test_what_makes_no_band_is_refused_with_its_reason(call, match):
    with pytest.raises(br.InputError, match=match):
        call()


def test_what_no_resample_changes_is_noted_unless_it_is_none_or_all_by_definition():
    """At the ends of the axis of costs nothing is at stake, whatever the cases are."""

    def notes(counts, x):
        return [note.code for note in br.curves.band(counts, "cost", x=x, replicates=100).notes]

    assert "BR591" not in notes(COUNTS, [0.0, 0.5, 1.0])
    assert "BR591" in notes(COUNTS, [0.0, 1.0])  # no place where anything could vary
    assert "BR591" in notes(SEPARATED, [0.0, 0.5, 1.0])


def test_a_difference_at_thresholds_by_name_is_that_of_resamples_at_these_thresholds():
    models, cuts = paired_models().only(("a", "b")), {"a": 0.2, "b": 1.1}
    band = br.curves.difference_band(
        models,
        "precision",
        priors=[0.1, 0.3],
        threshold=cuts,
        replicates=150,
        seed=4,
        simultaneous=False,
    )

    def precision(part, cut, prior):
        caught, alarms = (
            float(column[part.scores >= cut].sum() / column.sum())
            for column in (part.positives, part.negatives)
        )
        return prior * caught / (prior * caught + (1 - prior) * alarms)

    for place, prior in enumerate((0.1, 0.3)):
        values = [
            precision(b, cuts["b"], prior) - precision(a, cuts["a"], prior)
            for a, b in resample_counts(models, Plan("stratified", 150, 4))
        ]
        ends = (
            np.quantile(values, 0.025, method="inverted_cdf"),
            -np.quantile(np.negative(values), 0.025, method="inverted_cdf"),
        )
        assert (band.low[place], band.high[place]) == pytest.approx(ends, rel=1e-12)
