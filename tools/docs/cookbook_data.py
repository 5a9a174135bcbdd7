"""Writes the files of the cookbook into the working folder: the same on every machine."""

import csv
import random
from pathlib import Path


def logistic(draw: random.Random, shift: float) -> float:
    """A score between 0 and 1: the larger the shift, the nearer to 1."""
    odds = draw.random()
    odds = odds / (1 - odds) * 2.718281828459045**shift
    return round(odds / (1 + odds), 4)


def written(name: str, header: str, rows: list[tuple[object, ...]]) -> None:
    """One file."""
    with Path(name).open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header.split(","), *rows])


def payments(draw: random.Random) -> None:
    """A test set thinned to 2 % fraud: the forest is sure of half the frauds and blind to many of
    the rest.
    """
    rows: list[tuple[object, ...]] = []
    for i in range(20_000):
        fraud = i % 50 == 0
        logit = logistic(draw, 2.5 if fraud else -1)
        sure = fraud and draw.random() < 0.5
        forest = logistic(draw, 7 if sure else 0.3 if fraud else -1.2)
        amount = round(10 + 40 * draw.random() / (1.02 - draw.random()), 2)
        rows.append(
            (
                i,
                f"2026-03-{1 + i // 700:02}",
                "dk" if i % 3 else "de",
                int(fraud),
                amount,
                logit,
                forest,
            )
        )
    written("payments.csv", "id,day,country,fraud,amount,logit,forest", rows)


def traffic(draw: random.Random) -> None:
    """Logs with 80 attacks: none of 40,000 harmless connections scores 0.9995 or more."""
    rows = [(0, min(logistic(draw, -3), 0.9994)) for _ in range(40_000)] + [
        (1, logistic(draw, 7.5)) for _ in range(80)
    ]
    written("traffic.csv", "attack,detector", rows)


def sites(draw: random.Random) -> None:
    """Three hospitals with different prevalence, and two visits of every patient."""
    rows: list[tuple[object, ...]] = []
    for site, patients, ill in (("bern", 1500, 0.16), ("lyon", 2000, 0.05), ("oslo", 900, 0.02)):
        for patient in range(patients):
            sick = patient < patients * ill
            shift = (2.9 if site != "oslo" else 2.0) if sick else -2.0
            rows += [
                (site, f"{site}-{patient}", int(sick), logistic(draw, shift)) for _ in range(2)
            ]
    written("sites.csv", "site,patient,ill,score", rows)


def parts(draw: random.Random) -> None:
    """Optical inspection: two cameras, 300 defects among 60,300 parts."""
    rows = [(1, logistic(draw, 4.5), logistic(draw, 3.2)) for _ in range(300)]
    rows += [(0, logistic(draw, -2.5), logistic(draw, -4)) for _ in range(60_000)]
    written("parts.csv", "defect,camera,laser", rows)


def loans(draw: random.Random) -> None:
    """Loans of which 3 % default."""
    rows = [(int(i < 600), logistic(draw, 1.6 if i < 600 else -1.0)) for i in range(20_000)]
    written("loans.csv", "default,risk", rows)


def study(draw: random.Random) -> None:
    """A paper's test set: 90 ill, three markers on the same persons."""
    rows: list[tuple[object, ...]] = []
    for i in range(600):
        ill = i < 90
        common = logistic(draw, 1.0 if ill else -1.0)
        rows.append(
            (
                int(ill),
                common,
                round((common + 2 * logistic(draw, 1.2 if ill else -1.2)) / 3, 4),
                logistic(draw, 1.1 if ill else -0.9),
            )
        )
    written("study.csv", "ill,a,b,c", rows)


def balanced(draw: random.Random) -> None:
    """Probabilities of a model that was trained on as many frauds as honest payments, on a test set
    of that kind.
    """
    rows: list[tuple[object, ...]] = []
    for _ in range(8000):
        probability = round(draw.random(), 4)
        rows.append((int(draw.random() < probability), probability))
    written("balanced.csv", "fraud,probability", rows)


def posts(draw: random.Random) -> None:
    """Posts that moderators labelled, 1 in 40 abusive: the model is worse in one language."""
    rows: list[tuple[object, ...]] = []
    for i in range(12_000):
        abusive = i % 40 == 0
        language = "fi" if i % 3 == 0 else "en"
        shift = (4.0 if language == "en" else 2.5) if abusive else -2.5
        rows.append((language, "abusive" if abusive else "fine", logistic(draw, shift)))
    written("posts.csv", "language,verdict,toxicity", rows)


def log(draw: random.Random) -> None:
    """A month of log lines: alerts are looked at more often than the rest, so most labels are
    missing, and more of them where the score is low.
    """
    rows: list[tuple[object, ...]] = []
    for i in range(30_000):
        attack = draw.random() < 0.004
        score = round(logistic(draw, 3.0 if attack else -3.0), 3)
        known = draw.random() < (0.8 if score > 0.9 else 0.3)
        label = ("attack" if attack else "benign") if known else ""
        rows.append((f"2026-03-{1 + i // 1000:02}", f"host-{i % 200}", label, score))
    written("log.csv", "day,host,verdict,score", rows)


def split(draw: random.Random) -> None:
    """The data of a team: one file to choose on, another to evaluate on, three models."""
    for name in ("dev", "test"):
        rows: list[tuple[object, ...]] = []
        for i in range(10_000):
            fraud = draw.random() < 0.02
            logit = logistic(draw, 2.5 if fraud else -1)
            sure = fraud and draw.random() < 0.5
            forest = logistic(draw, 7 if sure else 0.3 if fraud else -1.2)
            gbm = logistic(draw, 6.6 if sure else 0.5 if fraud else -1.2)
            rows.append((i, "fraud" if fraud else "ok", logit, forest, gbm))
        written(f"{name}.csv", "id,status,logit,forest,gbm", rows)


FILES = (payments, traffic, sites, parts, loans, study, balanced, posts, log, split)

if __name__ == "__main__":
    for number, write in enumerate(FILES):
        write(random.Random(number))  # noqa: S311 (an example, not a secret)
