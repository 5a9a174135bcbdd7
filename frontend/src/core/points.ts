// The held points of a model: what each threshold flags, exactly. The first flags nothing, the last everything.
import type { Held } from "../document.ts";
import { add, counted, div, mul, rounded, sub, type Fraction } from "./fractions.ts";
import { repr } from "./formats.ts";
import type { Columns, Confusion } from "./measures.ts";

export interface Model extends Columns {
  readonly name: string;
  readonly held: Held;
  /** The sample's own base rate; null where its class totals were chosen. */
  readonly samplePrior: Fraction | null;
  readonly tpr: Float64Array;
  readonly fpr: Float64Array;
}

const floats = (values: readonly (number | string)[]): Float64Array => Float64Array.from(values, Number);

export function modelOf(held: Held): Model {
  const [positives, negatives] = [counted(held.positives), counted(held.negatives)];
  const [tp, fp] = [floats(held.tp), floats(held.fp)];
  const [whole, others] = [rounded(positives), rounded(negatives)];
  return {
    name: held.name,
    held,
    positives,
    negatives,
    tp,
    fp,
    fn: held.fn ? floats(held.fn) : tp.map((value) => whole - value),
    tn: held.tn ? floats(held.tn) : fp.map((value) => others - value),
    tpr: tp.map((value) => value / whole),
    fpr: fp.map((value) => value / others),
    samplePrior: held.sample_prior === null ? null : div(positives, add(positives, negatives)),
  };
}

/** Whether there are points that are not held. */
export const isThinned = ({ held }: Model): boolean => held.tp.length <= held.distinct;

/** The confusion of one of the points. */
export function confusionAt(model: Model, place: number): Confusion {
  const { held, positives, negatives } = model;
  const [tp, fp] = [counted(held.tp[place]!), counted(held.fp[place]!)];
  return {
    tp,
    fp,
    fn: held.fn ? counted(held.fn[place]!) : sub(positives, tp),
    tn: held.tn ? counted(held.tn[place]!) : sub(negatives, fp),
  };
}

/** The confusion on the straight line from one to the other, so far along it. */
export function between(one: Confusion, other: Confusion, share: Fraction): Confusion {
  const part = (a: Fraction, b: Fraction): Fraction => add(a, mul(share, sub(b, a)));
  return { tp: part(one.tp, other.tp), fp: part(one.fp, other.fp), fn: part(one.fn, other.fn), tn: part(one.tn, other.tn) };
}

/** A threshold in as few digits as flag the same cases; "none" where nothing is flagged. */
export const thresholdSaid = (model: Model, place: number): string => model.held.shown[place]!;

/** The very score at which a tie lies. */
export function scoreSaid(model: Model, place: number): string {
  const value = model.held.thresholds[place]!;
  return typeof value === "string" ? value : model.held.integer ? String(value) : repr(value);
}
