// The page: reads the document that stands in it, and keeps everything in step with the scenario.
import { modelOf } from "./core/points.ts";
import { Refusal } from "./core/notations.ts";
import type { Decided, Document } from "./document.ts";
import type { Solution, State } from "./scenario.ts";
import { Store } from "./store.ts";
import { answer, outcomes } from "./page/answer.ts";
import { charts } from "./page/charts.ts";
import { controls } from "./page/controls.ts";
import { h } from "./page/dom.ts";
import { forget } from "./page/fields.ts";
import { saveCsv, saveJson } from "./page/downloads.ts";
import { winnerMap } from "./page/map.ts";
import { modelTable, tableRows } from "./page/models.ts";
import { moved, section } from "./page/sections.ts";
import { themeButton } from "./page/theme.ts";

function start(content: Document): void {
  const models = content.report.points.map(modelOf);
  // With one class only there is nothing to move: the static page says what there is to say.
  if (!models.length || models.some((model) => !model.positives.n || !model.negatives.n)) return;
  const store = new Store(models, content.report);
  const { decided, level } = content.report;
  const over = (state: State): Decided | null => (decided && store.isFirst(state) ? decided : null);
  const said = answer(over, level);
  const change = store.change.bind(store);
  const parts = [outcomes(over), charts(models, ({ model, place }) => change(taken(model, place, store.here()))), modelTable(content)];
  const map = mapOf(content, models, change);
  if (map) parts.push(map);
  const panel = controls(models, change, () => store.here(), buttons(store));
  store.render = (solution) => {
    panel.reflect(store.state);
    if (solution instanceof Refusal) said.refuse(solution.message);
    else for (const part of [said, ...parts]) part.update(solution);
  };
  // The static page is taken apart only when the first answer stands: until then nothing is lost if something goes wrong.
  store.answer();
  const tools = downloads(content, () => store.solution);
  layOut(content, { said: said.element, panel: panel.element, parts: parts.map((part) => part.element), downloads: tools });
  document.getElementById("static")!.hidden = true;
  document.getElementById("app")!.hidden = false;
}

function buttons(store: Store): HTMLElement[] {
  const [reset, link] = [button("reset", "Start again"), button("link", "Copy link")];
  reset.addEventListener("click", () => {
    forget(document);
    store.change(store.first);
  });
  link.addEventListener("click", () => void copied(link, store.address()));
  return [reset, link];
}

const button = (id: string, text: string): HTMLButtonElement => h("button", { type: "button", class: "quiet", id }, text);

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

function mapOf(content: Document, models: ReturnType<typeof modelOf>[], change: Parameters<typeof winnerMap>[2]) {
  const wins = content.report.decision?.winner_map?.wins;
  return wins?.length ? winnerMap(wins, models, change) : null;
}

function downloads(content: Document, solution: () => Solution | null): HTMLElement {
  const [csv, json] = [button("csv", "CSV"), button("json", "JSON")];
  csv.addEventListener("click", () => saveCsv("baserate-models", tableRows(content, solution()!)));
  json.addEventListener("click", () => {
    const found = solution()!;
    saveJson("baserate-models", { sentence: found.sentence, exact: found.exact, scenario: found.state, models: tableRows(content, found) });
  });
  return h("span", { class: "tools" }, csv, json);
}

interface Laid {
  readonly said: HTMLElement;
  readonly panel: HTMLElement;
  readonly parts: readonly HTMLElement[];
  readonly downloads: HTMLElement;
}

function layOut(content: Document, { said, panel, parts, downloads: tools }: Laid): void {
  const [matrix, drawn, table, map] = parts as [HTMLElement, HTMLElement, HTMLElement, HTMLElement | undefined];
  const title = content.report.title ?? "Which model, at which threshold";
  const head = h("header", { class: "top" }, h("h1", {}, h("bdi", {}, title)), themeButton());
  const shows = moved("shows", "What these cases can show, and what not");
  shows?.classList.add("card");
  const first = h("div", { class: "first" }, said, h("div", { class: "pair" }, matrix, shows));
  const decision = moved("decision");
  if (decision && map) decision.querySelector(".charts:has([data-part=map]), [data-part=map]")?.replaceWith(map);
  const main = h(
    "main",
    {},
    first,
    section("models-title", "Models at this scenario", [table], tools),
    section("charts-title", "Charts", [drawn]),
    moved("answers"),
    moved("points", "The scenarios that were given"),
    moved("slices"),
    decision,
    moved("notes", "Notes on the scenarios that were given"),
    moved("sources"),
    moved("definitions"),
    h("footer", {}, `baserate ${content.version}. Everything in this page was computed here; it asks for nothing from anywhere.`),
  );
  document.getElementById("app")!.append(head, h("div", { class: "columns" }, panel, main));
}

start(JSON.parse(document.getElementById("baserate-data")!.textContent!) as Document);
