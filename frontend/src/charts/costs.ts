// Charts along the conditions: the cheapest threshold of every model at every base rate, threshold probability or effective prior, and the one that is set.
import { effectivePrior, falseAlarm, miss } from "../core/conditions.ts";
import { exactly, rounded } from "../core/fractions.ts";
import type { Model } from "../core/points.ts";
import { CURVES } from "../core/registry.ts";
import { linear, logarithmic, rate } from "./axes.ts";
import { classOf, ratesOf, type Drawing, type Mark, type Path } from "./drawings.ts";
import { across, BOX, upward, type Kind, type Scene } from "./kinds.ts";
import { strokes } from "./paths.ts";
import { calibrationOf } from "./scores.ts";

type Points = readonly (readonly [number, number])[];

/** Where a logarithmic axis starts: a decade below where the costs are read. */
const lowest = (scene: Scene): number => Math.max(1e-8, Math.min(0.05, ...effectivePriors(scene)) / 10);

export const effectivePriors = (scene: Scene): number[] =>
  scene.solution.priors.map((prior) =>
    effectivePrior(scene.solution.question.at.prior ?? exactly(prior), scene.solution.question.at.costs),
  );

const cost = (e: number, tpr: number, fpr: number): number => e * (1 - tpr) + (1 - e) * fpr;

/** The cheapest corner of a hull at each of some rising effective priors, and its cost: later corners flag more and pay later. */
function cheapestAlong(model: Model, es: readonly number[]): number[] {
  const { hull } = model.held;
  let at = 0;
  const here = (k: number, e: number): number => cost(e, model.tpr[hull[k]!]!, model.fpr[hull[k]!]!);
  return es.map((e) => {
    while (at + 1 < hull.length && here(at + 1, e) <= here(at, e)) at += 1;
    return here(at, e);
  });
}

/** What a chart along the conditions shows at each of them. */
interface Along {
  /** The conditions that are drawn, rising. */
  readonly grid: readonly number[];
  /** Where the scenario stands, for each model. */
  readonly here: (model: number) => number;
  /** The value of two rates under a condition. */
  readonly value: (x: number, tpr: number, fpr: number, prior: number) => number;
  /** That of the best threshold of a model at each of the conditions. */
  readonly best: (model: Model, prior: number) => number[];
  /** What the models are compared with. */
  readonly references: readonly ((x: number) => number)[];
  /** Whether the chosen threshold is followed along the conditions. */
  readonly isFollowed: boolean;
}

/** The best threshold of every model under every condition, the one that is set, and where the scenario stands. */
function alongConditions(kind: Kind, scene: Scene, along: Along): Drawing {
  const axes = kind.axes(scene);
  const { priors, settings, chosen } = scene.solution;
  const { grid, here, value } = along;
  const line = (values: readonly number[]): string => strokes(values.map((y, k) => [grid[k]!, y]), axes); // prettier-ignore
  const at = (i: number, tpr: number, fpr: number): [number, number] => {
    return [axes.x.place(here(i)), axes.y.place(value(here(i), tpr, fpr, priors[i]!))];
  };
  const paths: Path[] = along.references.map((height, k) => ({ key: `chance${k}`, class: "chance", d: line(grid.map(height)) }));
  const marks: Mark[] = [];
  scene.models.forEach((model, i) => {
    const one = settings[i];
    const rates = one && ratesOf(one, scene);
    const best = Boolean(one && chosen.includes(one));
    if (rates) marks.push({ model: i, at: at(i, rates.tpr, rates.fpr), best });
    if (rates && best && along.isFollowed)
      paths.push({ key: "set", class: `hull m${i % 7}`, d: line(grid.map((x) => value(x, rates.tpr, rates.fpr, priors[i]!))) });
    paths.push({ key: `curve${i}`, class: classOf(i, scene), d: line(along.best(model, priors[i]!)) });
  });
  const x = axes.x.place(here(0)).toFixed(1);
  paths.push({ key: "here", class: "iso", d: `M${x} ${BOX.top}V${BOX.bottom}` });
  return { axes, paths, marks, locate: (i, place) => at(i, scene.models[i]!.tpr[place]!, scene.models[i]!.fpr[place]!) };
}

/** What a chart needs that is no map of ROC space. */
const NO_MAP = { log: "log", map: () => false, of: () => "", straight: () => false } as const;

const evenly = (low: number, high: number, count: number): number[] =>
  Array.from({ length: count + 1 }, (_, i) => low * (high / low) ** (i / count));
