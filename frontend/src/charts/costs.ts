// Charts along the conditions: the cheapest threshold of every model at every base rate, threshold probability or effective prior, and the one that is set.
import { effectivePrior, falseAlarm, miss } from "../core/conditions.ts";
import { exactly, rounded } from "../core/fractions.ts";
import type { Model } from "../core/points.ts";
import { CURVES } from "../core/registry.ts";
import { linear, logarithmic, rate } from "./axes.ts";
import { classOf, ratesOf, type Drawing, type Mark, type Path } from "./drawings.ts";
import { across, upward, type Kind, type Scene } from "./kinds.ts";
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

export const COST: Kind = {
  id: "cost",
  ...CURVES.cost,
  says: "The cost as a share of getting every case wrong, at every base rate and cost together (the effective prior); the lower, the better. Dotted: flagging nothing or everything. Thin: the chosen threshold at other effective priors.",
  log: "log",
  axes: (scene) => {
    const least = lowest(scene);
    return scene.log
      ? { x: logarithmic([least, 1], across(), rate), y: logarithmic([least / 10, 1], upward(), rate) }
      : { x: linear([0, 1], across(), rate), y: linear([0, 0.5], upward(), rate, true) };
  },
  map: () => false,
  of: () => "",
  straight: () => false,
  draw: costDrawing,
};

const evenly = (low: number, high: number, count: number): number[] =>
  Array.from({ length: count + 1 }, (_, i) => low * (high / low) ** (i / count));
const LINEAR = Array.from({ length: 401 }, (_, i) => i / 400);

function costDrawing(kind: Kind, scene: Scene): Drawing {
  const axes = kind.axes(scene);
  const es = effectivePriors(scene);
  const grid = scene.log ? [...evenly(lowest(scene), 0.999, 300), 1] : LINEAR;
  const line = (height: (e: number) => number): string =>
    strokes(
      grid.map((e) => [e, height(e)] as const),
      axes,
    );
  const at = (e: number, tpr: number, fpr: number): [number, number] => [axes.x.place(e), axes.y.place(cost(e, tpr, fpr))];
  const paths: Path[] = [{ key: "chance", class: "chance", d: line((e) => Math.min(e, 1 - e)) }];
  const marks: Mark[] = [];
  scene.models.forEach((model, i) => {
    const one = scene.solution.settings[i];
    const rates = one && ratesOf(one, scene);
    if (rates) {
      if (scene.solution.chosen.includes(one))
        paths.push({ key: "set", class: `hull m${i % 7}`, d: line((e) => cost(e, rates.tpr, rates.fpr)) });
      marks.push({ model: i, at: at(es[i]!, rates.tpr, rates.fpr), best: scene.solution.chosen.includes(one) });
    }
    const values = cheapestAlong(model, grid);
    paths.push({
      key: `curve${i}`,
      class: classOf(i, scene),
      d: strokes(
        grid.map((e, k) => [e, values[k]!] as const),
        axes,
      ),
    });
  });
  paths.push({
    key: "here",
    class: "iso",
    d: strokes(
      [
        [es[0]!, scene.log ? lowest(scene) / 10 : 0],
        [es[0]!, 1],
      ],
      axes,
    ),
  });
  return { axes, paths, marks, locate: (i, place) => at(es[i]!, scene.models[i]!.tpr[place]!, scene.models[i]!.fpr[place]!) };
}

/** Net benefit at every threshold probability, of the best threshold there (Vickers and Elkin). */
export const DECISION: Kind = {
  id: "decision",
  title: "Decision curve",
  says: "Net benefit at each threshold probability (what a false alarm costs, as a share of both errors), with the best threshold there. Dotted: flagging everything; flagging nothing is 0.",
  x: "threshold probability",
  y: "net benefit per case",
  log: "log",
  axes: (scene) => {
    const prior = Math.max(...scene.solution.priors);
    const y = linear([-0.15 * prior, 1.02 * prior], upward(), rate, true);
    return { x: scene.log ? logarithmic([Math.min(0.01, prior / 10), 0.99], across(), rate) : linear([0, 1], across(), rate), y };
  },
  map: () => false,
  of: () => "",
  straight: () => false,
  draw: decisionDrawing,
};

function decisionDrawing(kind: Kind, scene: Scene): Drawing {
  const axes = kind.axes(scene);
  const { priors, question } = scene.solution;
  const { costs } = question.at;
  const alarm = rounded(falseAlarm(costs));
  const here = alarm / (alarm + rounded(miss(costs)));
  const grid = scene.log ? evenly(Math.min(0.01, Math.max(...priors) / 10), 0.99, 300) : LINEAR.slice(0, -4);
  const benefit = (t: number, prior: number, tpr: number, fpr: number): number => prior * tpr - (1 - prior) * fpr * (t / (1 - t));
  const paths: Path[] = [
    {
      key: "none",
      class: "chance",
      d: strokes(
        [
          [grid[0]!, 0],
          [1, 0],
        ],
        axes,
      ),
    },
    {
      key: "chance",
      class: "chance",
      d: strokes(
        grid.map((t) => [t, benefit(t, priors[0]!, 1, 1)] as const),
        axes,
      ),
    },
  ];
  const marks: Mark[] = [];
  scene.models.forEach((model, i) => {
    const prior = priors[i]!;
    // The effective prior at which the loss against catching everything is the same.
    const stake = grid.map((t) => prior + (1 - prior) * (t / (1 - t)));
    const falling = [...grid.keys()].reverse();
    const least = cheapestAlong(
      model,
      falling.map((k) => prior / stake[k]!),
    );
    paths.push({
      key: `curve${i}`,
      class: classOf(i, scene),
      d: strokes(falling.map((k, order) => [grid[k]!, prior - stake[k]! * least[order]!] as const).reverse(), axes),
    });
    const one = scene.solution.settings[i];
    const rates = one && ratesOf(one, scene);
    if (rates)
      marks.push({
        model: i,
        at: [axes.x.place(here), axes.y.place(benefit(here, prior, rates.tpr, rates.fpr))],
        best: scene.solution.chosen.includes(one),
      });
  });
  paths.push({
    key: "here",
    class: "iso",
    d: strokes(
      [
        [here, -1],
        [here, 1],
      ],
      axes,
    ),
  });
  const locate: Drawing["locate"] = (i, place) => {
    const value = benefit(here, priors[i]!, scene.models[i]!.tpr[place]!, scene.models[i]!.fpr[place]!);
    return [axes.x.place(here), axes.y.place(value)];
  };
  return { axes, paths, marks, locate };
}

/** Where scores are probabilities: what they say against what was seen. */
export const CALIBRATION: Kind = {
  id: "calibration",
  title: "Calibration",
  says: "The share of positives seen at each score in the sample, as far as the order of the scores supports it (isotonic regression). On the diagonal a score is the probability that it says.",
  x: "score",
  y: "share of positives in the sample",
  log: "log",
  axes: (scene) => {
    const least = 1e-4;
    return scene.log
      ? { x: logarithmic([least, 1], across(), rate), y: logarithmic([least, 1], upward(), rate) }
      : { x: linear([0, 1], across(), rate), y: linear([0, 1], upward(), rate) };
  },
  map: () => false,
  of: () => "",
  straight: () => false,
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
