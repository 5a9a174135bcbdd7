"""From rounded, published rates to the rest: never a false contradiction, never a range that misses
the truth.
"""

import itertools
import math
import random
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import linprog
from tests.decisions import oracle_decisions as oracle
from tests.strategies import seeds

import baserate as br

NAMES = tuple(oracle.PARTS)
# Each outcome as weights of (x, y, p, 1).
OUTCOMES = {"tp": (1, 0, 0, 0), "fp": (0, 1, 0, 0), "fn": (-1, 0, 1, 0), "tn": (0, -1, -1, 1)}
OTHERS = (
    "balanced_accuracy",
    "informedness",
    "kappa",
    "lr_positive",
    "lr_negative",
    "lift",
    "nne",
    "markedness",
)


def counted(tpr, fpr, prior):
    return prior * tpr, (1 - prior) * fpr, prior * (1 - tpr), (1 - prior) * (1 - fpr)


def rounded(value, digits):
    scaled = value * 10**digits
    return (Decimal(round(scaled)) / 10**digits).quantize(
        Decimal(1).scaleb(-digits), ROUND_HALF_EVEN
    )


def row(name, value):
    """name = value as a linear equation in (x, y, p, 1), with TP = x, FP = y, FN = p - x, TN = 1 -
    p - y.
    """
    if name == "prior":
        return np.array([0, 0, 1, -float(value)])
    shares = SimpleNamespace(
        **{key: np.array(weights, dtype=float) for key, weights in OUTCOMES.items()}
    )
    above, below = oracle.PARTS[name](shares)
    return above - float(value) * (
        below if isinstance(below, np.ndarray) else np.array([0, 0, 0, 1.0])
    )


def determined(names, truth):
    """Whether three of these rates have independent equations at the truth, in exact fractions."""
    rows = []
    for name in names:
        shares = {
            key: np.array([Fraction(w) for w in weights], dtype=object)
            for key, weights in OUTCOMES.items()
        }
        above, below = (
            (shares["fn"] + shares["tp"], 1)
            if name == "prior"
            else oracle.PARTS[name](SimpleNamespace(**shares))
        )
        whole = below if isinstance(below, np.ndarray) else sum(shares.values())
        rows.append((above - truth[name] * whole)[:3])
    return any(np.dot(np.cross(a, b), c) for a, b, c in itertools.combinations(rows, 3))


def slack(given):
    """How much room the rates {name: (value, half a unit)} leave, by linear programming: below 0
    they contradict each other.
    """
    planes = [(-1, 0, 0, 0), (1, 0, -1, 0), (0, -1, 0, 0), (0, 1, 1, -1)]
    rows = [np.array(plane, dtype=float) for plane in planes]
    margins = [0.0] * 4
    for name, (value, half) in given.items():
        low, high = -row(name, max(0.0, value - half)), row(name, min(1.0, value + half))
        for side in (low, high):
            rows.append(side)
            margins.append(1.0)
    table = np.column_stack([[r[:3] for r in rows], margins])
    bounds = [(0, 1), (0, 1), (1e-12, 1 - 1e-12), (-1, 1)]
    best = linprog([0, 0, 0, -1], A_ub=table, b_ub=[-r[3] for r in rows], bounds=bounds)
    return best.x[3]


def truths(rng):
    tpr, fpr = (Fraction(rng.randint(1, 999), 1000) for _ in range(2))
    prior = rng.choice(
        [Fraction(1, 2), Fraction(1, 100), Fraction(1, 1000), Fraction(rng.randint(1, 99), 100)]
    )
    matrix = counted(tpr, fpr, prior)
    every = {name: oracle.value(name, matrix, oracle.At()) for name in (*NAMES, *OTHERS)}
    return {"prior": prior, **every}


def published(rng, truth, most=5):
    """Some of the rates as text or as floats, and {name: (value, half a unit)}."""
    names = rng.sample((*NAMES, "prior", "prior", "prior"), rng.randint(3, most))
    given, read = {}, {}
    for name in dict.fromkeys(names):
        if name == "prior":
            given[name], read[name] = float(truth[name]), (float(truth[name]), 0.0)
            continue
        digits = rng.randint(2, 4)
        text = rounded(truth[name], digits)
        given[name] = rng.choice([str(text), f"{100 * text:.{digits - 2}f}%", float(text)])
        half = 0.5 * 10**-digits
        if isinstance(given[name], float):
            half = (
                0.5 * 10.0 ** -len(repr(given[name]).partition(".")[2])
                if "e" not in repr(given[name])
                else half
            )
        read[name] = (float(text), half)
    return given, read


def solved_or_open(given):
    """None where the rates leave something open, also by chance: precision printed as the prior
    fits every guess.
    """
    try:
        return br.solve_rates(**given)
    except br.InputError as refusal:
        assert refusal.code == "BR540"
        return None


