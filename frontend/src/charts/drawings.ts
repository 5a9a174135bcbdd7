// What is drawn on each chart, as plain values: paths by class, marks, and where a threshold lies.
import { isoCostSlope } from "../core/conditions.ts";
import { exactly } from "../core/fractions.ts";
import { read } from "../core/measures.ts";
import { rateBounds } from "../core/bounds.ts";
import type { Model } from "../core/points.ts";
import { BOX, oneAnswer, SIZE, type Kind, type Scene } from "./kinds.ts";
import { curveOf, hullOf, kept, lineOf, Projection, strokes, visible } from "./paths.ts";
import type { Axis } from "./axes.ts";
import type { Setting } from "../core/choosing.ts";

export interface Path {
  readonly key: string;
  readonly class: string;
  readonly d: string;
  /** What the line is, written at its end. */
  readonly label?: string;
}

export interface Mark {
  readonly model: number;
  readonly at: readonly [number, number];
  readonly best: boolean;
}

export interface Drawing {
  readonly axes: { readonly x: Axis; readonly y: Axis };
  readonly paths: readonly Path[];
  readonly marks: readonly Mark[];
  /** Where a threshold of a model lies, in pixels. */
  readonly locate: (model: number, place: number) => readonly [number, number] | null;
}

const ENDS = [0, 1];

/** The rates at a setting. */
export function ratesOf(one: Setting, scene: Scene): { tpr: number; fpr: number } {
  const { at } = scene.solution.question;
  return { tpr: read("tpr", one.confusion, at), fpr: read("fpr", one.confusion, at) };
}

const FEW = 3; // models that are all drawn in colour

/** Whether a model is drawn in its colour: of many only the best two, and those that were picked in the legend. */
export function isInk(model: number, { models, solution }: Scene): boolean {
  if (models.length <= FEW) return true;
  const { chosen, second, settings, state } = solution;
  const one = settings[model];
  return Boolean(one && (chosen.includes(one) || one === second)) || (state.view["models"] ?? "").split(",").includes(String(model));
}

export const classOf = (model: number, scene: Scene): string => `curve m${model % 7} d${model % 5}${isInk(model, scene) ? "" : " faint"}`;

export function drawingOf(kind: Kind, scene: Scene): Drawing {
  if (kind.draw) return kind.draw(kind, scene);
  const axes = kind.axes(scene);
  const projects = scene.models.map((_, i) => new Projection(kind, axes, scene.solution.priors[i]!, scene));
  const of = `${scene.log} ${SIZE.width} ${kind.of(scene)}`;
  const curves = scene.models.flatMap((model, i): Path[] => {
    const shown = isInk(i, scene);
    const curve = curveOf(model, kind, projects[i]!, of, !shown);
    return [
      ...((kind.handle || kind.id === "roc") && shown
        ? [{ key: `band${i}`, class: `range m${i % 7}`, d: band(model, kind, projects[i]!, of, scene) }]
        : []),
      ...(kind.handle || !shown ? [] : [{ key: `hull${i}`, class: `hull m${i % 7}`, d: hullOf(model, kind, projects[i]!, of) }]),
      { key: `curve${i}`, class: classOf(i, scene), d: curve },
    ];
  });
  return {
    axes,
    paths: [...references(kind, scene, axes, projects[0]!), ...curves],
    marks: marksOf(scene, projects),
    locate: (model, place) => placed(projects[model]!, scene.models[model]!.tpr[place]!, scene.models[model]!.fpr[place]!),
  };
}

const BAND = 80; // places at which a band is bent

