"""Write the pictures of docs/guides/report: six reports at three widths, dark and on paper.

Needs chromium.

    .venv/bin/python tools/docs/report_pictures.py            all of them (about two minutes)
    .venv/bin/python tools/docs/report_pictures.py two few    some of the reports
"""

import io
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import baserate as br
from baserate.cli.demo import scores_csv

FOLDER = Path(__file__).parents[2] / "docs" / "guides" / "report"
COSTS = br.Costs(fp=1, fn=100)
AT = br.Conditions("1 in 1000", COSTS)
QUALITY, QUALITY_OF_WHOLE = 72, 50


class View(NamedTuple):
    """How large the window is, what it is shown on, and whether all of the page is."""

    width: int
    height: int
    scheme: str = "light"
    media: str = "screen"
    whole: bool = False


VIEWS = {
    "1400": View(1400, 900),
    "900": View(900, 900, whole=True),
    "360": View(360, 780),
    "dark": View(1400, 900, "dark"),
    "print": View(800, 1130, media="print"),
}


def demo() -> br.JointCounts:
    """The demo's two models."""
    rows = [line.split(",") for line in scores_csv().splitlines()[1:]]
    labels = [int(row[1]) for row in rows]
    scores = {
        name: [float(row[column]) for row in rows] for name, column in (("logit", 2), ("forest", 3))
    }
    return br.count(labels, scores)


def drawn(cases: int, models: int, share: float) -> tuple[Any, dict[str, Any]]:
    """Labels, and probabilities of models that know more and more."""
    rng = np.random.default_rng(models)
    labels = rng.random(cases) < share
    common = rng.normal(size=cases)
    names = [f"model {i + 1:02}" for i in range(models)]
    scores = {}
    for i, name in enumerate(names):
        odds = common + rng.normal(size=cases) + labels * (1.6 + i * 2 / models) - 4
        scores[name] = 1 / (1 + np.exp(-odds))
    return labels, scores


def sliced() -> br.Report:
    """One model that serves one country worse than the others."""
    rng = np.random.default_rng(5)
    labels = rng.random(12_000) < 0.05
    country = rng.choice(["AT", "BE", "CH", "DE", "FR", "IT", "NL", "PL"], 12_000)
    harder = np.where(country == "PL", 0.9, 2.2)
    scores = rng.normal(size=12_000) + labels * harder
    groups = br.count(labels, scores, by=country)
    return br.report(
        {"boosted": groups}, at=br.Conditions("1 in 100", br.Costs(fp=1, fn=50)), title="Countries"
    )


def reports() -> Iterator[tuple[str, br.Report]]:
    """Six reports, by a word for each."""
    yield "two", br.report(demo(), at=AT, budget=2000, volume=1_000_000, title="Payments")
    yield "five", br.report(br.count(*drawn(8000, 5, 0.05)), at=AT, title="Five candidates")
    yield "twenty", br.report(br.count(*drawn(4000, 20, 0.05)), at=AT, title="Twenty candidates")
    yield "slices", sliced()
    yield "few", br.report(br.count(*drawn(600, 2, 0.02)), at=AT, title="Twelve positives")
    uncertain = br.Conditions(prior="2e-4..5e-3", costs={"fp": 1, "fn": "50..200"})
    yield "ranges", br.report(demo(), at=uncertain, volume=1_000_000, title="Uncertain costs")


def small(picture: bytes, quality: int) -> bytes:
    """The same picture in few bytes."""
    from PIL import Image

    out = io.BytesIO()
    Image.open(io.BytesIO(picture)).convert("RGB").save(out, "WEBP", quality=quality, method=6)
    return out.getvalue()


def photographed(browser: Any, path: Path, view: View) -> bytes:
    """What a person sees."""
    page = browser.new_page(
        viewport={"width": view.width, "height": view.height}, color_scheme=view.scheme
    )
    page.goto(path.as_uri())
    page.emulate_media(media=view.media)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.wait_for_timeout(1000)
    picture: bytes = page.screenshot(full_page=view.whole)
    page.close()
    return picture


def main(wanted: list[str]) -> None:
    """All of them, or those of some reports."""
    from playwright.sync_api import sync_playwright

    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        programs = map(shutil.which, ("chromium-headless-shell", "chromium"))
        browser = started.chromium.launch(executable_path=next(filter(None, programs), None))
        for name, report in reports():
            if wanted and name not in wanted:
                continue
            path = Path(folder) / f"{name}.html"
            report.save(str(path))
            for word, view in VIEWS.items():
                quality = QUALITY_OF_WHOLE if view.whole else QUALITY
                picture = small(photographed(browser, path, view), quality)
                (FOLDER / f"{name}-{word}.webp").write_bytes(picture)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
