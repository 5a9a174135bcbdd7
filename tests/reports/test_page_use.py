"""The page in use: its address, its charts by keys and pointer, what can be taken away, and those
who cannot see it.
"""

import csv
import json
import math
import re
import struct
import xml.etree.ElementTree as ET
from datetime import UTC, datetime

import pytest
from tests.reports.browser import opened
from tests.reports.live import (
    COLUMNS,
    MODELS,
    START,
    VOLUME,
    asked,
    compare,
    faults,
    place_of,
    reported,
    settled,
)
from tests.reports.made import drawn
from tests.reports.test_live import AT, in_view, live, shown, some_counts, texts

import baserate as br
from baserate.reports.page import in_cases
from baserate.views import tables


def remembered(page):
    """The address, once it has followed."""
    for _ in range(50):
        before = page.evaluate("location.hash")
        page.wait_for_timeout(400)
        if page.evaluate("location.hash") == before:
            return before
    raise AssertionError("the address never rests")


def test_the_address_keeps_the_scenario_and_brings_it_back(browser, saved, page):
    page.fill("#prior", "1 in 750")
    page.fill("#fn", "42")
    page.check("#mode-budget")
    page.fill("#budget", "123")
    shown = compare(page)
    link = saved.as_uri() + remembered(page)
    with opened(browser, saved) as (other, seen):
        other.goto(link)
        other.reload()
        assert compare(other) == shown
        assert seen.said == []


@pytest.mark.parametrize(
    "address",
    [
        "#prior=%3Cimg%3E&mode=nothing",
        "#mode=hand&set=999999,-1,x",
        "#mode=rule&rule=%22%3E%3Cscript%3E",
        "#prior=&fn=x&mode=budget&budget=y",
    ],
)
def test_a_broken_address_breaks_nothing(browser, saved, address):
    with opened(browser, saved) as (page, seen):
        page.goto(saved.as_uri() + address)
        page.reload()
        assert settled(page)["answer"]
        assert page.evaluate("document.querySelectorAll('#app img, #app script').length") == 0
        assert seen.said == []


def test_start_again_brings_the_first_answer_back(page):
    first = settled(page)
    page.fill("#prior", "0.3")
    page.check("#mode-hand")
    page.click("#reset")
    assert settled(page) | {"hand": ""} == first | {"hand": ""}


def test_a_chart_is_walked_by_keys_seen_on_all_charts_and_taken_as_threshold(page):
    in_view(page, "#chart-roc")
    page.focus("#chart-roc")
    page.keyboard.press("ArrowRight")
    start = page.get_attribute("#chart-roc", "aria-valuetext")
    page.keyboard.press("ArrowRight")
    told = page.get_attribute("#chart-roc", "aria-valuetext")
    assert told != start
    assert page.evaluate(
        "[...document.querySelectorAll('#chart-roc .ring, #chart-gain .ring')].every((ring) =>"
        " ring.getAttribute('visibility') === 'visible')"
    )
    assert page.get_attribute("#chart-gain", "aria-valuetext") == told
    page.keyboard.press("Enter")
    shown = settled(page)
    name, _, cut = told.partition(":")[0].partition(", ")
    assert shown["mode"] == "hand"
    assert shown["hand"] == cut
    assert list(MODELS)[int(shown["model"])] == name
    recall = tables.digits(
        br.choose(MODELS[name], threshold=float(cut.removeprefix("score ≥ ")), at=START).tpr, 4
    )
    assert f"recall {recall}," in told


def test_the_pointer_shows_a_threshold_on_every_chart_and_a_click_takes_it(page):
    in_view(page, "#chart-roc")
    box = page.locator("#chart-roc").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + box["height"] * 0.4)
    settled(page)
    assert page.locator("figure.chart .tip:visible").count() == 1
    told = page.evaluate(
        "[...document.querySelectorAll('#chart-roc, #chart-gain')].map((svg) =>"
        " svg.getAttribute('aria-valuetext'))"
    )
    assert len(set(told)) == 1
    page.mouse.down()
    page.mouse.up()
    assert settled(page)["mode"] == "hand"


