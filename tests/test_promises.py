"""The page of promises, small versions of the campaigns behind it, and how they go on."""

import json
import random
import runpy
import shutil
import sqlite3
import subprocess
from pathlib import Path
from types import CodeType

import numpy as np
import pytest
from campaigns import c_mutants, failing, hostile, mutants, soak
from campaigns import run as campaigns
from campaigns.promises import FURTHER, PROMISES

ROOT = Path(__file__).parents[1]


def test_the_page_has_every_promise_and_is_what_its_script_writes():
    page = runpy.run_path(str(ROOT / "tools" / "docs" / "promises.py"))["page"]()
    assert (ROOT / "docs" / "evidence" / "promises.md").read_text() == page, (
        "run: python tools/docs/promises.py"
    )
    assert list(PROMISES) == [number for number in range(1, 31) if number != 14]
    assert all(f"| {number} | {promise.text} |" in page for number, promise in PROMISES.items())


def test_a_promise_has_a_campaign_or_says_why_not():
    tried = {number for number, promise in PROMISES.items() if promise.goal}
    assert tried | set(FURTHER) == set(campaigns.CAMPAIGNS)
    assert all(promise.also for promise in PROMISES.values() if not promise.goal)


def test_a_campaign_begins_again_only_with_the_sources_that_it_runs():
    assert all(
        (mutants.SOURCE / part).exists() for parts in campaigns.USED.values() for part in parts
    )
    assert campaigns.source(9) != campaigns.source(15) == campaigns.source(16)


