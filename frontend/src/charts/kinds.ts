// The charts of the page: each says where a ROC point lies on it at a base rate. All but those along conditions are maps of ROC space.
import { amount, linear, logarithmic, nearlyOne, rate, type Axis } from "./axes.ts";
import { atStake } from "../core/conditions.ts";
import { CATALOGUE } from "../core/catalogue.ts";
import { exactly, rounded } from "../core/fractions.ts";
import { CURVES } from "../core/registry.ts";
import type { Model } from "../core/points.ts";
import type { Solution } from "../scenario.ts";
import type { Drawing } from "./drawings.ts";

/** The size of a chart in its own pixels, about those of the screen, so that type is as large everywhere. */
export type Size = readonly [number, number];
/** The size of the chart that is drawn, and the box inside its axes. */
export const SIZE = { width: 640, height: 336 };
export const BOX = { left: 60, right: 0, top: 16, bottom: 0 };
export function fit([width, height]: Size): void {
  Object.assign(SIZE, { width, height });
  Object.assign(BOX, { left: width < 400 ? 56 : 60, right: width - 18, bottom: height - 42 });
}
fit([640, 336]);
export const across = (): [number, number] => [BOX.left, BOX.right];
export const upward = (): [number, number] => [BOX.bottom, BOX.top];

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
  readonly map: (tpr: number, fpr: number, prior: number, to: Spot, scene: Scene) => boolean;
  /** What the curves depend on, beside the axes. */
  readonly of: (scene: Scene) => string;
  /** Straight lines of ROC space are straight here. */
  readonly straight: (log: boolean) => boolean;
  /** How a chart is drawn that is no map of ROC space. */
  readonly draw?: (kind: Kind, scene: Scene) => Drawing;
  /** It shows a share of the alerts, which means nothing where hardly any case is flagged. */
  readonly ofAlerts?: boolean;
  /** The chart has the threshold as a handle to drag along its x axis. */
  readonly handle?: boolean;
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

const FEW = 5; // cases: a share of fewer means nothing

/** The first threshold that flags a few cases. */
export const firstOfFew = (model: Model): number =>
  Math.max(1, model.held.weighted ? 1 : model.tp.findIndex((tp, at) => tp + model.fp[at]! >= FEW));

/** The share flagged by the first threshold that flags a few cases, of whichever model flags least, or by one that is set before it. */
const fewFlagged = (scene: Scene): number => {
  const { settings, priors } = scene.solution;
  const set = settings.map((one, i) => (one ? flagged(one.model.tpr[one.place]!, one.model.fpr[one.place]!, priors[i]!) / 1.5 : 0));
  const shares = scene.models.map((model, i) => {
    const place = firstOfFew(model);
    return flagged(model.tpr[place]!, model.fpr[place]!, scene.solution.priors[i]!);
  });
  return Math.max(1e-9, Math.min(0.1, ...shares, ...set.filter(Boolean)));
};

/** Where axes of precision start: somewhat below chance. */
const lowestPrior = (scene: Scene): number => Math.min(...scene.solution.priors) / 3;

const UNIT = [0, 1] as const;
const atPriors = ({ solution }: Scene): string => solution.priors.join();
const atVolume = (scene: Scene): string => `${atPriors(scene)} ${scene.solution.state.volume}`;
const atCosts = (scene: Scene): string => `${atVolume(scene)} ${JSON.stringify(scene.solution.question.at.costs)}`;
const shareOrCases = (scene: Scene): Axis => {
  const { volume } = scene.solution.state;
  return scene.log ? logarithmic([volume * fewFlagged(scene), volume], across(), amount, true) : linear([0, volume], across(), amount);
};

/** What a miss and a false alarm can cost a case, at each model's base rate. */
const stakes = (prior: number, { solution }: Scene): [number, number] => {
  const { at } = solution.question;
  const [miss, alarm] = atStake(at.prior ?? exactly(prior), at.costs);
  return [rounded(miss), rounded(alarm)];
};
const staked = new WeakMap<Solution, Map<number, [number, number]>>();
function stakesAt(prior: number, scene: Scene): [number, number] {
  const known = staked.get(scene.solution) ?? new Map<number, [number, number]>();
  staked.set(scene.solution, known);
  const found = known.get(prior) ?? stakes(prior, scene);
  known.set(prior, found);
  return found;
}

/** What the better of flagging nothing and flagging everything costs in a period, beyond what nobody can avoid. */
export const oneAnswer = (scene: Scene): number =>
  scene.solution.state.volume * Math.max(...scene.solution.priors.map((prior) => Math.min(...stakesAt(prior, scene))));