def test_every_control_is_reached_by_the_tab_key_and_shows_its_focus(page):
    page.fill("#prior", "1 in 300")  # a step to undo
    remembered(page)
    reached = []
    page.evaluate("document.body.focus()")
    for _ in range(110):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.id"))
    assert {
        "theme",
        "prior",
        "fn",
        "fp",
        "costs-known",
        "mode-cheapest",
        "volume",
    } <= set(reached)
    assert {
        "reset",
        "link",
        "csv",
        "json",
        "undo",
        "unit",
        "period",
        "positive",
        "chart-scores",
        "over-yield",
        "chart-gain",
        "chart-keeping",
        "curve-broc",
        "chart-roc",
        "log-roc",
    } <= set(reached)
    page.focus("#prior")
    page.keyboard.press("Tab")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_a_dozen_steps_of_the_tab_key_lead_past_all_controls_to_the_first_chart(page):
    page.check("#mode-budget")
    page.evaluate("document.activeElement.blur()")
    settled(page)
    before = 0
    page.evaluate("getSelection().collapse(document.body, 0)")
    while page.evaluate("document.activeElement.id") != "chart-scores":
        page.keyboard.press("Tab")
        before += 1
        assert before <= 13  # the last of them is the chart


def downloaded(page, query):
    with page.expect_download() as waiting:
        page.click(query)
    return waiting.value.suggested_filename, waiting.value.path().read_bytes()


def test_the_table_is_taken_away_as_csv_and_json(page):
    page.fill("#prior", "1 in 300")
    settled(page)
    name, content = downloaded(page, "#csv")
    assert name == "baserate-models.csv"
    rows = list(csv.DictReader(content.decode().splitlines()))
    at = br.Conditions("1 in 300", br.Costs(fp=1, fn=100))
    for row, (model, counts) in zip(rows, MODELS.items(), strict=True):
        point = br.choose(counts, at=at, volume=VOLUME)
        assert row["model"] == model
        assert {column: float(row[column]) for column in COLUMNS} == {
            column: point[column] for column in COLUMNS
        }
    name, content = downloaded(page, "#json")
    told = json.loads(content)
    assert name == "baserate-models.json"
    assert told["sentence"] == settled(page)["answer"]
    assert [float(row["caught"]) for row in rows] == [model["caught"] for model in told["models"]]


def test_a_chart_is_taken_away_as_svg_and_png(page):
    in_view(page, "#chart-roc")
    name, content = downloaded(page, "[aria-label='ROC as SVG']")
    assert name == "baserate-roc.svg"
    root = ET.fromstring(content)
    texts = [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"Which model, at which threshold: ROC", "recall (tpr)", *MODELS} <= set(texts)
    beside = [node for node in root.iter() if node.get("paint-order") == "stroke"]
    assert set(MODELS) <= {node.text for node in beside}  # else their outline covers the names
    assert any(
        text.startswith("A base rate of 0.1% (1 in 1,000), costs (fp = 1, fn = 100); out of ")
        for text in texts
    )
    assert f"baserate report, {datetime.now(UTC).date()}" in texts
    curves = [
        node
        for node in root.iter("{http://www.w3.org/2000/svg}path")
        if node.get("stroke-width") == "2px" and len(node.get("d")) > 50
    ]
    assert len(curves) == len(MODELS)
    assert b"class=" not in content
    assert b"style=" not in content
    name, content = downloaded(page, "[aria-label='ROC as PNG']")
    assert name == "baserate-roc.png"
    width, height = struct.unpack(">II", content[16:24])
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    assert width == 1304
    assert height > 600


