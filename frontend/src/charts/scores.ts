// The scores of a model: its thresholds as numbers, how many cases of each class lie where, and how well they are calibrated.
import { scoreAt, type Model } from "../core/points.ts";
import { general } from "../core/formats.ts";
import { rate, steps, type Axis } from "./axes.ts";

const known = new WeakMap<object, Float64Array>();

/** The threshold at a place; that of flagging nothing is infinite. */
export const cutAt = (model: Model, place: number): number => (place ? scoreAt(model, place) : Infinity);

/** The threshold at each place, from the highest down. */
export function cutsOf(model: Model): Float64Array {
  const found = known.get(model.held);
  if (found) return found;
  const cuts = Float64Array.from(model.tp, (_, place) => cutAt(model, place));
  known.set(model.held, cuts);
  return cuts;
}

export interface Histogram {
  /** A score on the axis, and back: log-odds where scores crowd at 0 and 1, else the score itself. */
  readonly to: (score: number) => number;
  readonly isOdds: boolean;
  /** Whole numbers, each with a bar of its own. */
  readonly isGrades: boolean;
  readonly low: number;
  readonly high: number;
  /** Cases of the sample in each bin, from low to high. */
  readonly positives: Float64Array;
  readonly negatives: Float64Array;
}

const BINS = 48;
const MOST_ODDS = 14;
const [CROWD, NEAR] = [0.1, 0.02];
const odds = (p: number): number => Math.max(-MOST_ODDS, Math.min(MOST_ODDS, Math.log(p / (1 - p))));
const asIs = (score: number): number => score;

/** The score below which a share of the cases lies. */
function quantile(model: Model, share: number): number {
  const { tp, fp } = model;
  const cuts = cutsOf(model);
  const last = tp.length - 1;
  const wanted = (1 - share) * (tp[last]! + fp[last]!);
  for (let place = 1; place <= last; place += 1) if (tp[place]! + fp[place]! >= wanted) return cuts[place]!;
  return cuts[last]!;
}

/** Whether scores can be probabilities. */
export const isProbability = (model: Model): boolean =>
  !model.held.integer && cutAt(model, model.tp.length - 1) >= 0 && cutAt(model, 1) <= 1;

/** Whether scores are shares of which a tenth or more lie next to 0, or to 1. */
const crowds = (model: Model): boolean => isProbability(model) && (quantile(model, CROWD) < NEAR || quantile(model, 1 - CROWD) > 1 - NEAR);

const made = new WeakMap<object, Histogram>();

export function histogramOf(model: Model): Histogram {
  const found = made.get(model.held);
  if (found) return found;
  const isOdds = crowds(model);
  const to = isOdds ? odds : asIs;
  const [low, high, bins] = span(model, to);
  const counts = { positives: new Float64Array(bins), negatives: new Float64Array(bins) };
  const cuts = cutsOf(model);
  const bin = (u: number): number => Math.min(bins - 1, Math.max(0, Math.floor(((u - low) / (high - low)) * bins)));
  for (let place = 1; place < cuts.length; place += 1) {
    // The cases between two thresholds that are known lie anywhere between them; where all are known, at the lower one.
    const from = bin(to(cuts[place]!));
    const until = model.held.every || place === 1 ? from : Math.max(from, bin(to(cuts[place - 1]!)) - 1);
    for (let k = from; k <= until; k += 1) {
      counts.positives[k]! += (model.tp[place]! - model.tp[place - 1]!) / (until - from + 1);
      counts.negatives[k]! += (model.fp[place]! - model.fp[place - 1]!) / (until - from + 1);
    }
  }
  const isGrades = model.held.integer === true && bins === high - low;
  const histogram = { to, isOdds, isGrades, low, high, ...counts };
  made.set(model.held, histogram);
  return histogram;
}

/** The ends of the axis and the number of bins: one for each grade where there are few. */
function span(model: Model, to: (score: number) => number): [number, number, number] {
  const finite = Array.from(cutsOf(model)).filter(Number.isFinite);
  if (!finite.length) return [0, 1, 1];
  const [top, bottom] = [finite[0]!, finite[finite.length - 1]!];
  if (model.held.integer && top - bottom < BINS) return [bottom - 0.5, top + 0.5, top - bottom + 1];
  const [middle, most] = [quantile(model, 0.5), quantile(model, 0.999)];
  const far = Number.isFinite(most) && top - middle > 20 * (most - middle) && most > middle;
  const least = Math.max(quantile(model, 0.002), to === asIs ? bottom : [...finite].reverse().find((cut) => cut > 0)!);
  const [low, high] = [to(least), to(far ? most : top === 1 && to !== asIs ? finite.find((cut) => cut < 1)! : top)];
  return high > low ? [low, high, BINS] : [low - 0.5, low + 0.5, 1];
}

const ODDS = [1e-6, 1e-5, 1e-4, 0.001, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 0.999, 0.9999, 0.99999];

/** The axis of the scores of a histogram. */
export function scoreAxis({ to, isOdds, low, high }: Histogram, [from, until]: readonly [number, number]): Axis {
  const factor = (until - from) / (high - low);
  const place = (score: number): number => from + (Math.min(high, Math.max(low, to(score))) - low) * factor;
  const values = (isOdds ? ODDS : steps([low, high], 8)).filter((score) => to(score) >= low && to(score) <= high);
  let last = -Infinity;
  const apart = values.filter((score) => {
    const keep = place(score) - last >= 38;
    if (keep) last = place(score);
    return keep;
  });
  return {
    place,
    ticks: apart.map((value) => ({ value, text: isOdds && value < 0.5 ? rate(value) : general(value, 6) })),
  };
}

/** Where scores are probabilities: the share of positives that the order of the scores supports, along each stretch of the hull. */
export function calibrationOf(model: Model): { low: number; high: number; share: number; cases: number }[] | null {
  if (!isProbability(model)) return null;
  const { hull } = model.held;
  return hull.slice(1).map((place, k) => {
    const before = hull[k]!;
    const [tp, fp] = [model.tp[place]! - model.tp[before]!, model.fp[place]! - model.fp[before]!];
    return { low: cutAt(model, place), high: cutAt(model, before + 1), share: tp / (tp + fp), cases: tp + fp };
  });
}
