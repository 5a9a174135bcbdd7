// The charts, linked: a threshold looked at on one is shown on all. Two stand on the first screen, the others are tabs.
import { Chart, type Hooks, type Looked } from "../charts/chart.ts";
import { CALIBRATION, COST, DECISION } from "../charts/costs.ts";
import { drawingOf } from "../charts/drawings.ts";
import { Distribution, NARROW, WIDE, type Plot } from "../charts/distribution.ts";
import { BOX, FIRST, fit, KINDS, type Kind, type Scene, type Size } from "../charts/kinds.ts";
import { isProbability } from "../charts/scores.ts";
import { cases, digits, quoted } from "../core/formats.ts";
import { read } from "../core/measures.ts";
import { confusionAt, thresholdSaid, type Model } from "../core/points.ts";
import type { Name } from "../core/catalogue.ts";
import { cell, flaggedOfAll, heading, realSaid, valueOf } from "../core/sentences.ts";
import type { Solution } from "../scenario.ts";
import type { Part } from "./answer.ts";
import { h, press, put, s, say, unbroken, watched } from "./dom.ts";
import { saving, standalone } from "./downloads.ts";
import { keepingCard } from "./keeping.ts";
import { legend } from "./legend.ts";
import { boundsSaid } from "./models.ts";
import { numbersOf } from "./numbers.ts";

const RARE = 0.05; // below this base rate a linear axis hides what matters
const REST = 180; // milliseconds
const NAMED = 3; // models whose names all stand beside their marks

export type Switch = (name: string, value: string) => void;

interface Panel {
  readonly chart: Chart;
  readonly element: HTMLElement;
  readonly update: (scene: Scene) => void;
}

/** What all charts share: the models, the last answer, and what looks at or takes a threshold. */
class Linked {
  solution: Solution | null = null;
  readonly shows: ((looked: Looked | null) => void)[] = [];
  private rare = false;

  constructor(
    readonly models: readonly Model[],
    readonly take: (looked: Looked) => void,
    readonly flip: Switch,
  ) {}

  readonly hooks: Hooks = {
    look: (looked) => this.shows.forEach((show) => show(looked)),
    take: (looked) => this.take(looked),
    describe: (looked) => (this.solution ? described(this.models[looked.model]!, looked.place, this.solution) : ""),
    brief: (looked) => (this.solution ? inBrief(this.models[looked.model]!, looked.place, this.solution) : ""),
  };

  answer(solution: Solution): void {
    if (!this.solution) this.rare = Math.min(...solution.priors) < RARE;
    this.solution = solution;
  }

  isLog(kind: Kind): boolean {
    const said = this.solution?.state.view[`log-${kind.id}`];
    return kind.log !== null && (said ? said === "1" : this.rare && kind !== COST);
  }

  scene(kind: Kind): Scene {
    return { models: this.models, solution: this.solution!, log: this.isLog(kind) };
  }
}

/** A chart in a card, with what belongs to it. */
function panelOf(kind: Kind, linked: Linked, size: () => Size): Panel {
  const chart = new Chart(kind, linked.hooks, size);
  linked.shows.push((looked) => chart.show(looked));
  const box = h("input", { type: "checkbox", id: `log-${kind.id}` });
  box.addEventListener("change", () => linked.flip(`log-${kind.id}`, box.checked ? "1" : "0"));
  const saved = saving(kind.id, kind.title, () => standalone(chart.svg, kind.title, linked.solution!));
  const numbers = kind.draw && kind !== COST ? null : numbersOf(kind);
  const tools = h("span", { class: "tools" }, kind.log && h("label", { class: "tick", for: box.id }, box, kind.log), ...saved);
  const says = h("p", { class: kind.handle ? "unseen" : "hint", id: `says-${kind.id}` }, kind.says);
  const foot = h("div", { class: "foot" }, h("div", {}, says, numbers?.element ?? null), tools);
  const element = h("div", { class: "panel", "data-kind": kind.id }, chart.figure, foot);
  return {
    chart,
    element,
    update: (scene) => {
      box.checked = scene.log;
      chart.update(scene);
      numbers?.fill(scene);
    },
  };
}

