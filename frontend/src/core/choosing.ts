// The best point that keeps a rule.
import { CATALOGUE, type Name } from "./catalogue.ts";
import type { Conditions } from "./conditions.ts";
import { compare, div, mul, rounded, sub, type Fraction } from "./fractions.ts";
import { along, exactValue, isDefined, read, type Columns, type Confusion } from "./measures.ts";
import { between, confusionAt, type Model } from "./points.ts";
import { budgetOf, testOf, TOLERANCE, type Term } from "./rules.ts";

export interface Setting {
  readonly model: Model;
  readonly place: number;
  readonly confusion: Confusion;
  /** Below 1: of the cases that tie at `place`, this share is flagged at random, and all of those before it. */
  readonly share: number;
  readonly objective: Name | null;
}

export interface Question {
  readonly terms: readonly Term[];
  readonly at: Conditions;
  readonly volume: number | null;
}

const OBJECTIVE: Name = "expected_cost";

/** At which points a term holds: 1 there, 0 elsewhere. */
export function keeping(term: Term, model: Model, { at, volume }: Question): Uint8Array {
  const holds = testOf(term);
  return new Uint8Array(along(term.measure, model, at, volume).map((value) => (holds(value) ? 1 : 0)));
}

/** The points that satisfy every term but one. */
export function allBut(masks: readonly Uint8Array[], size: number, leftOut: number | null = null): Uint8Array {
  const kept = new Uint8Array(size).fill(1);
  masks.forEach((mask, i) => {
    if (i !== leftOut) for (let place = 0; place < size; place += 1) kept[place]! &= mask[place]!;
  });
  return kept;
}

/** The place of the lowest loss, of equals the first; null where every loss is NaN or infinite. */
function findBest(losses: ArrayLike<number>): number | null {
  let lowest = Infinity;
  for (let place = 0; place < losses.length; place += 1) if (losses[place]! < lowest) lowest = losses[place]!;
  if (!Number.isFinite(lowest)) return null;
  const equal = lowest + TOLERANCE * Math.abs(lowest);
  let place = 0;
  while (!(losses[place]! <= equal)) place += 1;
  return place;
}

const signOf = (direction: "higher" | "lower"): number => (direction === "lower" ? 1 : -1);

/** The best of the points kept; among equals the one that flags least. */
export function bestOf(
  name: Name,
  model: Model,
  kept: Uint8Array | null,
  { at, volume }: Question,
  direction: "higher" | "lower" = CATALOGUE[name].direction,
): number | null {
  const sign = signOf(direction);
  const losses = along(name, model, at, volume);
  for (let place = 0; place < losses.length; place += 1) losses[place] = kept && !kept[place] ? Number.NaN : sign * losses[place]!;
  return findBest(losses);
}

const corners = new WeakMap<Model, Columns>();

/** The cheapest threshold without a rule: it lies at a corner of the hull. */
function cheapestCorner(model: Model, { at }: Question): number | null {
  const { hull } = model.held;
  const pick = (sums: Float64Array): Float64Array => Float64Array.from(hull, (place) => sums[place]!);
  const { tp, fp, fn, tn, positives, negatives } = model;
  const known = corners.get(model) ?? { tp: pick(tp), fp: pick(fp), fn: pick(fn), tn: pick(tn), positives, negatives };
  corners.set(model, known);
  const best = findBest(along(OBJECTIVE, known, at));
  return best === null ? null : hull[best]!;
}

/** Whether the first is strictly better; a defined value beats an undefined one. */
export function isBetter(
  name: Name,
  one: Confusion,
  other: Confusion,
  { at, volume }: Question,
  direction: "higher" | "lower" = CATALOGUE[name].direction,
): boolean {
  return findBest([other, one].map((each) => signOf(direction) * read(name, each, at, volume))) === 1;
}

/** A tie of less than this share of the budget is no matter. */
const SMALL: Fraction = { n: 1n, d: 100n };

/** The point that uses the budget up inside a large tie; null where a threshold does, or may as well, or where everything may be flagged. */
export function filled(model: Model, budget: Term, question: Question): Omit<Setting, "objective"> | null {
  const last = keeping(budget, model, question).reduce((sum, one) => sum + one, 0) - 1;
  if (last + 1 >= model.tp.length || last < 0) return null;
  const [upper, lower] = [confusionAt(model, last), confusionAt(model, last + 1)];
  const used = [upper, lower].map((one) => exactValue(budget.measure, one, question.at, question.volume));
  if (!used.every(isDefined)) return null;
  const [before, after] = used as [Fraction, Fraction];
  const share = div(sub(budget.limit, before), sub(after, before));
  if (share.n <= 0n || compare(sub(after, before), mul(SMALL, budget.limit)) <= 0 || !isSeveral(model, last)) return null;
  return { model, place: last + 1, confusion: between(upper, lower, share), share: rounded(share) };
}

