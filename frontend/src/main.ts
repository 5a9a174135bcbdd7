// The page: reads the document that stands in it, and keeps everything in step with the scenario.
import { modelOf, type Model } from "./core/points.ts";
import { grouped } from "./core/formats.ts";
import { Refusal } from "./core/notations.ts";
import type { Document } from "./document.ts";
import { asked, presetSaid, type Solution, type State } from "./scenario.ts";
import { Store } from "./store.ts";
import { answer, outcomes, type Part } from "./page/answer.ts";
import { charts, type Charts } from "./page/charts.ts";
import { controls } from "./page/controls.ts";
import { h, press } from "./page/dom.ts";
import { forget } from "./page/fields.ts";
import { saveCsv, saveJson } from "./page/downloads.ts";
import { winnerMap } from "./page/map.ts";
import { modelTable, tableRows } from "./page/models.ts";
import { folded, moved, section, sampleSaid } from "./page/sections.ts";
import { slicesPart } from "./page/slices.ts";
import { applied, themeButton } from "./page/theme.ts";

async function start(content: Document): Promise<void> {
  const models = await Promise.all(content.report.points.map(modelOf));
  // With one class only there is nothing to move: the static page says what there is to say.
  if (!models.length || models.some((model) => !model.positives.n || !model.negatives.n)) {
    document.getElementById("app")!.removeAttribute("aria-busy");
    return;
  }
  const store = new Store(models, content.report);
  addEventListener("resize", () => keepHeights(false));
  const change = store.change.bind(store);
  const flip = (name: string, value: string): void => change(({ view }) => ({ view: without({ ...view, [name]: value }) }));
  const said = answer(content);
  const drawn = charts(models, ({ model, place }) => change(taken(model, place, store.here())), flip);
  const parts = {
    said,
    happens: outcomes(),
    drawn,
    table: modelTable(content, flip),
    map: winnerMap(content.report, models, change),
    slices: slicesPart(content.report, flip),
  };
  const panel = controls(
    models,
    change,
    () => ({ hand: store.here(), model: store.focus() }),
    (state) => store.shownOver(state)?.ranges ?? "",
    content.report.answers.map((one) => [presetSaid(one), asked(one, store.first)] as const),
  );
  store.render = (solution) => {
    keepHeights(store.state.mode === "hand");
    panel.reflect(store.state);
    applied(store.state.view["theme"]);
    if (solution instanceof Refusal) said.refuse(solution.message);
    else for (const part of Object.values(parts)) part?.update(solution);
  };
  // The static page is taken apart only when the first answer stands: until then nothing is lost if something goes wrong.
  store.answer();
  layOut(
    content,
    models,
    parts,
    panel.element,
    downloads(content, () => store.solution),
    [...buttons(store), themeButton(flip)],
  );
  document.getElementById("static")!.hidden = true;
  document.getElementById("app")!.hidden = false;
  document.getElementById("app")!.removeAttribute("aria-busy");
}

let kept = false;

/** While a threshold is moved by hand, nothing above the charts becomes smaller: the handle stays under the pointer. */
function keepHeights(hand: boolean): void {
  if (hand === kept) return;
  kept = hand;
  for (const part of document.querySelectorAll<HTMLElement>(".scenario, .said, .said > *, .happens, #over-title"))
    part.style.minHeight = hand ? `${part.getBoundingClientRect().height}px` : "";
  document.getElementById("over-title")?.classList.toggle("kept", hand);
}

/** A switch that stands where it started need not be remembered. */
const without = (view: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(view).filter(([, value]) => value !== ""));

function buttons(store: Store): HTMLElement[] {
  const undo = press("Undo", { class: "quiet", id: "undo" }, () => history.back());
  (store.stepped = () => (undo.disabled = !history.state))();
  const reset = press("Start again", { class: "quiet", id: "reset" }, () => {
    forget(document);
    const { theme = "" } = store.state.view;
    store.change({ ...store.first, view: without({ theme }) });
  });
  const link = press("Copy link", { class: "quiet", id: "link" }, () => void copied(link, store.address()));
  return [undo, reset, link];
}

