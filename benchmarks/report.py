"""What a report takes: its size, the time to make it beside counting, and in a browser the time
until it can be used and a step of a slider.

    .venv/bin/python benchmarks/report.py                    everything (about two minutes)
    .venv/bin/python benchmarks/report.py --rows 1e5

Times of Python are the minimum of repeats, CPU of the whole process with every library held to one
thread. Times of the page are those of the system's chromium, headless: until the page has replaced
its static part, and of every step of every slider the handler, the drawing of the next frame, and
its layout; painting is left out. A traced step of the base rate is the CPU time of all tasks of the
main thread, painting included.
"""

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"

import argparse
import csv
import json
import platform
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np

import baserate as br
from baserate.errors import grouped
from baserate.read.files import count_scores
from baserate.read.source import Options
from baserate.read.table import ColumnRoles
from baserate.reports.page import page

STEPS = 60
AT = br.Conditions("1 in 1000", br.Costs(fp=1, fn=100))
WATCH = """
window.__frames = [];
const raf = window.requestAnimationFrame.bind(window);
window.requestAnimationFrame = (draw) => raf((now) => {
  const start = performance.now();
  draw(now);
  document.body.offsetHeight;
  window.__frames.push(performance.now() - start);
});
new MutationObserver(() => {
  const app = document.querySelector('#app');
  if (app && !app.hidden && !window.__ready) window.__ready = performance.now();
}).observe(document, { subtree: true, attributes: true, childList: true });
"""
MOVE = """async (steps) => {
  const found = [];
  const frame = () => new Promise((done) => setTimeout(done, 25));
  for (const slider of document.querySelectorAll('#app input[type=range]')) {
    if (!slider.checkVisibility()) continue;
    const [low, high] = [Number(slider.min), Number(slider.max)];
    for (let step = 0; step <= steps; step += 1) {
      window.__frames.length = 0;
      const start = performance.now();
      slider.value = String(low + ((high - low) * step) / steps);
      slider.dispatchEvent(new Event('input', { bubbles: true }));
      const handled = performance.now() - start;
      await frame();
      found.push(handled + window.__frames.reduce((a, b) => a + b, 0));
    }
  }
  return found;
}"""

DRAG = """async (steps) => {
  const slider = document.querySelector('#prior-slider');
  const [low, high] = [Number(slider.min), Number(slider.max)];
  for (let step = 0; step <= steps; step += 1) {
    slider.value = String(low + (high - low) * (0.3 + (0.4 * step) / steps));
    slider.dispatchEvent(new Event('input', { bubbles: true }));
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 8)));
  }
}"""


def models(rows, count):
    rng = np.random.default_rng(rows)
    labels = rng.random(rows) < 0.02
    return labels, {f"m{i}": rng.normal(size=rows) + labels * (1.5 + i / 10) for i in range(count)}


def cpu(work, repeats):
    """The least CPU seconds, and what came out of it."""
    least, made = float("inf"), None
    for _ in range(repeats):
        start = time.process_time()
        made = work()
        least = min(least, time.process_time() - start)
    return least, made


def sizes():
    labels, scores = models(100_000, 20)
    yield "page, script and style, without data", len(page("", "", {}).encode())
    for many in (2, 20):
        some = br.count(labels, dict(list(scores.items())[:many]))
        found = br.report(some, at=AT, budget=200, volume=1_000_000)
        what = "every threshold, leads tested"
        yield f"{many} models x 100 000 distinct scores, {what}", len(found.html.encode())
    few = {name: br.count(labels[:2000], values[:2000]) for name, values in scores.items()}
    yield "20 models x 2 000 distinct scores", len(br.report(few, at=AT).html.encode())