@pytest.mark.parametrize("seed", seeds(200))
def test_the_truth_is_never_contradicted_and_lies_in_every_range(seed):
    rng = random.Random(f"solve {seed}")
    truth = truths(rng)
    given, read = published(rng, truth)
    printed = {name: Fraction(repr(value)) for name, (value, _) in read.items()}
    if not determined(given, truth) or not determined(given, printed):
        rates = solved_or_open(given)
        assert rates is None or determined(given, truth)
    else:
        rates = br.solve_rates(**given)
    if rates is None:
        return
    for name, solved in rates.solved.items():
        assert solved.given == (name in given)
        if solved.low is not None:
            assert solved.low <= solved.value <= solved.high
        if solved.low is not None and truth.get(name) is not None:
            exact = float(truth[name])
            assert solved.low - 1e-12 * abs(exact) <= exact <= solved.high + 1e-12 * abs(exact), (
                name
            )


@pytest.mark.parametrize("seed", seeds(60))
def test_the_value_of_a_given_rate_rounds_to_what_was_given(seed):
    rng = random.Random(f"nominal {seed}")
    given, read = published(rng, truths(rng), most=6)
    try:
        rates = br.solve_rates(**given)
    except br.InputError as refusal:
        assert refusal.code == "BR540"
        return
    for name, (value, half) in read.items():
        if name in rates.solved:
            assert rates[name].value == pytest.approx(value, abs=half * (1 + 1e-9) + 1e-12), name


@pytest.mark.parametrize("seed", seeds(120))
def test_a_contradiction_is_claimed_exactly_where_linear_programming_finds_none_that_fit(seed):
    rng = random.Random(f"wrong {seed}")
    truth = truths(rng)
    given, read = published(rng, truth, most=6)
    wrong = rng.choice([name for name in given if name != "prior"] or ["tpr"])
    off = min(
        1.0,
        max(
            0.0,
            float(
                rounded(truth[wrong] + Fraction(rng.choice([-300, -20, -5, 5, 20, 300]), 1000), 3)
            ),
        ),
    )
    given[wrong], read[wrong] = f"{off:.3f}", (off, 0.0005)
    room = slack(read)
    if abs(room) < 1e-7:
        return
    try:
        br.solve_rates(**given)
        code = None
    except br.InputError as refusal:
        code = refusal.code
    assert (code == "BR541") == (room < 0)


def test_landgrebe_the_printed_purity_is_not_what_the_other_rates_force():
    rates = br.solve_rates(tpr=0.8, posfrac=0.549, prior=0.5)
    assert (f"{rates.precision:.4f}", f"{rates.fpr:.3f}") == ("0.7286", "0.298")
    match = (
        r"tpr 0\.8, posfrac 0\.549, prior 0\.5 force precision to lie between .* and .* \(about"
        r" 0\.7286\), not at 0\.779"
    )
    with pytest.raises(br.InputError, match=match) as caught:
        br.solve_rates(tpr=0.8, posfrac=0.549, prior=0.5, precision=0.779)
    assert caught.value.code == "BR541"
    with pytest.raises(br.InputError, match="BR541: .* between 0.7234 and 0.7338 .*, not at 77.9%"):
        br.solve_rates(tpr="0.80", posfrac="54.9%", prior=0.5, precision="77.9%")


def test_landgrebe_b11_each_printed_pair_and_the_consistent_set():
    assert f"{br.solve_rates(tpr='0.80', precision='77.9%', prior=0.5).posfrac:.3f}" == "0.513"
    assert f"{br.solve_rates(tpr='0.80', posfrac='54.9%', prior=0.5).precision:.3f}" == "0.729"
    consistent = br.solve_rates(tpr="0.80", fpr=0.2428, prior=0.5)
    assert (f"{consistent.posfrac:.4f}", f"{consistent.precision:.3f}") == ("0.5214", "0.767")


@pytest.mark.parametrize("rate", [0.5, "50%", "1/2", "1 in 2", 1, 0])
def test_equal_tpr_and_fpr_leave_the_prior_open(rate):
    with pytest.raises(
        br.InputError,
        match=(
            "BR540: tpr equals fpr, so flagging is independent of the class and leaves the prior"
            " open"
        ),
    ):
        br.solve_rates(tpr=rate, fpr=rate, posfrac=rate)


