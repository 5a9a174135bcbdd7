"""Write the reference set: data as CSV, answers as JSON, and an index of both.

    python reference/make.py              every data set (minutes)
    python reference/make.py NAME …       some of them, and print nothing else

Needs mpmath, and nothing else that is not in the standard library.
"""

import hashlib
import json
import sys
from decimal import Context, Decimal
from fractions import Fraction
from pathlib import Path

from datasets import collected
from definitions import (
    AUC_INTERVALS,
    CURVES,
    MEASURES,
    RATE_INTERVALS,
    SUMMARIES,
    Enclosure,
    Sample,
    Undefined,
)

HERE = Path(__file__).parent
VERSION = "1.0"
DIGITS, INTERVAL_DIGITS = 50, 20
MOST_BITS = 480  # a fraction with more than this is given to 50 digits instead
MOST_POINTS = 32  # curves of sets with more distinct scores are left out
MOST_CASES = 20_000  # intervals of rates of more cases are left out


def text(value, digits=DIGITS):
    """A value as text: p/q, or digits with a point, all of them right."""
    if isinstance(value, float):
        return repr(value)  # an infinite score
    if isinstance(value, Enclosure):
        for bits in (256, 512, 1024, 2048, 4096):
            low, high = (rounded(end, digits) for end in value.bounds(bits))
            if low == high:
                return low
        raise ArithmeticError("an enclosure does not close")
    bits = value.numerator.bit_length() + value.denominator.bit_length()
    return str(value) if bits <= MOST_BITS else rounded(value, digits)


def rounded(value, digits):
    """A fraction to this many significant digits, as text with a point."""
    context = Context(prec=digits)
    near = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    sign, shown, exponent = near.as_tuple()
    missing = digits - len(shown)
    return str(Decimal((sign, shown + (0,) * missing, exponent - missing)))


class Answers:
    """The tree of answers of one data set, and the reasons of those that are undefined."""

    def __init__(self):
        self.tree, self.reasons = {}, {}

    def put(self, path, compute, digits=DIGITS):
        """Write down what `compute()` gives: a value, a tuple or a list of tuples."""
        try:
            answer = shown(compute(), digits)
        except Undefined as why:
            answer = None
            self.reasons["/".join(path)] = str(why)
        branch = self.tree
        for step in path[:-1]:
            branch = branch.setdefault(step, {})
        branch[path[-1]] = answer


def shown(value, digits):
    if value is None:
        return None
    if isinstance(value, tuple | list):
        return [shown(one, digits) for one in value]
    return text(value, digits)


