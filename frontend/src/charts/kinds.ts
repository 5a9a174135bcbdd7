// The charts of the page: each says where a ROC point lies on it at a base rate. All but the cost curve are maps of ROC space.
import { amount, linear, logarithmic, nearlyOne, rate, type Axis } from "./axes.ts";
import { CATALOGUE } from "../core/catalogue.ts";
import { CURVES } from "../core/registry.ts";
import type { Model } from "../core/points.ts";
import type { Solution } from "../scenario.ts";

export const WIDTH = 380;
export const HEIGHT = 300;
export const BOX = { left: 58, right: WIDTH - 18, top: 10, bottom: HEIGHT - 44 } as const;
const ACROSS = [BOX.left, BOX.right] as const;
const UP = [BOX.bottom, BOX.top] as const;

export interface Spot {
  x: number;
  y: number;
}

const put = (to: Spot, x: number, y: number): true => {
  to.x = x;
  to.y = y;
  return true;
};

export interface Scene {
  readonly models: readonly Model[];
  readonly solution: Solution;
  /** Logarithmic, where the chart can be. */
  readonly log: boolean;
}

export interface Kind {
  readonly id: string;
  readonly title: string;
  readonly says: string;
  readonly x: string;
  readonly y: string;
  /** What is drawn on a logarithmic axis on request, in a word; none where nothing is. */
  readonly log: string | null;
  readonly axes: (scene: Scene) => { x: Axis; y: Axis };
  /** Puts where a ROC point lies into `to`; false where it has no place. No value is made: thousands of points are mapped in a frame. */
  readonly map: (tpr: number, fpr: number, prior: number, to: Spot, volume: number) => boolean;
  /** The curves are the same at every base rate. */
  readonly fixed?: boolean;
  /** Straight lines of ROC space are straight here. */
  readonly straight: (log: boolean) => boolean;
}

const flagged = (tpr: number, fpr: number, prior: number): number => prior * tpr + (1 - prior) * fpr;

const smallest = (values: Float64Array): number => {
  for (const value of values) if (value > 0) return value;
  return 1;
};

/** The smallest false alarm rate above 0 that any sample can have. */
const leastRate = ({ models }: Scene): number => Math.max(1e-7, Math.min(0.1, ...models.map((model) => smallest(model.fpr))) / 2);

const leastFlagged = (scene: Scene): number => {
  const shares = scene.models.map((model, i) => flagged(smallest(model.tpr), 0, scene.solution.priors[i]!));
  return Math.max(1e-9, Math.min(0.1, 2 * leastRate(scene), ...shares) / 2);
};

/** Where axes of precision start: somewhat below chance. */
const lowestPrior = (scene: Scene): number => Math.min(...scene.solution.priors) / 3;

const UNIT = [0, 1] as const;

export const KINDS: readonly Kind[] = [
  {
    id: "roc",
    ...CURVES.roc,
    says: "Recall against the false alarm rate: the same at every base rate. The lines of equal cost and of equal precision are not.",
    log: "log fpr",
    axes: (scene) => ({
      x: scene.log ? logarithmic([leastRate(scene), 1], ACROSS, rate) : linear(UNIT, ACROSS, rate),
      y: linear(UNIT, UP, rate),
    }),
    map: (tpr, fpr, _, to) => put(to, fpr, tpr),
    fixed: true,
    straight: (log) => !log,
  },
  {
    id: "broc",
    ...CURVES.broc,
    says: "Recall against the share of alerts that are false, at this base rate: the Bayesian false alarm rate of Cárdenas and Baras.",
    log: "log precision",
    axes: (scene) => ({ x: scene.log ? nearlyOne(lowestPrior(scene), ACROSS) : linear(UNIT, ACROSS, rate), y: linear(UNIT, UP, rate) }),
    map: (tpr, fpr, prior, to) => {
      const all = flagged(tpr, fpr, prior);
      return all > 0 && put(to, ((1 - prior) * fpr) / all, tpr);
    },
    straight: () => false,
  },
  {
    id: "pr",
    ...CURVES.pr,
    says: "Precision (purity, PPV) against recall, at this base rate.",
    log: "log precision",
    axes: (scene) => ({
      x: linear(UNIT, ACROSS, rate),
      y: scene.log ? logarithmic([lowestPrior(scene), 1], UP, rate) : linear(UNIT, UP, rate),
    }),
    map: (tpr, fpr, prior, to) => {
      const all = flagged(tpr, fpr, prior);
      return all > 0 && put(to, tpr, (prior * tpr) / all);
    },
    straight: () => false,
  },
  {
    id: "posfrac",
    ...CURVES.posfrac,
    says: "The share of all cases that is flagged (POSfrac of Landgrebe and others) against recall, at this base rate.",
    log: "log flagged",
    axes: (scene) => ({
      x: linear(UNIT, ACROSS, rate),
      y: scene.log ? logarithmic([leastFlagged(scene), 1], UP, rate) : linear(UNIT, UP, rate),
    }),
    map: (tpr, fpr, prior, to) => put(to, tpr, flagged(tpr, fpr, prior)),
    straight: (log) => !log,
  },
  {
    id: "gain",
    title: "Caught against alerts",
    says: "How many positives are caught by how many alerts, out of the volume.",
    x: CATALOGUE.alerts.heading,
    y: CATALOGUE.caught.heading,
    log: "log alerts",
    axes: (scene) => {
      const { volume } = scene.solution.state;
      const most = volume * Math.max(...scene.solution.priors);
      return {
        x: scene.log ? logarithmic([volume * leastFlagged(scene), volume], ACROSS, amount) : linear([0, volume], ACROSS, amount),
        y: linear([0, most], UP, amount),
      };
    },
    map: (tpr, fpr, prior, to, volume) => put(to, volume * flagged(tpr, fpr, prior), volume * prior * tpr),
    straight: (log) => !log,
  },
];
