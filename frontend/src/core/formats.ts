// Numbers and names as Python writes them, digit by digit: `g` and `f` formats round the exact value, halves to even.
import type { Fraction } from "./fractions.ts";

export const UNDEFINED = "—";
const MOST_QUOTED = 40;

/** Whether what follows some digits of a decimal is exactly a half of the last one: then Python rounds to even, JavaScript up. */
const isHalf = (long: string, short: string): boolean => /^\.?5\.?0*$/.test(long.slice(short.length));

/** A number above 0 in so many significant digits, with its decimal exponent. */
function significant(value: number, count: number): [string, number] {
  const parts = (digits: number): [string, number] => {
    const [mantissa, power] = value.toExponential(digits - 1).split("e") as [string, string];
    return [mantissa.replace(".", ""), Number(power)];
  };
  const [nearest, exponent] = parts(count);
  const [long, same] = parts(Math.min(count + 60, 100));
  const even = same === exponent && isHalf(long, nearest) && Number(long[count - 1]) % 2 === 0;
  return [even ? long.slice(0, count) : nearest, exponent];
}

const signed = (exponent: number): string => `e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;

function special(value: number): string | null {
  if (Number.isNaN(value)) return "nan";
  return Number.isFinite(value) ? null : value > 0 ? "inf" : "-inf";
}

/** Python's format(value, ".{count}g"), with trailing zeros kept for "#". */
export function general(value: number, count: number, keepZeros = false): string {
  const odd = special(value);
  if (odd !== null) return odd;
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  const [digits, exponent] = value === 0 ? ["0".repeat(count), 0] : significant(Math.abs(value), count);
  const scientific = exponent < -4 || exponent >= count;
  const point = scientific ? 1 : exponent + 1;
  const padded = point <= 0 ? "0".repeat(1 - point) + digits : digits;
  const at = Math.max(point, 1);
  const part = keepZeros ? padded.slice(at) : padded.slice(at).replace(/0+$/, "");
  const dot = part || keepZeros ? "." : "";
  return `${sign}${padded.slice(0, at)}${dot}${part}${scientific ? signed(exponent) : ""}`;
}

/** Python's format(value, ".{places}f"). */
export function fixed(value: number, places: number): string {
  const odd = special(value);
  if (odd !== null) return odd;
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  const size = Math.abs(value);
  // toFixed knows numbers below 1e21; above, every float is whole.
  if (size >= 1e21) return `${sign}${BigInt(size)}${places ? `.${"0".repeat(places)}` : ""}`;
  const [nearest, long] = [size.toFixed(places), size.toFixed(Math.min(places + 60, 100))];
  const below = long.slice(0, nearest.length);
  const even = below !== nearest && isHalf(long, below) && /[02468]\.?$/.test(below);
  return `${sign}${even ? below.replace(/\.$/, "") : nearest}`;
}

/** A number in `count` significant digits, or in more where it would read as 1 and is less, with trailing zeros; a dash for what is undefined. */
export const digits = (value: number, count: number): string =>
  Number.isNaN(value) ? UNDEFINED : general(value, digitsApart(value, value, count), true).replace(/\.$/, "");

/** Python's round(value) to an integer, halves to even. */
export function whole(value: number): number {
  const nearest = Math.round(value);
  return nearest - value === 0.5 && nearest % 2 ? nearest - 1 : nearest + 0;
}

/** An integer with its thousands apart: 30,941. */
export const grouped = (value: bigint | number): string =>
  (typeof value === "number" && Math.abs(value) >= 1e21 ? String(BigInt(value)) : String(value)).replace(/\B(?=(\d{3})+$)/g, ",");

const wholeFromTen = (value: number, few: number): string =>
  Number.isNaN(value) ? UNDEFINED : Math.abs(value) >= 10 ? grouped(whole(value)) : general(value, few);

/** A number of cases as tables show it: whole from ten on, below with at most one decimal. */
export const cases = (value: number): string => wholeFromTen(value, Math.abs(value) >= 1 ? 2 : 1);

/** A cost of a volume: whole from ten on. */
export const costs = (value: number): string => wholeFromTen(value, 3);

/** A class total: a whole count grouped, a mass to six digits. */
export const total = (value: number | string, weighted: boolean): string => (weighted ? general(Number(value), 6) : grouped(BigInt(value)));

/** A bound of an interval, in a cell. */
export const short = (value: number, count = 3): string =>
  Math.abs(value) >= 1000 && Number.isFinite(value) ? grouped(whole(value)) : general(value, count);

/** How many significant digits it takes to see that two numbers differ from each other and from 1. */
export function digitsApart(low: number, high: number, least = 3): number {
  const seen = (count: number): boolean =>
    (low === high || general(low, count) !== general(high, count)) &&
    [low, high].every((end) => end >= 1 - 1e-12 || general(end, count) !== "1");
  let count = least;
  while (count < 17 && !seen(count)) count += 1;
  return count;
}

export const percent = (share: number): string => `${general(100 * share, 3)} %`;

/** Python's repr of a float: the shortest digits that say it. */
export function repr(value: number): string {
  const odd = special(value);
  if (odd !== null) return odd;
  const [mantissa, power] = value.toExponential().split("e") as [string, string];
  const exponent = Number(power);
  if (exponent < -4 || exponent >= 16) return `${mantissa}${signed(exponent)}`;
  const text = Object.is(value, -0) ? "-0" : String(value);
  return Number.isInteger(value) ? `${text}.0` : text;
}

/** A fraction as Python writes a limit: an integer, or the shortest decimal of its float. */
export function limit(value: Fraction, asNumber: number): string {
  const size = value.n < 0n ? -value.n : value.n;
  return value.n % value.d === 0n && size / value.d < 10n ** 15n ? String(value.n / value.d) : repr(asNumber);
}

const SHORT_ESCAPES: Record<string, string> = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}\u115f\u1160\u2800\u3164\uffa0\ufe00-\ufe0f]|(?! )\p{Zs}/gu;

/** Text with nothing that could steer or hide: control characters, direction marks, half a surrogate pair. */
export const escaped = (text: string): string =>
  text.replace(HIDDEN, (sign) => {
    const code = sign.codePointAt(0)!;
    const hex = code.toString(16);
    const long = code < 0x100 ? `\\x${hex.padStart(2, "0")}` : code < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
    return SHORT_ESCAPES[sign] ?? long;
  });

/** A name for a sentence or a cell: at most 40 characters, escaped. */
export function quoted(name: string): string {
  const letters = Array.from(name);
  return escaped(letters.length > MOST_QUOTED ? `${letters.slice(0, MOST_QUOTED - 1).join("")}…` : name);
}
