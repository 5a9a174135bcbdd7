"""The registry: how measures are named, written and described, and the laws that their descriptions
promise.
"""

import itertools
import math
import pickle
import random
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.measures import generated
from tests.oracle import in_cells

import baserate as br
from baserate.measures.confusion import exact_value
from baserate.measures.registry import CATALOGUE, SYNONYMS, plain_name
from baserate.numbers import Undefinable

NAMES = sorted(CATALOGUE)
SYNONYM_PAIRS = [
    (synonym, entry.name) for entry in CATALOGUE.values() for synonym in entry.synonyms
]
CONFUSION = br.Confusion(tp=30, fp=20, fn=10, tn=40)


def measures(name, seed=0):
    """The measure, with parameters where it takes some."""
    return br.Measure(name, tuple(generated.parameters(name, random.Random(seed)).items()))


def exact(measure, counted, at=None):
    """The exact value, None where undefined."""
    try:
        return exact_value(
            br.Measure.parse(measure) if isinstance(measure, str) else measure,
            br.Confusion(**in_cells(*counted)),
            at or br.Conditions(),
        )
    except Undefinable:
        return None


def assert_refused(match, code, call):
    with pytest.raises(br.InputError, match=match) as caught:
        call()
    assert caught.value.code == code


@pytest.mark.parametrize("name", NAMES)
def test_a_measure_prints_as_typed_and_parses_back(name):
    for seed in range(20):
        measure = measures(name, seed)
        assert br.Measure.parse(str(measure)) == measure
        assert eval(f"parse({str(measure)!r})", {"parse": br.Measure.parse}) == measure
        assert repr(measure) == str(measure)
        assert hash(br.Measure.parse(f"  {measure}  ")) == hash(measure)
        assert pickle.loads(pickle.dumps(measure)) == measure
        assert br.measure(CONFUSION, str(measure)) == br.measure(CONFUSION, measure)


@pytest.mark.parametrize(
    ("typed", "printed"),
    [
        ("f2", "f_beta(beta=2)"),
        ("F2 score", "f_beta(beta=2)"),
        ("F0.5", "f_beta(beta=0.5)"),
        ("F-beta(beta=inf)", "f_beta(beta=inf)"),
        ("F-BETA( ∞ )", "f_beta(beta=inf)"),
        ("f_beta(2)", "f_beta(beta=2)"),
        ("f1", "f1"),
        ("F_1", "f1"),
        ("weighted_accuracy(1, 0, w4=0, w3=1)", "weighted_accuracy(w1=1, w2=0, w3=1, w4=0)"),
        ("DOR(correction=0)", "diagnostic_odds_ratio"),
        ("odds ratio(0.5)", "diagnostic_odds_ratio(correction=0.5)"),
        ("alerts(volume=1e6)", "alerts(volume=1000000)"),
        ("LR−", "lr_negative"),
        ("net_benefit(t=0.1)", "net_benefit(t=0.1)"),
        ("Recall()", "tpr"),
        ("youden", "informedness"),
        ("youden_j", "informedness"),
        ("specificity", "tnr"),
        ("lr+", "lr_positive"),
        ("positive_likelihood_ratio", "lr_positive"),
        ("lr_neg", "lr_negative"),
        ("alerts_per_true_positive", "nne"),
        ("fomr", "false_omission_rate"),
    ],
)
def test_what_people_type_gets_one_spelling(typed, printed):
    assert str(br.Measure.parse(typed)) == printed


@given(st.floats(0, allow_nan=False))
def test_any_parameter_survives_printing(beta):
    measure = br.Measure("f_beta", (("beta", beta),))
    assert br.Measure.parse(str(measure)) == measure


@pytest.mark.parametrize(
    "value", [Fraction(1, 3), 10**17 + 1, np.float32(0.1), np.int64(7), Decimal("0.1")], ids=str
)
def test_parameters_of_any_kind_are_the_floats_that_they_print_as(value):
    measure = br.Measure("alerts", (("volume", value),))
    assert br.Measure.parse(str(measure)) == measure