def test_the_numbers_of_a_chart_are_a_table(page):
    page.click("#curve-pr")
    in_view(page, "#chart-pr")
    page.locator("[data-kind=pr] summary").click()
    settled(page)
    cells = "(row) => [...row.children].map((cell) => cell.textContent)"
    rows = page.evaluate(f"[...document.querySelectorAll('[data-kind=pr] tbody tr')].map({cells})")
    assert {row[0] for row in rows} == set(MODELS)
    for model, cut, recall, precision in rows:
        point = br.choose(MODELS[model], threshold=None if cut == "none" else float(cut), at=START)
        assert precision == tables.digits(point.precision, 4)
        assert recall == ("—" if cut == "none" else tables.digits(point.tpr, 4))


def test_precision_is_drawn_nowhere_at_the_origin(page):
    """A share of hardly any alerts means nothing: the curve starts at the first threshold that
    flags five cases, not at 0 or 1.
    """
    page.click("#curve-pr")
    in_view(page, "#chart-pr")
    first = "(path) => path.getAttribute('d').split(/[ML]/)[1].split(' ').map(Number)"
    starts = page.evaluate(f"[...document.querySelectorAll('#chart-pr .curve')].map({first})")
    bottom, top, low = 294, 16, 0.001 / 3
    for (_, y), counts in zip(starts, MODELS.values(), strict=True):
        points = br.Points.of(counts)
        first = next(i for i in range(len(points.tp)) if points.tp[i] + points.fp[i] >= 5)
        pure = br.choose(counts, threshold=points.threshold(first), at=START).precision
        height = 1 - math.log(max(pure, low)) / math.log(low)
        assert abs(y - (bottom - (bottom - top) * height)) < 0.2


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_axe_finds_no_fault(browser, saved, scheme, width):
    with opened(browser, saved, viewport={"width": width, "height": 900}, color_scheme=scheme) as (
        page,
        _,
    ):
        assert faults(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_theme_is_switched_by_hand(page):
    colour = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(colour)
    page.click("#theme")
    settled(page)
    assert page.evaluate(colour) != light
    assert page.get_attribute("#theme", "aria-label") == "Show the page light"
    page.click("#theme")
    settled(page)
    assert page.evaluate(colour) == light


def test_the_answer_is_read_out_once_it_rests(page):
    page.fill("#prior", "1 in 77")
    shown = settled(page)
    page.wait_for_timeout(900)
    assert page.text_content("#spoken") == f"{shown['use']} {shown['plain']}"


def test_a_link_keeps_costs_of_which_neither_error_has_any(browser, tmp_path):
    """Where only tp and tn are given, costs do not come back as equal ones."""
    at = br.Conditions(prior="1%", costs=br.Costs.from_profits(tp=95, tn=1))
    with live(browser, tmp_path, {"a": some_counts(1)}, at=at) as (page, _):
        before = shown(page, "#answer")
        address = page.url.partition("#")[0]
        page.goto("about:blank")
        page.goto(f"{address}#prior=1+in+100&tp=-95&tn=-1&volume=1000000&mode=cheapest")
        assert "equal costs" not in shown(page, "#answer")
        assert shown(page, "#answer") == before


def test_a_link_with_an_endless_rule_does_not_freeze_the_page(browser, tmp_path):
    with live(browser, tmp_path, {"a": some_counts(1)}, at=AT) as (page, _):
        address = page.url.partition("#")[0]
        page.goto("about:blank")
        page.goto(f"{address}#mode=rule&rule=alerts%20%3C%3D%205{'%20' * 60_000}x")
        assert shown(page, "#answer")
        assert len(page.input_value("#rule")) <= 500


def dragged(page, selector, pixels):
    """Drag the middle of an element sideways."""
    box = page.locator(selector).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + pixels, y, steps=5)
    page.mouse.up()


def test_a_number_of_the_sentence_is_dragged_and_stepped(page):
    dragged(page, "#fn", 50)
    assert compare(page)["fn"] == "316"  # half a power of ten in fifty pixels
    page.focus("#prior")
    page.keyboard.press("ArrowUp")
    assert compare(page)["prior"] == "0.00102"


