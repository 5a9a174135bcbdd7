// The best point that keeps a rule, decided exactly: fast on floats, in exact numbers wherever floats cannot tell.
import { CATALOGUE, type Name } from "./catalogue.ts";
import type { Conditions } from "./conditions.ts";
import { compare, div, isZero, mul, rounded, sub, type Fraction } from "./fractions.ts";
import { along, exactValue, isBetter, isDefined, type Confusion } from "./measures.ts";
import { between, confusionAt, type Model } from "./points.ts";
import { budgetOf, holds, type Term } from "./rules.ts";

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
const DOUBT = 1e-9;
const ROUNDING = 1e-12;

/** How far off a float may be: more than its last place where large terms cancel. */
function slack(name: Name, values: Float64Array, question: Question): number {
  let largest = 1;
  for (const value of values) if (Number.isFinite(value) && Math.abs(value) > largest) largest = Math.abs(value);
  if (CATALOGUE[name].range[0] >= 0) return ROUNDING * largest;
  const costs = Math.max(...Object.values(question.at.costs).map((cost: number) => Math.abs(cost)));
  return ROUNDING * Math.max(largest, costs * Math.max(1, question.volume ?? 1));
}

/** Measures that rise, or fall, from one threshold to the next. */
const RISING: readonly Name[] = ["tp", "fp", "tpr", "fpr", "posfrac", "alerts", "caught", "false_alarms"];
const FALLING: readonly Name[] = ["fn", "tn", "fnr", "tnr", "missed"];

/** At which points a term holds: 1 there, 0 elsewhere. */
export function keeping(term: Term, model: Model, question: Question): Uint8Array {
  const { measure, sense } = term;
  const exactly = (place: number): boolean => keepsAll([term], confusionAt(model, place), question);
  // Masses are summed from both ends, and may rise by a last place where they should not.
  if (!model.held.weighted && (RISING.includes(measure) || FALLING.includes(measure)))
    return fromOrUntil(model.tp.length, RISING.includes(measure) === (sense === ">="), exactly);
  const values = along(measure, model, question.at, question.volume);
  const limit = rounded(term.limit);
  const near = DOUBT * Math.abs(limit) + slack(measure, values, question);
  const kept = new Uint8Array(values.length);
  for (let place = 0; place < values.length; place += 1) {
    const over = values[place]! - limit;
    if (Number.isNaN(over)) continue;
    const holds = Math.abs(over) > near ? (sense === ">=" ? over > 0 : over < 0) : exactly(place);
    kept[place] = holds ? 1 : 0;
  }
  return kept;
}

/** What holds from some place on, or until one: found by halving. */
function fromOrUntil(size: number, from: boolean, holds: (place: number) => boolean): Uint8Array {
  let [low, high] = [0, size];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle) === from) high = middle;
    else low = middle + 1;
  }
  return from ? new Uint8Array(size).fill(1, low) : new Uint8Array(size).fill(1, 0, low);
}

/** The points that satisfy every term but one. */
export function allBut(masks: readonly Uint8Array[], size: number, leftOut: number | null = null): Uint8Array {
  const kept = new Uint8Array(size).fill(1);
  masks.forEach((mask, i) => {
    if (i !== leftOut) for (let place = 0; place < size; place += 1) kept[place]! &= mask[place]!;
  });
  return kept;
}

/** The best of the points kept; among equals the one that flags least. */
export function bestOf(
  name: Name,
  model: Model,
  kept: Uint8Array | null,
  question: Question,
  direction: "higher" | "lower" = CATALOGUE[name].direction,
): number | null {
  const sign = direction === "lower" ? 1 : -1;
  const values = along(name, model, question.at, question.volume);
  let lowest = Infinity;
  for (let place = 0; place < values.length; place += 1) {
    values[place] = kept && !kept[place] ? Number.NaN : sign * values[place]!;
    if (values[place]! < lowest) lowest = values[place]!;
  }
  if (lowest === Infinity) return null;
  const near = DOUBT * Math.abs(lowest) + slack(name, values, question);
  let best: number | null = null;
  for (let place = 0; place < values.length; place += 1) {
    if (!(values[place]! - lowest <= near)) continue;
    if (best === null || isBeyond(name, confusionAt(model, place), confusionAt(model, best), question, direction)) best = place;
  }
  return best;
}

