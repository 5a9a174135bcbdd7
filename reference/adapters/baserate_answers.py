"""The answers of baserate.  python reference/adapters/baserate_answers.py answers.json"""

import sys

from common import columns, conditions, parameters, plain, references, write

import baserate as br

PARTS = ("miscalibration", "discrimination", "uncertainty")


def counted(reference):
    found = columns(reference)
    if "label" in found:
        weight = found.get("weight")
        return br.count(found["label"], found["score"], sample_weight=weight)
    order = sorted(range(len(found["score"])), key=lambda i: -found["score"][i])
    return br.Counts(
        *([found[name][i] for i in order] for name in ("score", "positives", "negatives"))
    )


def asked(function, *arguments, **options):
    """The answer, or null where baserate refuses."""
    try:
        return function(*arguments, **options)
    except br.InputError:
        return None


def summed(counts, name, at):
    if name in PARTS:
        found = asked(br.curves.brier_decomposition, counts, at=at)
        return None if found is None else plain(getattr(found, name))
    value = asked(br.summary, counts, name, at=at)
    return None if value is None else plain(value)


def traced(counts, name, at):
    head, options = parameters(name)
    if head in ("roc", "det", "pr", "pr_gain", "posfrac", "gain", "lift"):
        options["every"] = True
    if "bins" in options:
        options["bins"] = int(options["bins"])
    if head not in ("roc", "roc_hull", "det", "ks", "cost"):
        options["at"] = at
    curve = asked(br.curve, counts, head, **options)
    if curve is None:
        return None
    return [[plain(x), plain(y)] for x, y in zip(curve.x, curve.y, strict=True)]


def bounds(counts, question, method):
    name, _, threshold = question.partition(" ")
    if name == "auc":
        found = asked(br.interval, counts, "auc", method=method)
        return None if found is None else [plain(found.low), plain(found.high)]
    tp, fp, fn, tn = (
        int(br.measure(counts, one, threshold=number(threshold)))
        for one in ("tp", "fp", "fn", "tn")
    )
    seen, whole = {"tpr": (tp, tp + fn), "fpr": (fp, fp + tn), "precision": (tp, tp + fp)}[name]
    way, _, side = method.partition(" ")
    found = asked(br.rate_interval, seen, whole, method=way, side=side or "both")
    return None if found is None else [plain(found.low), plain(found.high)]


def number(text):
    if text == "none":
        return None
    return int(text) if text.lstrip("-").isdigit() else float(text)


def answers(reference):
    counts, tree = counted(reference), reference["answers"]
    found = {"measures": {}, "summaries": {}, "curves": {}, "intervals": {}}
    for where in tree["measures"]:
        prior, costs = conditions(reference, where)
        at = br.Conditions(prior=prior, costs=br.Costs(**costs))
        found["measures"][where] = {
            threshold: {
                name: plain(br.measure(counts, name, threshold=number(threshold), at=at))
                for name in names
            }
            for threshold, names in tree["measures"][where].items()
        }
        for kind, answer in (("summaries", summed), ("curves", traced)):
            names = tree.get(kind, {}).get(where, {})
            found[kind][where] = {name: answer(counts, name, at) for name in names}
    for question, methods in tree.get("intervals", {}).items():
        found["intervals"][question] = {
            method: bounds(counts, question, method) for method in methods
        }
    return found


def main(path):
    write("baserate", br.__version__, {one["name"]: answers(one) for one in references()}, path)


if __name__ == "__main__":
    main(sys.argv[1])
