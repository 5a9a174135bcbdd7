"""Writes the pictures of docs/report/: the report of the demo in light, dark, on a small screen and
on paper. Needs chromium.
"""

import io
import shutil
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import baserate as br
from baserate.cli.demo import scores_csv

FOLDER = Path(__file__).parent / "report"


class View(NamedTuple):
    """How large the window is, and what it is shown on."""

    width: int
    height: int
    scheme: str = "light"
    media: str = "screen"


VIEWS = {
    "light": View(1400, 900),
    "dark": View(1400, 900, "dark"),
    "narrow": View(380, 900),
    "print": View(800, 1130, media="print"),
}
COLOURS = 256


def models() -> br.JointCounts:
    """The demo's two models."""
    rows = [line.split(",") for line in scores_csv().splitlines()[1:]]
    labels = [int(row[1]) for row in rows]
    scores = {
        name: [float(row[column]) for row in rows] for name, column in (("logit", 2), ("forest", 3))
    }
    return br.count(labels, scores)


def small(picture: bytes) -> bytes:
    """The same picture in few colours."""
    from PIL import Image

    out = io.BytesIO()
    Image.open(io.BytesIO(picture)).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(
        out, "PNG", optimize=True
    )
    return out.getvalue()


def photographed(browser: Any, path: Path, view: View) -> bytes:
    """The first screen."""
    page = browser.new_page(
        viewport={"width": view.width, "height": view.height}, color_scheme=view.scheme
    )
    page.goto(path.as_uri())
    page.emulate_media(media=view.media)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.wait_for_timeout(500)
    picture: bytes = page.screenshot()
    page.close()
    return picture


def main() -> None:
    """All of them."""
    from playwright.sync_api import sync_playwright

    FOLDER.mkdir(exist_ok=True)
    at = br.Conditions("1 in 1000", br.Costs(fp=1, fn=100))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        path = Path(folder) / "report.html"
        br.report(models(), at=at, budget=2000, volume=1_000_000, title="Payments").save(str(path))
        browser = started.chromium.launch(executable_path=shutil.which("chromium"))
        for name, view in VIEWS.items():
            (FOLDER / f"{name}.png").write_bytes(small(photographed(browser, path, view)))
        browser.close()


if __name__ == "__main__":
    main()
