// What people write for a base rate: 0.1%, 1 in 1000, 1:999, 1e-4, 12 per 100k. Read exactly, or refused with what to write instead.
import { add, compare, decimal, div, frac, ONE, rounded, ZERO, type Fraction } from "./fractions.ts";

const NUMBER = String.raw`[+-]?(?:\d+(?:_\d+)*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?`;
const ALONE = new RegExp(`^${NUMBER}$`);
const WHOLE = new RegExp(String.raw`^(${NUMBER})\s*(%|ppm|‰)?$`);
const SHARE = new RegExp(String.raw`^(${NUMBER})\s*(in|per|/|:|to|out of)\s*(${NUMBER})?\s*([a-z]*)$`);
const THOUSANDS = /(?<![\d.,])[1-9]\d{0,2}(?:[,\u00a0\u202f\u2009 ]\d{3})+(?![\d.,])/g;
const UNITS = new Map<string, number>(
  Object.entries({ "": 1, k: 1e3, thousand: 1e3, m: 1e6, million: 1e6, bn: 1e9, billion: 1e9, mille: 1e3, cent: 1e2 }),
);
const SCALES: Record<string, number> = { "": 1, "%": 100, "‰": 1000, ppm: 1e6 };
const LONGEST = 80;
const MOST_DIGITS = 400;
const SMALLEST_PRIOR = 1e-30;
const WRITE_PRIOR = 'write it as 0.001, "0.1%", "1 in 1000", "1:999" or "12 per 100k"';

/** Something that cannot be read, in one line that also says how to mend it. */
export class Refusal extends Error {}

/** A plain decimal number, or null. */
export function number(text: string): Fraction | null {
  const bare = text.trim();
  if (bare.length > LONGEST || !ALONE.test(bare)) return null;
  const exponent = /[eE]([+-]?\d+)/.exec(bare);
  if (exponent && Math.abs(Number(exponent[1])) > MOST_DIGITS) return null;
  return decimal(bare.replaceAll("_", ""));
}

export const withoutThousands = (text: string): string => text.replace(THOUSANDS, (found) => found.replace(/\D/g, ""));

/** A share in any notation, or null where the text is none. */
function share(text: string): Fraction | null {
  if (text.length > LONGEST) return null;
  const bare = withoutThousands(text.trim().toLowerCase());
  const alone = WHOLE.exec(bare);
  if (alone) {
    const value = number(alone[1]!);
    return value && div(value, frac(SCALES[alone[2] ?? ""]!));
  }
  const ratio = SHARE.exec(bare);
  const unit = ratio && UNITS.get(ratio[4]!);
  if (!ratio || !unit || (ratio[3] === undefined && !ratio[4])) return null;
  const [part, whole] = [number(ratio[1]!), number(ratio[3] ?? "1")];
  if (!part || !whole || compare(whole, ZERO) <= 0) return null;
  const all = { n: whole.n * BigInt(unit), d: whole.d };
  if (ratio[2] !== ":" && ratio[2] !== "to") return div(part, all);
  return compare(part, ZERO) < 0 ? null : div(part, add(part, all));
}

/** A base rate strictly between 0 and 1, exactly as written. */
export function prior(text: string): Fraction {
  const value = share(text);
  if (!value || compare(value, ZERO) < 0) throw new Refusal(`The base rate “${text.trim()}” is not a share: ${WRITE_PRIOR}.`);
  if (compare(value, ZERO) === 0) throw new Refusal("A base rate of 0 means no positives ever: use a small one, such as 1e-6.");
  if (compare(value, ONE) >= 0) throw new Refusal(`The base rate must lie strictly between 0 and 1, got ${text.trim()}: ${WRITE_PRIOR}.`);
  const near = rounded(value);
  if (near < SMALLEST_PRIOR || near >= 1) throw new Refusal(`The base rate ${text.trim()} cannot be told from 0 or 1.`);
  return value;
}
