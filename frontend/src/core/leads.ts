// Whether the best model is better than the others, where Python did not test it: on the cases that any two models flag together.
import type { Difference, Joint } from "../document.ts";
import type { Name } from "./catalogue.ts";
import { keepsAll, type Question, type Setting } from "./choosing.ts";
import { CATALOGUE } from "./catalogue.ts";
import { add, compare, div, frac, mul, rounded, sub, ZERO, type Fraction } from "./fractions.ts";
import { along, asShown, exactValue, isDefined, read, type Confusion } from "./measures.ts";
import { Numbers, unpacked } from "./packed.ts";
import { confusionAt, type Model } from "./points.ts";
import type { Term } from "./rules.ts";

// Beyond so many standard deviations nothing of a chance is left that a page shows.
const [ROUNDING, FAR] = [1e-9, 9];
const STEP = frac(1, 1_000_000);
const WHOLE = 50;

type Two = readonly [number, number];

/** What a level leaves out: 0.05 of 0.95, without the last digits of the subtraction. */
const missed = (level: number): number => Math.round((1 - level) * 1e12) / 1e12;

/** How many cases of each class two models flag together, from one line of thresholds to the next. */
class Together {
  private readonly sums: readonly Float64Array[];
  private readonly width: number;

  constructor(
    private readonly models: readonly [Model, Model],
    private readonly lines: readonly [readonly number[], readonly number[]],
    classes: readonly [string, string],
  ) {
    this.width = lines[1].length;
    this.sums = classes.map((text) => this.summed(new Numbers(unpacked(text))));
  }

  /** Cases between two lines of each model, added up to those that both flag at these lines. */
  private summed(numbers: Numbers): Float64Array {
    const { width } = this;
    const sums = new Float64Array(this.lines[0].length * width);
    for (let row = width; row < sums.length; row += width)
      for (let at = row + 1, sum = 0; at < row + width; at += 1) {
        if (numbers.place < numbers.bytes.length) sum += numbers.next();
        sums[at] = sums[at - width]! + sum;
      }
    return sums;
  }

  /** The fewest cases of each class that both can flag at these thresholds: exact at the lines. */
  at(places: Two): Two {
    const from = places.map((place, i) => lastUpTo(this.lines[i]!, place)) as [number, number];
    const to = from.map((line, i) => (this.lines[i]![line] === places[i] ? line : line + 1)) as [number, number];
    return [0, 1].map((kind) => {
      const left = places.map((place, i) => {
        const flagged = kind ? this.models[i]!.fp : this.models[i]!.tp;
        return flagged[this.lines[i]![to[i]!]!]! - flagged[place]!;
      }) as [number, number];
      const sum = (i: number, j: number): number => this.sums[kind]![i * this.width + j]!;
      return Math.max(
        sum(from[0], from[1]),
        sum(to[0], from[1]) - left[0],
        sum(from[0], to[1]) - left[1],
        sum(to[0], to[1]) - left[0] - left[1],
      );
    }) as unknown as Two;
  }
}