def test_a_volume_is_used_where_it_is_needed_and_refused_where_it_says_nothing():
    assert (
        br.measure(CONFUSION, "alerts", volume=1000) == br.measure(CONFUSION, "alerts(1000)") == 500
    )
    assert br.measure(CONFUSION, br.Measure.parse("missed(volume=10)")) == 1
    assert_refused(
        "a volume is a number of cases above 0",
        "BR520",
        lambda: br.measure(CONFUSION, "alerts", volume=-1),
    )
    assert_refused("volume", "BR532", lambda: br.measure(CONFUSION, "precision", volume=1000))
    assert_refused(
        "volume", "BR532", lambda: br.measure(CONFUSION, "alerts(volume=5)", volume=1000)
    )


def test_the_order_of_parameters_and_their_defaults_do_not_matter():
    one = br.Measure("weighted_accuracy", (("w4", 4), ("w1", 1), ("w3", 3), ("w2", 2.0)))
    assert one == br.Measure.parse("weighted_accuracy(1,2,3,4)")
    assert br.Measure("sedi", (("correction", 0),)) == br.Measure("sedi")
    assert (
        len({one, br.Measure.parse("weighted_accuracy(w2=2,w1=1,w3=3,w4=4)"), br.Measure("sedi")})
        == 2
    )


@pytest.mark.parametrize(("synonym", "name"), SYNONYM_PAIRS)
def test_every_synonym_is_the_same_measure_in_python(synonym, name):
    for typed in {synonym, synonym.upper(), synonym.replace(" ", "_"), synonym.replace(" ", "-")}:
        assert SYNONYMS[plain_name(typed)] == name
    needs = ", ".join(f"{p.name}=2" for p in CATALOGUE[name].parameters if p.default is None)
    given = f"({needs})" if needs and name != "net_benefit" else ""
    assert str(br.Measure.parse(f"{synonym}{given}")) == f"{name}{given}"
    assert CONFUSION[f"{synonym}{given}"] == CONFUSION[f"{name}{given}"]


@pytest.mark.parametrize(
    ("typed", "name"), [("f2", "f_beta(beta=2)"), ("F0.5", "f_beta(beta=0.5)")]
)
def test_a_numbered_f_is_the_same_measure_in_python(typed, name):
    assert CONFUSION[typed] == CONFUSION[name]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("recal", r'"recall" \(here: tpr\)\?'),
        ("precison", r'"precision"\?'),
        ("Specifity", r'"specificity" \(here: tnr\)\?'),
        ("infomedness", r'"informedness"\?'),
        ("matthews corelation", r'"Matthews correlation" \(here: mcc\)\?'),
    ],
)
def test_a_slip_of_the_pen_gets_did_you_mean(typed, meant):
    assert_refused(
        f"unknown measure .*; did you mean {meant}", "BR531", lambda: br.Measure.parse(typed)
    )
    assert_refused(f"did you mean {meant}", "BR531", lambda: br.measure(CONFUSION, typed))


def test_what_resembles_nothing_gets_the_list():
    assert_refused(
        'unknown measure "zzzzzz". Fix: one of tp, fp', "BR531", lambda: br.Measure.parse("zzzzzz")
    )
    assert_refused("cannot read", "BR531", lambda: br.Measure.parse("f_beta(2))("))
    assert_refused("cannot read", "BR531", lambda: br.Measure.parse("x" * 2000))
    assert_refused("named by text, got int", "BR531", lambda: br.measure(CONFUSION, 3))
    assert_refused("unknown measure", "BR531", lambda: br.Measure("recall "))


@pytest.mark.parametrize(
    ("typed", "match"),
    [
        ("f_beta", "f_beta needs beta: how much more recall weighs"),
        ("f_beta(beta=-1)", "beta must be at least 0, got -1"),
        ("f_beta(beta=two)", 'beta is "two", which is not a number'),
        ("f_beta(1, 2)", "takes 1 parameters"),
        ("f_beta(1, beta=2)", '"beta" twice'),
        ("f_beta(gamma=1, beta=1)", 'no parameter "gamma"'),
        ("precision(2)", "takes 0 parameters"),
        ("precision(beta=2)", 'no parameter "beta"'),
        ("net_benefit(t=0)", "t must be above 0 and at most 1"),
        ("net_benefit(t=1.5)", "t must be above 0 and at most 1"),
        ("alerts", "alerts needs volume"),
        ("alerts(volume=0)", "volume must be above 0"),
        ("alerts(volume=inf)", "volume must be above 0"),
        ("weighted_accuracy(1, 1)", "weighted_accuracy needs w3"),
        ("f_beta(beta=1e400)", "f_beta"),
        ("sedi(correction=inf)", "correction must be"),
        ("diagnostic_odds_ratio(correction=inf)", "correction must be"),
    ],
)
def test_bad_parameters_are_refused(typed, match):
    assert_refused(match, "BR532", lambda: br.measure(CONFUSION, typed))
    assert_refused(match, "BR532", lambda: br.Measure.parse(typed))


