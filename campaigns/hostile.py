"""Names that nobody should have, drawn from grammars, and the programs that would obey them:
Chromium and Firefox for a report, LibreOffice for CSV, a terminal for everything printed.
"""

import asyncio
import contextlib
import csv
import json
import os
import pty
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol, Self

import numpy as np

import baserate as br
from baserate.errors import Ledger, Note, Source
from baserate.kernels import Cells


class Missing(OSError):  # noqa: N818 (said as a sentence)
    """A program that a campaign needs is not installed."""


def program(package: str, *names: str) -> str:
    """The path of the first of these programs that is there."""
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        raise Missing(f"needs {names[0]}: apt-get install {package}")
    return found


# ----------------------------------------------------------------------
# Payloads. Each sets window.__hit to its number where it runs.

CALLS = ("__hit={n}", "__hit={n}", "__hit={n}", "window.__hit={n}", "top['__hit']={n}",
         "__hit={n},alert({n})", "__hit={n};fetch('//127.0.0.1:9/{n}')",
         "Function('__hit={n}')()", "eval('__hit={n}')", "__hit={n};new Image().src='//[::1]:9'",
         "setTimeout('__hit={n}')", "\\u005f_hit={n}", "self[`__hit`]={n}")  # fmt: skip
CLOSINGS = ("", "", "", '"', "'", "`", ">", '">', "'>", "-->", "--!>", "]]>", "*/", "\\", '\\"',
            "</title>", "</style>", "</script>", "</textarea>", "</td></table>", "</svg>",
            "</bdi>", "</option></select>", "</desc></svg>", "</noscript>", "</template>",
            "\\u003c/script>", '"}', '"}]}</script>', "}", "${", "#", "&", "]]]]>")  # fmt: skip
MARKUP = (
    "<script>{run}</script>", "<script >{run}//", "<script/x>{run}</script >",
    "<script src=data:,{run}></script>", "<script type=module>{run}</script>",
    "<svg onload={run}>", "<svg/onload='{run}'>", "<svg><script>{run}</script>",
    "<svg><script href=data:,{run} />", "<svg><a xlink:href=javascript:{run}><text>x",
    "<svg><animate onbegin={run} attributeName=x dur=1s>",
    "<svg><set attributeName=href to=javascript:{run}>",
    "<svg><style><img src=x onerror={run}></style>", "<svg><foreignObject><body onload={run}>",
    "<math><mtext><table><mglyph><style><img src=x onerror={run}>",
    "<math href=javascript:{run}>x", "<img src=x onerror={run}>", '<img src=x onerror="{run}">',
    "<img/src/onerror={run}>", "<image src=x onerror={run}>", "<input autofocus onfocus={run}>",
    "<details open ontoggle={run}>", "<body onload={run}>", "<video src=x onerror={run}>",
    "<audio src onloadstart={run}>", "<video><source onerror={run}>", "<marquee onstart={run}>",
    "<iframe src=javascript:parent.{run}>", "<iframe srcdoc='<script>top.{run}</script>'>",
    "<iframe onload={run}>", "<object data=javascript:{run}>", "<embed src=javascript:{run}>",
    "<a href=javascript:{run} autofocus>x</a>", "<a href='java\tscript:{run}'>x</a>",
    "<form action=javascript:{run}><button>", "<button formaction=javascript:{run}>",
    "<base href=javascript:{run}//>", "<meta http-equiv=refresh content=0;javascript:{run}>",
    "<link rel=stylesheet href=x onerror={run}>", "<style onload={run}>",
    "<style>@import 'javascript:{run}'", "<style>*{background:url(javascript:{run})}</style>",
    "<p style=width:expression({run})>", "<p style='animation:x' onanimationstart={run}>",
    "<template><script>{run}</script></template>",
    "<noscript><p title='</noscript><img src=x onerror={run}>'>",
    "<!--><script>{run}</script>", "<![CDATA[<script>{run}</script>]]>",
    "<?xml-stylesheet href=javascript:{run}?>", "<xmp></xmp><script>{run}</script>",
    "<select><option><script>{run}</script>", "<title><img src=x onerror={run}></title>",
)  # fmt: skip
OTHERS = (
    "javascript:{run}", "JaVaScRiPt:{run}//", "data:text/html,<script>{run}</script>",
    "vbscript:{run}", " onmouseover={run} x=", '" onfocus={run} autofocus tabindex=0 x="',
    "' onpointerenter={run} style=position:fixed;inset:0 '", "';{run};//", '";{run};//',
    "\\';{run};//", "-({run})-", '"-({run})-"', "`;{run};`", "${{run}}", "`${{run}}`",
    "{{constructor.constructor('{run}')()}}", "{{{run}}}", "<%= {run} %>", "#{{run}}",
    "[[{run}]]", "&lt;script&gt;{run}&lt;/script&gt;", "&#60;script&#62;{run}&#60;/script&#62;",
    "&#x3c;img src=x onerror={run}&#x3e;", "\\u003cscript\\u003e{run}\\u003c/script\\u003e",
    "\\x3cscript\\x3e{run}\\x3c/script\\x3e", "%3Cscript%3E{run}%3C/script%3E",
    "\uff1cscript\uff1e{run}\uff1c/script\uff1e", "+ADw-script+AD4-{run}+ADw-/script+AD4-",
    "url(javascript:{run})", "expression({run})", "}*{x:expression({run})}",
    "__proto__[onerror]={run}", '{"__proto__":{"innerHTML":"{run}"}}', "#rule={run}",
)  # fmt: skip
SIGNS = ("", "", "", "", "", " ", "/", "\u2028", "\u2029", "\u202e", "\u2066", "\u200b", "\ufeff",
         "\0", "\x0b", "\x0c", "\x1b[31m", "\x7f", "\t", "\n", "\r\n", "\u00ad", "\U000e0041",
         "&Tab;", "&NewLine;", "&#0;", "\\0", "\\u2028", "%00")  # fmt: skip