def places(sample):
    """Thresholds that are read: none, the highest score, one in the middle, the lowest."""
    count = len(sample.cells)
    return sorted({0, 1, (count + 1) // 2, count})


def threshold_text(sample, place):
    """The lowest score that is flagged, as the answers name it."""
    if place == 0:
        return "none"
    score = sample.cells[place - 1][0]
    if isinstance(score, float):
        return repr(score)
    return str(score.numerator) if score.denominator == 1 else repr(float(score))


def answered(data):
    """Every answer of a data set, and the reasons of the undefined ones."""
    answers = Answers()
    for name, prior, costs in (("sample", None, None), ("field", data.prior, data.costs)):
        sample = Sample(data.cells, prior, costs)
        for place in places(sample):
            at = threshold_text(sample, place)
            for measure, formula in MEASURES.items():
                path = ("measures", name, at, measure)
                answers.put(path, lambda f=formula, s=sample, p=place: f(s.outcomes(p)))
        for summary, formula in SUMMARIES.items():
            answers.put(("summaries", name, summary), lambda f=formula, s=sample: f(s))
        if len(sample.cells) <= MOST_POINTS:
            for curve, formula in CURVES.items():
                answers.put(("curves", name, curve), lambda f=formula, s=sample: f(s))
    if not data.weighted:
        intervals(answers, Sample(data.cells))
    return answers


def intervals(answers, sample):
    """Intervals of three rates at the threshold in the middle, and of the AUC."""
    cases = sample.positives + sample.negatives
    if cases <= MOST_CASES:
        place = (len(sample.cells) + 1) // 2
        at, o = threshold_text(sample, place), sample.outcomes(place)
        rates = {
            "tpr": (o.tp, o.tp + o.fn),
            "fpr": (o.fp, o.fp + o.tn),
            "precision": (o.tp, o.tp + o.fp),
        }
        for rate, (seen, whole) in rates.items():
            for method, formula in RATE_INTERVALS.items():
                if whole:
                    path = ("intervals", f"{rate} {at}", method)
                    answers.put(
                        path, lambda f=formula, k=int(seen), n=int(whole): f(k, n), INTERVAL_DIGITS
                    )
    for method, formula in AUC_INTERVALS.items():
        if method == "distribution-free" and not within_reach(sample):
            continue
        answers.put(("intervals", "auc", method), lambda f=formula: f(sample), INTERVAL_DIGITS)


def within_reach(sample):
    """Whether Hoeffding's bound is no power of ten with hundreds of places."""
    if not sample.positives or not sample.negatives:
        return False
    share = SUMMARIES["auc"](sample)
    lesser = min(share, 1 - share)
    return lesser == 0 or lesser * min(sample.positives, sample.negatives) > Fraction(1, 50)


def files(data):
    """{path: text} of one data set."""
    table = "\n".join(",".join(row) for row in (data.heading, *data.rows)) + "\n"
    answers, sample = answered(data), Sample(data.cells)
    facts = {
        "name": data.name,
        "version": VERSION,
        "title": data.title,
        "kinds": list(data.kinds),
        "data": f"data/{data.name}.csv",
        "sha256": hashlib.sha256(table.encode()).hexdigest(),
        "scores": "int64" if data.integers else "float64",
        "positives": str(sample.positives),
        "negatives": str(sample.negatives),
        "conditions": {
            "sample": {"prior": None, "costs": {"tp": "0", "fp": "1", "fn": "1", "tn": "0"}},
            "field": {
                "prior": str(data.prior),
                "costs": {
                    name: str(getattr(data.costs, name)) for name in ("tp", "fp", "fn", "tn")
                },
            },
        },
        "answers": answers.tree,
        "reasons": answers.reasons,
    }
    return {facts["data"]: table, f"answers/{data.name}.json": page(facts)}


def page(tree, depth=0):
    """JSON with a line for each answer or list of answers, so that versions can be compared."""
    if not isinstance(tree, dict) or not tree:
        return json.dumps(tree, ensure_ascii=False)
    if all(not isinstance(value, dict) for value in tree.values()) and depth > 3:
        return json.dumps(tree, ensure_ascii=False)
    inside = ",\n".join(
        f"{' ' * (depth + 1)}{json.dumps(key, ensure_ascii=False)}: {page(value, depth + 1)}"
        for key, value in tree.items()
    )
    return "{\n" + inside + "\n" + " " * depth + "}" + ("\n" if depth == 0 else "")


def leaves(tree):
    """How many answers a tree has: numbers, intervals and curves."""
    return sum(map(leaves, tree.values())) if isinstance(tree, dict) else 1


def index(sets):
    """What there is, from the files as they are."""
    found = []
    for data in sets:
        facts = json.loads((HERE / "answers" / f"{data.name}.json").read_text())
        found.append(
            {key: facts[key] for key in ("name", "title", "kinds", "positives", "negatives")}
            | {"answers": leaves(facts["answers"]), "undefined": len(facts["reasons"])}
        )
    rows = ",\n".join(f"  {json.dumps(row, ensure_ascii=False)}" for row in found)
    whole = sum(row["answers"] for row in found)
    head = f' "version": "{VERSION}",\n "sets": {len(found)},\n "answers": {whole},\n'
    return "{\n" + head + ' "list": [\n' + rows + "\n ]\n}\n"


def main(names):
    sets = collected()
    known = {data.name for data in sets}
    for folder in (HERE / "data", HERE / "answers"):
        folder.mkdir(exist_ok=True)
        for old in folder.iterdir():
            if old.stem not in known:
                old.unlink()
    for data in sets:
        if not names or data.name in names:
            for path, content in files(data).items():
                (HERE / path).write_text(content)
    if not names:
        (HERE / "index.json").write_text(index(sets))


if __name__ == "__main__":
    main(sys.argv[1:])