@pytest.mark.parametrize(
    ("box", "text", "value"),
    [
        ("prior", "0,1 %", "0.1 %"),
        ("prior", "10 bps", "0.1 %"),
        ("prior", "0.1 pct", "0.1 %"),
        ("volume", "2.5k", "2,500"),
        ("volume", "1 000", "1,000"),
        ("volume", "3 million", "3,000,000"),
        ("fn", "1,000", "1,000"),
        ("fn", "$250", "$250"),
        ("fn", "12,5 €", "€12.5"),
    ],
)
def test_numbers_are_read_as_people_write_them(page, box, text, value):
    page.fill(f"#{box}", text)
    page.evaluate("document.activeElement.blur()")
    assert settled(page)[box] == value
    assert page.text_content(f"#{box}-wrong") == ""


@pytest.mark.parametrize(
    ("box", "text", "asked"),
    [
        ("fn", "1.500", "1,500, or 1.5? Write one of them."),
        ("volume", "20.000", "20,000, or 20? Write one of them."),
        ("prior", "50", "50 %, or 1 in 50? Write one of them."),
        ("prior", "1 in 1.000", "1 in 1,000? Write thousands with a comma."),
    ],
)
def test_a_number_that_may_mean_two_things_is_asked(page, box, text, asked):
    before = settled(page)["answer"]
    page.fill(f"#{box}", text)
    assert settled(page)["answer"] == before
    assert page.text_content(f"#{box}-wrong") == asked


def test_without_a_volume_and_costs_the_page_invents_neither(browser, tmp_path):
    models = {"a": some_counts(1, 2000), "b": some_counts(2, 2000)}
    with live(browser, tmp_path, models, at=br.Conditions("1 in 1000"), rule="recall >= 0.5") as (
        page,
        seen,
    ):
        assert shown(page, "#plain").startswith("Of 10 positive cases it finds ")
        first = page.locator(".first").inner_text().replace("\xa0", " ")
        assert " a day" not in first
        assert page.is_hidden(".costs")
        assert page.input_value("#rule") == "recall >= 0.5"
        plain = shown(page, "#plain")
        link = page.url.partition("#")[0] + remembered(page)
        page.goto("about:blank")
        page.goto(link)
        assert shown(page, "#plain") == plain
        page.click("#add-volume")
        page.fill("#volume", "50000")
        assert shown(page, "#plain").startswith("Of 50 positive cases a day it finds ")
        assert page.is_hidden("#add-volume")
        link = page.url.partition("#")[0] + remembered(page)
        page.goto("about:blank")
        page.goto(link)
        assert shown(page, "#plain").startswith("Of 50 positive cases a day it finds ")
        assert seen.said == []


def test_what_is_rarer_than_once_a_day_is_said_so_and_few_cases_choose_nothing(browser, tmp_path):
    models = {"a": br.count([1] * 3 + [0] * 97, [100, 99, 50, *range(97)])}
    with live(browser, tmp_path, models, at=AT, volume=1000) as (page, _):
        page.fill("#prior", "1 in 100000")
        page.uncheck("#costs-known")
        page.check("#mode-budget")
        page.fill("#budget", "1")
        said = shown(page, "#use")
        assert said == "These cases cannot choose: a would rest on 2 cases flagged here."
        assert "it finds about 2 a year in about 2 alerts a year" in shown(page, "#plain")


def test_words_are_named_and_travel_with_the_link(browser, saved, page):
    for box, word in (("unit", "payments"), ("period", "week"), ("positive", "fraudulent")):
        page.fill(f"#{box}", word)
    said = settled(page)["plain"]
    assert said.startswith("Of 1,000 fraudulent payments a week it finds ")
    link = saved.as_uri() + remembered(page)
    with opened(browser, saved) as (other, _):
        other.goto(link)
        other.reload()
        assert settled(other)["plain"] == said


def test_every_scenario_that_rests_is_a_step_to_go_back_to(page):
    first = settled(page)
    remembered(page)
    page.fill("#prior", "1 in 50")
    remembered(page)
    page.fill("#fn", "7")
    remembered(page)
    page.evaluate("document.activeElement.blur()")
    page.click("#undo")
    page.wait_for_timeout(200)
    assert (settled(page)["prior"], settled(page)["fn"]) == ("1 in 50", first["fn"])
    page.go_back()
    page.wait_for_timeout(200)
    assert settled(page) == first