const taken = (model: number, place: number, here: number[]): Partial<State> => ({
  mode: "hand",
  model,
  hand: here.map((at, i) => (i === model ? place : at)),
});

/** Puts the address where it can be pasted, and says so; a browser that does not allow it has it in its own line. */
async function copied(link: HTMLButtonElement, address: string): Promise<void> {
  const done = await Promise.resolve(navigator.clipboard?.writeText(address)).then(
    () => "Copied",
    () => "See the address",
  );
  link.textContent = done;
  setTimeout(() => (link.textContent = "Copy link"), 1500);
}

function downloads(content: Document, solution: () => Solution | null): HTMLElement {
  const csv = press("CSV", { class: "quiet", id: "csv" }, () => saveCsv("baserate-models", tableRows(content, solution()!)));
  const json = press("JSON", { class: "quiet", id: "json" }, () => {
    const found = solution()!;
    saveJson("baserate-models", { sentence: found.sentence, exact: found.exact, scenario: found.state, models: tableRows(content, found) });
  });
  return h("span", { class: "tools" }, csv, json);
}

interface Parts {
  readonly said: Part;
  readonly happens: Part;
  readonly drawn: Charts;
  readonly table: Part;
  readonly map: Part;
  readonly slices: Part | null;
}

/** The first screen, then what supports it, then how it was computed. */
function layOut(
  content: Document,
  models: readonly Model[],
  { said, happens, drawn, table, map, slices }: Parts,
  panel: HTMLElement,
  tools: HTMLElement,
  buttons: readonly HTMLElement[],
): void {
  const { positives, negatives, weighted } = models[0]!.held;
  const about = `${sampleSaid(positives, negatives, weighted)} · ${grouped(models.length)} ${models.length > 1 ? "models" : "model"}`;
  const title = document.querySelector("#static h1")!;
  title.append(" ", h("small", {}, document.querySelector("#static time")!, ` · ${about}`));
  const head = h("header", { class: "top" }, title);
  const decision = moved("decision");
  decision?.querySelector(".charts:has([data-part=map]), [data-part=map]")?.remove();
  const sections = [
    section("models-title", "Models compared", [table.element], tools),
    section("rates-title", "If the base rate is not what you think", [
      h("div", { class: "pair" }, h("div", { class: "card" }, drawn.keeping), h("div", { class: "card" }, map.element)),
    ]),
    decision,
    section("charts-title", "Curves for experts", [drawn.element]),
    slices && section("slices-title", "Slices", [slices.element, folded("The slices as tables", [moved("slices")])]),
    moved("shows", "Can these cases tell?"),
    moved("notes", "Notes on the given scenarios"),
    section("computed-title", "How this was computed", [
      folded("The given scenarios as tables", [moved("answers"), moved("points")]),
      folded("Sources", [moved("sources")]),
      folded("What the words mean", [moved("definitions")]),
    ]),
  ].filter((part) => part !== null);
  const main = h(
    "main",
    {},
    h("div", { class: "first" }, panel, said.element, happens.element, ...drawn.first),
    h("span", { class: "tools page-tools" }, ...buttons),
    h("nav", { "aria-label": "Parts of this page" }, ...sections.map(jump)),
    ...sections,
    h("footer", {}, `baserate ${content.version}. This page loads nothing from elsewhere.`),
  );
  document.getElementById("app")!.append(head, main);
}

/** A button that goes to a section: links would replace the scenario in the address. */
function jump(part: HTMLElement): HTMLElement {
  const title = part.querySelector("h2")!;
  return press(title.textContent!, { class: "jump" }, () => {
    part.scrollIntoView();
    title.setAttribute("tabindex", "-1");
    title.focus({ preventScroll: true });
  });
}

void start(JSON.parse(document.getElementById("baserate-data")!.textContent!) as Document);