/** Whether the tie behind a point holds more than one case; of weighted cases there is no telling. */
export function isSeveral({ held, tp, fp }: Model, last: number): boolean {
  return held.weighted || tp[last + 1]! - tp[last]! + fp[last + 1]! - fp[last]! > 1;
}

export const keepsAll = (terms: readonly Term[], one: Confusion, question: Question): boolean =>
  terms.every((term) => testOf(term)(read(term.measure, one, question.at, question.volume)));

/** Where a model is set; null where no point keeps the rule. */
export function choose(model: Model, question: Question): Setting | null {
  const { terms, at } = question;
  const budget = budgetOf(terms);
  const objective: Name = budget && !at.costsGiven ? "tpr" : "expected_cost";
  // A budget without costs is there to be used up, also where more alerts find no more positives here.
  const useUp = budget !== null && !at.costsGiven;
  const kept = allBut(
    terms.map((term) => keeping(term, model, question)),
    model.tp.length,
  );
  const candidates = [...settings(model, question, objective, kept, budget)];
  if (!candidates.length) return null;
  const last = kept.lastIndexOf(1);
  if (useUp && last >= 0) candidates.splice(1, 0, { model, place: last, confusion: confusionAt(model, last), share: 1 });
  let chosen = candidates[0]!;
  for (const other of candidates.slice(1)) {
    const asGood = useUp && !isBetter(objective, chosen.confusion, other.confusion, question);
    if (asGood || isBetter(objective, other.confusion, chosen.confusion, question)) chosen = other;
  }
  return { ...chosen, objective };
}

function* settings(
  model: Model,
  question: Question,
  objective: Name,
  kept: Uint8Array,
  budget: Term | null,
): Generator<Omit<Setting, "objective">> {
  const place = question.terms.length ? bestOf(objective, model, kept, question) : cheapestCorner(model, question);
  if (place !== null) yield { model, place, confusion: confusionAt(model, place), share: 1 };
  const shared = budget && filled(model, budget, question);
  if (!shared) return;
  const others = question.terms.filter((term) => term !== budget);
  const defined = isDefined(exactValue(objective, shared.confusion, question.at, question.volume));
  if (defined && keepsAll(others, shared.confusion, question)) yield shared;
}

/** The best of the models that keep the rule, all of them where they are as good; in the order given. */
export function best(settings: readonly Setting[], question: Question): Setting[] {
  const better = (a: Setting, b: Setting): boolean => isBetter(a.objective ?? OBJECTIVE, a.confusion, b.confusion, question);
  const first = settings.reduce((found, one) => (better(one, found) ? one : found), settings[0]!);
  return settings.filter((one) => !better(first, one));
}

export const NOTHING = "flag nothing";
export const EVERYTHING = "flag everything";

export interface Baseline {
  readonly name: typeof NOTHING | typeof EVERYTHING;
  readonly setting: Setting;
}

/** Flagging nothing and flagging everything, where that keeps the rule, and no budget is to be used up. */
export function baselines(model: Model, question: Question): Baseline[] {
  if (budgetOf(question.terms) && !question.at.costsGiven) return [];
  const ends = [
    [NOTHING, 0],
    [EVERYTHING, model.tp.length - 1],
  ] as const;
  // The lowest labelled score may leave cases without a label below it: everything is everything.
  const { unlabelled: _, ...held } = model.held;
  return ends
    .map(([name, place]) => ({
      name,
      setting: { model: { ...model, held }, place, confusion: confusionAt(model, place), share: 1, objective: OBJECTIVE },
    }))
    .filter(({ setting }) => keepsAll(question.terms, setting.confusion, question));
}

/** Which of the baselines the best setting does not beat; null where it beats them. */
export function unbeaten(found: readonly Baseline[], chosen: Setting, question: Question): Baseline | null {
  const name = chosen.objective ?? OBJECTIVE;
  const better = (a: Confusion, b: Confusion): boolean => isBetter(name, a, b, question);
  const left = found.filter(({ setting }) => !better(chosen.confusion, setting.confusion));
  if (left.length < 2) return left[0] ?? null;
  return better(left[1]!.setting.confusion, left[0]!.setting.confusion) ? left[1]! : left[0]!;
}
