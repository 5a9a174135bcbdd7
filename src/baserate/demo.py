"""A generated example: payments, of which 2 % are fraud, scored by two models."""

from __future__ import annotations

import random
from pathlib import Path

from baserate.atomic import write_atomically
from baserate.errors import Fix, InputError, Problem, Where

ROWS = 20_000
FRAUDS = 400
SEED = 1


def scores_csv() -> str:
    """The file's text: the same on every machine, because only `random()` and a rounded power are used."""
    draw = random.Random(SEED)  # noqa: S311 (an example, not a secret)
    lines = ["id,fraud,logit,forest"]
    frauds = set(draw.sample(range(ROWS), FRAUDS))
    for row in range(ROWS):
        fraud = row in frauds
        logit = draw.random() ** (0.35 if fraud else 3.0)
        # The forest is nearly sure of half the frauds and blind to many of the rest.
        forest = draw.random() ** (0.02 if fraud and draw.random() < 0.5 else 0.9 if fraud else 4.0)
        lines.append(f"{row},{int(fraud)},{logit:.4f},{forest:.4f}")
    return "\n".join(lines) + "\n"


def write_scores(folder: Path) -> Path:
    """Write the example there; a file of that name with other content is left alone."""
    path = folder / "scores.csv"
    content = scores_csv().encode()
    if path.exists():
        if path.read_bytes() == content:
            return path
        where = Where(path=str(path))
        raise InputError(Problem("BR801", "exists and is not the demo's", Fix.everywhere("move it away, or choose another --folder"), where))
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(path, [content])
    return path
