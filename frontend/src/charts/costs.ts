// Cost curves (Drummond and Holte): the normalised cost of the cheapest threshold at every effective prior, and of the one that is set.
import { effectivePrior } from "../core/conditions.ts";
import { exactly } from "../core/fractions.ts";
import type { Model } from "../core/points.ts";
import { CURVES } from "../core/registry.ts";
import { linear, logarithmic, rate } from "./axes.ts";
import { ratesOf, type Drawing, type Mark, type Path } from "./drawings.ts";
import { BOX, type Kind, type Scene } from "./kinds.ts";
import { strokes } from "./paths.ts";

export const COST: Kind = {
  id: "cost",
  ...CURVES.cost,
  says: "The cost as a share of getting every case wrong, at every base rate and cost together (the effective prior); the lower, the better.",
  log: "log",
  axes: (scene) => {
    const least = lowest(scene);
    const [across, up] = [[BOX.left, BOX.right] as const, [BOX.bottom, BOX.top] as const];
    return scene.log
      ? { x: logarithmic([least, 1], across, rate), y: logarithmic([least / 10, 1], up, rate) }
      : { x: linear([0, 1], across, rate), y: linear([0, 0.5], up, rate) };
  },
  map: () => false,
  straight: () => false,
};

/** Where a logarithmic axis starts: a decade below where the costs are read. */
const lowest = (scene: Scene): number => Math.max(1e-8, Math.min(0.05, ...effectivePriors(scene)) / 10);

export const effectivePriors = (scene: Scene): number[] =>
  scene.solution.priors.map((prior) =>
    effectivePrior(scene.solution.question.at.prior ?? exactly(prior), scene.solution.question.at.costs),
  );

const cost = (e: number, tpr: number, fpr: number): number => e * (1 - tpr) + (1 - e) * fpr;

/** The effective priors at which one corner of the hull hands over to the next, and the cost there. */
function envelope(model: Model): [number, number][] {
  const { hull } = model.held;
  const points: [number, number][] = [[0, cost(0, model.tpr[hull[0]!]!, model.fpr[hull[0]!]!)]];
  for (let k = 1; k < hull.length; k += 1) {
    const [a, b] = [hull[k - 1]!, hull[k]!];
    const [up, across] = [model.tpr[b]! - model.tpr[a]!, model.fpr[b]! - model.fpr[a]!];
    const e = across / (up + across);
    points.push([e, cost(e, model.tpr[a]!, model.fpr[a]!)]);
  }
  return [...points, [1, 0]];
}

const DENSE = Array.from({ length: 241 }, (_, i) => 10 ** (-8 + i / 30));

/** Straight between its corners; on logarithmic axes that is a curve. */
function dense(points: readonly (readonly [number, number])[], from: number | null): (readonly [number, number])[] {
  if (from === null) return [...points];
  const found: (readonly [number, number])[] = [];
  for (let k = 1; k < points.length; k += 1) {
    const [[x0, y0], [x1, y1]] = [points[k - 1]!, points[k]!];
    if (x0 >= from) found.push([x0, y0]);
    for (const x of DENSE) if (x > x0 && x < x1 && x >= from / 1.1) found.push([x, y0 + ((y1 - y0) * (x - x0)) / (x1 - x0)]);
  }
  return [...found, points[points.length - 1]!];
}

export function costDrawing(kind: Kind, scene: Scene): Drawing {
  const axes = kind.axes(scene);
  const es = effectivePriors(scene);
  const line = (points: Points): string => strokes(dense(points, scene.log ? lowest(scene) : null), axes);
  const at = (e: number, tpr: number, fpr: number): [number, number] => [axes.x.place(e), axes.y.place(cost(e, tpr, fpr))];
  const paths: Path[] = [{ key: "chance", class: "chance", d: line(ONE_ANSWER) }];
  const marks: Mark[] = [];
  scene.models.forEach((model, i) => {
    const one = scene.solution.settings[i];
    const rates = one && ratesOf(one, scene);
    if (rates) {
      paths.push({ key: `set${i}`, class: `hull m${i % 7}`, d: line(setting(rates)) });
      marks.push({ model: i, at: at(es[i]!, rates.tpr, rates.fpr), best: scene.solution.chosen.includes(one) });
    }
    paths.push({ key: `curve${i}`, class: `curve m${i % 7} d${i % 5}`, d: line(envelope(model)) });
  });
  paths.push({ key: "here", class: "iso", d: strokes(upright(es[0]!), axes) });
  return { axes, paths, marks, locate: (i, place) => at(es[i]!, scene.models[i]!.tpr[place]!, scene.models[i]!.fpr[place]!) };
}

type Points = readonly (readonly [number, number])[];

/** What one answer for all costs: nothing flagged up to the middle, everything beyond it. */
const ONE_ANSWER: Points = [
  [0, 0],
  [0.5, 0.5],
  [1, 0],
];

/** A threshold that stays where it is costs more and more as the effective prior moves away: a straight line. */
const setting = ({ tpr, fpr }: { tpr: number; fpr: number }): Points => [
  [0, cost(0, tpr, fpr)],
  [1, cost(1, tpr, fpr)],
];

const upright = (e: number): Points => [
  [e, 0],
  [e, 1],
];