WORDS = ("__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "valueOf",
         "__defineGetter__", "then", "length", "name", "null", "undefined", "NaN", "0")  # fmt: skip


def payload(rng: random.Random, number: int) -> str:
    """A string with the call number `number`, in one to three disguises."""
    run = rng.choice(CALLS).replace("{n}", str(number))
    text = rng.choice(rng.choice((MARKUP, MARKUP, OTHERS)))
    if rng.random() < 0.2:
        text = rng.choice(MARKUP).partition("{run}")[0] + text
    text = run.join(disguised(rng, part) for part in text.split("{run}"))
    word = rng.choice(WORDS) if rng.random() < 0.2 else ""
    return rng.choice(SIGNS) + word + rng.choice(CLOSINGS) + text + rng.choice(SIGNS)


def disguised(rng: random.Random, text: str) -> str:
    """Markup in mixed case, or with a sign somewhere."""
    if rng.random() < 0.2:
        return re.sub("[a-z]", lambda one: rng.choice((str.upper, str.lower))(one[0]), text)
    place = rng.randrange(len(text) + 1) if rng.random() < 0.1 else 0
    return text[:place] + rng.choice(SIGNS) * (place > 0) + text[place:]


# ----------------------------------------------------------------------
# Reports with such names wherever a user's text can stand.

SIZE, MODELS, GROUPS = 120, 48, 50  # payloads on a page, and what they are; the rest is other text


def of_counts(texts: Sequence[str], path: Path) -> None:
    """Models, groups, columns, notes, sources and the title are payloads, by Python."""
    names, groups, others = texts[:MODELS], texts[-GROUPS:], texts[MODELS:]
    cells = Cells(np.array([3.0, 2.0, 1.0]), np.array([9.5, 5, 1]), np.array([1, 9, 90.0]))
    sources = tuple(Source(text, "0" * 64, 115, 115, 0, text, text, text) for text in others)
    notes = tuple(Note("BR101", text) for text in others)
    counts = br.Counts._of(cells, Ledger(115, 115, 0, sources), notes)
    labels, scores = np.tile([1, 0, 0], GROUPS), np.tile([3.0, 2.0, 1.0], GROUPS)
    sliced = br.count(labels, scores, by=np.repeat(np.array(groups, dtype=object), 3))
    at = br.Conditions(br.Range(0.001, 0.1), br.Costs(fp=1, fn=20))
    columns = {" ".join(texts): {names[0]: sliced}}
    models = dict.fromkeys((*names, *WORDS[:2]), counts)
    br.report(models, at=at, slices=columns, title=" ".join(texts), volume=1000).save(path)


