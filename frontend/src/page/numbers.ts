// A chart as a table, for those who cannot see it or want its numbers: filled when it is opened.
import type { Kind, Scene } from "../charts/kinds.ts";
import { effectivePriors } from "../charts/costs.ts";
import { digits, general, quoted } from "../core/formats.ts";
import { thresholdSaid } from "../core/points.ts";
import { h } from "./dom.ts";

const ROWS = 12;

export function numbersOf(kind: Kind): { element: HTMLElement; fill: (scene: Scene) => void } {
  const body = h("tbody");
  const heads = ["model", "score ≥", kind.x, kind.y].map((text) => h("th", { scope: "col" }, text));
  const table = h("table", {}, h("caption", {}, `${kind.title}: points along the curves`), h("thead", {}, h("tr", {}, ...heads)), body);
  const region = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `${kind.title} as numbers` }, table);
  const details = h("details", { class: "numbers" }, h("summary", {}, "Numbers"), region);
  let latest: Scene | null = null;
  const fill = (scene: Scene): void => {
    latest = scene;
    if (details.open) body.replaceChildren(...rowsOf(kind, scene));
  };
  details.addEventListener("toggle", () => latest && fill(latest));
  return { element: details, fill };
}

function rowsOf(kind: Kind, scene: Scene): HTMLElement[] {
  return scene.models.flatMap((model, i) => {
    const last = model.tpr.length - 1;
    const places = [...new Set(Array.from({ length: ROWS }, (_, k) => Math.round((last * k) / (ROWS - 1))))];
    return places.map((place) => {
      const [x, y] = coordinates(kind, scene, i, place);
      const cut = place ? thresholdSaid(model, place) : "none";
      return h("tr", {}, h("th", { scope: "row" }, h("bdi", {}, quoted(model.name))), h("td", {}, cut), h("td", {}, x), h("td", {}, y));
    });
  });
}

function coordinates(kind: Kind, scene: Scene, i: number, place: number): [string, string] {
  const model = scene.models[i]!;
  const [tpr, fpr] = [model.tpr[place]!, model.fpr[place]!];
  if (kind.id === "cost") {
    const e = effectivePriors(scene)[i]!;
    return [general(e, 4), digits(e * (1 - tpr) + (1 - e) * fpr, 4)];
  }
  const at = { x: 0, y: 0 };
  const known = kind.map(tpr, fpr, scene.solution.priors[i]!, at, scene);
  return known ? [digits(at.x, 4), digits(at.y, 4)] : ["—", "—"];
}