def test_a_link_says_thresholds_by_their_values_and_every_switch(browser, saved, page):
    page.click("#over-spent")
    page.click("#curve-pr")
    page.check("#mode-hand")
    page.focus("#chart-scores")
    page.keyboard.press("ArrowLeft")
    shown = settled(page)
    address = remembered(page)
    cuts = dict(part.split("=") for part in address.removeprefix("#").split("&"))["set"]
    cut = float(cuts.split("%2C")[int(shown["model"])])
    assert shown["hand"] == f"score ≥ {cut:g}"
    with opened(browser, saved) as (other, _):
        other.goto(saved.as_uri() + address)
        other.reload()
        assert settled(other) == shown
        assert other.get_attribute("#over-spent", "aria-pressed") == "true"
        assert other.get_attribute("#curve-pr", "aria-pressed") == "true"
        other.goto(f"{saved.as_uri()}#prior=0.2%25")
        other.reload()
        assert settled(other)["prior"] == "0.2%"


def test_the_threshold_is_dragged_on_the_scores_and_over_the_alerts(page):
    for chart in ("#chart-scores", "#chart-gain"):
        page.click("#reset")
        before = settled(page)
        page.locator(chart).scroll_into_view_if_needed()
        knob = place_of(page, f"{chart} .knob")
        start = knob["x"] + knob["width"] / 2, knob["y"] + knob["height"] / 2
        page.mouse.move(*start)
        page.mouse.down()
        page.mouse.move(start[0] - 60, start[1] + 10, steps=4)
        page.mouse.up()
        after = settled(page)
        assert after["mode"] == "hand"
        assert list(MODELS)[int(after["model"])] == "forest"
        flagged = [
            float(one["models"][1][2 + COLUMNS.index("alerts")][0].replace(",", ""))
            for one in (before, after)
        ]
        # To the left lie lower scores, and fewer alerts.
        assert (flagged[1] > flagged[0]) == (chart == "#chart-scores")


SHIFTED = """() => {
  window.shifts = [];
  const keep = (list) => window.shifts.push(...list.getEntries().map((one) => one.value));
  new PerformanceObserver(keep).observe({ type: 'layout-shift' });
}"""


@pytest.mark.parametrize("chart", ["#chart-scores", "#chart-gain"])
@pytest.mark.parametrize("width", [1400, 900, 360])
def test_nothing_moves_and_nothing_is_selected_under_a_handle(browser, saved, width, chart):
    with opened(browser, saved, viewport={"width": width, "height": 900}) as (page, seen):
        knob, frame = place_of(page, f"{chart} .knob"), page.locator(chart).bounding_box()
        y = knob["y"] + knob["height"] / 2
        page.evaluate(SHIFTED)
        page.mouse.move(knob["x"] + knob["width"] / 2, y)
        page.mouse.down()
        for share in (0.7, 0.4, 0.05, 0.5, 0.95):
            page.mouse.move(frame["x"] + share * frame["width"], y + 40, steps=6)
            settled(page)
        page.mouse.up()
        page.focus(chart)
        page.keyboard.press("ArrowLeft")
        settled(page)
        page.wait_for_timeout(100)
        assert page.evaluate("[window.shifts, String(getSelection())]") == [[], ""]
        assert seen.said == []


def test_a_handle_speaks_of_its_own_model_and_judges_none(page):
    page.focus("#chart-scores")
    for key in ["PageDown"] * 8:
        page.keyboard.press(key)
    shown = settled(page)
    assert shown["use"].startswith("By hand: forest from ")
    assert not [text for text in texts(page, ".chip") if "ead" in text or "tell" in text]
    assert page.is_hidden("#to-test")
    assert set(texts(page, "#models .behind")) <= {""}
    page.select_option("#threshold-model", "0")
    assert settled(page)["use"].startswith("By hand: logit from ")