def of_a_file(texts: Sequence[str], path: Path) -> None:
    """The file, its columns, labels and groups and the title are payloads, on the command line."""
    names = [text.replace("\0", "").replace("\ufeff", "").strip() for text in texts]
    models, groups = names[:MODELS], names[MODELS : MODELS + GROUPS]
    label, positive, column, file, *others = names[MODELS + GROUPS :]
    title = " ".join(others)
    source = path.with_name(file.replace("/", "\u2215").encode()[:200].decode(errors="ignore"))
    with source.open("w", newline="", encoding="utf-8") as out:
        rows = csv.writer(out)
        rows.writerow((label, column, *models))
        for row in range(3 * GROUPS + 1):
            scores = [(row * (7 + place)) % 31 for place in range(len(models))]
            rows.writerow((positive if row % 3 else "no", groups[row % len(groups)], *scores))
    words = [f"--label={label}", f"--positive={positive}", f"--by={column}", f"--title={title}"]
    words += [f"--score={name}" for name in models]
    done = baserate(("report", "--prior=1%", *words, "-o", str(path), "--", str(source)))
    if done.returncode == 2:  # a refusal, which such names may well meet
        of_counts(texts, path)
    elif done.returncode:
        raise ValueError(f"{done.returncode}: {done.stderr}")


