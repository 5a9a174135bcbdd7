"""Odd text files, counted: rows read = rows used + rows refused, as many as RFC 4180 makes of the
same bytes, and the counts are right.

    python benchmarks/conserve_rows.py --files 5000 --seed 1

The files are made by rules (fuzzing/odd_files.py), with whatever has to be said of them; records,
labels and scores are read from the same bytes once more, character by character
(fuzzing/naive_text.py, fuzzing/naive_counts.py). Every file is either counted, and then all of its
rows are accounted for, or refused for a reason that the naive reader has as well. Exit status 1 if
a row is missing.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

if __name__ == "__main__":  # not the folder of the script, in which coverage.py is no library
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks.fuzzing.naive_counts import Reading, Said, of_delimited, rows_of
from benchmarks.fuzzing.naive_text import Broken
from benchmarks.fuzzing.odd_files import Odd, odd_file

import baserate as br


@dataclass
class Ledger:
    """What was seen: files counted and refused, rows read, used and refused, what was odd, and what
    does not add up.
    """

    seen: Counter[str] = field(default_factory=Counter)
    odd: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def take(self, number: int, odd: Odd, folder: Path) -> None:
        path = folder / odd.name
        path.write_bytes(odd.data)
        self.seen["files"] += 1
        self.odd.update(odd.oddities)
        try:
            self.counted(number, odd, br.count(path, label="y", score="s", **odd.options))
        except br.InputError as error:
            self.refused(number, odd, error)

    def counted(self, number: int, odd: Odd, counts: br.Counts) -> None:
        """A file that is counted: every row is used or refused, and the counts are those of the
        naive reader.
        """
        self.seen["files counted"] += 1
        ledger, expected = counts.ledger, naive(odd)
        cells = zip(
            counts.scores.tolist(),
            counts.positives.tolist(),
            counts.negatives.tolist(),
            strict=True,
        )
        found = Reading(ledger.rows_read, ledger.rows_refused, tuple(cells))
        self.seen.update(
            {
                "rows read": ledger.rows_read,
                "rows used": ledger.rows_used,
                "rows refused": ledger.rows_refused,
            }
        )
        used = counts.total_positives + counts.total_negatives
        if (
            ledger.rows_read != ledger.rows_used + ledger.rows_refused
            or used != ledger.rows_used
            or expected != found
        ):
            self.wrong.append(f"file {number}: {found}, expected {expected}")

    def refused(self, number: int, odd: Odd, error: br.InputError) -> None:
        """A file that is not counted: the naive reader does not either; rows that do not fit are
        told by their number.
        """
        self.seen["files refused"] += 1
        self.seen[f"files refused, {error.code}"] += 1
        expected = naive(odd)
        if isinstance(expected, Reading):
            self.wrong.append(f"file {number}: refused, and should be read: {error}")
        if error.code == "BR605":
            rows, unfit = rows_of(odd.plain, Said(options=odd.options))
            self.seen.update(
                {
                    "rows of files refused for rows that do not fit": rows,
                    "of these, rows that do not fit": unfit,
                }
            )
            if f" {unfit} of {rows} {'row' if rows == 1 else 'rows'} " not in str(error):
                self.wrong.append(f"file {number}: {unfit} of {rows} rows do not fit: {error}")


def naive(odd: Odd) -> Reading | str:
    """What the file comes to character by character, or why it has to be refused."""
    try:
        return of_delimited(odd.plain, Said(options=odd.options))
    except Broken as error:
        return str(error)


def conserve(files: int, seed: int, folder: Path) -> Ledger:
    """So many odd files, counted."""
    found = Ledger()
    for number in range(files):
        found.take(number, odd_file(random.Random(f"{seed}/{number}")), folder)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = conserve(asked.files, asked.seed, Path(folder))
    for what, count in sorted(found.seen.items()):
        print(f"{what}: {count}")
    print("unaccounted:", len(found.wrong))
    print("odd:", ", ".join(f"{what} {count}" for what, count in found.odd.most_common()))
    for line in found.wrong[:20]:
        print(line[:1000], file=sys.stderr)
    return int(bool(found.wrong))


if __name__ == "__main__":
    sys.exit(main())