const LINEAR = Array.from({ length: 401 }, (_, i) => i / 400);

export const COST: Kind = {
  id: "cost",
  ...CURVES.cost,
  ...NO_MAP,
  says: "The cost as a share of getting every case wrong, over base rate and costs together (the effective prior). Dotted: flagging nothing or everything. Thin: the chosen threshold.",
  axes: (scene) => {
    const least = lowest(scene);
    return scene.log
      ? { x: logarithmic([least, 1], across(), rate), y: logarithmic([least / 10, 1], upward(), rate) }
      : { x: linear([0, 1], across(), rate), y: linear([0, 0.5], upward(), rate, true) };
  },
  draw: (kind, scene) => {
    const es = effectivePriors(scene);
    const grid = scene.log ? [...evenly(lowest(scene), 0.999, 300), 1] : LINEAR;
    return alongConditions(kind, scene, {
      grid,
      here: (i) => es[i]!,
      value: cost,
      best: (model) => cheapestAlong(model, grid),
      references: [(e) => Math.min(e, 1 - e)],
      isFollowed: true,
    });
  },
};

/** The lowest threshold probability on a logarithmic axis. */
const lowestProbability = ({ solution }: Scene): number => Math.min(0.01, Math.max(...solution.priors) / 10);

/** Net benefit at every threshold probability, of the best threshold there (Vickers and Elkin). */
export const DECISION: Kind = {
  id: "decision",
  title: "Decision curve",
  ...NO_MAP,
  says: "Net benefit at each threshold probability (what a false alarm costs, as a share of both errors), at the best threshold. Dotted: flagging everything, or nothing.",
  x: "threshold probability",
  y: "net benefit per case",
  axes: (scene) => {
    const prior = Math.max(...scene.solution.priors);
    const y = linear([-0.15 * prior, 1.02 * prior], upward(), rate, true);
    return { x: scene.log ? logarithmic([lowestProbability(scene), 0.99], across(), rate) : linear([0, 1], across(), rate), y };
  },
  draw: (kind, scene) => {
    const { priors, question } = scene.solution;
    const alarm = rounded(falseAlarm(question.at.costs));
    const here = alarm / (alarm + rounded(miss(question.at.costs)));
    const grid = scene.log ? evenly(lowestProbability(scene), 0.99, 300) : LINEAR.slice(0, -4);
    const benefit = (t: number, tpr: number, fpr: number, prior: number): number => prior * tpr - (1 - prior) * fpr * (t / (1 - t));
    // The effective prior at which the loss against catching everything is the same falls as the probability rises.
    const best = (model: Model, prior: number): number[] => {
      const stakes = grid.map((t) => prior + (1 - prior) * (t / (1 - t))).reverse();
      const least = cheapestAlong(model, stakes.map((stake) => prior / stake)); // prettier-ignore
      return stakes.map((stake, k) => prior - stake * least[k]!).reverse();
    };
    const references = [() => 0, (t: number) => benefit(t, 1, 1, priors[0]!)];
    return alongConditions(kind, scene, { grid, here: () => here, value: benefit, best, references, isFollowed: false });
  },
};

/** Where scores are probabilities: what they say against what was seen. */
export const CALIBRATION: Kind = {
  id: "calibration",
  title: "Calibration",
  says: "The share of positives seen at each score in the sample, by isotonic regression. On the diagonal a score is the probability that it says.",
  x: "score",
  y: "share of positives in the sample",
  ...NO_MAP,
  axes: (scene) => {
    const least = 1e-4;
    return scene.log
      ? { x: logarithmic([least, 1], across(), rate), y: logarithmic([least, 1], upward(), rate) }
      : { x: linear([0, 1], across(), rate), y: linear([0, 1], upward(), rate) };
  },
  draw: (kind, scene) => {
    const axes = kind.axes(scene);
    const diagonal: Points = [...evenly(1e-5, 1, 60).map((x) => [x, x] as const)];
    const paths: Path[] = [{ key: "chance", class: "chance", d: strokes(diagonal, axes) }];
    scene.models.forEach((model, i) => {
      const found = calibrationOf(model);
      if (!found) return;
      const seen = found.filter(({ share }) => share > 0 || !scene.log);
      const steps = seen.flatMap(({ low, high, share }) => [[high, share] as const, [low, share] as const]);
      paths.push({ key: `curve${i}`, class: classOf(i, scene), d: strokes(steps, axes) });
    });
    return { axes, paths, marks: [], locate: () => null };
  },
};