/** Whether the first is strictly beyond the other, upwards or downwards. */
export function isBeyond(name: Name, one: Confusion, other: Confusion, { at, volume }: Question, direction: "higher" | "lower"): boolean {
  return CATALOGUE[name].direction === direction ? isBetter(name, one, other, at, volume) : isBetter(name, other, one, at, volume);
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
  if (isZero(share) || compare(sub(after, before), mul(SMALL, budget.limit)) <= 0 || !isSeveral(model, last)) return null;
  return { model, place: last + 1, confusion: between(upper, lower, share), share: rounded(share) };
}

/** Whether the tie behind a point holds more than one case; of weighted cases there is no telling. */
function isSeveral({ held, tp, fp }: Model, last: number): boolean {
  return held.weighted || tp[last + 1]! - tp[last]! + fp[last + 1]! - fp[last]! > 1;
}

export const keepsAll = (terms: readonly Term[], one: Confusion, question: Question): boolean =>
  terms.every((term) => {
    const value = exactValue(term.measure, one, question.at, question.volume);
    return isDefined(value) && holds(term, value);
  });

/** Where a model is set; null where no point keeps the rule. */
export function choose(model: Model, question: Question): Setting | null {
  const { terms, at, volume } = question;
  const budget = budgetOf(terms);
  const objective: Name = budget && !at.costsGiven ? "tpr" : "expected_cost";
  // A budget without costs is there to be used up, also where more alerts find no more positives here.
  const useUp = budget !== null && !at.costsGiven;
  if (!terms.length && !model.held.weighted) {
    const place = cheapest(model, question);
    return { model, place, confusion: confusionAt(model, place), share: 1, objective };
  }
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
    const asGood = useUp && !isBetter(objective, chosen.confusion, other.confusion, at, volume);
    if (asGood || isBetter(objective, other.confusion, chosen.confusion, at, volume)) chosen = other;
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
  const place = bestOf(objective, model, kept, question);
  if (place !== null) yield { model, place, confusion: confusionAt(model, place), share: 1 };
  const shared = budget && filled(model, budget, question);
  if (!shared) return;
  const others = question.terms.filter((term) => term !== budget);
  const defined = isDefined(exactValue(objective, shared.confusion, question.at, question.volume));
  if (defined && keepsAll(others, shared.confusion, question)) yield shared;
}

/** The best of the models that keep the rule, all of them where they are as good; in the order given. */
export function best(settings: readonly Setting[], question: Question): Setting[] {
  let found: Setting[] = [];
  for (const one of settings) {
    const name = one.objective ?? "expected_cost";
    const better = (a: Setting, b: Setting): boolean => isBetter(name, a.confusion, b.confusion, question.at, question.volume);
    if (!found.length || better(one, found[0]!)) found = [one];
    else if (!better(found[0]!, one)) found.push(one);
  }
  return found;
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
  const better = (a: Confusion, b: Confusion): boolean => isBetter(name, a, b, question.at, question.volume);
  const left = found.filter(({ setting }) => !better(chosen.confusion, setting.confusion));
  if (left.length < 2) return left[0] ?? null;
  return better(left[1]!.setting.confusion, left[0]!.setting.confusion) ? left[1]! : left[0]!;
}

const CORNERS = new WeakMap<Model, Model>();

/** The corners of the hull alone. */
function cornersOf(model: Model): Model {
  const found = CORNERS.get(model);
  if (found) return found;
  const { hull } = model.held;
  const only = (values: ArrayLike<number>): Float64Array => Float64Array.from(hull, (place) => values[place]!);
  const each = (values: ArrayLike<number | string>): (number | string)[] => hull.map((place) => values[place]!);
  const { tp, fp, fn, tn, tpr, fpr } = model;
  const held = { ...model.held, tp: each(model.held.tp), fp: each(model.held.fp) };
  const corners = { ...model, held, tp: only(tp), fp: only(fp), fn: only(fn), tn: only(tn), tpr: only(tpr), fpr: only(fpr) };
  CORNERS.set(model, corners);
  return corners;
}

/** The hull corner that is cheapest: the same point as among all of them. */
export function cheapest(model: Model, question: Question): number {
  if (model.held.weighted) return bestOf(OBJECTIVE, model, null, question)!;
  return model.held.hull[bestOf(OBJECTIVE, cornersOf(model), null, question)!]!;
}