def test_by_hand_begins_with_the_chosen_model(page):
    chosen = list(MODELS)[settled(page)["best"].index(True)]
    page.check("#mode-hand")
    shown = settled(page)
    assert list(MODELS)[int(shown["model"])] == chosen
    assert shown["use"].startswith(f"By hand: {chosen} from ")


@pytest.mark.parametrize("cases", [300, 4000])
def test_the_lead_is_drawn_as_the_interval_that_is_written(browser, tmp_path, cases):
    models, at = br.count(*drawn(cases, 2, 2, 0.2)), br.Conditions("20%", br.Costs(fp=1, fn=4))
    with live(browser, tmp_path, models, at=at) as (page, _):
        chip = texts(page, ".chip")[0]
        value, low, high = (
            float(text.replace(",", "").replace("−", "-"))
            for text in re.search(r": (\S+) .*\((\S+) to ([^\s,)]+)", chip).groups()
        )
        assert chip.startswith("Clear lead") == (low > 0)
        box = "(query) => document.querySelector(query).getBoundingClientRect().toJSON()"
        zero, whisker, dot = (
            page.evaluate(box, f".lead {part}") for part in (".zero", ".whisker", "circle")
        )
        scale = (dot["left"] + dot["width"] / 2 - zero["left"]) / value
        for end, side in ((low, "left"), (high, "right")):
            assert whisker[side] - zero["left"] == pytest.approx(scale * end, rel=0.1, abs=3)
        page.fill("#prior", "1 in 300")
        settled(page)
        assert page.is_hidden(".lead")  # the difference is not tested there


def test_of_several_models_each_difference_stands_beside_its_own_p(page):
    behind = texts(page, "#models td.behind")
    [answer] = reported().document["report"]["answers"]
    for one in answer["differences"]:
        assert any(text.endswith(f"p = {one['p_adjusted']:.2g}") for text in behind)


def test_a_budget_that_is_not_used_up_says_why(browser, tmp_path):
    models = {"a": some_counts(1, 2000)}
    with live(browser, tmp_path, models, at=AT, volume=1000, budget=900) as (page, _):
        hint = texts(page, ".happens .hint")[0]
        assert hint.endswith("; up to 900, more would cost more than they save")
        page.fill("#budget", "1")
        assert "up to" not in texts(page, ".happens .hint")[0]


def test_while_a_field_is_refused_the_answer_is_grey_and_its_reason_has_a_line(page):
    ink = "getComputedStyle(document.querySelector('#use')).color"
    before = page.evaluate(ink)
    page.fill("#fn", "much")
    page.keyboard.press("Tab")
    settled(page)
    assert page.evaluate(ink) != before
    wrong, row = (page.locator(query).bounding_box() for query in ("#fn-wrong", ".row"))
    assert wrong["y"] >= row["y"] + row["height"] - 1
    assert faults(page) == []


def kept_and_best(shown, factor):
    """What errors cost at a multiple of the base rate: at the threshold that is shown, and at the
    best one of the same model there.
    """
    at, rule, volume = asked(shown)
    name = list(MODELS)[shown["best"].index(True)]
    kept = br.choose(MODELS[name], rule, at=at, volume=volume)
    there = br.Conditions(at.prior * factor, at.costs if at.costs_given else None)
    kept = br.choose(MODELS[name], threshold=kept.threshold, at=there, volume=volume)
    return kept, br.choose(MODELS[name], rule, at=there, volume=volume)


def test_what_it_costs_to_keep_a_threshold_is_written_at_four_other_base_rates(page):
    place_of(page, "#chart-keeping")
    shown = settled(page)
    for mark, factor in zip(texts(page, "#chart-keeping .name"), (0.1, 0.5, 1, 2, 10), strict=True):
        kept, best = kept_and_best(shown, factor)
        extra = kept["volume_cost"] - best["volume_cost"]
        told = f"+{tables.total(float(f'{extra:.{3 if extra >= 1e5 else 2}g}'))}"
        assert mark == (told if extra > 0.001 * kept["volume_cost"] else "0"), factor
    tenfold = texts(page, "#chart-keeping .name")[4].removeprefix("+")
    title = "Keeping 2.3 costs nothing extra if positives double"
    assert texts(page, "#keeping-title") == [f"{title}, {tenfold} if they are ten times as many."]