/** Between the bounds of recall, with as many alerts as at each threshold. */
function band(model: Model, kind: Kind, project: Projection, of: string, scene: Scene): string {
  if (model.held.weighted) return "";
  return kept(model, `${kind.id} band`, of, () => {
    const prior = scene.solution.priors[scene.models.indexOf(model)]!;
    const places = visible(model);
    const spots: [number, number, number][] = [];
    let before = -Infinity;
    for (let k = 1; k < (places ?? model.tpr).length; k += 1) {
      const place = places ? places[k]! : k;
      const [tpr, fpr] = [model.tpr[place]!, model.fpr[place]!];
      if (!project.at(tpr, fpr) || project.x - before < SIZE.width / BAND) continue;
      const { x } = project;
      before = x;
      const [low, high] = rateBounds({ model, place, share: 1 }, "tpr");
      const all = prior * tpr + (1 - prior) * fpr;
      const height = (end: number): number => {
        const rest = Math.max(0, (all - prior * end) / (1 - prior));
        return project.at(end, rest) ? project.y : Number.NaN;
      };
      const most = kind.handle ? all / prior : 1; // no more are caught than there are alerts
      const ends = [height(low ?? tpr), height(Math.min(high ?? tpr, most))] as const;
      if (ends.every(Number.isFinite)) spots.push([x, ...ends]);
    }
    const up = spots.map(([x, , y]) => `${x.toFixed(1)} ${y.toFixed(1)}`);
    const back = spots.reverse().map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`);
    return spots.length > 1 ? `M${[...up, ...back].join("L")}Z` : "";
  });
}

const placed = (project: Projection, tpr: number, fpr: number): readonly [number, number] | null =>
  project.at(tpr, fpr) ? [project.x, project.y] : null;

function marksOf(scene: Scene, projects: readonly Projection[]): Mark[] {
  return scene.solution.settings.flatMap((one, model) => {
    const rates = one && ratesOf(one, scene);
    const at = rates && placed(projects[model]!, rates.tpr, rates.fpr);
    return at ? [{ model, at, best: scene.solution.chosen.includes(one!) }] : [];
  });
}

/** What a chart compares with: chance, the line of equal cost, of equal precision, the budget. */
function references(kind: Kind, scene: Scene, axes: Drawing["axes"], project: Projection): Path[] {
  const chance: Path = { key: "chance", class: "chance", d: kind.id === "spent" ? "" : lineOf(ENDS, ENDS, null, project) };
  if (kind.id === "roc") return [chance, ...rocLines(scene, axes)];
  const { state } = scene.solution;
  const found = [chance];
  if (kind.id === "gain") found.push({ key: "ideal", class: "chance", d: lineOf([0, 1], [0, 0], null, project), label: "ideal" });
  if (kind.handle && state.mode === "budget") {
    const x = axes.x.place(state.budget).toFixed(1);
    found.push({ key: "budget", class: "iso", d: `M${x} ${BOX.top}V${BOX.bottom}`, label: "budget" });
  }
  if (kind.id === "spent") {
    const y = axes.y.place(oneAnswer(scene)).toFixed(1);
    found.push({ key: "nothing", class: "chance", d: `M${BOX.left} ${y}H${BOX.right}`, label: "without a model" });
  }
  return found;
}

const STEPS = 60;

/** Through the chosen point: where the cost is the same, and where the precision is. */
function rocLines(scene: Scene, axes: Drawing["axes"]): Path[] {
  const one = scene.solution.chosen[0];
  if (!one) return [];
  const { tpr, fpr } = ratesOf(one, scene);
  const model = scene.models.indexOf(one.model);
  const prior = scene.solution.priors[model]!;
  const slope = isoCostSlope(scene.solution.question.at.prior ?? exactly(prior), scene.solution.question.at.costs);
  const line = (x: readonly number[], height: (x: number) => number): string =>
    strokes(
      x.map((at): [number, number] => [at, height(at)]).filter(([, y]) => y >= -0.02 && y <= 1.02),
      axes,
    );
  // A steep line has its ends between two steps of the grid.
  const ends = [0, tpr, 1].map((y) => fpr + (y - tpr) / slope).filter((x) => x >= 0 && x <= 1);
  const along = [...grid(scene.log), ...ends].sort((a, b) => a - b);
  const cost = line(along, (x) => tpr + slope * (x - fpr));
  const pure = tpr * fpr > 0 ? line(grid(scene.log), (x) => (x * tpr) / fpr) : "";
  return [
    { key: "iso-cost", class: "iso", d: cost },
    { key: "iso-precision", class: "iso dotted", d: pure },
  ];
}

/** False alarm rates from end to end, in even steps of the axis. */
const grid = (log: boolean): number[] => Array.from({ length: 8 * STEPS + 1 }, (_, i) => (log ? 10 ** (-8 + i / STEPS) : i / (8 * STEPS)));
