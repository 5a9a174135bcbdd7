"""States of the page, each from its link: words and numbers are Python's, and those of a page that
is opened with the link. A thousand with `make laws`.
"""

import random
from urllib.parse import urlencode

from tests.reports.browser import opened
from tests.reports.live import MODELS, READ, RESTED, asked, compare_by_hand, compare_shown, settled
from tests.strategies import LONG

import baserate as br

STATES, RELOADED = (1000, 1000) if LONG else (100, 10)
# Every link in turn, as the browser's own buttons bring it back, and all that is then shown.
FOLLOW = f"""async (links) => {{
  document.querySelector('#models').scrollIntoView();
  const [rested, read] = [{RESTED}, {READ}];
  const found = [];
  for (const link of links) {{
    history.replaceState(null, '', `#${{link}}`);
    dispatchEvent(new PopStateEvent('popstate'));
    await rested();
    found.push(read());
  }}
  return found;
}}"""
PRIORS = ("1 in {n}", "0.0{n}", "{n} per 100k", "{n}e-5", "1:{n}", "sample")


def some_state(draw):
    """What a link may say, and where thresholds are set by hand, their places."""
    state = {
        "prior": draw.choice(PRIORS).format(n=draw.randint(2, 999)),
        "volume": draw.choice((1000, 50_000, 1_000_000, 12_345_678)),
        "mode": draw.choice(("cheapest", "cheapest", "budget", "rule", "hand")),
    }
    if draw.random() < 0.8 or state["mode"] == "hand":
        state |= {"fp": draw.choice((1, 2, 0.5)), "fn": draw.choice((1, 10, 100, 1234.5))}
    if state["mode"] == "budget":
        state["budget"] = draw.choice((10, 75, 500))
    if state["mode"] == "rule":
        state["rule"] = draw.choice(
            ("recall >= 0.{n}", "fpr <= 0.0{n}", "precision >= 0.{n}", "posfrac <= 0.{n}")
        ).format(n=draw.randint(1, 9)) + draw.choice(("", "", " and recall >= 0.1"))
    if state["mode"] != "hand":
        return state, None
    places = {name: draw.randrange(len(br.Points.of(counts))) for name, counts in MODELS.items()}
    cuts = [br.Points.of(MODELS[name]).threshold(place) for name, place in places.items()]
    set_to = ",".join("none" if cut is None else repr(cut) for cut in cuts)
    return {**state, "set": set_to, "model": draw.choice(list(MODELS))}, places


def test_states_say_the_same_in_python_on_the_page_and_opened_by_their_link(browser, saved):
    draw = random.Random(1000)
    states = [some_state(draw) for _ in range(STATES)]
    links = [urlencode(state) for state, _ in states]
    with opened(browser, saved, viewport={"width": 1280, "height": 900}) as (page, seen):
        settled(page)
        shown = [
            one
            for start in range(0, STATES, 100)
            for one in page.evaluate(FOLLOW, links[start : start + 100])
        ]
        modes = {}
        for (state, places), one in zip(states, shown, strict=True):
            assert one["mode"] == state["mode"], state
            modes[one["mode"]] = modes.get(one["mode"], 0) + 1
            if places is None:
                compare_shown(one)
            else:
                at, _, volume = asked(one)
                compare_by_hand(one, places, at, volume)
        assert min(modes.values()) > STATES // 10
        for place in draw.sample(range(STATES), RELOADED):
            page.goto("about:blank")
            page.goto(f"{saved.as_uri()}#{links[place]}")
            assert settled(page) == shown[place], states[place]
        assert seen.said == []