def timed(rows, repeats):
    """Counting three models and reporting on them, from arrays and from a file."""
    labels, scores = models(rows, 3)
    counting, counts = cpu(
        lambda: {name: br.count(labels, values) for name, values in scores.items()}, repeats
    )

    def reported():
        fresh = {
            name: br.count(labels, values) for name, values in scores.items()
        }  # what counts keep is computed again
        return br.report(fresh, at=AT, budget=200, volume=1_000_000).html

    yield "three models, from arrays", counting, cpu(reported, repeats)[0]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scores.csv"
        with path.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(("y", *scores))
            writer.writerows(
                zip(
                    labels.astype(int).tolist(),
                    *(values.tolist() for values in scores.values()),
                    strict=True,
                )
            )
        wanted = ColumnRoles("y", tuple(scores))

        def read():
            return count_scores(str(path), wanted, Options.of({}))

        start = time.perf_counter()
        counts = read()
        middle = time.perf_counter()
        assert br.report(read(), at=AT, budget=200, volume=1_000_000).html
        assert counts.keys() == scores.keys()
        # Files are read by another process: here it is the time that passes.
        yield (
            "three models, from CSV (time that passes)",
            middle - start,
            time.perf_counter() - middle,
        )


def browsed(rows, repeats):
    """Time to use the page and costs of the steps of its sliders, in milliseconds."""
    from playwright.sync_api import sync_playwright

    labels, scores = models(rows, 3)
    counts = {name: br.count(labels, values) for name, values in scores.items()}
    program = shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        path = Path(folder) / "report.html"
        br.report(counts, at=AT, volume=1_000_000).save(path)
        browser = started.chromium.launch(executable_path=program)
        ready = []
        for _ in range(repeats):
            page = browser.new_page()
            page.add_init_script(WATCH)
            page.goto(path.as_uri())
            while page.evaluate("() => !window.__ready"):
                page.wait_for_timeout(20)
            ready.append(page.evaluate("() => window.__ready"))
        steps = sorted(page.evaluate(MOVE, STEPS))
        browser.close()
    return ready, steps


def traced(count, rows=4000):
    """CPU milliseconds of the main thread for one step of the base rate, painting included."""
    from playwright.sync_api import sync_playwright

    labels, scores = models(rows, count)
    program = shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        path = Path(folder) / "report.html"
        br.report(br.count(labels, scores), at=AT, volume=1_000_000).save(path)
        browser = started.chromium.launch(executable_path=program)
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        page.goto(path.as_uri())
        page.wait_for_timeout(1000)
        page.evaluate(DRAG, 10)
        browser.start_tracing(page=page, categories=["toplevel", "devtools.timeline"])
        page.evaluate(DRAG, STEPS)
        events = json.loads(browser.stop_tracing())["traceEvents"]
        browser.close()
    named = [one for one in events if one.get("name") == "thread_name"]
    main = {one["tid"] for one in named if one["args"]["name"] == "CrRendererMain"}
    spent = {}
    for one in events:
        if one.get("name", "").endswith("::RunTask") and one["tid"] in main:
            spent[one["pid"]] = spent.get(one["pid"], 0) + one.get("tdur", 0)
    return max(spent.values()) / 1000 / (STEPS + 1)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rows", type=float, default=1e6)
    arguments.add_argument("--repeats", type=int, default=5)
    given = arguments.parse_args()
    print(
        f"Python {platform.python_version()}, NumPy {np.__version__}, load"
        f" {os.getloadavg()[0]:.1f}\n"
    )
    print("| what | bytes |\n|---|---|")
    for what, size in sizes():
        print(f"| {what} | {grouped(size)} |")
    print("\n| what | counting, s | report with its counting, s | ratio |\n|---|---|---|---|")
    for what, counting, reporting in timed(int(given.rows), given.repeats):
        print(
            f"| {what}, {grouped(int(given.rows))} rows | {counting:.2f} | {reporting:.2f} |"
            f" {reporting / counting:.1f} |"
        )
    ready, steps = browsed(int(given.rows), given.repeats)
    print("\n| in chromium, 3 models | ms |\n|---|---|")
    middle = f"{sorted(ready)[len(ready) // 2]:.0f} ({min(ready):.0f}, {max(ready):.0f})"
    print(f"| until it can be used, median of {len(ready)} (least, most) | {middle} |")
    for share in (0.5, 0.95, 0.99):
        print(
            f"| a step of a slider, {share:.0%} of {len(steps)} at most |"
            f" {steps[int(share * (len(steps) - 1))]:.1f} |"
        )
    for count in (2, 20):
        print(f"| a traced step of the base rate, {count} models | {traced(count):.1f} |")


if __name__ == "__main__":
    main()