@pytest.mark.parametrize("value", [math.nan, True, "2", None, [1]])
def test_parameters_that_are_no_numbers_are_refused(value):
    assert_refused(
        "beta must be at least 0", "BR532", lambda: br.Measure("f_beta", (("beta", value),))
    )


@pytest.mark.parametrize("name", NAMES)
def test_every_measure_is_described(name):
    measure = measures(name)
    assert min(map(len, (measure.definition, measure.extremes, measure.citation))) > 2
    assert any(year in measure.citation for year in map(str, range(1900, 2030)))
    assert measure.direction in ("higher", "lower")
    assert measure.range[0] < measure.range[1]
    assert isinstance(measure.depends_on_prior, bool)
    assert all(parameter.meaning for parameter in CATALOGUE[name].parameters)


@pytest.mark.parametrize("name", NAMES)
def test_a_measure_changes_with_the_prior_exactly_where_it_says_so(name):
    rng = random.Random(name)
    for _ in range(30):
        measure, counted = measures(name, rng.random()), generated.full_confusion(rng)
        seen = {
            exact(measure, counted, br.Conditions(prior)) for prior in (1e-9, 0.01, 0.5, 1 - 1e-9)
        }
        if str(measure) in ("f_beta(beta=inf)", "weighted_accuracy(w1=0, w2=0, w3=0, w4=0)"):
            continue
        if not measure.depends_on_prior:
            assert len(seen) == 1
            assert seen == {exact(measure, counted)}
    assert measure.depends_on_prior == (
        len({exact(measures(name, 1), (3, 1, 2, 7), br.Conditions(p)) for p in (0.1, 0.4)}) == 2
    )


@pytest.mark.parametrize("name", NAMES)
def test_values_lie_in_the_declared_range(name):
    rng = random.Random(name)
    low, high = CATALOGUE[name].range
    draws = [
        (
            measures(name, rng.random()),
            br.Confusion(**in_cells(*generated.confusion(rng))),
            br.Conditions(generated.prior(rng)),
        )
        for _ in range(300)
    ]
    values = [br.measure(confusion, measure, at=at) for measure, confusion, at in draws]
    defined = [value for value in values if not math.isnan(value)]
    assert len(defined) > 50
    assert all(low <= value <= high for value in defined)


def along_an_edge(measure, rng):
    """Exact values on nine mixtures of two operating points of one classifier."""
    (tp, fp, fn, tn), (more, alarms) = (
        generated.full_confusion(rng, 50),
        (rng.random(), rng.random()),
    )
    ends = [
        (tp, fp, fn, tn),
        (tp + int(fn * more), fp + int(tn * alarms), fn - int(fn * more), tn - int(tn * alarms)),
    ]
    at = br.Conditions(rng.choice([None, 0.01, 0.5]), br.Costs(fp=2, fn=5, tp=-1, tn=0.5))
    for k in range(9):
        mixed = [(1 - Fraction(k, 8)) * a + Fraction(k, 8) * b for a, b in zip(*ends, strict=True)]
        if (value := exact(measure, mixed, at)) is not None:
            yield value


def turns(values):
    signs = {(b > a) - (b < a) for a, b in itertools.pairwise(values)} - {0}
    return len(signs) > 1


@pytest.mark.parametrize("name", NAMES)
def test_exactly_the_straight_measures_never_turn_along_an_edge_of_the_roc(name):
    rng = random.Random(name)
    found = any(turns(list(along_an_edge(measures(name, rng.random()), rng))) for _ in range(400))
    assert found != CATALOGUE[name].straight