def test_equal_tpr_and_fpr_with_precision_give_the_prior():
    assert br.solve_rates(tpr=0.5, fpr=0.5, precision=0.25).prior == 0.25


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {},
            ("no rate is given: add 3 of prior, tpr, fpr.* Fix: prior=…, tpr=…, fpr=…"),
        ),
        (
            {"tpr": 0.5},
            "tpr does not determine the rest: add 2 of prior, fpr.* Fix: prior=…, fpr=…",
        ),
        (
            {"tpr": 0.5, "prior": 0.1},
            "prior, tpr do not determine the rest: add 1 of fpr.* Fix: fpr=…",
        ),
        ({"tpr": 0.5, "fnr": 0.5, "prior": 0.1}, "fnr, prior, tpr do not determine the rest"),
        (
            {"precision": 0.5, "fdr": 0.5, "tpr": 0.5},
            "do not determine the rest: add 1 of prior.* Fix: prior=…",
        ),
    ],
)
def test_too_few_rates_say_how_many_are_missing_and_which_help(given, said):
    with pytest.raises(br.InputError, match=f"BR540: .*{said}"):
        br.solve_rates(**given)


def test_what_is_said_to_help_helps():
    with pytest.raises(br.InputError, match="BR540") as caught:
        br.solve_rates(tpr=0.6, precision=0.3)
    for name in caught.value.problems[0].text.partition("add 1 of ")[2].split(", "):
        truth = {
            **{
                n: oracle.value(
                    n, counted(Fraction(6, 10), Fraction(7, 45), Fraction(1, 10)), oracle.At()
                )
                for n in NAMES
            },
            "prior": 0.1,
        }
        assert br.solve_rates(
            tpr=0.6, precision=0.3, **{name: float(truth[name])}
        ).prior == pytest.approx(0.1, abs=1e-9)


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [("54.9%", 0.5485, 0.5495), ("0.549", 0.5485, 0.5495), ("0.5490", 0.54895, 0.54905)],
)
def test_a_printed_rate_stands_for_all_that_rounds_to_it(text, low, high):
    rates = br.solve_rates(posfrac=text, tpr=Fraction(4, 5), prior=0.5)
    assert (rates["posfrac"].low, rates["posfrac"].high) == (low, high)


@pytest.mark.parametrize("exact", ["1/8", "1 in 8", Fraction(1, 8), "125 per 1000"])
def test_fractions_are_exact(exact):
    rates = br.solve_rates(fpr=exact, tpr=Fraction(1, 2), prior="1 in 1000")
    assert (rates["fpr"].low, rates["fpr"].high) == (0.125, 0.125)
    assert rates.precision == float(Fraction(4, 1003))


@pytest.mark.parametrize("one", [1, np.int64(1), np.int32(1)])
def test_whole_numbers_of_any_kind_are_exact(one):
    rates = br.solve_rates(tpr=one, fpr=Fraction(1, 8), prior=0.5)
    assert (rates["tpr"].low, rates["tpr"].high) == (1, 1)


def test_rates_read_as_attributes_and_by_name():
    rates = br.solve_rates(tpr=0.8, fpr=0.2, prior="1 in 1000")
    assert rates.tnr == rates["tnr"].value == 0.8
    assert set(rates) >= {"prior", *NAMES, "kappa", "mcc", "nne"}
    assert rates["mcc"].low is None
    with pytest.raises(AttributeError, match="no rate"):
        _ = rates.nonsense
    with pytest.raises(br.InputError, match='BR540: no rate "nonsense" was solved for'):
        _ = rates["nonsense"]
    nothing = br.solve_rates(tpr=0, fpr=0, prior=0.5)
    assert "precision" in nothing.undefined
    with pytest.raises(br.InputError, match="BR540: precision is undefined here: nothing flagged"):
        _ = nothing["precision"]


@pytest.mark.parametrize("value", [80, -0.1, "high", math.nan, math.inf, None, True, [0.5]])
def test_what_is_no_share_is_refused(value):
    with pytest.raises(br.InputError, match="BR542: tpr must be a share between 0 and 1"):
        br.solve_rates(tpr=value, fpr=0.1, prior=0.5)


def test_names_that_cannot_be_given_are_refused():
    with pytest.raises(
        br.InputError, match='BR535: "recall" is not a rate that can be given here. Fix: "tpr"'
    ):
        br.solve_rates(recall=0.8)
    with pytest.raises(br.InputError, match='BR540: "mcc" is not a rate that can be given here'):
        br.solve_rates(mcc=0.8)
    with pytest.raises(br.InputError, match="BR531: unknown measure"):
        br.solve_rates(zzz=0.8)
    for prior, code in ((0, "BR503"), (5, "BR503"), ("rare", "BR503"), (None, "BR542")):
        with pytest.raises(br.InputError, match=code):
            br.solve_rates(tpr=0.5, fpr=0.1, prior=prior)


def test_two_rates_may_contradict_each_other():
    with pytest.raises(
        br.InputError,
        match=r"BR541: .*tpr 0\.8 force fnr to lie between 0\.15 and 0\.25.*, not at 0\.5",
    ):
        br.solve_rates(tpr=0.8, fnr=0.5)


