// The thresholds of a model: what each flags, exactly. The first flags nothing, the last everything.
import type { Held, Packed, Points, Threshold } from "../document.ts";
import { add, counted, div, mul, rounded, sub, type Fraction } from "./fractions.ts";
import { repr } from "./formats.ts";
import type { Columns, Confusion } from "./measures.ts";
import { Numbers, unpack } from "./packed.ts";

export interface Model extends Columns {
  readonly name: string;
  readonly held: Held;
  /** The sample's own base rate; null where its class totals were chosen. */
  readonly samplePrior: Fraction | null;
  readonly tpr: Float64Array;
  readonly fpr: Float64Array;
}

const floats = (values: ArrayLike<number | string>): Float64Array => Float64Array.from(values, Number);

export async function modelOf(points: Points): Promise<Model> {
  const held = "steps" in points ? await read(points) : listed(points);
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

/** Few thresholds stand in the document as they are. */
function listed(points: Exclude<Points, Packed>): Held {
  const { thresholds, shown, ...held } = points;
  return { ...held, score: (place) => thresholds[place]!, shown: (place) => shown[place]! };
}

/** Many are packed: the steps of the counts, and every score as a decimal. */
async function read(points: Packed): Promise<Held> {
  const { steps, scores, texts, exact, unlabelled, ...held } = points;
  const numbers = async (text: string): Promise<Numbers> => new Numbers(await unpack(text));
  const [tp, fp] = stepped(await numbers(steps));
  const { whole, powers } = decimals(await numbers(scores), tp.length, texts);
  const shown = (place: number): string => (place ? (texts[place] ?? decimalSaid(whole[place]!, powers[place]!)) : "none");
  const score = (place: number): Threshold => exact[place] ?? (place ? (texts[place] ?? valueOf(whole[place]!, powers[place]!)) : "none");
  const flagged = unlabelled && { cases: unlabelled.cases, flagged: summed(await numbers(unlabelled.flagged), tp.length) };
  return { ...held, tp, fp, score, shown, ...(flagged && { unlabelled: flagged }) };
}

/** Runs of thresholds that flag one negative more, and what the others flag more. */
function stepped(numbers: Numbers): [Float64Array, Float64Array] {
  const column = (size: number): number[] => Array.from({ length: size }, () => numbers.next());
  const others = numbers.next();
  const [runs, caught, alarmed] = [column(others + 1), column(others), column(others)];
  const size = runs.reduce((a, b) => a + b, 1 + others);
  const [tp, fp] = [new Float64Array(size), new Float64Array(size)];
  let place = 0;
  const step = (positives: number, negatives: number): void => {
    place += 1;
    tp[place] = tp[place - 1]! + positives;
    fp[place] = fp[place - 1]! + negatives;
  };
  runs.forEach((run, i) => {
    for (let k = 0; k < run; k += 1) step(0, 1);
    if (i < others) step(caught[i]!, alarmed[i]!);
  });
  return [tp, fp];
}

function summed(numbers: Numbers, size: number): Float64Array {
  const sums = new Float64Array(size);
  for (let place = 1; place < size; place += 1) sums[place] = sums[place - 1]! + numbers.next();
  return sums;
}

const [STEPS, MANY, FURTHER, LARGEST] = [28, 27, 255, 2 ** 50];

/** Decimals that fall, whole · 10^−power: each by its power, and by how many of that power lie between it and the one before. */
function decimals(numbers: Numbers, size: number, texts: Packed["texts"]): { whole: Float64Array; powers: Int16Array } {
  const [whole, powers] = [new Float64Array(size), new Int16Array(size)];
  const [first, coded, many] = [numbers.signed(), numbers.signed(), numbers.signed()];
  const symbols = numbers.bytes.subarray(numbers.place, numbers.place + coded);
  numbers.place += coded;
  const rest = Float64Array.from({ length: many }, () => numbers.signed());
  let [next, more, before, power] = [0, 0, 0, 0];
  for (let place = 1; place < size; place += 1) {
    if (texts[place] !== undefined) continue;
    const symbol = symbols[next++]!;
    const now = first + (symbol === FURTHER ? numbers.signed() : Math.floor(symbol / STEPS));
    let skipped = symbol === FURTHER ? numbers.signed() : symbol % STEPS;
    if (symbol !== FURTHER && skipped === MANY) skipped += rest[more++]!;
    whole[place] = before = onGrid(before, now - power) - 1 - skipped;
    powers[place] = power = now;
  }
  return { whole, powers };
}

/** The first whole number that is not below value · 10^power; 0 where it is too large to be exact. */
function onGrid(value: number, power: number): number {
  const size = 10 ** Math.abs(power);
  if (size >= LARGEST || (power > 0 && Math.abs(value * size) >= LARGEST)) return 0;
  if (power >= 0) return value * size;
  const over = value % size;
  return (value - over) / size + (over > 0 ? 1 : 0);
}

const valueOf = (whole: number, power: number): number => (power > 0 ? whole / 10 ** power : whole * 10 ** -power);

/** A decimal as people write it: with an exponent only where it is very small or very large. */
function decimalSaid(whole: number, power: number): string {
  const [sign, digits] = [whole < 0 ? "-" : "", String(Math.abs(whole))];
  const order = digits.length - 1 - power;
  if (whole && (order < -6 || order >= 16)) {
    const part = digits.length > 1 ? `.${digits.slice(1)}` : "";
    return `${sign}${digits[0]}${part}e${order < 0 ? "-" : "+"}${Math.abs(order)}`;
  }
  if (power <= 0) return sign + digits + "0".repeat(whole ? -power : 0);
  const padded = digits.padStart(power + 1, "0");
  return `${sign}${padded.slice(0, -power)}.${padded.slice(-power)}`;
}

/** Whether not every threshold is in the document. */
export const isCondensed = ({ held }: Model): boolean => held.tp.length <= held.distinct;

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
export const thresholdSaid = (model: Model, place: number): string => model.held.shown(place);

/** The very score at which a tie lies; of other thresholds one that flags the same cases. */
export function scoreSaid(model: Model, place: number): string {
  const value = model.held.score(place);
  return typeof value === "string" ? value : model.held.integer ? String(value) : repr(value);
}

/** The score of a threshold as a number; NaN where nothing is flagged. */
export const scoreAt = (model: Model, place: number): number => {
  const value = model.held.score(place);
  return typeof value === "number" ? value : value === "none" ? Number.NaN : Number(value.replace("inf", "Infinity"));
};

/** The threshold that flags all cases from this score on, and no others. */
export function placeOf(model: Model, score: number): number {
  let [low, high] = [0, model.tp.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (scoreAt(model, middle) >= score) low = middle;
    else high = middle - 1;
  }
  return low;
}
