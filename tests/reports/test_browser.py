"""The file in a browser: the answer on the first screen, no request, and everything readable
without JavaScript, in the dark and on paper.
"""

import pytest
from tests.decisions.worked import F1_A, F1_B
from tests.reports.browser import opened
from tests.reports.made import counted

import baserate as br

# USERS, scenario 10.
NAMES = ("A", "<img src=x onerror=alert(1)>")
SAID = "Use <img src=x onerror=alert(1)>, 56.8 % of those at 9, drawn at random."
FINDS = ("Of 1,000 positive cases a day it finds 142", "in 200 alerts; 71 % are real.")
VISIBLE = """(words) => {
  const says = (element) => element.textContent.replaceAll('\\u00a0', ' ').includes(words);
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT);
  while (walker.nextNode()) {
    const element = walker.currentNode;
    if (says(element) && ![...element.children].some(says)) {
      const box = element.getBoundingClientRect();
      if (element.checkVisibility() && box.top >= 0 && box.bottom <= innerHeight) return true;
    }
  }
  return false;
}"""


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    place = tmp_path_factory.mktemp("page") / "report.html"
    groups = br.count([1, 0, 0, 1] * 30, [3, 2, 1, 2] * 30, by=["north", "south", "south"] * 40)
    models = dict(zip(NAMES, (F1_A, F1_B), strict=True))
    at = br.Conditions("1 in 1000")
    br.report(
        models,
        at=at,
        budget=200,
        volume=1_000_000,
        slices={"site": {"A": groups}},
        title="Payments",
    ).save(place)
    return place


def ready(page):
    for _ in range(100):
        if page.evaluate("() => !document.querySelector('#app').hidden"):
            return True
        page.wait_for_timeout(50)
    return False


@pytest.mark.parametrize("javascript", [True, False])
def test_the_first_screen_says_the_answer_and_nothing_is_asked_of_a_network(
    javascript, path, browser
):
    with opened(
        browser, path, java_script_enabled=javascript, viewport={"width": 1200, "height": 800}
    ) as (page, seen):
        assert ready(page) == javascript
        assert page.evaluate(VISIBLE, SAID)
        assert all(page.evaluate(VISIBLE, words) for words in FINDS)
        assert page.locator("img").count() == 0
        assert page.title().startswith("Payments · ")
    assert (seen.requests, seen.dialogs, seen.said) == ([path.as_uri()], [], [])


def test_without_javascript_every_table_and_drawing_is_seen(path, browser):
    """BAD_INPUTS row 155."""
    with opened(browser, path, java_script_enabled=False) as (page, _):
        for words in (
            "Out of 1,000,000 cases",
            "Models",
            "Where to set them",
            "Charts",
            "Slices",
            "Notes",
            "What the words mean",
        ):
            assert page.get_by_role("heading", name=words, exact=True).is_visible()
        assert page.locator("#static svg").count() == 6
        assert all(drawing.is_visible() for drawing in page.locator("#static svg").all())
        assert page.locator("#static table").count() == 6  # intervals among them
        assert not page.locator("#app").is_visible()
        cells = page.locator("section[data-part=outcomes] tbody td").all_inner_texts()
        assert cells == [
            "142",
            "58",
            "200",
            "858",
            "998,942",
            "999,800",
            "1,000",
            "999,000",
            "1,000,000",
        ]


@pytest.mark.parametrize(
    ("media", "scheme"), [("screen", "dark"), ("screen", "light"), ("print", "light")]
)
def test_the_page_is_read_in_the_dark_and_on_paper(media, scheme, path, browser):
    """BAD_INPUTS row 143."""
    with opened(browser, path, color_scheme=scheme) as (page, seen):
        page.emulate_media(media=media, color_scheme=scheme)
        assert ready(page)
        assert page.evaluate(VISIBLE, SAID)
        colours = page.evaluate(
            "() => { const s = getComputedStyle(document.body); return [s.color, s.backgroundColor,"
            " s.fontFamily]; }"
        )
        ink, ground = (
            sum(map(float, colour.strip("rgba()").split(",")[:3])) for colour in colours[:2]
        )
        assert (ink > ground) == (scheme == "dark")
        assert "system-ui" in colours[2]
    assert seen.said == []


def test_a_report_with_every_kind_of_counts_opens(browser, tmp_path):
    [plain] = counted(3000, seed=1).values()
    weighted = br.Counts([3.0, 2.0, 1.0], positives=[9.5, 5, 1], negatives=[1, 9, 90.25])
    infinite = br.Counts(
        [float("inf"), 1.5, float("-inf")], positives=[3, 4, 1], negatives=[1, 2, 9]
    )
    models = {
        "plain": plain,
        "condensed": plain.condense(),
        "weighted": weighted,
        "infinite": infinite,
    }
    path = tmp_path / "report.html"
    br.report(models, at=br.Conditions(0.01)).save(path)
    with opened(browser, path) as (page, seen):
        assert ready(page)
        text = page.locator("#app").inner_text()
        assert [name for name in models if name not in text] == []
        assert "NaN" not in text
        assert "undefined" not in text
    assert (seen.requests, seen.said) == ([path.as_uri()], [])


def test_one_class_alone_keeps_the_words_and_tables(browser, tmp_path):
    path = tmp_path / "report.html"
    br.report(br.Counts([2, 1], positives=[0, 0], negatives=[3, 4])).save(path)
    with opened(browser, path) as (page, seen):
        page.wait_for_timeout(500)
        assert page.get_by_text(
            "Flag nothing: no threshold of model does better."
        ).first.is_visible()
        assert page.get_by_role("heading", name="Models", exact=True).is_visible()
    assert seen.said == []