def test_a_range_without_bound_is_not_given_one():
    """Accuracy 0.3 at fpr 0.5 and prior 0.5: tpr may be 0, and then no number of alerts finds a
    positive.
    """
    rates = br.solve_rates(accuracy=0.3, fpr=0.5, prior=0.5)
    assert rates["tpr"].low == 0
    assert rates["nne"].high == math.inf


def test_a_ratio_whose_denominator_may_vanish_has_no_upper_bound():
    assert (
        br.solve_rates(tpr="0.50", fpr="0.004", prior=0.5, posfrac="0.3")["lr_positive"].high
        < math.inf
    )
    assert br.solve_rates(tpr="0.50", accuracy="0.748", prior=0.5)["lr_positive"].high == math.inf


@pytest.mark.parametrize(
    "given",
    [
        {"tpr": 0.8, "fnr": 0.21, "fpr": 0.1},
        {"precision": "0.50", "fdr": "0.501", "tpr": 0.8},
        {"f1": "0.50", "jaccard": "0.33", "tpr": 0.8},
        {"npv": "0.90", "false_omission_rate": "0.10", "prior": 0.1},
    ],
)
def test_complementary_rates_that_were_rounded_differently_are_one_fact(given):
    with pytest.raises(br.InputError, match="BR540: .* do not determine the rest: add 1 of"):
        br.solve_rates(**given)


def test_complementary_rates_narrow_each_other():
    rates = br.solve_rates(tpr="0.67", fnr="0.34", fpr=0.1, prior=0.5)
    assert (rates["tpr"].low, rates["tpr"].high) == (0.665, 0.665)


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("0", 0, 0),
        ("1", 1, 1),
        (" 1 ", 1, 1),
        ("0.0", 0, 0.05),
        ("1.0", 0.95, 1),
        ("100%", 0.995, 1),
    ],
)
def test_a_bare_0_or_1_is_exact_and_printed_decimals_are_rounded(text, low, high):
    rates = br.solve_rates(tpr=text, fpr=Fraction(1, 8), prior=0.5)
    assert (rates["tpr"].low, rates["tpr"].high) == (low, high)


@pytest.mark.parametrize("kind", [float, np.float64, str, Decimal])
def test_a_rate_is_as_rounded_as_it_was_printed_whatever_its_type(kind):
    rates = br.solve_rates(tpr=kind("0.8"), fpr=Fraction(1, 8), prior=0.5)
    assert (rates["tpr"].low, rates["tpr"].high) == (0.75, 0.85)


@pytest.mark.parametrize(
    "given",
    [
        {"tpr": 0, "fpr": 0, "precision": 0.5, "prior": 0.5},
        {"tpr": "0", "fpr": "0", "precision": 0.5},
        {"tpr": 1, "fpr": 1, "npv": 0.5, "prior": 0.5},
        {"posfrac": 0, "fdr": 0.2, "prior": 0.5},
    ],
)
def test_a_given_rate_that_would_be_nothing_out_of_nothing_is_a_contradiction(given):
    with pytest.raises(br.InputError, match="BR541: these rates contradict each other"):
        br.solve_rates(**given)


def test_odds_in_the_prior_are_noted():
    assert [note.code for note in br.solve_rates(tpr=0.8, fpr=0.1, prior="1:99").notes] == ["BR508"]
    assert not br.solve_rates(tpr=0.8, fpr=0.1, prior="1%").notes


def test_a_percentage_without_its_sign_is_refused_with_what_to_write():
    with pytest.raises(
        br.InputError,
        match="BR542: tpr must be a share between 0 and 1, got 80. Fix: .*for 80 percent write 80%",
    ):
        br.solve_rates(tpr=80, fpr=0.1, prior=0.5)


def test_rates_of_any_length_are_refused_at_once():
    for text in (
        "9" * 100_000,
        "0." + "0" * 100_000,
        "1e" + "9" * 100_000,
        "1 in " + "1 " * 50_000,
        "," * 100_000,
    ):
        with pytest.raises(br.InputError, match="BR542: tpr must be a share"):
            br.solve_rates(tpr=text, fpr=0.1, prior=0.5)


@pytest.mark.parametrize(
    "given",
    [
        {"precision": 1, "false_omission_rate": 1, "posfrac": 0.5},
        {"precision": 0, "npv": 1, "posfrac": 0.5},
    ],
)
def test_rates_that_leave_no_case_of_a_class_contradict_each_other(given):
    with pytest.raises(br.InputError, match="BR541: these rates contradict each other"):
        br.solve_rates(**given)


def test_a_given_rate_is_solved_for_where_the_values_of_the_others_would_leave_it_undefined():
    """Nothing is flagged at tpr and fpr of 0, but 0.0 may be 0.04."""
    rates = br.solve_rates(tpr="0.0", fpr="0.0", prior=0.5, precision="0.5")
    assert 0.45 <= rates.precision <= 0.55
    assert 0 < rates.tpr <= 0.05