def test_with_a_budget_and_without_costs_keeping_a_threshold_misses_more(page):
    page.uncheck("#costs-known")
    page.check("#mode-budget")
    page.fill("#budget", "100000")
    place_of(page, "#chart-keeping")
    shown = settled(page)
    assert "extra misses a day" in texts(page, "#chart-keeping .title")
    for mark, factor in zip(texts(page, "#chart-keeping .name"), (0.1, 0.5, 1, 2, 10), strict=True):
        kept, best = kept_and_best(shown, factor)
        share = min(1, 100_000 / kept["alerts"])  # of more alerts an even share is checked
        extra = best["caught"] - share * kept["caught"]
        lost = extra + best["missed"]
        said = float(mark.replace(",", ""))
        assert said == pytest.approx(extra if extra > 0.001 * lost else 0, rel=0.06, abs=0.06)


def test_the_cost_of_keeping_a_threshold_is_read_by_keys_and_pointer(page):
    place_of(page, "#chart-keeping")
    page.focus("#chart-keeping")
    page.keyboard.press("PageUp")
    assert texts(page, "#keeping-reading")[0].startswith("At 1 in 500: ")
    page.keyboard.press("Escape")
    assert texts(page, "#keeping-reading") == [""]
    box = place_of(page, "#chart-keeping")
    page.mouse.move(box["x"] + box["width"] * 0.8, box["y"] + box["height"] * 0.5)
    assert texts(page, "#keeping-reading")[0].startswith("At 1 in ")


def test_the_models_are_ranked_and_sorted_by_any_column(page):
    order = (
        "[...document.querySelectorAll('#models tr[data-model]')].map((row) => row.dataset.model)"
    )
    costs = [float(row[2][0]) for row in settled(page)["models"]]
    ranks = [str(i) for i in sorted(range(3), key=costs.__getitem__)]
    assert page.evaluate(order) == ranks
    aucs = [br.auc(counts) for counts in MODELS.values()]
    page.click("#models-all")
    page.click("#models th[data-name=auc] button")
    settled(page)
    assert page.evaluate(order) == [str(i) for i in sorted(range(3), key=aucs.__getitem__)]
    page.click("#models th[data-name=auc] button")
    settled(page)
    assert page.evaluate(order) == [str(i) for i in sorted(range(3), key=aucs.__getitem__)][::-1]
    page.click("#models th[data-name=auc] button")
    settled(page)
    assert page.evaluate(order) == ranks


def test_the_table_has_five_numbers_of_each_model_and_all_measures_on_request(page):
    seen = (
        "[...document.querySelectorAll('#models thead th')].filter((one) => one.offsetWidth).length"
    )
    assert page.evaluate(seen) == 6  # and the threshold
    page.click("#models-all")
    settled(page)
    assert page.evaluate(seen) == 12