/** Panels of which one is shown, picked by buttons. */
function tabs(
  name: string,
  label: string,
  kinds: readonly Kind[],
  linked: Linked,
  size: () => Size,
  small = false,
): { pick: HTMLElement; body: HTMLElement; update: () => void } {
  const panels = kinds.map((kind) => panelOf(kind, linked, size));
  const buttons = kinds.map(({ id, title }) =>
    press(title, { class: "pill", id: `${name}-${id}`, "aria-pressed": "false" }, () => linked.flip(name, id)),
  );
  const pictures = small
    ? buttons.map(
        (button) =>
          button.insertAdjacentElement("afterbegin", s("svg", { class: "thumb", preserveAspectRatio: "none", "aria-hidden": "true" }))!,
      )
    : [];
  let timer = 0;
  // All of them, small, once the controls rest.
  const draw = (): void =>
    pictures.forEach((picture, i) => {
      fit(size());
      put(picture, "viewBox", `${BOX.left} ${BOX.top} ${BOX.right - BOX.left} ${BOX.bottom - BOX.top}`);
      const { paths } = drawingOf(kinds[i]!, linked.scene(kinds[i]!));
      picture.replaceChildren(...paths.map((path) => s("path", { class: path.class, d: path.d })));
    });
  const body = h("div", { class: "body" }, ...panels.map(({ element }) => element));
  const near = watched(body, () => update());
  const update = (): void => {
    if (!linked.solution) return;
    const said = linked.solution.state.view[name];
    const shown = Math.max(
      0,
      kinds.findIndex((kind) => kind.id === said),
    );
    panels.forEach(({ element }, i) => (element.hidden = i !== shown));
    buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(i === shown)));
    if (!near()) return;
    panels[shown]!.update(linked.scene(kinds[shown]!));
    clearTimeout(timer);
    timer = setTimeout(draw, REST);
  };
  return { pick: h("span", { class: "pills", role: "group", "aria-label": label }, ...buttons), body, update };
}

export interface Charts extends Part {
  /** The scores with the threshold, and what every threshold brings. */
  readonly first: readonly HTMLElement[];
  /** What keeping the threshold costs at other base rates. */
  readonly keeping: HTMLElement;
}

export function charts(models: readonly Model[], take: (looked: Looked) => void, flip: Switch): Charts {
  const [narrow, wide] = [matchMedia("(max-width: 640px)"), matchMedia("(min-width: 1181px)")];
  const size = (): Size => (narrow.matches ? [316, 290] : [640, 336]);
  const besides = (): Size => (wide.matches ? [360, 272] : size());
  const linked = new Linked(models, take, flip);
  const scores = scoresCard(linked, () => (narrow.matches ? NARROW : WIDE));
  const over = tabs("over", "What to show over the alerts", FIRST, linked, besides);
  const kinds = [KINDS[0]!, KINDS[2]!, KINDS[1]!, KINDS[3]!, COST, DECISION, ...(models.some(isProbability) ? [CALIBRATION] : [])];
  const experts = tabs("curve", "Curve", kinds, linked, size, true);
  const keeping = keepingCard(size);
  const key = legend(models, linked.hooks, (model) => flip("models", toggled(linked.solution!.state.view["models"] ?? "", model)));
  const parts = [scores.update, over.update, experts.update, () => keeping.update(linked.solution!), () => key.update(linked.solution!)];
  const resize = (): void => parts.forEach((update) => update());
  for (const width of [narrow, wide]) width.addEventListener("change", resize);
  let first = true;
  const title = h("h2", { id: "over-title" });
  const right = h("section", { class: "card", "aria-labelledby": "over-title" }, h("header", {}, title, over.pick), over.body);
  return {
    first: [scores.element, right],
    keeping: keeping.element,
    element: h("div", { class: "card experts" }, h("header", {}, experts.pick), key.element, experts.body),
    update: (next) => {
      linked.answer(next);
      say(title, unbroken(findingOf(next)));
      key.element.hidden = models.length <= NAMED;
      // The first answer does not wait for the charts: they are drawn right after it stands.
      if (first) setTimeout(resize);
      else parts.forEach((update) => update());
      first = false;
    },
  };
}

const toggled = (said: string, model: number): string => {
  const picked = new Set(said.split(",").filter(Boolean));
  if (!picked.delete(String(model))) picked.add(String(model));
  return [...picked].join(",");
};

