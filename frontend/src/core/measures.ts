// Measures: each a quotient of two sums of the outcomes weighed to a base rate, exact for one point and in floats along all of them.
import { add, div, exactly, frac, isZero, mul, ONE, rounded, sub, ZERO, type Fraction } from "./fractions.ts";
import { falseAlarm, miss, type Conditions } from "./conditions.ts";
import { CATALOGUE, type Name } from "./catalogue.ts";

export interface Confusion {
  readonly tp: Fraction;
  readonly fp: Fraction;
  readonly fn: Fraction;
  readonly tn: Fraction;
}

/** Four weighed outcomes (tp, fp, fn, tn) and the number one: what parts of measures are sums of. */
export type Weights = readonly [Fraction, Fraction, Fraction, Fraction, Fraction];

export interface Facts {
  readonly weight: Fraction;
  readonly positives: Fraction;
  readonly negatives: Fraction;
  readonly volume: Fraction;
  readonly at: Conditions;
}

/** The number, or null where it is 0/0 or a class is missing. */
export type Value = Fraction | null;

export const isDefined = (value: Value): value is Fraction => value !== null;

/** The weight that makes the positives `prior` of the whole; null where a class is missing, and no weight can. */
export function weightOfNegatives(positives: Fraction, negatives: Fraction, prior: Fraction | null): Fraction | null {
  if (prior === null) return ONE;
  if (isZero(positives) || isZero(negatives)) return null;
  return div(mul(div(sub(ONE, prior), prior), positives), negatives);
}

/** The conditions with the prior taken for the float that it shows: values are read there, choices are made at what was written. */
export const asShown = (at: Conditions): Conditions => (at.prior === null ? at : { ...at, prior: exactly(rounded(at.prior)) });

function facts(one: Confusion, at: Conditions, volume: number | null): Facts | null {
  const [positives, negatives] = [add(one.tp, one.fn), add(one.fp, one.tn)];
  const weight = weightOfNegatives(positives, negatives, at.prior);
  if (weight === null) return null;
  return { weight, positives, negatives: mul(negatives, weight), volume: volume === null ? ONE : exactly(volume), at };
}

type Sum = { tp?: Fraction; fp?: Fraction; fn?: Fraction; tn?: Fraction; one?: Fraction };
type Ratio = readonly [Sum, Sum];

const ALL: Sum = { tp: ONE, fp: ONE, fn: ONE, tn: ONE };
const FLAGGED: Sum = { tp: ONE, fp: ONE };
const TWO = frac(2);

const each = (size: Fraction, of: Sum): Sum => Object.fromEntries(Object.entries(of).map(([key, value]) => [key, mul(size, value)]));
/** What correct answers cost in any event, and what errors add to that: floats of these do not cancel. */
const costed = ({ at: { costs }, positives, negatives }: Facts): Sum => ({
  fn: miss(costs),
  fp: falseAlarm(costs),
  one: add(mul(exactly(costs.tp), positives), mul(exactly(costs.tn), negatives)),
});

/** Numerator and denominator of every measure, as sums of the weighed outcomes. */
const RATIOS: Readonly<Record<Name, (known: Facts) => Ratio>> = {
  tpr: () => [{ tp: ONE }, { tp: ONE, fn: ONE }],
  fpr: () => [{ fp: ONE }, { fp: ONE, tn: ONE }],
  tnr: () => [{ tn: ONE }, { fp: ONE, tn: ONE }],
  fnr: () => [{ fn: ONE }, { tp: ONE, fn: ONE }],
  precision: () => [{ tp: ONE }, FLAGGED],
  npv: () => [{ tn: ONE }, { tn: ONE, fn: ONE }],
  fdr: () => [{ fp: ONE }, FLAGGED],
  posfrac: () => [FLAGGED, ALL],
  accuracy: () => [{ tp: ONE, tn: ONE }, ALL],
  error: () => [{ fp: ONE, fn: ONE }, ALL],
  f1: () => [{ tp: TWO }, { tp: TWO, fp: ONE, fn: ONE }],
  lift: ({ positives, negatives }) => [{ tp: add(positives, negatives) }, each(positives, FLAGGED)],
  nne: () => [FLAGGED, { tp: ONE }],
  expected_cost: (known) => [costed(known), ALL],
  alerts: ({ volume }) => [each(volume, FLAGGED), ALL],
  caught: ({ volume }) => [{ tp: volume }, ALL],
  missed: ({ volume }) => [{ fn: volume }, ALL],
  false_alarms: ({ volume }) => [{ fp: volume }, ALL],
  volume_cost: (known) => [each(known.volume, costed(known)), ALL],
};