def test_what_grows_in_an_hour_is_found():
    flat = [{"rss_kb": 90_000, "descriptors": 8}, *[{"rss_kb": 100_000, "descriptors": 8}] * 40]
    assert soak.leaks(flat) == []
    memory = [one | {"rss_kb": 100_000 + 500 * at} for at, one in enumerate(flat)]
    assert [text.split()[0] for text in soak.leaks(memory)] == ["rss_kb"]
    files = [one | {"descriptors": 8 + at // 20} for at, one in enumerate(flat)]
    assert [text.split()[0] for text in soak.leaks(files)] == ["descriptors"]


def test_a_call_of_a_database_that_fails_is_counted_and_fails_once():
    calls = failing.Calls(3, ValueError("made to fail"))
    with failing.failing_databases(calls):
        base = sqlite3.connect(":memory:")
        base.execute("select 1")
        with pytest.raises(ValueError, match="made to fail"):
            base.execute("select 1")
        assert base.execute("select 1").fetchall() == [(1,)]
    assert calls.seen == 5
    assert isinstance(sqlite3.connect(":memory:"), sqlite3.Connection)


@pytest.mark.parametrize("number", [1, 4, 6, 8, 9, 19, "11-commands"])
def test_a_batch_of_a_campaign_finds_nothing_wrong(number, tmp_path):
    trials, wrong = campaigns.CAMPAIGNS[number](987_654, tmp_path)
    assert trials > 0
    assert wrong == []


def test_a_disk_that_is_too_small_leaves_the_old_file(tmp_path):
    try:
        words = ["unshare", "--mount", "mount", "-t", "tmpfs", "none", str(tmp_path)]
        subprocess.run(words, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("nobody may mount a disk here")
    place = [words[0] for words in campaigns.WRITERS].index("calc")
    assert campaigns.CAMPAIGNS["12-disk"](place, tmp_path) == (4, [])


@pytest.mark.skipif(not shutil.which("strace"), reason="needs strace")
def test_a_rename_that_fails_leaves_the_old_file(tmp_path):
    place = [call for _, call, _ in campaigns.PLACES].index("rename")
    trials, wrong = campaigns.CAMPAIGNS[12](place, tmp_path)
    assert (trials, wrong) == (1, [])


def test_a_missing_program_is_said_and_nothing_is_recorded(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(campaigns, "HERE", tmp_path)
    monkeypatch.setattr(hostile.shutil, "which", lambda _: None)
    monkeypatch.setattr("sys.argv", ["run.py", "P16-payloads"])
    assert campaigns.main() == 1
    assert capsys.readouterr().out.startswith("P16-payloads: not run: needs chromium")
    assert not any(tmp_path.iterdir())
    with pytest.raises(hostile.Missing, match="needs soffice: apt-get install libreoffice-calc"):
        list(hostile.formulas_in(tmp_path))


def test_every_drawn_string_has_its_own_call_and_every_name_its_own_number():
    rng = random.Random(1)
    texts = [hostile.payload(rng, number) for number in range(10_000, 11_000)]
    assert all(str(number) in text for number, text in enumerate(texts, 10_000))
    assert sum("hit" in text for text in texts) > 900
    assert sum("<script" in text.casefold() for text in texts) > 150
    assert len({hostile.formula(rng, number) for number in range(500)}) == 500
    assert len({hostile.steering(rng, number) for number in range(200)}) == 200


def test_what_steers_a_terminal_is_found_and_what_a_command_prints_does_not(tmp_path):
    assert all(hostile.STEERED.search(f"x{sign}") for sign in hostile.STEERING + hostile.BYTES)
    said = hostile.printed(("show", "\x1b[31m\u202e\udc9bx.csv"), tmp_path)
    assert "\\x1b[31m\\u202e" in said
    assert not hostile.STEERED.search(said)


def test_a_mutant_changes_the_code_of_one_function():
    order = mutants.mutants("inference")
    assert len(set(order)) == len(order) > 5000
    assert order == mutants.mutants("inference")
    assert order[:100] != mutants.mutants("inference", "second")[:100]
    path = mutants.SOURCE / "inference" / "rates.py"
    whole = mutants.codes(compile(path.read_text(), str(path), "exec"))
    for mutant in [one for one in order if one.file == "inference/rates.py"][:20]:
        changed = mutants.applied(mutant)
        assert changed.keys() == whole.keys()
        names = {place[0] for place in whole if differ(whole[place], changed[place])}
        assert len({name.split(".")[0] for name in names}) == 1  # one function, with those in it
        assert mutant.function in {part for name in names for part in name.split(".")}


def test_a_mutant_in_c_takes_the_place_of_the_extension(tmp_path):
    kernels = pytest.importorskip("baserate.kernels._kernels", reason="needs the C extension")
    order = c_mutants.order_of("kernels")
    assert len(set(order)) == len(order) > 400
    assert all(one.was != one.now and one.new in one.now for one in order)
    mutant = next(one for one in order if "buffers.views[1]) == kind" in one.now)
    built, items = dict(vars(kernels)), np.array([2, 1], dtype=np.uint64)
    try:
        c_mutants.put("kernels", c_mutants.compiled("kernels", mutant, tmp_path))
        with pytest.raises(TypeError, match="scratch must have the type of the items"):
            kernels.sort(items, np.empty_like(items))
    finally:
        vars(kernels).update(built)
    kernels.sort(items, np.empty_like(items))
    assert items.tolist() == [1, 2]


def test_the_functions_in_c_that_a_call_reaches_are_known():
    reached = c_mutants.reached("kernels")
    assert {"sort_u64", "SORT", "bit_length", "hold"} < reached["sort"]
    assert "SORT" not in reached["pack"]


def test_survivors_that_are_judged_again_leave_what_was_killed_at_first(tmp_path, monkeypatch):
    monkeypatch.setattr(campaigns, "HERE", tmp_path)
    known = {"promise": 29, "source": campaigns.source(29), "seed": 2, "failures": 2}
    known["wrong"] = ["survived: counts/a.py:1 f: 1  →  2", "no test: read/b.py:2 g: 0  →  1"]
    known["parts"] = campaigns.by_part(known, 0, 25, 1)
    known["parts"] = campaigns.by_part(known, 2, 25, 1)
    assert known["parts"] == {"counts": [25, 24, 24], "read": [25, 24, 24]}
    campaigns.write(known)
    said = {"counts": '["counts/a.py:1 f: 1  →  2", "killed"]',
            "read": '["read/b.py:2 g: 0  →  1", "survived"]'}  # fmt: skip
    monkeypatch.setattr(campaigns, "ran", lambda _, part, *__, **___: f"noise\n{said[part]}\n")
    found = campaigns.judge_again()
    assert found["parts"] == {"counts": [25, 24, 25], "read": [25, 24, 24]}
    assert (found["failures"], found["wrong"]) == (1, ["survived: read/b.py:2 g: 0  →  1"])
    assert json.loads((tmp_path / "P29.json").read_text()) == found


def differ(one, other):
    plain = [[part for part in code.co_consts if not isinstance(part, CodeType)]
             for code in (one, other)]  # fmt: skip
    return plain[0] != plain[1] or one.co_names != other.co_names or one.co_code != other.co_code


def test_a_bound_is_that_of_clopper_and_pearson():
    upper_bound = runpy.run_path(str(ROOT / "tools" / "docs" / "promises.py"))["upper_bound"]
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
    monkeypatch.setattr(campaigns, "source", lambda _: "others")
    campaigns.run(6, 0.0)
    assert seeds == [0, 1, 0]
    known = json.loads((tmp_path / "P6.json").read_text())
    assert [(one["trials"], one["failures"]) for one in known["earlier"]] == [(PROMISES[6].goal, 1)]
