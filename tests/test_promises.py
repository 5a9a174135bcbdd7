"""The page of promises, small versions of the campaigns behind it, and how they go on."""

import json
import runpy
from pathlib import Path

import pytest
from campaigns import run as campaigns
from campaigns.promises import PROMISES

ROOT = Path(__file__).parents[1]


def test_the_page_has_all_thirty_and_is_what_its_script_writes():
    page = runpy.run_path(str(ROOT / "docs" / "promises.py"))["page"]()
    assert (ROOT / "docs" / "promises.md").read_text() == page, "run: python docs/promises.py"
    assert list(PROMISES) == list(range(1, 31))
    assert all(f"| {number} | {promise.text} |" in page for number, promise in PROMISES.items())


def test_a_promise_has_a_campaign_or_says_why_not():
    assert {number for number, promise in PROMISES.items() if promise.goal} == set(
        campaigns.CAMPAIGNS
    )
    assert all(promise.also for promise in PROMISES.values() if not promise.goal)


@pytest.mark.parametrize("number", [1, 4, 6, 8, 9, 19])
def test_a_batch_of_a_campaign_finds_nothing_wrong(number, tmp_path):
    trials, wrong = campaigns.CAMPAIGNS[number](987_654, tmp_path)
    assert trials > 0
    assert wrong == []


def test_a_bound_is_that_of_clopper_and_pearson():
    upper_bound = runpy.run_path(str(ROOT / "docs" / "promises.py"))["upper_bound"]
    assert upper_bound(0, 2000) == pytest.approx(1 - 0.05 ** (1 / 2000))
    assert upper_bound(1, 10) == pytest.approx(0.3941633, abs=1e-7)
    assert upper_bound(3, 3) == 1.0


def test_a_campaign_goes_on_with_the_next_seed_and_begins_again_with_other_sources(
    tmp_path, monkeypatch
):
    seeds = []

    def batch(seed, folder):
        assert not any(folder.iterdir())
        seeds.append(seed)
        return 10, ["wrong"] * (seed == 1)

    monkeypatch.setattr(campaigns, "HERE", tmp_path)
    monkeypatch.setitem(campaigns.CAMPAIGNS, 6, batch)
    campaigns.run(6, 0.0)
    campaigns.run(6, 0.0)
    assert seeds == [0, 1]
    known = json.loads((tmp_path / "P6.json").read_text())
    assert (known["trials"], known["failures"], known["wrong"]) == (20, 1, ["wrong"])
    (tmp_path / "P6.json").write_text(json.dumps(known | {"trials": PROMISES[6].goal}))
    campaigns.run(6, 100.0)
    assert seeds == [0, 1]
    monkeypatch.setattr(campaigns, "source", lambda: "others")
    campaigns.run(6, 0.0)
    assert seeds == [0, 1, 0]
