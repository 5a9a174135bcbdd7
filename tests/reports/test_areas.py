"""Areas are to each other as the numbers they stand for: measured on the pixels of pages that a
browser draws.
"""

import io

import numpy as np
import pytest
from tests.reports.browser import opened
from tests.reports.live import RESTED
from tests.reports.made import counted, drawn

import baserate as br

SCALE = 2  # pixels of the picture for one of the page
WITHIN = 0.05
# Nothing but the bars, or the squares, on a plain ground.
BARE = """([query, kept]) => {
  for (const node of document.querySelectorAll(`${query} *`))
    if (node.tagName !== 'g') node.style.visibility = node.matches(kept) ? 'visible' : 'hidden';
  return kept.split(',').map((one) => {
    const shape = document.querySelector(`${query} ${one}`);
    const [box, found] = [shape.getBoundingClientRect(), getComputedStyle(shape).fill];
    return [[box.x, box.y, box.width, box.height], found.match(/\\d+/g).slice(0, 3).map(Number)];
  });
}"""


def pixels(page, box):
    image = pytest.importorskip("PIL.Image")
    clip = dict(zip(("x", "y", "width", "height"), box, strict=True))
    picture = image.open(io.BytesIO(page.screenshot(clip=clip)))
    return np.asarray(picture.convert("RGB"), dtype=float)


def areas(page, query, first, second):
    """How many pixels of the page two shapes in one picture cover, those at edges in part, and how
    wide the first one is.
    """
    page.locator(query).scroll_into_view_if_needed()
    page.evaluate(RESTED)
    boxes = page.evaluate(BARE, [query, f"{first},{second}"])
    corners = np.array([[x, y, x + w, y + h] for (x, y, w, h), _ in boxes if w and h])
    low, high = np.floor(corners[:, :2].min(0)) - 2, np.ceil(corners[:, 2:].max(0)) + 2
    shot = pixels(page, [*low, *(high - low)])
    ground = shot[0, 0]
    colours = np.array([np.array(colour) - ground for _, colour in boxes])
    shares = np.linalg.lstsq(colours.T, (shot - ground).reshape(-1, 3).T, rcond=None)[0]
    return shares.sum(axis=1) / SCALE**2, boxes[0][0][2]


def agrees(found, share, width):
    """Within a twentieth, or one pixel over the width of what is flagged."""
    covered = found.sum()
    return abs(found[0] / covered - share) <= max(WITHIN * share, width / covered)


def compare_areas(page, tpr, fpr, precision):
    for parts, share in (((".found", ".missed"), tpr), ((".alarms", ".rest"), fpr)):
        found, width = areas(page, "#chart-scores", *(f"path.bars{part}" for part in parts))
        assert agrees(found, share, width), (parts, share, found)
    found, width = areas(page, ".squares", "path.found", "path.alarms")
    assert agrees(found, precision, width), (precision, found)


def some_reports():
    labels, scores = drawn(20_000, seed=4, models=2, share=0.02)
    joint = br.count(labels, scores)
    at = br.Conditions("1 in 500", br.Costs(fp=1, fn=60))
    yield "costs", joint, {"at": at, "volume": 50_000}
    yield "a budget inside a tie", counted(3000, seed=2, share=0.2), {"budget": 40, "volume": 1000}
    grades = br.count(labels, np.clip(np.round(3 * scores["m1"]) + 5, 0, 12).astype(int))
    yield "grades", {"points": grades}, {"at": at, "rule": "recall >= 0.7", "volume": 2000}


REPORTS = {name: (models, options) for name, models, options in some_reports()}


@pytest.mark.parametrize("name", REPORTS)
def test_coloured_areas_have_the_shares_of_the_numbers(name, browser, tmp_path):
    models, options = REPORTS[name]
    report = br.report(models, **options)
    report.save(tmp_path / "report.html")
    point = report.contents.first.point
    size = {"width": 1400, "height": 1000}
    with opened(browser, tmp_path / "report.html", viewport=size, device_scale_factor=SCALE) as (
        page,
        seen,
    ):
        page.evaluate(RESTED)
        compare_areas(page, point.tpr, point.fpr, point.precision)
        assert seen.said == []


def test_nothing_is_filled_on_a_logarithmic_axis(page):
    filled = """() => [...document.querySelectorAll('svg.chart:not(#chart-scores) path')]
      .filter((one) => getComputedStyle(one).fill !== 'none' && !one.matches('.mark, .knob path, .cut'))
      .map((one) => one.getAttribute('class'))"""  # noqa: E501
    assert page.evaluate(filled) == []
