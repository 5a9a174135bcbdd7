// The charts beside each other, linked: a threshold looked at on one is shown on all.
import { Chart, type Hooks, type Looked } from "../charts/chart.ts";
import { COST } from "../charts/costs.ts";
import { KINDS, type Kind, type Scene } from "../charts/kinds.ts";
import { digits, quoted } from "../core/formats.ts";
import { read } from "../core/measures.ts";
import { confusionAt, thresholdSaid, type Model } from "../core/points.ts";
import { CURVES } from "../core/registry.ts";
import { heading } from "../core/sentences.ts";
import type { Solution } from "../scenario.ts";
import type { Part } from "./answer.ts";
import { h, s } from "./dom.ts";
import { savePng, saveSvg, standalone } from "./downloads.ts";
import { legend, sample } from "./legend.ts";
import { numbersOf } from "./numbers.ts";

const RARE = 0.05; // below this base rate a linear axis hides what matters

interface Panel {
  readonly chart: Chart;
  readonly element: HTMLElement;
  readonly isLog: () => boolean;
  readonly fill: (scene: Scene) => void;
}

export function charts(models: readonly Model[], take: (looked: Looked) => void): Part {
  let solution: Solution | null = null;
  let panels: Panel[] = [];
  const describe = (looked: Looked): string => (solution ? described(models[looked.model]!, looked.place, solution) : "");
  const look = (looked: Looked | null): void => panels.forEach((panel) => panel.chart.show(looked));
  const scene = (panel: Panel): Scene => ({ models, solution: solution!, log: panel.isLog() });
  const draw = (panel: Panel): void => {
    if (!solution) return;
    panel.chart.update(scene(panel));
    panel.fill(scene(panel));
  };
  const kinds = Object.keys(CURVES).map((id) => [...KINDS, COST].find((kind) => kind.id === id)!);
  panels = kinds.map((kind) => panelOf(kind, models, { look, take, describe }, () => panels.forEach(draw)));
  const seen = new WeakSet<Element>();
  // What is out of sight is drawn when it comes into view.
  const watcher = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        const panel = panels.find(({ element }) => element === entry.target)!;
        if (entry.isIntersecting) {
          seen.add(entry.target);
          draw(panel);
        } else seen.delete(entry.target);
      }
    },
    { rootMargin: "200px" },
  );
  panels.forEach(({ element }) => watcher.observe(element));
  addEventListener("beforeprint", () => panels.forEach(draw));
  const grid = h("div", { class: "charts" }, ...panels.map(({ element }) => element));
  let first = true;
  return {
    element: h("div", {}, legend(models), grid),
    update: (next) => {
      solution = next;
      if (first) {
        const rare = Math.min(...next.priors) < RARE;
        grid.querySelectorAll<HTMLInputElement>("input[type=checkbox]").forEach((box) => (box.checked = rare));
      }
      // The first answer does not wait for the charts: they are drawn right after it stands.
      if (first) setTimeout(() => panels.forEach(draw));
      else panels.forEach((panel) => seen.has(panel.element) && draw(panel));
      first = false;
    },
  };
}

function described(model: Model, place: number, { question }: Solution): string {
  const one = confusionAt(model, place);
  const value = (name: "tpr" | "fpr" | "precision" | "posfrac" | "expected_cost"): string =>
    digits(read(name, one, question.at) * (name === "expected_cost" && question.at.earned ? -1 : 1), 4);
  const cut = place ? `score ≥ ${thresholdSaid(model, place)}` : "flag nothing";
  const cost = `${heading("expected_cost", question.at)} ${value("expected_cost")}`;
  const rates = `recall ${value("tpr")}, fpr ${value("fpr")}, precision ${value("precision")}, flagged ${value("posfrac")}`;
  return `${quoted(model.name)}, ${cut}: ${rates}, ${cost}`;
}

function panelOf(kind: Kind, models: readonly Model[], hooks: Hooks, redraw: () => void): Panel {
  const chart = new Chart(kind, hooks);
  const box = h("input", { type: "checkbox", id: `log-${kind.id}` });
  box.addEventListener("change", redraw);
  const text = (): string =>
    standalone(
      chart.svg,
      kind.title,
      models.map((model, i) => row(model, i)),
    );
  const svg = h("button", { type: "button", class: "quiet", "aria-label": `${kind.title} as SVG` }, "SVG");
  const png = h("button", { type: "button", class: "quiet", "aria-label": `${kind.title} as PNG` }, "PNG");
  svg.addEventListener("click", () => saveSvg(`baserate-${kind.id}`, text()));
  png.addEventListener("click", () => void savePng(`baserate-${kind.id}`, text()));
  const numbers = numbersOf(kind);
  const tools = h("span", { class: "tools" }, kind.log && h("label", { class: "tick", for: box.id }, box, kind.log), svg, png);
  const element = h(
    "section",
    { class: "card panel", "aria-labelledby": `title-${kind.id}` },
    h("header", {}, h("h3", { id: `title-${kind.id}` }, kind.title), tools),
    chart.figure,
    h("p", { class: "hint", id: `says-${kind.id}` }, kind.says),
    numbers.element,
  );
  return { chart, element, isLog: () => kind.log !== null && box.checked, fill: numbers.fill };
}

/** A line of the legend inside a picture that stands alone: its styles as attributes. */
function row(model: Model, place: number): SVGElement {
  const drawn = sample(place);
  document.body.append(drawn);
  const paths = [...drawn.querySelectorAll("path")].map((path) => {
    const look = getComputedStyle(path);
    const copy = path.cloneNode() as SVGPathElement;
    for (const name of ["fill", "stroke", "stroke-width", "stroke-dasharray"]) copy.setAttribute(name, look.getPropertyValue(name));
    copy.removeAttribute("class");
    return copy;
  });
  drawn.remove();
  return s("g", {}, ...paths, s("text", { x: 42, y: 10 }, quoted(model.name)));
}
