// Rules as people write them: "recall >= 0.8 and posfrac <= 1%", "alerts <= 200".
import { CATALOGUE, named, type Name } from "./catalogue.ts";
import { compare, div, frac, ONE, rounded, type Fraction } from "./fractions.ts";
import { limit } from "./formats.ts";
import { number, Refusal, withoutThousands } from "./notations.ts";

export interface Term {
  readonly measure: Name;
  readonly sense: ">=" | "<=";
  readonly limit: Fraction;
}

const TERM = /^([^(<>=≤≥]+)\s*(>=|<=|≥|≤|=>|=<|==|=|>|<)\s*([^<>=≤≥]+)$/s;
const SENSES: Record<string, ">=" | "<="> = { ">=": ">=", "≥": ">=", "<=": "<=", "≤": "<=" };
const UNIT = /\s*(?:\/|per)\s*(?:an?\s+)?[a-z]+\s*$/i;
const WRITE = "write rules such as “tpr >= 0.8 and posfrac <= 1%” or “alerts <= 200”";

/** The terms of a rule; all of them must hold. */
export function parseRule(text: string, volume: number | null): Term[] {
  if (!text.trim()) throw new Refusal(`The rule is empty: ${WRITE}.`);
  return text
    .trim()
    .split(/\s+and\s+/i)
    .map((part) => term(part, volume));
}

function term(text: string, volume: number | null): Term {
  const found = TERM.exec(text);
  if (!found) throw new Refusal(`Cannot read “${text}” as a rule: ${WRITE}.`);
  const [, words, sign, written] = found as unknown as [string, string, string, string];
  const sense = SENSES[sign];
  if (!sense) throw new Refusal(`A limit is written >= or <=, not “${sign}”.`);
  const measure = named(words);
  if (!measure) throw new Refusal(`“${words.trim()}” is no measure that this page reads; baserate choose knows them all.`);
  const definition = CATALOGUE[measure];
  const counts = definition.volume;
  if (counts && volume === null) throw new Refusal(`${measure}: of how many cases? Give the volume.`);
  const size = limitOf(measure, written, counts);
  const [low, high] = definition.range;
  const near = rounded(size);
  if (near < low || near > high || Math.abs(near) > 1e200)
    throw new Refusal(`${measure} lies between ${low} and ${high}, got ${written.trim()}.`);
  return { measure, sense, limit: size };
}

function limitOf(measure: Name, written: string, counts: boolean): Fraction {
  const bare = (counts ? written.replace(UNIT, "") : written).trim();
  const isPercent = bare.endsWith("%");
  const value = number(withoutThousands(bare.replace(/%$/, "").trim()));
  if (!value) throw new Refusal(`“${written.trim()}” is not a number.`);
  if (isPercent && counts) throw new Refusal(`${measure} counts cases: a percentage limits posfrac instead.`);
  if (measure === "alerts" && compare(value, ONE) < 0) throw new Refusal("A budget is 1 alert or more; or limit posfrac.");
  return isPercent ? div(value, frac(100)) : value;
}

/** The tightest budget among the terms. */
export function budgetOf(terms: readonly Term[]): Term | null {
  const budgets = terms.filter((one) => one.measure === "alerts" && one.sense === "<=");
  return budgets.reduce<Term | null>((best, one) => (best && compare(best.limit, one.limit) <= 0 ? best : one), null);
}

/** The rule by canonical names. */
export const ruleSaid = (terms: readonly Term[]): string =>
  terms.map((one) => `${one.measure} ${one.sense} ${limit(one.limit, rounded(one.limit))}`).join(" and ");

/** Values that differ by at most this share of the best of them, or from a limit by this share of it, are equal. */
export const TOLERANCE = 1e-12;

/** What tests values by a term; an undefined one does not satisfy it. */
export function testOf(one: Term): (value: number) => boolean {
  const limit = rounded(one.limit);
  const slack = TOLERANCE * Math.abs(limit);
  return one.sense === ">=" ? (value) => value >= limit - slack : (value) => value <= limit + slack;
}