/** Over the alerts, with the threshold as a handle: what is caught, how many alerts are real, what it costs. */
const overAlerts = { x: CATALOGUE.alerts.heading, log: "log alerts", handle: true } as const;
export const FIRST: readonly Kind[] = [
  {
    ...overAlerts,
    id: "gain",
    title: "Caught",
    says: "How many positives are caught by how many alerts, out of the volume.",
    y: CATALOGUE.caught.heading,
    axes: (scene) => ({
      x: shareOrCases(scene),
      y: linear([0, scene.solution.state.volume * Math.max(...scene.solution.priors)], upward(), amount),
    }),
    map: (tpr, fpr, prior, to, { solution: { state } }) => put(to, state.volume * flagged(tpr, fpr, prior), state.volume * prior * tpr),
    of: atVolume,
    straight: (log) => !log,
  },
  {
    ...overAlerts,
    id: "yield",
    ofAlerts: true,
    title: "Precision",
    says: "The share of the alerts that is real.",
    y: CATALOGUE.precision.heading,
    axes: (scene) => ({
      x: shareOrCases(scene),
      y: scene.log ? logarithmic([lowestPrior(scene), 1], upward(), rate) : linear(UNIT, upward(), rate),
    }),
    map: (tpr, fpr, prior, to, { solution: { state } }) => {
      const all = flagged(tpr, fpr, prior);
      return all > 0 && put(to, state.volume * all, (prior * tpr) / all);
    },
    of: atVolume,
    straight: () => false,
  },
  {
    ...overAlerts,
    id: "spent",
    title: "Cost",
    says: "What misses and false alarms cost in all; dotted: the better of flagging nothing and flagging everything.",
    y: "cost",
    axes: (scene) => ({ x: shareOrCases(scene), y: linear([0, 1.25 * oneAnswer(scene)], upward(), amount, true) }),
    map: (tpr, fpr, prior, to, scene) => {
      const [miss, alarm] = stakesAt(prior, scene);
      const { volume } = scene.solution.state;
      return put(to, volume * flagged(tpr, fpr, prior), volume * (miss * (1 - tpr) + alarm * fpr));
    },
    of: atCosts,
    straight: (log) => !log,
  },
];

export const KINDS: readonly Kind[] = [
  {
    id: "roc",
    ...CURVES.roc,
    says: "Recall against the false alarm rate: the same at every base rate. Through the chosen threshold: dashed, equal cost; dotted, equal precision.",
    log: "log fpr",
    axes: (scene) => ({
      x: scene.log ? logarithmic([leastRate(scene), 1], across(), rate, true) : linear(UNIT, across(), rate),
      y: linear(UNIT, upward(), rate),
    }),
    map: (tpr, fpr, _, to) => put(to, fpr, tpr),
    of: () => "",
    straight: (log) => !log,
  },
  {
    id: "broc",
    ofAlerts: true,
    ...CURVES.broc,
    says: "Recall against the share of alerts that are false, at this base rate: the Bayesian false alarm rate of Cárdenas and Baras.",
    log: "log precision",
    axes: (scene) => ({
      x: scene.log ? nearlyOne(lowestPrior(scene), across()) : linear(UNIT, across(), rate),
      y: linear(UNIT, upward(), rate),
    }),
    map: (tpr, fpr, prior, to) => {
      const all = flagged(tpr, fpr, prior);
      return all > 0 && put(to, ((1 - prior) * fpr) / all, tpr);
    },
    of: atPriors,
    straight: () => false,
  },
  {
    id: "pr",
    ofAlerts: true,
    ...CURVES.pr,
    says: "Precision (purity, PPV) against recall, at this base rate.",
    log: "log precision",
    axes: (scene) => ({
      x: linear(UNIT, across(), rate),
      y: scene.log ? logarithmic([lowestPrior(scene), 1], upward(), rate) : linear(UNIT, upward(), rate),
    }),
    map: (tpr, fpr, prior, to) => {
      const all = flagged(tpr, fpr, prior);
      return all > 0 && put(to, tpr, (prior * tpr) / all);
    },
    of: atPriors,
    straight: () => false,
  },
  {
    id: "posfrac",
    ...CURVES.posfrac,
    says: "The share of cases flagged (POSfrac of Landgrebe and others) against recall, at this base rate.",
    log: "log flagged",
    axes: (scene) => ({
      x: linear(UNIT, across(), rate),
      y: scene.log ? logarithmic([leastFlagged(scene), 1], upward(), rate) : linear(UNIT, upward(), rate),
    }),
    map: (tpr, fpr, prior, to) => put(to, tpr, flagged(tpr, fpr, prior)),
    of: atPriors,
    straight: (log) => !log,
  },
];
