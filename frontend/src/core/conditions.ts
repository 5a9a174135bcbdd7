// The base rate and the costs under which everything is read. They know no data.
import { add, div, exactly, mul, ONE, rounded, sub, type Fraction } from "./fractions.ts";
import { general, grouped, whole } from "./formats.ts";
import { Refusal } from "./notations.ts";

export interface Costs {
  readonly fp: number;
  readonly fn: number;
  readonly tp: number;
  readonly tn: number;
}

export interface Conditions {
  /** As it was written; null means each sample's own. */
  readonly prior: Fraction | null;
  readonly costs: Costs;
  readonly costsGiven: boolean;
  /** The costs were given as profits, and are told so. */
  readonly earned: boolean;
}

export const EQUAL: Costs = { fp: 1, fn: 1, tp: 0, tn: 0 };

export const miss = (costs: Costs): Fraction => sub(exactly(costs.fn), exactly(costs.tp));
export const falseAlarm = (costs: Costs): Fraction => sub(exactly(costs.fp), exactly(costs.tn));

/** Costs with which a threshold means something; refused otherwise. */
export function checkedCosts(costs: Costs): Costs {
  const largest = 2e100;
  for (const value of Object.values(costs) as number[]) {
    if (!Number.isFinite(value) || Math.abs(value) > largest) throw new Refusal("A cost must be a plain number.");
  }
  if (costs.fn <= costs.tp) throw new Refusal("A missed positive must cost more than a caught one.");
  if (costs.fp <= costs.tn) throw new Refusal("A false alarm must cost more than a negative left alone.");
  return costs;
}

/** What misses and false alarms can cost a case: prior · (fn − tp) and (1 − prior) · (fp − tn). */
export function atStake(prior: Fraction, costs: Costs): [Fraction, Fraction] {
  return [mul(prior, miss(costs)), mul(sub(ONE, prior), falseAlarm(costs))];
}

/** The prior after costs: a / (a + b). */
export function effectivePrior(prior: Fraction, costs: Costs): number {
  const [a, b] = atStake(prior, costs);
  return rounded(div(a, add(a, b)));
}

/** The slope in ROC space along which the cost stays the same: b / a. */
export function isoCostSlope(prior: Fraction, costs: Costs): number {
  const [a, b] = atStake(prior, costs);
  return rounded(div(b, a));
}

/** The costs in words: "costs (fp = 1, fn = 100)", "profits (tp = 95, fp = -5)". */
export function spoken(at: Conditions): string {
  const { costs } = at;
  if (at.earned) {
    const shown = (["tp", "tn", "fp", "fn"] as const).filter((name) => costs[name]);
    return `profits (${shown.map((name) => `${name} = ${general(0 - costs[name], 6)}`).join(", ")})`;
  }
  const shown = (["fp", "fn", "tp", "tn"] as const).filter((name) => name === "fp" || name === "fn" || costs[name]);
  return `costs (${shown.map((name) => `${name} = ${general(costs[name], 6)}`).join(", ")})`;
}

/** What decides where no costs are given. */
const ASSUMED = "equal costs assumed (a miss counts like a false alarm)";

/** The same, or what is assumed where nobody gave any. */
export const costsSaid = (at: Conditions): string => (at.costsGiven ? spoken(at) : ASSUMED);

/** A base rate as "1 in 1,000", where it is one. */
export function oneIn(prior: number): string | null {
  const inverse = whole(1 / prior);
  const product = prior * inverse;
  const close = Math.abs(product - 1) <= 1e-12 * Math.max(Math.abs(product), 1);
  return inverse >= 10 && close ? `1 in ${grouped(inverse)}` : null;
}

/** A base rate for a person: "2.5%", "0.1% (1 in 1,000)", "1 in 300". */
export function baseRate(prior: number): string {
  const [share, one] = [general(100 * prior, 4), oneIn(prior)];
  if (share.includes("e") || share === "100") return one ?? general(prior, 6);
  if (one && share.replace(".", "").replace(/^0+|0+$/g, "").length > 3) return one;
  return one && prior < 0.01 ? `${share}% (${one})` : `${share}%`;
}

/** The base rate in a sentence: "a base rate of 2.5%". */
export function priorSaid(prior: number, asInSample: boolean): string {
  const number = prior > 0 && prior < 1 ? ` of ${baseRate(prior)}` : "";
  return `${asInSample ? "the sample's base rate" : "a base rate"}${number}`;
}