@pytest.mark.parametrize("width", [320, 640, 900, 1180, 1400, 2560])
def test_nothing_is_cut_at_any_width(browser, saved, width):
    with opened(browser, saved, viewport={"width": width, "height": 900}) as (page, _):
        settled(page)
        page.click("#models-all")
        settled(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        cut = page.evaluate(
            "[...document.querySelectorAll('#models, #models td, .first .card, .sentence')].filter("
            "(one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !=="
            " 'inline').map((one) => one.className || one.id)"
        )
        assert cut == []


def test_the_first_screen_holds_the_sentence_the_answer_the_squares_and_two_charts(browser, saved):
    with opened(browser, saved, viewport={"width": 1400, "height": 900}) as (page, _):
        settled(page)
        for part in (
            ".sentence",
            "#use",
            "#chips",
            ".squares",
            "#chart-scores",
            "#chart-gain",
        ):
            box = page.locator(part).bounding_box()
            assert box["y"] + box["height"] <= 900, part


def test_on_a_phone_the_answer_stays_in_view(browser, saved):
    with opened(browser, saved, viewport={"width": 360, "height": 700}) as (page, _):
        settled(page)
        page.locator("#chart-scores").scroll_into_view_if_needed()
        page.mouse.wheel(0, 300)
        page.wait_for_timeout(300)
        assert page.evaluate("document.querySelector('#use').getBoundingClientRect().top") == 0


def test_squares_and_rows_say_what_the_table_says(page):
    """Of the positives, found and missed; of the alerts, real and false ones; and what is left
    alone.
    """
    [found, missed, wrong, passed, positives, alerts] = [
        texts(page, f"#outcomes .{cell}")[0]
        for cell in (
            "flagged.positive",
            "passed.positive",
            "flagged.negative",
            "passed.negative",
            "total.positive",
            "flagged.total",
        )
    ]
    real, false = texts(page, ".happens .outcome")
    assert real.startswith(f"{found} real (")
    assert false.startswith(f"{wrong} false (")
    assert texts(page, ".happens .hint")[0].startswith(f"{alerts} alerts; one square is ")
    assert texts(page, "#chart-scores .class")[0] == f"{positives} positive cases a day"
    counts = texts(page, "#chart-scores .count")
    assert counts[::2] == [f"{missed} missed", f"{passed} left alone"]
    assert counts[1].startswith(f"{found} found (")
    assert counts[3].startswith(f"{wrong} false alarms (")


def test_a_rule_that_holds_in_the_sample_only_is_said_not_to_be_demonstrated(page):
    page.check("#mode-rule")
    for rule, demonstrated in (("recall >= 0.1", True), ("recall >= 0.999", False)):
        page.fill("#rule", rule)
        settled(page)
        chips = [text for text in texts(page, ".chip") if text.startswith("Rule met")]
        assert bool(chips) != demonstrated


def test_what_is_looked_at_is_told_in_two_lines_beside_its_mark(page):
    in_view(page, "#chart-gain")
    page.focus("#chart-gain")
    for key in ("ArrowRight", "Home", "PageUp", "End"):
        page.keyboard.press(key)
        tip, ring = (
            page.locator(query).bounding_box() for query in (".tip:visible", "#chart-gain .ring")
        )
        beside = max(
            ring["x"] - tip["x"] - tip["width"], tip["x"] - ring["x"] - ring["width"]
        )  # to the right or the left of it
        assert 0 <= beside < 20
        if key == "PageUp":
            told = page.locator(".tip:visible").inner_text().replace("\xa0", " ").split("\n")
            place = page.get_attribute("#chart-gain", "aria-valuetext")
            assert told[0] == place.partition(":")[0].replace(", score ≥", " from")
            assert told[1].endswith(" real") or "alerts; " in told[1]


def test_every_curve_is_drawn_small_beside_the_large_one(page):
    in_view(page, "#chart-roc")
    page.locator("#curve-pr .curve").first.wait_for(state="attached")
    assert page.locator(".thumb").count() == page.locator("[id^=curve-]").count()


def test_there_is_nothing_to_undo_at_first(browser, saved):
    with opened(browser, saved) as (page, _):
        assert page.is_disabled("#undo")
        page.fill("#prior", "1 in 300")
        page.click("#undo")  # waits until it can be clicked
        page.wait_for_function("document.querySelector('#prior').value !== '1 in 300'")
        remembered(page)
        assert page.is_disabled("#undo")


@pytest.mark.parametrize("volume", [100, 1000, 20_000])
def test_numbers_of_few_cases_have_pythons_digits(browser, tmp_path, volume):
    models = {"a": some_counts(1, 2000), "b": some_counts(2, 2000)}
    found = br.report(models, at=AT, volume=volume)
    with live(browser, tmp_path, models, at=AT, volume=volume) as (page, _):
        assert shown(page, "#plain") == in_cases(found.contents.first, volume)
