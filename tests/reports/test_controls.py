"""Every control of the page, moved in a real browser: each number that it then shows is Python's,
to the last printed digit.
"""

import random
import re

import pytest
from tests.reports.live import MODELS, START, compare, compare_by_hand, settled

import baserate as br
from baserate.views import tables


def typed(page, box, text):
    page.fill(f"#{box}", text)
    return compare(page)


def pressed(page, slider, *keys):
    page.focus(f"#{slider}")
    for key in keys:
        page.keyboard.press(key)
    return compare(page)


def test_it_starts_where_python_was_asked(page):
    shown = compare(page)
    assert shown["prior"] == "1 in 1,000"
    start = (
        "Use forest at score ≥ 2.3. At a base rate of 0.1% (1 in 1,000), costs (fp = 1, fn = 100), "
    )
    assert shown["answer"].startswith(start)
    assert "p = " in shown["answer"]
    assert "not tested" not in shown["answer"]
    first = [row[0] for row in shown["models"]]
    assert first == [
        [tables.digits(br.auc(counts), 4), tables.span(br.interval(counts, br.auc))]
        for counts in MODELS.values()
    ]


@pytest.mark.parametrize(
    "text",
    [
        "0.001",
        "0.1%",
        "1 in 250",
        "1:999",
        "12 per 100k",
        "1e-6",
        "0.5",
        "sample",
        "0.033333333333333333",
        "1 in 1,000,000",
    ],
)
def test_a_base_rate_is_typed_as_people_write_it(page, text):
    assert typed(page, "prior", text)["prior"] == text


def test_the_base_rate_slides_over_its_whole_range_by_keys(page):
    assert pressed(page, "prior-slider", "Home")["prior"] == "1e-06"
    assert pressed(page, "prior-slider", *["ArrowRight"] * 7)["prior"] == "1.17e-06"
    pressed(page, "prior-slider", "PageUp", "PageUp", "PageUp")
    assert pressed(page, "prior-slider", "End")["prior"] == "0.5"


def test_the_sample_has_a_base_rate_of_its_own(page):
    page.focus("#prior")
    page.click("#prior-sample")
    shown = compare(page)
    assert "At the sample's base rate of 18.33%, " in shown["answer"]


def test_costs_are_typed_slid_and_forgotten(page):
    typed(page, "fn", "250.5")
    typed(page, "fp", "3")
    pressed(page, "fn-slider", "ArrowLeft", "PageDown")
    pressed(page, "fp-slider", "PageUp", "ArrowRight")
    page.uncheck("#costs-known")
    assert "equal costs assumed" in compare(page)["answer"]
    page.check("#costs-known")
    compare(page)


@pytest.mark.parametrize(
    "rule",
    [
        "recall >= 0.8",
        "precision >= 0.02 and posfrac <= 5%",
        "PPV ≥ 1% and sensitivity >= 40 %",
        "alerts <= 2000",
        "missed <= 300",
        "purity >= 0.999 and recall >= 0.99",
    ],
)
@pytest.mark.parametrize("known", [True, False])
def test_a_rule_is_kept(page, rule, known):
    page.check("#mode-rule")
    page.set_checked("#costs-known", known)
    typed(page, "rule", rule)


def test_a_budget_is_used_up_or_weighed_against_costs(page):
    page.check("#mode-budget")
    compare(page)
    page.uncheck("#costs-known")
    shown = typed(page, "budget", "200")
    assert ", with alerts <= 200." in shown["answer"]
    for text in ("1", "7.5", "25 000", "999999"):
        typed(page, "budget", text)
    pressed(page, "budget-slider", "Home", "PageUp", "ArrowRight")


def test_the_volume_is_typed_and_slid(page):
    typed(page, "volume", "25 000")
    page.check("#mode-budget")
    typed(page, "volume", "25000")
    pressed(page, "volume-slider", "ArrowRight", "PageDown")


def test_thresholds_are_set_by_hand(page):
    page.check("#mode-hand")
    settled(page)
    places = {
        name: br.Points.of(counts).place(br.choose(counts, at=START).threshold)
        for name, counts in MODELS.items()
    }
    for model, (name, counts) in enumerate(MODELS.items()):
        if page.evaluate("document.querySelector('#threshold-model').value") != str(model):
            page.select_option("#threshold-model", str(model))
            settled(page)
        page.focus("#threshold")
        for key, step in (("ArrowRight", 1), ("ArrowRight", 1), ("ArrowLeft", -1)):
            page.keyboard.press(key)
            places[name] += step
            compare_by_hand(settled(page), places)
        page.keyboard.press("Home")
        assert settled(page)["hand"] == "flag nothing"
        page.keyboard.press("End")
        places[name] = len(br.Points.of(counts)) - 1
        compare_by_hand(settled(page), places)