function scoresCard(linked: Linked, plot: () => Plot): { element: HTMLElement; update: () => void } {
  const { models } = linked;
  const chart = new Distribution(linked.hooks);
  linked.shows.push((looked) => chart.show(looked));
  const pick = h(
    "select",
    { id: "scores-model", "aria-label": "Model whose scores are shown" },
    h("option", { value: "" }, "the chosen model"),
  );
  models.forEach((model, i) => pick.append(h("option", { value: i }, quoted(model.name))));
  pick.addEventListener("change", () => linked.flip("scores", pick.value));
  const saved = saving("scores", "Scores of both classes", () => standalone(chart.svg, "Scores of both classes", linked.solution!));
  const says = h("p", { class: "hint" }, "Drag the handle to set the threshold by hand. Each class has its own scale; areas are cases.");
  const element = h(
    "section",
    { class: "card", "aria-labelledby": "scores-title" },
    h("header", {}, h("h2", { id: "scores-title" }, "Where to cut")),
    h(
      "div",
      { class: "body" },
      h("div", { class: "panel" }, chart.figure, h("div", { class: "foot" }, says, h("span", { class: "tools" }, ...saved))),
    ),
    models.length > 1 && pick,
  );
  return {
    element,
    update: () => {
      const { solution } = linked;
      if (!solution) return;
      const { state, chosen, settings } = solution;
      const said = state.view["scores"];
      const focus = state.mode === "hand" ? state.model : chosen[0] ? settings.indexOf(chosen[0]) : 0;
      const shown = said && models[Number(said)] ? Number(said) : focus;
      pick.value = said && models[Number(said)] ? said : "";
      say(pick.firstElementChild!, `${quoted(models[focus]!.name)}${state.mode !== "hand" && chosen.length ? " (chosen)" : ""}`);
      const one = settings[shown];
      const size = plot();
      const bounds = (name: Name): string => (one && size === WIDE ? boundsSaid(one, name, solution) : "");
      chart.update(solution, shown, size, [bounds("caught"), bounds("false_alarms")]);
    },
  };
}

/** What the chosen threshold finds, and the next model in as many alerts. */
function findingOf({ chosen, second, question, settings, priors, state }: Solution): string {
  const [one] = chosen;
  if (!one || flaggedOfAll(one, question)) return "What each threshold achieves";
  const found = `${quoted(one.model.name)} finds ${cell("caught", one, question)} in ${cell("alerts", one, question)} alerts`;
  if (!second) return found;
  const prior = priors[settings.indexOf(second)]!;
  const caught = state.volume * prior * recallAt(second.model, prior, valueOf("posfrac", one, question));
  return `${found}, ${quoted(second.model.name)} ${cases(caught)}`;
}

/** The recall of a model that flags a share of all cases. */
function recallAt({ tpr, fpr }: Model, prior: number, share: number): number {
  const flagged = (place: number): number => prior * tpr[place]! + (1 - prior) * fpr[place]!;
  let [low, high] = [0, tpr.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (flagged(middle) <= share) low = middle;
    else high = middle;
  }
  const part = (share - flagged(low)) / (flagged(high) - flagged(low));
  return tpr[low]! + part * (tpr[high]! - tpr[low]!);
}

/** A threshold in two lines, beside its mark. */
function inBrief(model: Model, place: number, { question }: Solution): string {
  const one = { model, place, confusion: confusionAt(model, place), share: 1, objective: null };
  if (!place) return `${quoted(model.name)} flags nothing`;
  const real = realSaid(one, question);
  const said = `${quoted(model.name)} from ${thresholdSaid(model, place)}`;
  return `${said}\n${cell("caught", one, question)} found in ${cell("alerts", one, question)} alerts; ${real}`;
}

function described(model: Model, place: number, { question, state }: Solution): string {
  const one = confusionAt(model, place);
  const value = (name: "tpr" | "fpr" | "precision" | "posfrac" | "expected_cost"): string =>
    digits(read(name, one, question.at) * (name === "expected_cost" && question.at.earned ? -1 : 1), 4);
  const cut = place ? `score ≥ ${thresholdSaid(model, place)}` : "flag nothing";
  const cost = `${heading("expected_cost", question.at)} ${value("expected_cost")}`;
  const [caught, alerts] = (["caught", "alerts"] as const).map((name) => cases(read(name, one, question.at, state.volume)));
  const rates = `recall ${value("tpr")}, fpr ${value("fpr")}, precision ${value("precision")}, flagged ${value("posfrac")}`;
  return `${quoted(model.name)}, ${cut}: ${caught} caught in ${alerts} alerts; ${rates}, ${cost}`;
}
