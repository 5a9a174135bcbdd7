// What is drawn on each chart, as plain values: paths by class, marks, and where a held point lies.
import { isoCostSlope } from "../core/conditions.ts";
import { exactly } from "../core/fractions.ts";
import { read } from "../core/measures.ts";
import { costDrawing } from "./costs.ts";
import { type Kind, type Scene } from "./kinds.ts";
import { curvesOf, lineOf, Projection, strokes } from "./paths.ts";
import type { Axis } from "./axes.ts";
import type { Setting } from "../core/choosing.ts";

export interface Path {
  readonly key: string;
  readonly class: string;
  readonly d: string;
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
  /** Where a held point of a model lies, in pixels. */
  readonly locate: (model: number, place: number) => readonly [number, number] | null;
}

const ENDS = [0, 1];

/** The rates at a setting. */
export function ratesOf(one: Setting, scene: Scene): { tpr: number; fpr: number } {
  const { at } = scene.solution.question;
  return { tpr: read("tpr", one.confusion, at), fpr: read("fpr", one.confusion, at) };
}

export function drawingOf(kind: Kind, scene: Scene): Drawing {
  if (kind.id === "cost") return costDrawing(kind, scene);
  const axes = kind.axes(scene);
  const projects = scene.models.map((_, i) => new Projection(kind, axes, scene.solution.priors[i]!, scene));
  const { priors, state } = scene.solution;
  const of = `${scene.log} ${kind.fixed ? "" : priors.join()} ${kind.id === "gain" ? state.volume : ""}`;
  const curves = scene.models.flatMap((model, i): Path[] => {
    const { curve, hull } = curvesOf(model, kind, projects[i]!, of);
    return [
      { key: `hull${i}`, class: `hull m${i % 7}`, d: hull },
      { key: `curve${i}`, class: `curve m${i % 7} d${i % 5}`, d: curve },
    ];
  });
  return {
    axes,
    paths: [...references(kind, scene, axes, projects[0]!), ...curves],
    marks: marksOf(scene, projects),
    locate: (model, place) => placed(projects[model]!, scene.models[model]!.tpr[place]!, scene.models[model]!.fpr[place]!),
  };
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
  const chance = { key: "chance", class: "chance", d: lineOf(ENDS, ENDS, null, project) };
  if (kind.id === "roc") return [chance, ...rocLines(scene, axes)];
  const { state } = scene.solution;
  if (kind.id === "gain" && state.mode === "budget") {
    const most = state.volume * Math.max(...scene.solution.priors);
    return [
      chance,
      {
        key: "budget",
        class: "iso",
        d: strokes(
          [
            [state.budget, 0],
            [state.budget, most],
          ],
          axes,
        ),
      },
    ];
  }
  return [chance];
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
  const line = (height: (x: number) => number, inside: (y: number) => boolean): string =>
    strokes(
      grid(scene.log)
        .map((x): [number, number] => [x, height(x)])
        .filter(([, y]) => inside(y)),
      axes,
    );
  const cost = line(
    (x) => tpr + slope * (x - fpr),
    (y) => y >= -0.02 && y <= 1.02,
  );
  const ratio = fpr > 0 ? tpr / fpr : 0;
  const pure = ratio
    ? line(
        (x) => ratio * x,
        (y) => y <= 1.02,
      )
    : "";
  return [
    { key: "iso-cost", class: "iso", d: ensured(cost, tpr, fpr, slope, axes) },
    { key: "iso-precision", class: "iso dotted", d: pure },
  ];
}

/** False alarm rates from end to end, in even steps of the axis. */
const grid = (log: boolean): number[] => Array.from({ length: 8 * STEPS + 1 }, (_, i) => (log ? 10 ** (-8 + i / STEPS) : i / (8 * STEPS)));

/** A line so steep that no step of the grid meets it is drawn by its two ends. */
function ensured(found: string, tpr: number, fpr: number, slope: number, axes: Drawing["axes"]): string {
  if (found.includes("L") && slope < 400) return found;
  const at = (y: number): [number, number] => [Math.min(1, Math.max(0, fpr + (y - tpr) / slope)), y];
  return strokes([at(0), at(tpr), at(1)], axes);
}