function lastUpTo(lines: readonly number[], place: number): number {
  let [low, high] = [0, lines.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (lines[middle]! <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The pairs of models whose cases are known together, by "first second". */
export type Pairs = (one: number, other: number) => Together | null;

export function pairsOf(joint: Joint | null, models: readonly Model[]): Pairs {
  const lines = models.map(({ held }, i) => [...held.hull, ...(joint?.lines?.[i] ?? [])].sort((a, b) => a - b));
  const found = new Map<string, Together>();
  const packed = new Map((joint?.pairs ?? []).map((pair) => [pair.models.join(" "), pair] as const));
  return (one, other) => {
    const key = `${one} ${other}`;
    const pair = packed.get(key);
    if (pair && !found.has(key))
      found.set(key, new Together([models[one]!, models[other]!], [lines[one]!, lines[other]!], [pair.positives, pair.negatives]));
    return found.get(key) ?? null;
  };
}

/** A model where it is set: its value, how that changes with both rates and the base rate, and what determines the threshold. */
interface Set {
  readonly one: Setting;
  readonly value: number;
  readonly gradient: Two;
  readonly withPrior: number;
  readonly rule: Two | null;
  /** How far both rates move to a somewhat stricter threshold, and to a somewhat looser one. */
  readonly sides: readonly [Two, Two];
}

/** The last threshold of which all cases are flagged. */
const upper = ({ place, share }: Setting): number => (share === 1 ? place : place - 1);

/** What is compared: the positives found by a budget, or the cost. */
const compared = ({ objective, model }: Setting, { at }: Question): Name =>
  objective !== "tpr" ? "expected_cost" : model.held.unlabelled && at.prior === null ? "tpr" : "caught";

function setOf(one: Setting, question: Question, hand: boolean): Set {
  const name = compared(one, question);
  const term = hand ? null : binding(one, question);
  return {
    one,
    value: read(name, one.confusion, question.at, question.volume),
    gradient: gradientOf(name, one.confusion, question),
    withPrior: withPrior(name, one.confusion, question),
    rule: term && gradientOf(term.measure, one.confusion, question),
    sides: sidesOf(one.model, upper(one)),
  };
}

/** The term of the rule without which the threshold would be elsewhere. */
function binding(one: Setting, question: Question): Term | null {
  const { terms, at, volume } = question;
  if (!terms.length) return null;
  const name = compared(one, question);
  const sign = CATALOGUE[name].direction === "higher" ? 1 : -1;
  const values = along(name, one.model, at, volume);
  const here = sign * read(name, one.confusion, at, volume);
  const limit = here + ROUNDING * Math.abs(here);
  const [from, to] = [upper(one), one.place];
  let [best, before, after] = [0, -1, -1];
  let most = -Infinity;
  for (let place = 0; place < values.length; place += 1) {
    const value = sign * values[place]!;
    if (value > most) [best, most] = [place, value];
    if (!(value > limit)) continue;
    if (place < to) before = place;
    if (place > from && after < 0) after = place;
  }
  const nearest = most > limit ? (best > from ? after : before) : -1;
  if (nearest < 0) return null;
  return terms.find((term) => !keepsAll([term], confusionAt(one.model, nearest), question)) ?? null;
}

/** How a measure changes with both rates, by a small exact step; from one side at the ends of their range. */
function gradientOf(name: Name, confusion: Confusion, { at, volume }: Question): Two {
  const value = (moved: Confusion): Fraction | null => exactValue(name, moved, asShown(at), volume);
  const slope = (seen: "tp" | "fp", left: "fn" | "tn"): number => {
    const all = add(confusion[seen], confusion[left]);
    const ends = [frac(-1, 1_000_000), STEP].flatMap((step) => {
      const part = add(confusion[seen], mul(step, all));
      if (compare(part, ZERO) < 0 || compare(part, all) > 0) return [];
      const found = value({ ...confusion, [seen]: part, [left]: sub(all, part) });
      return isDefined(found) ? [[step, found] as const] : [];
    });
    if (ends.length < 2) ends.push([ZERO, value(confusion)!]);
    const [[one, low], [other, high]] = ends as [readonly [Fraction, Fraction], readonly [Fraction, Fraction]];
    return compare(one, other) && isDefined(high) ? rounded(div(sub(high, low), sub(other, one))) : 0;
  };
  return [slope("tp", "fn"), slope("fp", "tn")];
}

/** How a measure changes with the base rate, where that is the sample's own and so known no better than the sample says. */
function withPrior(name: Name, confusion: Confusion, { at, volume }: Question): number {
  if (at.prior !== null || !CATALOGUE[name].prior) return 0;
  const positives = add(confusion.tp, confusion.fn);
  const prior = div(positives, add(positives, add(confusion.fp, confusion.tn)));
  const rest = sub(frac(1), prior);
  const step = mul(STEP, compare(prior, rest) < 0 ? prior : rest);
  const ends = [sub(prior, step), add(prior, step)].map((moved) => exactValue(name, confusion, { ...at, prior: moved }, volume));
  return ends.every(isDefined) ? rounded(div(sub(ends[1]!, ends[0]!), mul(frac(2), step))) : 0;
}

/** To thresholds that flag two standard deviations less, and more. */
function sidesOf(model: Model, place: number): readonly [Two, Two] {
  let [low, high] = [place, place];
  for (const [flagged, whole] of [
    [model.tp, rounded(model.positives)],
    [model.fp, rounded(model.negatives)],
  ] as const) {
    const now = flagged[place]!;
    const width = 2 * Math.sqrt(now * (1 - now / whole)) + 1;
    low = Math.min(low, firstFrom(flagged, now - width));
    high = Math.max(high, firstFrom(flagged, now + width, true) - 1);
  }
  const moved = (from: number, to: number): Two => [model.tpr[to]! - model.tpr[from]!, model.fpr[to]! - model.fpr[from]!];
  return [moved(low, place), moved(place, high)];
}

/** The first place with at least this number, or with more. */
function firstFrom(values: Float64Array, number: number, more = false): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (more ? values[middle]! <= number : values[middle]! < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What a model flags of a class, with the share of a tie that is drawn at random: its sum, and that of its squares. */
function flaggedOf({ model, place, share }: Setting, kind: number): Two {
  const flagged = kind ? model.fp : model.tp;
  if (share === 1) return [flagged[place]!, flagged[place]!];
  const [all, tied] = [flagged[place - 1]!, flagged[place]! - flagged[place - 1]!];
  return [all + share * tied, all + share * share * tied];
}

/** What both flag of each class, where each may flag a share of a tie. */
function bothOf(together: Together, pair: readonly [Set, Set]): Two {
  const parts = pair.map(({ one }) =>
    one.share === 1 ? [[one.place, 1] as const] : [[one.place - 1, 1 - one.share] as const, [one.place, one.share] as const],
  );
  let [positives, negatives] = [0, 0];
  for (const [place, share] of parts[0]!)
    for (const [other, part] of parts[1]!) {
      const found = together.at([place, other]);
      positives += share * part * found[0];
      negatives += share * part * found[1];
    }
  return [positives, negatives];
}

interface Tested {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  readonly p: number;
}

/** The second model against the first. */
function difference(
  together: Together,
  pair: readonly [Set, Set],
  { level, z, hand }: { readonly level: number; readonly z: number; readonly hand: boolean },
  widest: number,
): Tested {
  const both = bothOf(together, pair);
  const cases = [pair[0].one.model.positives, pair[0].one.model.negatives].map(rounded) as [number, number];
  const flagged = [0, 1].map((kind) => pair.map(({ one }) => flaggedOf(one, kind)) as [Two, Two]);
  const value = pair[1].value - pair[0].value;
  let [weights, variance]: [Two, number] = [[0, 0], -1];
  for (const move of moves(pair, cases)) {
    const weighed = weightsOf(pair, move);
    const spread = varianceOf(weighed, flagged, both, cases, pair);
    if (spread > variance) [weights, variance] = [weighed, spread];
  }
  const apart = flagged.map(([one, other], kind) => one[1] + other[1] - 2 * both[kind]!);
  const counted = apart.map((part) => Math.ceil(part - ROUNDING * (1 + part)) + (hand ? 0 : 2));
  const steps = weights.map((weight, kind) => Math.abs(weight) / cases[kind]!);
  const swaps = value && apart[0]! + apart[1]! ? swapped(value, [steps[0]!, counted[0]!], [steps[1]!, counted[1]!]) : 1;
  // Models that cost the same may differ in both classes, which swapping them takes for a difference in cost.
  const p = steps[0] && steps[1] ? Math.max(swaps, bothTails(Math.abs(value) / Math.sqrt(variance))) : swaps;
  const half = z * Math.sqrt(variance);
  const [low, high] = [Math.max(value - half, -widest), Math.min(value + half, widest)];
  return p >= missed(level) ? { value, low: Math.min(low, 0), high: Math.max(high, 0), p } : { value, low, high, p };
}

/** How far apart two models can be at most, at these conditions: one of them right on every case, the other wrong. */
function reach(one: Setting, question: Question): number {
  const { tp, fp, fn, tn } = one.confusion;
  const [positives, negatives] = [add(tp, fn), add(fp, tn)];
  const values = [ZERO, positives].flatMap((hits) =>
    [ZERO, negatives].map((alarms) =>
      read(
        compared(one, question),
        { ...one.confusion, tp: hits, fn: sub(positives, hits), fp: alarms, tn: sub(negatives, alarms) },
        question.at,
        question.volume,
      ),
    ),
  );
  const widest = Math.max(...values) - Math.min(...values);
  return Number.isNaN(widest) ? Infinity : widest;
}

/** The slopes of the ROC along which a rule moves both thresholds; null where none holds them. */
function moves(pair: readonly [Set, Set], cases: Two): (Two | null)[] {
  if (pair.every(({ rule }) => rule === null)) return [null];
  return [0, 1].map(
    (side) =>
      [0, 1].map((rate) => Math.max(pair[0].sides[side]![rate]! + pair[1].sides[side]![rate]!, 0.5 / cases[rate]!)) as unknown as Two,
  );
}

/** What a share of each class counts for in the value: less what the rule takes back. */
function weightsOf(pair: readonly [Set, Set], move: Two | null): Two {
  const { gradient } = pair[0];
  if (!move) return gradient;
  const rules = pair.flatMap(({ rule }) => (rule ? [rule] : []));
  const rule = [0, 1].map((rate) => rules.reduce((sum, one) => sum + one[rate]!, 0) / rules.length) as [number, number];
  const moved = rule[0] * move[0] + rule[1] * move[1];
  const ratio = moved ? (gradient[0] * move[0] + gradient[1] * move[1]) / moved : 0;
  return [gradient[0] - ratio * rule[0], gradient[1] - ratio * rule[1]];
}

/** With a case more each way (Bonett & Price 2012). */
function varianceOf(weights: Two, flagged: readonly [Two, Two][], both: Two, cases: Two, pair: readonly [Set, Set]): number {
  let variance = 0;
  flagged.forEach(([one, other], kind) => {
    const [weight, all] = [weights[kind]!, cases[kind]! + 2];
    const squares = weight * weight * (one[1] + other[1] + 2 - 2 * both[kind]!);
    const mean = (weight * (other[0] - one[0])) / all;
    variance += Math.max(0, squares / all - mean * mean) / all;
  });
  const whole = cases[0] + cases[1];
  const share = cases[0] / whole;
  return variance + ((pair[1].withPrior - pair[0].withPrior) ** 2 * share * (1 - share)) / whole;
}

/** The chance that a standard normal number lies further from 0 than z. */
export function bothTails(z: number): number {
  const x = z / Math.SQRT2;
  const density = Math.exp(-x * x) / Math.sqrt(Math.PI);
  if (x >= 2) {
    let rest = x;
    for (let k = 60; k > 0; k -= 1) rest = x + k / 2 / rest;
    return density / rest;
  }
  let [sum, term] = [0, x];
  for (let n = 1; sum + term !== sum; n += 1) [sum, term] = [sum + term, (term * 2 * x * x) / (2 * n + 1)];
  return 1 - 2 * density * sum;
}

/** How likely is so large a difference, if each case on which two models differ favours either with equal chance? Of each class: how much a case counts, and how many there are. */
export function swapped(value: number, one: Two, other: Two): number {
  const order = [one, other].map(([step, cases]) => [step, step ? cases : 0] as const);
  const [[step, cases], [wide, others]] = order.sort((a, b) => a[1] - b[1] || a[0] - b[0]) as [Two, Two];
  const size = Math.abs(value);
  if (!size || !others) return 1;
  const slack = ROUNDING * (step * cases + wide * others);
  const [few, many] = [tossed(cases, 0), tossed(others, 1)];
  const [chances, beyond] = [few.chance, many.chance];
  for (let k = many.size - 2; k >= 0; k -= 1) beyond[k]! += beyond[k + 1]!;
  let sum = 0;
  for (let i = 0; i < few.size; i += 1) {
    const needed = (size - slack - step * (2 * (few.first + i) - cases)) / wide;
    const fewest = Math.ceil((needed + others) / 2) - many.first;
    if (fewest < many.size) sum += chances[i]! * beyond[Math.max(0, fewest)]!;
  }
  return Math.min(1, (2 * sum) / (few.sum * many.sum));
}

const scratch = [new Float64Array(0), new Float64Array(0)];

/** The chances of heads among tosses of a coin, up to a factor (their sum), as far as a float shows them. */
function tossed(tosses: number, use: 0 | 1): { first: number; size: number; chance: Float64Array; sum: number } {
  const width = (FAR * Math.sqrt(tosses)) / 2;
  const first = Math.max(0, Math.floor(tosses / 2 - width));
  const size = Math.min(tosses, Math.ceil(tosses / 2 + width)) + 1 - first;
  if (scratch[use]!.length < size) scratch[use] = new Float64Array(2 * size);
  const chance = scratch[use]!;
  // Of few tosses the numbers of ways are whole, and so exact.
  const middle = tosses <= WHOLE ? 0 : Math.floor(tosses / 2) - first;
  let sum = (chance[middle] = 1);
  for (let k = middle + 1; k < size; k += 1) sum += chance[k] = (chance[k - 1]! * (tosses - first - k + 1)) / (first + k);
  for (let k = middle - 1; k >= 0; k -= 1) sum += chance[k] = (chance[k + 1]! * (first + k + 1)) / (tosses - first - k);
  return { first, size, chance, sum };
}

/** P-values adjusted for how many there are (Holm); those that are not known count as 1. */
function holm(values: readonly number[], tests: number): number[] {
  const order = [...values.keys()].sort((a, b) => values[a]! - values[b]!);
  const found = Array<number>(values.length).fill(0);
  let highest = 0;
  order.forEach((place, rank) => {
    highest = Math.max(highest, Math.min(1, (tests - rank) * values[place]!));
    found[place] = highest;
  });
  return found;
}

/** The lead of the best setting over every other one that is known together with it, closest first. */
export function leads(
  settings: readonly (Setting | null)[],
  best: Setting,
  question: Question,
  known: Pairs,
  how: { readonly level: number; readonly z: number; readonly hand: boolean },
): Difference[] {
  const sets = settings.map((one) => one && setOf(one, question, how.hand));
  const widest = reach(best, question);
  const there = [...sets.keys()].filter((i) => sets[i]);
  const tests = (there.length * (there.length - 1)) / 2;
  const pairs = there.flatMap((i) => there.filter((j) => j > i).map((j) => [i, j] as const));
  const found = pairs.flatMap(([i, j]) => {
    const together = known(i, j);
    return together ? [{ i, j, ...difference(together, [sets[i]!, sets[j]!], how, widest) }] : [];
  });
  const adjusted = holm(
    found.map(({ p }) => p),
    tests,
  );
  const winner = settings.indexOf(best);
  const sign = CATALOGUE[compared(best, question)].direction === "higher" ? 1 : -1;
  return found
    .flatMap(({ i, j, value, low, high, p }, k): Difference[] => {
      if (i !== winner && j !== winner) return [];
      const ends = j === winner ? { value, low, high } : { value: 0 - value, low: 0 - high, high: 0 - low };
      const p_adjusted = tests > 1 ? adjusted[k]! : null;
      const rival = settings[i === winner ? j : i]!.model.name;
      return [
        {
          statistic: compared(best, question),
          models: [rival, best.model.name],
          ...ends,
          p_value: p,
          p_adjusted,
          significant: (p_adjusted ?? p) < missed(how.level),
        },
      ];
    })
    .sort((a, b) => sign * (a.value! - b.value!));
}
