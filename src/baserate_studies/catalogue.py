"""Every study by its name; each is one module, loaded when it is made."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from baserate.extend import quoted, refuse, refuse_file

if TYPE_CHECKING:
    from baserate_studies.values import Found, How, Study

ALL = "all"


class Entry(NamedTuple):
    """What a study is about, and the source that it reproduces. Its module has the study's name and
    a function `found(how) -> Found`.
    """

    title: str
    source: str
    needs: tuple[str, ...] = ("sklearn",)


STUDIES = {
    "landgrebe": Entry(
        "Rare targets, and what must be looked at to find them",
        "Landgrebe, Paclík, Tax, Verzakov & Duin 2004, Cost-based classifier evaluation for"
        " imbalanced problems, LNCS 3138:762-770",
        ("sklearn", "threadpoolctl"),
    ),
    "weng": Entry(
        "An AUC in which high recall weighs more",
        "Weng & Poon 2008, A new evaluation measure for imbalanced datasets, AusDM, CRPIT 87:27-32",
    ),
    "tan": Entry(
        "The class imbalance problem: measures, ROC, costs, sampling",
        "Tan, Steinbach & Kumar 2005, Introduction to Data Mining, §5.7",
        ("sklearn", "imblearn"),
    ),
    "slides": Entry(
        "Measures of classification performance",
        "Tan, Steinbach & Kumar, slides to Introduction to Data Mining, chapter 6",
    ),
    "cardenas": Entry(
        "B-ROC curves: what is found, and how many alarms are false, at the base rate",
        "Cárdenas & Baras 2006, B-ROC curves for the assessment of classifiers over imbalanced data"
        " sets, AAAI-06",
    ),
}


def study(
    name: str,
    *,
    full: bool = False,
    data: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Study:
    """Does what this source says come out? Every claim of it, with a verdict.

    `full` draws data and repeats cross-validation more often (slower). `data` is a folder with data
    sets that are not part of the package; claims that need one that is not there are not
    reproducible, and say so; a folder that does not exist is refused. `progress(done, total)` is
    told how far it has got.

    >>> from baserate_studies import STUDIES, study
    >>> STUDIES["weng"].title
    'An AUC in which high recall weighs more'
    >>> study("wang")
    Traceback (most recent call last):
    baserate.errors.InputError: BR921: there is no study "wang". Fix: weng.
    """
    if name not in STUDIES:
        from difflib import get_close_matches

        near = get_close_matches(name, STUDIES, n=1)
        raise refuse(
            "BR921", f"there is no study {quoted(name)}", near[0] if near else ", ".join(STUDIES)
        )
    from baserate_studies.values import How

    check_data(data)
    check_packages([name])
    return made(name, How(full, data) if progress is None else How(full, data, progress))


def check_data(folder: str | None) -> None:
    """Refuse a folder that is not there: it is a mistyped one, and every set would be missing
    without a word.
    """
    if folder is not None and not os.path.isdir(folder):  # noqa: PTH112
        what = "is not a folder" if os.path.lexists(folder) else "there is no such folder"
        raise refuse_file(folder, "BR600", what, "check the path, or leave it out")


def check_packages(names: Iterable[str]) -> None:
    """Refuse studies whose packages are not installed, before any of them has started."""
    from baserate.extend import needed

    for package in dict.fromkeys(package for name in names for package in STUDIES[name].needs):
        needed(package, "learners")


def made(name: str, how: How) -> Study:
    """The study of this name, with the time that it took."""
    from baserate_studies.values import Study

    entry, began = STUDIES[name], time.monotonic()
    found: Found = import_module(f"baserate_studies.{name}").found(how)
    return Study(
        name, entry.title, entry.source, found.claims, found.pictures, time.monotonic() - began
    )