def baserate(words: Sequence[str], folder: Path | None = None) -> Any:
    command = [sys.executable, "-m", "baserate", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


# ----------------------------------------------------------------------
# Browsers.

# Before anything of a page runs.
LISTEN = """() => {
  window.__csp = [];
  document.addEventListener("securitypolicyviolation",
    (event) => window.__csp.push(`${event.violatedDirective} ${event.blockedURI}`));
}"""
# As a person would: point at charts, press buttons, switch, sort, type, follow a link; what would
# be saved is kept here instead. `given` are a seed and some payloads.
WALK = """async ([seed, texts]) => {
  const app = document.querySelector("#app"), saved = [];
  const wait = (time) => new Promise((done) => setTimeout(done, time));
  for (let turn = 0; turn < 200 && app?.hidden; turn++) await wait(25);
  if (!app || app.hidden) return null;
  const next = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  const some = (query, most) => [...app.querySelectorAll(query)].map((node) => [next(), node])
    .sort((a, b) => a[0] - b[0]).slice(0, most).map(([, node]) => node);
  const make = URL.createObjectURL, click = HTMLAnchorElement.prototype.click;
  URL.createObjectURL = (blob) => (saved.push(blob), make.call(URL, blob));
  HTMLAnchorElement.prototype.click = function () { if (!this.download) click.call(this); };
  for (const chart of some("svg", 6)) {
    chart.scrollIntoView();
    const box = chart.getBoundingClientRect();
    for (const [kind, share] of [["pointerenter", 0.4], ["pointermove", 0.5], ["mousemove", 0.5],
                                 ["mouseover", 0.6], ["pointerdown", 0.5], ["pointerup", 0.5]]) {
      const where = { bubbles: true, clientX: box.x + box.width * share,
                      clientY: box.y + box.height * 0.5, pointerId: 1 };
      (document.elementFromPoint(where.clientX, where.clientY) ?? chart)
        .dispatchEvent(new PointerEvent(kind, where));
    }
  }
  for (const node of some("details", 9)) node.open = true;
  for (const node of some("select", 4)) {
    node.selectedIndex = node.options.length - 1;
    node.dispatchEvent(new Event("change", { bubbles: true }));
  }
  const pressed = some("button:not(#undo), th button, [role=button], summary, [type=radio]", 14);
  const saving = [...some("button[aria-label$='as SVG']", 3), ...some("#csv, #json", 2)];
  for (const node of [...pressed, ...saving]) {
    node.focus();
    node.click();
    await wait(10);
  }
  for (const [place, node] of some("input:not([type=radio]):not([type=checkbox])", 4).entries()) {
    node.value = texts[place];
    for (const kind of ["input", "change"]) node.dispatchEvent(new Event(kind, { bubbles: true }));
    await wait(10);
  }
  const said = ["rule", "prior", "model", "positive", "show-theme", "show-x", "set", "mode"];
  location.hash = new URLSearchParams(said.map((name, place) => [name, texts[place]])).toString();
  await wait(60);
  document.querySelector("#reset").click();
  await wait(60);
  return Promise.all(saved.map(async (blob) => [blob.type, await blob.text()]));
}"""
# What would be there if a string had become markup: the page itself never has any of it.
STATE = """() => {
  const all = [...document.querySelectorAll("*")], polluted = [];
  for (const name in {}) polluted.push(name);
  const odd = new Set("img iframe object embed link base form video audio math marquee".split(" "));
  return {
    hit: window.__hit ?? null,
    csp: window.__csp,
    polluted,
    added: all.filter((node) => odd.has(node.localName)
      || [...node.attributes].some(({ name }) => name.startsWith("on"))
      || /^\\s*[a-z]+:/i.test(node.getAttribute("href") ?? node.getAttribute("src") ?? "")
      || node.localName === "parsererror").map((node) => node.outerHTML.slice(0, 200)),
    scripts: document.scripts?.length,
    text: document.documentElement.textContent.length,
  };
}"""


class Seen(NamedTuple):
    """What a page did: its state, what it asked for, said and popped up, and what it would save."""

    state: dict[str, Any]
    requests: list[str]
    dialogs: list[str]
    said: list[str]
    saved: list[tuple[str, str]] | None


class Browser(Protocol):
    """What both can do."""

    def visit(self, path: Path, given: Any = None) -> Seen:
        """Open a file; where something is given, walk through it."""


# A package, and the programs of it that will do.
CHROMIUM = ("chromium", "chromium-headless-shell", "chromium", "google-chrome")
FIREFOX = ("firefox-esr", "firefox-esr", "firefox")


class Chromium:
    """Driven by Playwright."""

    def __enter__(self) -> Self:
        name = program(*CHROMIUM)
        try:
            from playwright.sync_api import sync_playwright
        except ImportError:
            raise Missing("needs playwright: requirements/dev.txt") from None
        self.driver = sync_playwright().start()
        self.browser = self.driver.chromium.launch(executable_path=name)
        return self

    def __exit__(self, *_: object) -> None:
        self.browser.close()
        self.driver.stop()

    def visit(self, path: Path, given: Any = None) -> Seen:
        requests, dialogs, said = list[str](), list[str](), list[str]()
        context = self.browser.new_context()
        try:
            context.add_init_script(f"({LISTEN})()")
            page = context.new_page()
            page.on("request", lambda one: requests.append(one.url))
            page.on("dialog", lambda one: (dialogs.append(one.message), one.dismiss()))
            page.on("console", lambda one: said.append(one.text))
            page.on("pageerror", lambda one: said.append(str(one)))
            page.goto(path.as_uri(), wait_until="load")
            saved = None if given is None else page.evaluate(WALK, given)
            return Seen(page.evaluate(STATE), requests, dialogs, said, saved)
        finally:
            context.close()


EVENTS = ("network.beforeRequestSent", "browsingContext.userPromptOpened", "log.entryAdded")
# It looks for nothing on its own.
SETTINGS = """user_pref("app.update.auto", false);
user_pref("browser.safebrowsing.downloads.remote.enabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
"""


class Firefox:
    """Driven by WebDriver BiDi over a socket: Playwright needs a Firefox of its own."""

    def __enter__(self) -> Self:
        name = program(*FIREFOX)
        try:
            from tornado.websocket import websocket_connect
        except ImportError:
            raise Missing("needs tornado: requirements/dev.txt") from None
        import tempfile

        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        (Path(self.folder.name) / "user.js").write_text(SETTINGS)
        self.child = subprocess.Popen(
            [name, "--headless", "--no-remote", "--remote-debugging-port=0",
             "--profile", self.folder.name],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self.child.stderr is not None
        told = (line for line in self.child.stderr if "BiDi listening on" in line)
        address = f"{next(told).split()[-1]}/session"
        self.loop, self.sent, self.events = asyncio.new_event_loop(), 0, list[Any]()

        async def connected() -> Any:
            return await websocket_connect(address, max_message_size=1 << 28)

        self.socket = self.loop.run_until_complete(connected())
        dismissed = {"alwaysMatch": {"unhandledPromptBehavior": {"default": "dismiss"}}}
        self.send("session.new", capabilities=dismissed)
        self.send("session.subscribe", events=EVENTS)
        self.send("script.addPreloadScript", functionDeclaration=LISTEN)
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(Exception):
            self.send("browser.close")
        try:
            self.child.wait(20)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()
        self.loop.close()
        self.folder.cleanup()

    def send(self, method: str, **parameters: Any) -> Any:
        """The answer to one command; events that come before it are kept."""

        async def answered() -> Any:
            self.sent += 1
            command = {"id": self.sent, "method": method, "params": parameters}
            await self.socket.write_message(json.dumps(command))
            while True:
                said = json.loads(await self.socket.read_message())
                if said.get("id") == self.sent:
                    return said
                self.events.append(said)

        said = self.loop.run_until_complete(asyncio.wait_for(answered(), 120))
        if said["type"] == "error":
            raise OSError(f"{method}: {said['message']}")
        return said["result"]

    def visit(self, path: Path, given: Any = None) -> Seen:
        tab = self.send("browsingContext.create", type="tab")["context"]
        self.events.clear()
        self.send("browsingContext.navigate", context=tab, url=path.as_uri(), wait="complete")
        saved = None if given is None else self._value(tab, WALK, given)
        state = self._value(tab, STATE)
        self.send("browsingContext.close", context=tab)
        seen = Seen(state, [], [], [], saved)
        for event in self.events:
            found, kind = event["params"], event["method"]
            if kind == EVENTS[0] and found["context"] is not None:
                seen.requests.append(found["request"]["url"])
            if kind == EVENTS[1]:
                seen.dialogs.append(found["message"])
            if kind == EVENTS[2]:
                seen.said.append(str(found["text"]))
        return seen

    def _value(self, tab: str, function: str, given: Any = None) -> Any:
        """What a function gives in the page; only text comes over as it is."""
        call = f"Promise.resolve(({function})({json.dumps(given)})).then(JSON.stringify)"
        found = self.send(
            "script.evaluate", expression=call, target={"context": tab}, awaitPromise=True
        )
        if found["type"] != "success":
            raise OSError(found["exceptionDetails"]["text"])
        return json.loads(found["result"]["value"])


PAGES = 5  # reports in one batch
INSIDE = ("blob:", "data:")  # no request leaves; Firefox has a font of its own as data


def in_browsers(seed: int, folder: Path) -> tuple[int, list[str]]:
    """A few reports in both browsers, with their charts saved and opened alone."""
    for browser in (CHROMIUM, FIREFOX):
        program(*browser)  # before reports are made that nobody could open
    rng, wrong, made = random.Random(f"P16-payloads/{seed}"), list[str](), list[Any]()
    for place in range(PAGES):
        first = (seed * PAGES + place) * SIZE
        texts = [payload(rng, number) for number in range(first, first + SIZE)]
        path, bare = folder / f"{place}.html", folder / f"bare-{place}.html"
        (of_a_file if place % 2 else of_counts)(texts, path)
        bare.write_text("\n".join(f"<p>{text}" for text in texts), "utf-8", "replace")
        made.append((path, bare, [first + 1, rng.sample(texts, 8)]))
    for kind in (Chromium, Firefox):
        with kind() as browser:
            if all(browser.visit(bare).state["hit"] is None for _, bare, _ in made):
                wrong.append(f"seed {seed}, {kind.__name__}: unescaped, nothing runs")
            for path, _, given in made:
                found = opened(browser, path, given)
                wrong += [f"seed {seed}, {path.name}, {kind.__name__}: {what}" for what in found]
    return 2 * PAGES * SIZE, wrong


def opened(browser: Browser, path: Path, given: Any) -> Iterator[str]:
    """What a report and its charts do that they must not."""
    seen = browser.visit(path, given)
    yield from misdeeds(path, seen)
    if seen.state["scripts"] != 2:
        yield f"{seen.state['scripts']} scripts"
    if seen.saved is None:
        yield "the page did not start"
    drawn = [text for kind, text in seen.saved or [] if kind.startswith("image/svg")]
    drawn += re.findall(r"<svg.*?</svg>", path.read_text("utf-8"), flags=re.DOTALL)[:1]
    if not drawn:
        yield "no chart"
    for text in drawn[-2:]:
        chart = path.with_suffix(".svg")
        chart.write_text(text, "utf-8")
        yield from misdeeds(chart, browser.visit(chart))


def misdeeds(path: Path, seen: Seen) -> Iterator[str]:
    state, address = seen.state, path.as_uri()
    others = [one for one in seen.requests if one.partition("#")[0] != address]
    others = [one for one in others if not one.startswith(INSIDE)]
    for what, found in (("hit", state["hit"]), ("policy", state["csp"]), ("requests", others),
                        ("polluted", state["polluted"]), ("markup", state["added"]),
                        ("dialogs", seen.dialogs), ("said", seen.said)):  # fmt: skip
        if found not in (None, []):
            yield f"{path.suffix}, {what}: {found}"[:600]


# ----------------------------------------------------------------------
# Spreadsheets.

STARTS = ("=", "=", "=", "+", "-", "@", "\t=", "\r=", "\n=", "\0=", " =", "  +", '"=', "'=", '""=',
          "\uff1d", "\uff0b", "\uff0d", "\uff20", "x;=", "x; =", "x\t=", "x,=", 'x";=', "x\n=",
          "\ufeff=", "\u00a0=", "\u200b=", "{=", "==", "=-", "x|=", '";=', "';=", "x\r\n=",
          "\\=", "=+", "+@", "-+")  # fmt: skip
FORMULAS = ("1+1", "SUM(1;1)", "ROW()", "A1", "{n}+1", 'HYPERLINK("http://127.0.0.1:9/{n}";"x")',
            "cmd|'/C calc'!A0", 'DDE("soffice";"x.ods";"A1")', "2+5+cmd|' /C calc'!A0",
            'WEBSERVICE("http://127.0.0.1:9/{n}")', "MSEXCEL|'\\..\\calc.exe'!''",
            'EXEC("calc")', 'IMPORTXML("x","//a")', "@SUM(1)", "-1")  # fmt: skip
CELLS, SEPARATORS = 50, {"comma": 44, "semicolon": 59, "tab": 9, "all three": "44/59/9"}
WRITING = (
    ("table", "x.counts", "--csv"),
    ("table", "x.counts", "--csv", "--across", "--threshold", "0.5"),
    ("curve", "roc", "x.counts", "--csv"),
    ("curve", "pr", "x.counts", "--prior", "1%,2%", "--csv"),
    ("curve", "pr", "x.counts", "--prior", "1e-3..1e-2", "--csv"),
    ("curve", "decision", "x.counts", "--prior", "10%", "--calibrated-at", "sample", "--csv"),
)


def formula(rng: random.Random, number: int) -> str:
    body = rng.choice(FORMULAS).format(n=number)
    return f"{rng.choice(STARTS)}{body}{rng.choice(('', '', ';', chr(34), ',', '+'))}{number}"


def in_cells(seed: int, folder: Path) -> tuple[int, list[str]]:
    """Models with such names in every CSV that there is, opened with every separator."""
    rng = random.Random(f"P18-cells/{seed}")
    names = [formula(rng, number) for number in range(seed * CELLS, (seed + 1) * CELLS)]
    saved_models(names, folder / "x.counts")
    for place, words in enumerate(WRITING):
        done = baserate((*words, "-o", f"{place}.csv"), folder)
        if done.returncode:
            raise ValueError(f"{words}: {done.stderr}")
    br.report(br.load(folder / "x.counts"), prior=0.01, title=names[0]).save(folder / "r.html")
    with Chromium() as browser:
        saved = browser.visit(folder / "r.html", [seed + 1, names[:8]]).saved
    pages = [text for kind, text in saved or [] if kind == "text/csv"]
    for place, text in enumerate(pages):
        (folder / f"page-{place}.csv").write_text(text, "utf-8", newline="")
    bare = "".join(f"=1+{number}\nx;=1+1\nx\t=1+1\n" for number in range(3))
    (folder / "bare.csv").write_text(bare)
    wrong = [] if pages else [f"seed {seed}: the page saved no CSV"]
    return CELLS, wrong + [f"seed {seed}, {what}" for what in formulas_in(folder)]


def saved_models(names: Iterable[str], path: Path) -> None:
    labels = [int(row % 3 == 0) for row in range(60)]
    scores = {name: [(row * (7 + place)) % 31 / 31 for row in range(60)]
              for place, name in enumerate(names)}  # fmt: skip
    br.count(labels, scores).save(path)


FOUND = re.compile(r'table:formula="([^"]*)"|(<table:dde-link)')


def formulas_in(folder: Path) -> Iterator[str]:
    """Cells of the CSV files that LibreOffice takes for formulas; in bare.csv there must be some.
    It takes no quoted cell for text, removes spaces and evaluates formulas.
    """
    office = program("libreoffice-calc", "soffice", "libreoffice")
    files = sorted(folder.glob("*.csv"))
    for name, sign in SEPARATORS.items():
        out, how = folder / f"by {name}", f"{sign},34,76,1,,0,false,true,false,false,true,-1,true"
        done = subprocess.run(
            [office, f"-env:UserInstallation={(folder / 'profile').as_uri()}", "--headless",
             f"--infilter=Text - txt - csv (StarCalc):{how}", "--convert-to", "fods",
             "--outdir", str(out), *map(str, files)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        for path in files:
            made = out / f"{path.stem}.fods"
            if not made.exists():
                raise OSError(f"LibreOffice did not open {path.name}: {done.stderr[-200:]}")
            cells = [one[0] for one in FOUND.finditer(made.read_text("utf-8"))]
            if path.stem == "bare" and not cells:
                yield f"by {name}: LibreOffice sees no formula where there is one"
            if path.stem != "bare":
                yield from (f"{path.name} by {name}: {cell}" for cell in cells[:2])


# ----------------------------------------------------------------------
# Terminals.

STEERING = ("\x1b[31m", "\x1b]0;x\x07", "\x1b[2J", "\x1b[1;1H", "\x1bc", "\x1b]8;;http://x\x1b\\",
            "\x1bPx\x1b\\", "\x9b31m", "\x9d0;x\x9c", "\x90x\x9c", "\x85", "\b\b", "\x7f", "\x0e",
            "\x07", "\x0b", "\x0c", "\u202e", "\u202d", "\u202a", "\u2066", "\u2067", "\u2069",
            "\u200f", "\u200e", "\u061c", "\u2028", "\u2029", "\nFAKED", "\rFAKED", "\r\nFAKED",
            "\U000e0041", "\ufeff", "\x1b[8m", "\x1b[?1049h", "\x1b_x\x1b\\")  # fmt: skip
BYTES = ("\udc9b31m", "\udcff", "\udc85")  # a command line may hold what is no UTF-8
STEERED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e"
                     "\u2066-\u2069\ufeff\U000e0000-\U000e007f\ud800-\udfff]|^FAKED",
                     re.MULTILINE)  # fmt: skip
ERASE = "\r\x1b[K"  # of our own line of progress
LINES, KNOWN, UNKNOWN = 20, 10, 8
READ = ("--label", "y", "--score", "s")
BY_GROUP = ("slices", "x.csv", *READ, "--by", "g", "--threshold", "3")  # all names are groups


def steering(rng: random.Random, number: int) -> str:
    parts = [f"{rng.choice('abcdef')}{number}{rng.choice(STEERING)}" for _ in range(2)]
    return f"{''.join(parts)}{rng.choice(('', 'x', 'é'))}"


def printed(words: Sequence[str], folder: Path) -> str:
    """What a command writes to a terminal."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "200"}
    with subprocess.Popen([sys.executable, "-m", "baserate", *words], cwd=folder, env=environment,
                          stdin=theirs, stdout=theirs, stderr=theirs):  # fmt: skip
        os.close(theirs)
        said = b""
        with contextlib.suppress(OSError):  # the other side is closed
            while more := os.read(ours, 1 << 16):
                said += more
        os.close(ours)
    if b"Traceback" in said or b"a bug in" in said:
        return f"\0{said!r}"
    return said.decode("utf-8", "surrogateescape").replace("\r\n", "\n").replace(ERASE, "")


def on_terminals(seed: int, folder: Path) -> tuple[int, list[str]]:
    """Commands about such names, and some of these where a command does not know them."""
    rng, wrong = random.Random(f"P18-lines/{seed}"), list[str]()
    names = [steering(rng, number) for number in range(LINES)]
    saved_models(names[:8], folder / "x.counts")
    saved_models(names[:2], folder / f"{names[2]}.counts")
    with (folder / "x.csv").open("w", newline="", encoding="utf-8") as out:
        rows = csv.writer(out)
        rows.writerow(("y", "s", "g", *names[:3]))
        for row in range(120):
            label, other = row % 3 // 2, names[row % 2]
            rows.writerow((label, row % 7, names[row % LINES], other, row % 5, row % 11))
    known = [BY_GROUP, *rng.sample([*about(names)], KNOWN)]
    for words in (*known, *(unknown(rng, name) for name in rng.sample(names, UNKNOWN))):
        said = printed(words, folder)
        for found in list(STEERED.finditer(said))[:3]:
            where = said[max(found.start() - 60, 0) : found.end() + 20]
            wrong.append(f"seed {seed}, {list(words)}: {where!r}")
    return LINES, wrong


def about(names: Sequence[str]) -> Iterator[Sequence[str]]:
    """Commands that know these names."""
    models = [word for name in names[:2] for word in ("--score", name)]
    for words in (("show",), ("show", "--json"), ("table",), ("table", "--csv"),
                  ("table", "--csv", "--across"), ("choose", "recall >= 0.5"), ("triage",),
                  ("compare", "--notes"), ("report", "--force"), ("show", "--notes"),
                  ("gate", "recall >= 0.5", "--threshold", "0.5")):  # fmt: skip
        yield words[0], "x.counts", *words[1:]
    for words in (("roc",), ("roc", "--csv"), ("pr", "--prior", "1e-3..1e-2", "--csv"),
                  ("roc", "--json"), ("cost",)):  # fmt: skip
        yield "curve", words[0], "x.counts", *words[1:]
    yield "show", f"{names[2]}.counts"
    yield "compare", f"{names[2]}.counts"
    yield "choose", "x.csv", "recall >= 0.5", *READ, "--by", "g"
    yield "show", "x.csv", "--label", names[0], "--score", names[1]
    yield "show", "x.csv", "--label", names[0], "--positive", names[0], "--score", names[1]
    yield "compare", "x.csv", "--label", "y", *models
    yield "count", "x.csv", *READ, "-o", f"{names[3]}.counts"


def unknown(rng: random.Random, name: str) -> Sequence[str]:
    """A command that does not know this name."""
    name += rng.choice((*BYTES, "", ""))
    return rng.choice((
        ("show", name), ("show", f"{name}.csv", *READ), (name,), ("show", f"--{name}"),
        ("show", "x.csv", "--label", name, "--score", "s"), ("show", "x.counts", "--score", name),
        ("show", "x.csv", *READ, "--positive", name), ("show", "x.csv", *READ, "--prior", name),
        ("choose", "x.csv", name, *READ), ("slices", "x.csv", *READ, "--by", name),
        ("show", "x.csv", *READ, "--cost", f"fn={name}"), ("curve", name, "x.counts"),
        ("table", "x.counts", "--measure", name), ("sql", name, *READ),
        ("report", "x.csv", *READ, "--title", name, "--force"), ("gate", name),
        ("show", "x.counts", "-o", f"{name}/x.txt"), ("sql", "t", "--label", name, "--score", "s"),
        ("show", "x.csv", *READ, "--encoding", name), ("calc", "--prior", name),
    ))  # fmt: skip