const weights = (of: Sum): Weights => [of.tp ?? ZERO, of.fp ?? ZERO, of.fn ?? ZERO, of.tn ?? ZERO, of.one ?? ZERO];

/** Numerator and denominator of a measure, as weights of the outcomes. */
const parts = (name: Name, known: Facts): readonly [Weights, Weights] => {
  const [top, bottom] = RATIOS[name](known);
  return [weights(top), weights(bottom)];
};

function dot(of: Weights, outcomes: Weights): Fraction {
  let total = ZERO;
  of.forEach((weight, i) => {
    if (weight.n) total = add(total, mul(weight, outcomes[i]!));
  });
  return total;
}

/** The measure at one confusion as an exact number, at the base rate as it is given. */
export function exactValue(name: Name, one: Confusion, at: Conditions, volume: number | null = null): Value {
  const known = facts(one, CATALOGUE[name].prior ? at : { ...at, prior: null }, volume);
  if (known === null) return null;
  const outcomes: Weights = [one.tp, mul(one.fp, known.weight), one.fn, mul(one.tn, known.weight), ONE];
  const [top, bottom] = parts(name, known);
  const below = dot(bottom, outcomes);
  return isZero(below) ? null : div(dot(top, outcomes), below);
}

/** The measure's value as it is shown: at the float of the base rate, rounded once; NaN where it is undefined. */
export function read(name: Name, one: Confusion, at: Conditions, volume: number | null = null): number {
  const value = exactValue(name, one, asShown(at), volume);
  return isDefined(value) ? rounded(value) : Number.NaN;
}

export interface Columns {
  readonly tp: Float64Array;
  readonly fp: Float64Array;
  readonly fn: Float64Array;
  readonly tn: Float64Array;
  readonly positives: Fraction;
  readonly negatives: Fraction;
}

/** The measure at every point, in floats; NaN where it is undefined. */
export function along(name: Name, points: Columns, at: Conditions, volume: number | null = null): Float64Array {
  const values = new Float64Array(points.tp.length).fill(Number.NaN);
  const prior = CATALOGUE[name].prior ? asShown(at).prior : null;
  const weight = weightOfNegatives(points.positives, points.negatives, prior);
  if (weight === null) return values;
  const scaled = mul(points.negatives, weight);
  const known: Facts = { weight, positives: points.positives, negatives: scaled, volume: volume === null ? ONE : exactly(volume), at };
  const [top, bottom] = parts(name, known).map((of) => of.map(rounded)) as [number[], number[]];
  const size = rounded(weight);
  // Negatives carry their weight in the factors: one product less a point.
  for (const factors of [top, bottom]) [factors[1], factors[3]] = [factors[1]! * size, factors[3]! * size];
  const [a, b, c, d, e] = top as [number, number, number, number, number];
  const [p, q, r, s, t] = bottom as [number, number, number, number, number];
  const { tp, fp, fn, tn } = points;
  for (let i = 0; i < values.length; i += 1) {
    const below = p * tp[i]! + q * fp[i]! + r * fn[i]! + s * tn[i]! + t;
    if (below !== 0) values[i] = (a * tp[i]! + b * fp[i]! + c * fn[i]! + d * tn[i]! + e) / below;
  }
  return values;
}