def test_a_long_walk_over_all_controls_shows_pythons_numbers_at_every_step(page):
    draw = random.Random(3)
    moves = [
        lambda: page.fill(
            "#prior",
            draw.choice(
                (
                    "sample",
                    f"1 in {draw.randint(2, 10**6)}",
                    f"{draw.random() / 2:.4f}",
                    f"{draw.randint(1, 900)}e-6",
                )
            ),
        ),
        lambda: priced(page, "fn", f"{10 ** draw.uniform(-1, 5):.3g}"),
        lambda: priced(page, "fp", f"{10 ** draw.uniform(-1, 3):.3g}"),
        lambda: page.set_checked("#costs-known", draw.random() < 0.6),
        lambda: page.check(f"#mode-{draw.choice(('cheapest', 'rule', 'budget'))}"),
        lambda: (
            page.evaluate("document.querySelector('#mode-rule').checked")
            and page.fill(
                "#rule", f"{draw.choice(('recall', 'npv', 'f1'))} >= 0.{draw.randint(1, 99)}"
            )
        ),
        lambda: (
            page.evaluate("document.querySelector('#mode-budget').checked")
            and page.fill("#budget", str(draw.randint(1, 10**5)))
        ),
        lambda: page.fill("#volume", str(draw.choice((10**5, 123_456, 10**6, 10**8)))),
    ]
    seen = {compare_after(page, draw.choice(moves)) for _ in range(60)}
    assert len(seen) > 30


def priced(page, box, text):
    page.check("#costs-known")
    page.fill(f"#{box}", text)


def compare_after(page, move):
    move()
    return compare(page)["answer"]


@pytest.mark.parametrize(
    ("box", "text", "said"),
    [
        ("prior", "2", "2 %, or 1 in 2?"),
        ("prior", "200 %", "strictly between 0 and 1"),
        ("prior", "often", "is not a share"),
        ("prior", "0", "no positives ever"),
        ("fn", "0", "It must cost more than 0"),
        ("fn", "much", "A cost is a plain number"),
        ("volume", "-3", "A volume is a number above 0"),
    ],
)
def test_what_cannot_be_read_is_said_beside_its_box_and_changes_nothing(page, box, text, said):
    before = settled(page)["answer"]
    page.fill(f"#{box}", text)
    assert settled(page)["answer"] == before
    assert said in page.text_content(f"#{box}-wrong")
    assert page.get_attribute(f"#{box}", "aria-invalid") == "true"
    page.fill(f"#{box}", {"prior": "0.01"}.get(box, "7"))
    assert page.text_content(f"#{box}-wrong") == ""
    compare(page)


def test_a_rule_that_cannot_be_read_is_said_beside_its_box(page):
    page.check("#mode-rule")
    for text, said in (
        ("recal >= 0.8", "no measure"),
        ("recall > 0.8", ">= or <="),
        ("recall >= 8", "lies between"),
        ("", "empty"),
    ):
        page.fill("#rule", text)
        assert said in page.text_content("#rule-wrong")


def test_a_budget_is_no_more_than_all_cases(page):
    page.fill("#volume", "10")
    page.check("#mode-budget")
    assert settled(page)["budget"] == "10"
    before = settled(page)["answer"]
    page.fill("#budget", "2000")
    assert settled(page)["answer"] == before
    assert (
        page.text_content("#budget-wrong")
        == "A budget of 2,000 alerts is more than all 10 cases: lower it, or raise the volume."
    )
    page.fill("#volume", "5")
    assert "A budget of 10 alerts is more than all 5 cases" in page.text_content("#volume-wrong")
    page.fill("#volume", "5000")
    page.fill("#budget", "2000")
    assert "alerts <= 2000" in settled(page)["answer"]


def test_one_in_thousands_is_said_in_whole_numbers(page):
    page.fill("#prior", "1e-6")
    page.check("#mode-rule")
    page.fill("#rule", "recall >= 0.9")
    assert re.search(r"1 in \d{1,3}(,\d{3})+ is real", settled(page)["plain"])


@pytest.mark.parametrize(
    ("box", "text"),
    [("prior", "often"), ("fn", "much"), ("volume", "-3"), ("rule", "recal >= 0.8")],
)
def test_what_cannot_be_read_stays_with_its_reason_while_other_boxes_are_edited(page, box, text):
    page.check("#mode-rule")
    page.fill(f"#{box}", text)
    wrong = page.text_content(f"#{box}-wrong")
    page.fill("#fp", "2")
    assert settled(page)[box] == text
    assert page.text_content(f"#{box}-wrong") == wrong != ""
    page.click("#reset")
    assert settled(page)[box] != text
    assert page.text_content(f"#{box}-wrong") == ""
