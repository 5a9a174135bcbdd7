"""The H-measure of the Python package hmeasure.

    python reference/adapters/hmeasure_answers.py answers.json

Weighted sets and those of more than 5,000 cases are left out.
"""

import sys
import warnings
from importlib.metadata import version

import numpy as np
from common import cases, plain, references, write
from hmeasure import h_score


def answers(reference):
    labels, scores, weights = cases(reference)
    if weights is not None:
        return {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = plain(h_score(np.array(labels), np.array(scores, dtype=float), 0.25))
    except TypeError:  # scores above 1 are refused
        return {}
    except (ValueError, IndexError, ZeroDivisionError):
        value = None
    return {"summaries": {"sample": {"h_measure(severity_ratio=0.25)": value}}}


def main(path):
    found = {one["name"]: answers(one) for one in references()}
    write("hmeasure", version("hmeasure"), found, path)


if __name__ == "__main__":
    main(sys.argv[1])
