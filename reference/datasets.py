"""The data sets of the reference set: what each is for, its rows, and the conditions it is read at.

Every draw comes from one small generator of whole numbers, written out here, so that the files are
the same on every machine and with every version of Python.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

from definitions import Costs


@dataclass(frozen=True)
class DataSet:
    """Rows of text under a heading, and the conditions in the field."""

    name: str
    title: str
    kinds: tuple[str, ...]
    heading: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    prior: Fraction
    costs: Costs
    integers: bool = False

    @property
    def cells(self):
        """[(score, positives, negatives)], the highest score first; weights of 0 are absent."""
        found = {}
        for row in self.rows:
            named = dict(zip(self.heading, row, strict=True))
            score = read_score(named["score"], integers=self.integers)
            if "label" in named:
                weight = Fraction(float(named.get("weight", 1)))
                pair = (weight, 0) if named["label"] == "1" else (0, weight)
            else:
                pair = int(named["positives"]), int(named["negatives"])
            if any(pair):
                old = found.get(score, (0, 0))
                found[score] = (old[0] + pair[0], old[1] + pair[1])
        return [(score, *map(Fraction, found[score])) for score in sorted(found, reverse=True)]

    @property
    def weighted(self):
        return "weight" in self.heading


def read_score(text, *, integers=False):
    """A score is the float64 nearest to its text, or a whole number where the set has those."""
    if integers:
        return Fraction(int(text))
    value = float(text)
    return value if math.isinf(value) else Fraction(value)


class Draws:
    """Whole numbers below 2³²: the upper half of a linear congruential generator (Knuth, MMIX)."""

    def __init__(self, seed):
        self.state = seed
        for _ in range(4):
            self.next()

    def next(self):
        self.state = (6364136223846793005 * self.state + 1442695040888963407) % 2**64
        return self.state >> 32

    def below(self, limit):
        return self.next() * limit >> 32

    def bell(self):
        """A sum of twelve uniform numbers, less its mean, in units of 2⁻³²: close to normal."""
        return sum(self.next() for _ in range(12)) - 6 * 2**32


# Conditions in the field, given to the sets in turn: all of them are float64 numbers, so that no
# tool has to round what it is asked.
FIELDS = (
    (Fraction(1, 1024), Costs(fp=Fraction(1), fn=Fraction(50))),
    (Fraction(1, 128), Costs(fp=Fraction(1), fn=Fraction(10), tp=Fraction(-2))),
    (Fraction(1, 2**20), Costs(fp=Fraction(1, 4), fn=Fraction(1000))),
    (Fraction(7, 8), Costs(fp=Fraction(5), fn=Fraction(1))),
    (Fraction(5, 16), Costs(fp=Fraction(3, 2), fn=Fraction(2), tn=Fraction(-1, 8))),
    (Fraction(1, 2), Costs(fp=Fraction(1), fn=Fraction(1))),
)


class Collection:
    """Data sets in the order in which they are added."""

    def __init__(self):
        self.sets = []

    def add(self, name, title, kinds, rows, heading=("label", "score"), field=None, **facts):
        prior, costs = field or FIELDS[len(self.sets) % len(FIELDS)]
        text = tuple(tuple(map(written, row)) for row in rows)
        self.sets.append(
            DataSet(name, title, tuple(kinds.split()), heading, text, prior, costs, **facts)
        )

    def cases(self, name, title, kinds, labels, scores, weights=None, **facts):
        if weights is None:
            self.add(name, title, kinds, zip(labels, scores, strict=True), **facts)
        else:
            rows = zip(labels, scores, weights, strict=True)
            self.add(name, title, kinds, rows, heading=("label", "score", "weight"), **facts)

    def counts(self, name, title, kinds, cells, **facts):
        self.add(name, title, kinds, cells, heading=("score", "positives", "negatives"), **facts)


def written(value):
    """A number as text that reads back as the same float64."""
    if isinstance(value, Fraction):
        value = value.numerator if value.denominator == 1 else float(value)
    return str(value) if isinstance(value, int | str) else repr(float(value))


def ladder(labels):
    """Labels with distinct scores going down from the first: probabilities with few bits."""
    size = 64
    while size < 2 * len(labels):
        size *= 2
    step = size // (len(labels) + 1)
    return [Fraction(size - step * (i + 1), size) for i in range(len(labels))]


def published(sets):
    sets.cases(
        "fawcett-2006",
        "Twenty instances of Fawcett 2006, figure 3",
        "published",
        [1, 1, 0, 1, 1, 1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0],
        [
            ".9",
            ".8",
            ".7",
            ".6",
            ".55",
            ".54",
            ".53",
            ".52",
            ".51",
            ".505",
            ".4",
            ".39",
            ".38",
            ".37",
            ".36",
            ".35",
            ".34",
            ".33",
            ".30",
            ".1",
        ],
    )
    sets.cases(
        "tan-2005",
        "Ten instances of Tan, Steinbach & Kumar 2005, §5.7.2",
        "published ties",
        [1, 1, 0, 0, 0, 1, 0, 1, 0, 1],
        ["0.95", "0.93", "0.87", "0.85", "0.85", "0.85", "0.76", "0.53", "0.43", "0.25"],
    )
    sets.counts(
        "hanley-mcneil-1982",
        "Ratings of 109 CT images, Hanley & McNeil 1982, table I",
        "published ties counts",
        [(5, 33, 2), (4, 11, 11), (3, 2, 6), (2, 2, 6), (1, 3, 33)],
    )
    sets.cases(
        "sklearn-example",
        "The four cases of scikit-learn's documentation",
        "published tiny",
        [0, 0, 1, 1],
        ["0.1", "0.4", "0.35", "0.8"],
    )
    sets.counts(
        "landgrebe-like",
        "A detector at 1 in 1000, four operating regions",
        "counts",
        [("0.875", 40, 60), ("0.625", 30, 300), ("0.375", 20, 3000), ("0.125", 10, 96540)],
    )


def tiny(sets):
    for text in (
        "10",
        "01",
        "110",
        "101",
        "011",
        "100",
        "010",
        "001",
        "1100",
        "1010",
        "1001",
        "0110",
        "0101",
        "0011",
    ):
        labels = [int(letter) for letter in text]
        sets.cases(
            f"order-{text}",
            f"Labels {text} from the highest score to the lowest",
            "tiny",
            labels,
            ladder(labels),
        )
    sets.cases(
        "tied-pair",
        "One positive and one negative with one score",
        "tiny ties",
        [1, 0],
        ["0.5", "0.5"],
    )
    sets.cases(
        "tied-three",
        "Two positives and a negative with one score",
        "tiny ties",
        [1, 0, 1],
        ["0.25"] * 3,
    )
    for text in ("1", "0", "111", "000"):
        labels = [int(letter) for letter in text]
        sets.cases(
            f"only-{text}", f"One class: labels {text}", "tiny one-class", labels, ladder(labels)
        )


def tied(sets):
    sets.counts(
        "constant-even",
        "Every score is 0.5: 5 positives, 5 negatives",
        "ties constant",
        [("0.5", 5, 5)],
    )
    sets.counts(
        "constant-rare",
        "Every score is 0.25: 1 positive, 99 negatives",
        "ties constant",
        [("0.25", 1, 99)],
    )
    sets.counts("constant-one", "Every score is 1", "ties constant", [(1, 3, 4)])
    sets.counts("constant-zero", "Every score is 0", "ties constant", [(0, 3, 4)])
    sets.counts(
        "hard-labels", "A classifier that says 0 or 1", "ties counts", [(1, 40, 60), (0, 10, 890)]
    )
    sets.counts(
        "hard-labels-perfect",
        "A classifier that says 0 or 1 and is right",
        "ties counts separation",
        [(1, 7, 0), (0, 0, 13)],
    )
    sets.counts(
        "three-levels", "Scores 0, ½ and 1", "ties counts", [(1, 8, 1), ("0.5", 5, 6), (0, 2, 28)]
    )
    sets.cases(
        "ties-within",
        "Ties within each class only",
        "ties",
        [1, 1, 0, 0, 0, 1, 1, 0],
        ["0.875", "0.875", "0.75", "0.75", "0.75", "0.5", "0.5", "0.25"],
    )
    sets.cases(
        "ties-across",
        "Every tie holds both classes",
        "ties",
        [1, 0, 1, 0, 0, 1, 0, 1],
        ["0.75", "0.75", "0.5", "0.5", "0.5", "0.25", "0.25", "0.25"],
    )
    sets.cases(
        "tied-but-one",
        "All tied but the best positive",
        "ties",
        [1, 1, 0, 0, 0, 0, 1],
        ["0.75", "0.5", "0.5", "0.5", "0.5", "0.5", "0.5"],
    )
    sets.cases(
        "tied-at-the-top",
        "The highest score holds most cases",
        "ties",
        [1, 0, 0, 0, 1, 1, 0],
        ["1", "1", "1", "1", "0.5", "0.25", "0"],
    )


def single(sets):
    for size, where in ((10, "first"), (10, "middle"), (10, "last"), (33, "third")):
        place = {"first": 0, "middle": size // 2, "last": size - 1, "third": 2}[where]
        one = [int(i == place) for i in range(size)]
        sets.cases(
            f"one-positive-{where}",
            f"One positive of {size}, ranked {where}",
            "one-positive",
            one,
            ladder(one),
        )
        other = [1 - label for label in one]
        sets.cases(
            f"one-negative-{where}",
            f"One negative of {size}, ranked {where}",
            "one-negative",
            other,
            ladder(other),
        )
    sets.counts(
        "one-in-a-million",
        "One positive among a million, 17 negatives above it",
        "one-positive counts",
        [("0.75", 0, 17), ("0.5", 1, 3), ("0.125", 0, 999_979)],
    )
    sets.counts(
        "one-negative-in-a-million",
        "One negative among a million",
        "one-negative counts",
        [("0.75", 999_000, 0), ("0.5", 900, 1), ("0.125", 99, 0)],
    )


def separated(sets):
    for size in (5, 50):
        right = [1] * size + [0] * size
        sets.cases(
            f"separated-{size}",
            f"Every positive above every negative, {size} of each",
            "separation",
            right,
            ladder(right),
        )
        wrong = right[::-1]
        sets.cases(
            f"inverted-{size}",
            f"Every negative above every positive, {size} of each",
            "inversion",
            wrong,
            ladder(wrong),
        )
    sets.cases(
        "separated-touching",
        "Separated but for one tie at the border",
        "separation ties",
        [1, 1, 1, 0, 0, 0],
        ["0.875", "0.75", "0.5", "0.5", "0.25", "0.125"],
    )
    sets.cases(
        "inverted-touching",
        "Inverted but for one tie at the border",
        "inversion ties",
        [0, 0, 0, 1, 1, 1],
        ["0.875", "0.75", "0.5", "0.5", "0.25", "0.125"],
    )
    sets.counts(
        "separated-rare",
        "Separated, 3 positives among 10,000",
        "separation counts",
        [("0.9375", 3, 0), ("0.0625", 0, 9_997)],
    )
    sets.cases(
        "separated-certain",
        "Probabilities 0 and 1, all right",
        "separation calibration",
        [1, 1, 0, 0, 0],
        [1, 1, 0, 0, 0],
    )
    sets.cases(
        "inverted-certain",
        "Probabilities 0 and 1, all wrong",
        "inversion calibration",
        [0, 0, 0, 1, 1],
        [1, 1, 1, 0, 0],
    )


def shapes(sets):
    sets.counts(
        "straight",
        "A ROC on the diagonal, four points in a line",
        "shape counts",
        [("0.75", 2, 4), ("0.5", 3, 6), ("0.25", 5, 10)],
    )
    sets.counts(
        "straight-above",
        "Three points in a line above the diagonal",
        "shape counts",
        [("0.875", 4, 1), ("0.75", 4, 1), ("0.5", 4, 1), ("0.25", 1, 10)],
    )
    sets.counts(
        "concave",
        "A ROC with a dent that the hull covers",
        "shape counts",
        [("0.875", 5, 1), ("0.625", 1, 5), ("0.5", 4, 1), ("0.25", 1, 8)],
    )
    sets.counts(
        "below-diagonal",
        "A ROC below the diagonal: never flipped",
        "shape counts",
        [("0.875", 1, 5), ("0.5", 2, 4), ("0.25", 7, 1)],
    )
    sets.counts(
        "s-shape",
        "Below the diagonal first, above it later",
        "shape counts",
        [("0.9375", 0, 3), ("0.75", 1, 2), ("0.5", 8, 1), ("0.25", 1, 14)],
    )
    sets.counts(
        "vertical-start",
        "Half of the positives before any negative",
        "shape counts",
        [("0.75", 6, 0), ("0.625", 0, 4), ("0.5", 3, 4), ("0.25", 3, 12)],
    )
    sets.counts(
        "horizontal-start",
        "Negatives before any positive",
        "shape counts",
        [("0.875", 0, 5), ("0.75", 9, 0), ("0.5", 0, 5), ("0.25", 3, 5)],
    )
    labels = [int(i % 2 == 0) for i in range(24)]
    sets.cases("staircase", "Positives and negatives in turn", "shape", labels, ladder(labels))


def huge(sets):
    sets.counts(
        "huge-million",
        "Millions of cases in five cells",
        "huge counts",
        [
            ("0.875", 41_234, 1_771),
            ("0.75", 30_017, 80_003),
            ("0.5", 20_011, 700_001),
            ("0.25", 8_009, 2_345_678),
            ("0.125", 729, 6_999_999),
        ],
    )
    sets.counts(
        "huge-billion",
        "Billions of cases, one in a million positive",
        "huge counts",
        [("0.75", 1_931, 70_001), ("0.5", 57, 9_000_001), ("0.25", 12, 3_991_230_017)],
    )
    sets.counts(
        "huge-trillion",
        "10¹² cases of each class, nearly alike",
        "huge counts",
        [("0.75", 500_000_000_001, 499_999_999_999), ("0.25", 499_999_999_999, 500_000_000_001)],
    )
    sets.counts(
        "huge-past-floats",
        "Counts just above 2⁵³, where floats skip whole numbers",
        "huge counts",
        [("0.75", 2**53 + 1, 3), ("0.5", 5, 2**53 + 3), ("0.25", 7, 2**53)],
    )
    sets.counts(
        "huge-int64",
        "Totals near 2⁶², whose products pass 2⁶⁴",
        "huge counts",
        [("0.75", 2**61 - 1, 2**60 + 7), ("0.25", 2**60 + 9, 2**61 - 5)],
    )
    sets.counts(
        "huge-lopsided",
        "One positive, 4·10¹⁸ negatives",
        "huge counts one-positive",
        [("0.75", 0, 12), ("0.5", 1, 1), ("0.25", 0, 4 * 10**18)],
    )
    sets.counts(
        "huge-flat",
        "A ROC within 10⁻¹² of the diagonal",
        "huge counts",
        [("0.75", 10**12, 10**12 - 1), ("0.5", 10**12, 10**12), ("0.25", 10**12, 10**12)],
    )


def weighted(sets):
    draws = Draws(7)
    labels = [int(draws.below(3) == 0) for _ in range(24)]
    scores = [Fraction(draws.below(16), 16) for _ in range(24)]
    for name, title, weight in (
        ("whole", "Whole weights, as if cases were repeated", lambda: draws.below(6) + 1),
        ("dyadic", "Weights that are multiples of 1/8", lambda: Fraction(draws.below(40) + 1, 8)),
        (
            "zero",
            "A third of the weights is 0: those rows are as if absent",
            lambda: draws.below(3),
        ),
        ("tiny", "Weights near 2⁻⁴⁰", lambda: Fraction(draws.below(9) + 1, 2**40)),
        ("huge", "Weights near 2⁴⁰", lambda: (draws.below(9) + 1) * 2**40),
        ("mixed", "Weights from 2⁻²⁴ to 2²⁴", lambda: Fraction(2) ** (draws.below(49) - 24)),
        (
            "decimal",
            "Weights 0.1 to 0.9, each the nearest float64",
            lambda: f"0.{draws.below(9) + 1}",
        ),
    ):
        sets.cases(
            f"weights-{name}", title, "weights ties", labels, scores, [weight() for _ in labels]
        )
    sets.cases(
        "weights-one-heavy",
        "One negative outweighs all other cases",
        "weights",
        [1, 0, 1, 0, 1, 0],
        ["0.875", "0.75", "0.5", "0.375", "0.25", "0.125"],
        [1, 2**30, 1, 1, 1, 1],
    )
    sets.cases(
        "weights-case-control",
        "Negatives thinned to 1 in 64 and weighted back",
        "weights",
        [1, 1, 0, 1, 0, 0, 1, 0, 0],
        ladder([1] * 9),
        [1, 1, 64, 1, 64, 64, 1, 64, 64],
    )
    sets.cases(
        "weights-cancel",
        "Weights whose sum in floats depends on the order",
        "weights",
        [1, 0, 1, 0, 1, 0, 1],
        ["0.875", "0.75", "0.625", "0.5", "0.375", "0.25", "0.125"],
        [2**53, 2**53, 1, 1, 1, 1, 1],
    )


def scales(sets):
    labels = [1, 0, 1, 1, 0, 0, 1, 0]
    for name, title, scores in (
        ("negative", "Negative scores", [-1, -2, -3, -5, -8, -13, -21, -34]),
        ("whole", "Whole scores with a tie", [9, 7, 7, 5, 4, 3, 1, 0]),
        ("percent", "Percentages: no probabilities", [99, 80, 75, 50, 40, 25, 10, 1]),
        ("infinite", "Scores of ±∞ at both ends", ["inf", "inf", 3, 2, 1, 0, "-inf", "-inf"]),
        (
            "huge",
            "Scores near the largest float64",
            [1.7e308, 1.6e308, 1e308, 1e300, -1e300, -1e308, -1.6e308, -1.7e308],
        ),
        (
            "subnormal",
            "Scores below the smallest normal float64",
            [4e-323, 3.5e-323, 3e-323, 2.5e-323, 2e-323, 1.5e-323, 1e-323, 5e-324],
        ),
        (
            "adjacent",
            "Neighbouring float64: 0.3 and 0.1 + 0.2 are two scores",
            [0.1 + 0.2, 0.3, 0.3, 0.1 + 0.2, 0.2, math.nextafter(0.2, 0), 0.2, 0.1],
        ),
        ("zeros", "+0 and −0 are one score", ["1", "0.0", "-0.0", "0.0", "-0.0", "-1", "-2", "-3"]),
        (
            "near-one",
            "Probabilities within 2⁻⁵³ of 1",
            [1, 1 - 2**-53, 1 - 2**-52, 1 - 2**-51, 0.5, 2**-51, 2**-52, 0],
        ),
        (
            "single",
            "Scores that are one number in float32",
            [1 - 2**-30, 1 - 2**-31, 1 - 2**-32, 1 - 2**-33, 0.5, 0.25, 1 - 2**-34, 0.125],
        ),
    ):
        sets.cases(f"scores-{name}", title, "scores", labels, scores)
    sets.cases(
        "scores-int64",
        "Whole scores above 2⁵³, which floats cannot tell apart",
        "scores",
        labels,
        [2**53 + k for k in (7, 6, 5, 4, 3, 2, 1, 0)],
        integers=True,
    )


def conditions(sets):
    base = Draws(11)
    for place, (text, prior) in enumerate(
        (
            ("tiny", Fraction(1, 2**30)),
            ("small", Fraction(1, 2**20)),
            ("rare", Fraction(1, 2**10)),
            ("low", Fraction(1, 16)),
            ("half", Fraction(1, 2)),
            ("high", Fraction(15, 16)),
            ("nearly-all", 1 - Fraction(1, 2**20)),
            ("1-in-1000", Fraction(1, 1000)),
            ("all-but-1-in-a-million", 1 - Fraction(1, 10**6)),
        )
    ):
        labels = [int(base.below(4) == 0) for _ in range(20)] + [1, 0]
        scores = [Fraction(base.below(24) + 6 * label, 32) for label in labels]
        sets.cases(
            f"prior-{text}",
            f"Read at a base rate of {prior}",
            "prior",
            labels,
            scores,
            field=(prior, Costs(fn=Fraction(10**place))),
        )
    labels = [1, 1, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0]
    for name, title, costs in (
        (
            "rewards",
            "A hit and a correct pass earn",
            Costs(Fraction(-5), Fraction(1), Fraction(3), Fraction(-1, 4)),
        ),
        (
            "earning",
            "Flagging everything earns: nothing to save",
            Costs(Fraction(-50), Fraction(1), Fraction(1), Fraction(0)),
        ),
        ("asymmetric", "A miss costs a million alarms", Costs(fn=Fraction(10**6))),
        ("alarm-dear", "An alarm costs a million misses", Costs(fp=Fraction(10**6))),
        (
            "fractions",
            "Costs in eighths",
            Costs(Fraction(1, 8), Fraction(3, 8), Fraction(17, 8), Fraction(1, 4)),
        ),
        (
            "cancelling",
            "Costs that nearly cancel",
            Costs(Fraction(-(2**30)), Fraction(2**30 + 1), Fraction(2**30), Fraction(2**30)),
        ),
    ):
        sets.cases(
            f"costs-{name}", title, "costs", labels, ladder(labels), field=(Fraction(1, 4), costs)
        )


def random_sets(sets):
    for size in (12, 24, 40, 80, 160):
        for share, grid in ((2, 16), (2, 1024), (10, 64)):
            draws = Draws(1000 * size + 10 * share + grid)
            labels = [int(i * share < size) for i in range(size)]
            scores = []
            for label in labels:
                place = draws.bell() + (2**32 if label else 0)
                scores.append(min(grid - 1, max(0, (place + 3 * 2**32) * grid >> 35)))
            sets.cases(
                f"normal-{size}-{share}-{grid}",
                f"Two bells one apart, {size} cases, 1 in {share} positive, {grid} levels",
                "random ties",
                labels,
                [Fraction(one, grid) for one in scores],
            )
    for size in (20, 60):
        draws = Draws(size)
        labels = [1, 0] + [int(draws.below(5) == 0) for _ in range(size - 2)]
        scores = [
            Fraction(2) ** (draws.below(40) - 20) * (1 if label or draws.below(2) else -1)
            for label in labels
        ]
        sets.cases(
            f"heavy-tailed-{size}", f"Scores ±2ᵏ, {size} cases", "random ties", labels, scores
        )
        labels = [int(draws.below(5) < 2) for _ in range(size)]
        scores = [
            Fraction((draws.below(8) + 24) if label and draws.below(2) else draws.below(24), 32)
            for label in labels
        ]
        sets.cases(
            f"mixture-{size}",
            f"Half of the positives stand out, {size} cases",
            "random ties",
            labels,
            scores,
        )
    for size, share in ((1000, 20), (3000, 100)):
        draws = Draws(size + share)
        labels = [int(i * share < size) for i in range(size)]
        scores = [
            Fraction((draws.bell() + (2**32 if label else 0) + 6 * 2**32) >> 16, 2**20)
            for label in labels
        ]
        sets.cases(
            f"large-{size}",
            f"{size} cases, 1 in {share} positive, few ties",
            "random large",
            labels,
            scores,
        )


def calibrated(sets):
    levels = [Fraction(k, 16) for k in (15, 12, 8, 4, 1)]
    for name, title, shift in (
        ("exact", "Every probability comes true exactly", lambda q: q),
        ("over", "Too sure: shares nearer to one half", lambda q: (q + Fraction(1, 2)) / 2),
        ("under", "Too unsure: shares at the ends", lambda q: 2 * q - Fraction(1, 2)),
        ("high", "Every probability too high", lambda q: q / 2),
        ("reversed", "Shares that fall as the probability rises", lambda q: 1 - q),
    ):
        cells = []
        for q in levels:
            ours = int(min(Fraction(1), max(Fraction(0), shift(q))) * 64)
            cells.append((q, ours, 64 - ours))
        sets.counts(f"calibrated-{name}", title, "calibration counts", cells)
    sets.counts(
        "calibrated-certain",
        "A probability of 0 for a positive: infinite log loss",
        "calibration counts",
        [(1, 5, 0), ("0.5", 3, 3), (0, 1, 8)],
    )
    sets.counts(
        "calibrated-ends",
        "Probabilities of 0 and 1 that come true",
        "calibration counts",
        [(1, 5, 0), ("0.5", 3, 5), (0, 0, 8)],
    )
    sets.counts(
        "calibrated-rare",
        "Probabilities of rare events",
        "calibration counts",
        [(Fraction(1, 16), 5, 95), (Fraction(1, 256), 4, 996), (Fraction(1, 4096), 2, 8998)],
    )
    sets.counts(
        "calibrated-edges",
        "Probabilities on the edges of four bins",
        "calibration counts",
        [(1, 4, 0), ("0.75", 3, 1), ("0.5", 2, 2), ("0.25", 1, 3), (0, 0, 4)],
    )


def collected():
    """Every data set, in order."""
    sets = Collection()
    for family in (
        published,
        tiny,
        tied,
        single,
        separated,
        shapes,
        huge,
        weighted,
        scales,
        conditions,
        random_sets,
        calibrated,
    ):
        family(sets)
    names = [one.name for one in sets.sets]
    if len(set(names)) < len(names):
        raise ValueError("two data sets have one name")
    return sets.sets
