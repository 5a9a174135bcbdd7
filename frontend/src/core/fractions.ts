// Exact numbers: a quotient of two integers, never reduced (a chain of operations here is short), rounded once at the end.

export interface Fraction {
  readonly n: bigint;
  readonly d: bigint; // above 0
}

export const frac = (n: bigint | number, d: bigint | number = 1n): Fraction => {
  const [top, bottom] = [BigInt(n), BigInt(d)];
  return bottom < 0n ? { n: -top, d: -bottom } : { n: top, d: bottom };
};

export const ZERO = frac(0n);
export const ONE = frac(1n);

export const add = (a: Fraction, b: Fraction): Fraction =>
  a.d === b.d ? { n: a.n + b.n, d: a.d } : { n: a.n * b.d + b.n * a.d, d: a.d * b.d };
export const neg = (a: Fraction): Fraction => ({ n: -a.n, d: a.d });
export const sub = (a: Fraction, b: Fraction): Fraction => add(a, neg(b));
export const mul = (a: Fraction, b: Fraction): Fraction => ({ n: a.n * b.n, d: a.d * b.d });
export const div = (a: Fraction, b: Fraction): Fraction => frac(a.n * b.d, a.d * b.n);
export const isZero = (a: Fraction): boolean => a.n === 0n;

/** The sign of a − b. */
export function compare(a: Fraction, b: Fraction): number {
  const gap = a.n * b.d - b.n * a.d;
  return gap > 0n ? 1 : gap < 0n ? -1 : 0;
}

const BITS = 53;
const view = new DataView(new ArrayBuffer(8));

/** The fraction that a finite float is. */
export function exactly(value: number): Fraction {
  if (Number.isSafeInteger(value)) return frac(BigInt(value));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const field = Number((bits >> 52n) & 0x7ffn);
  const mantissa = (bits & 0xfffffffffffffn) | (field ? 1n << 52n : 0n);
  const exponent = (field || 1) - 1075;
  const signed = bits >> 63n ? -mantissa : mantissa;
  return exponent >= 0 ? frac(signed << BigInt(exponent)) : frac(signed, 1n << BigInt(-exponent));
}

const bitLength = (value: bigint): number => (value === 0n ? 0 : value.toString(16).length * 4);

/** The float nearest to a fraction, ties to even. */
export function rounded(a: Fraction): number {
  if (a.n === 0n) return 0;
  const top = a.n < 0n ? -a.n : a.n;
  // A quotient of at least 66 bits with a sticky last bit: what is left to round is rounded by the conversion, once.
  const shift = BITS + 15 - (bitLength(top) - bitLength(a.d));
  const [up, down] = shift > 0 ? [top << BigInt(shift), a.d] : [top, a.d << BigInt(-shift)];
  const quotient = up / down;
  const sticky = quotient * down === up ? quotient : quotient | 1n;
  const size = scaled(Number(sticky), -shift);
  return a.n < 0n ? -size : size;
}

/** value · 2^power, in two steps where one power would leave the range of floats. */
function scaled(value: number, power: number): number {
  const half = Math.trunc(power / 2);
  return value * 2 ** half * 2 ** (power - half);
}

const DECIMAL = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/;

/** The fraction that decimal text says, exactly. */
export function decimal(text: string): Fraction {
  const found = DECIMAL.exec(text);
  if (!found) throw new RangeError(`not a number: ${text}`);
  const [, sign, whole = "", part = "", power = "0"] = found;
  const digits = BigInt(whole + part || "0");
  const exponent = Number(power) - part.length;
  const size = exponent >= 0 ? frac(digits * 10n ** BigInt(exponent)) : frac(digits, 10n ** BigInt(-exponent));
  return sign === "-" ? neg(size) : size;
}

const TYPED_DIGITS = 12;

/** What a float stands for: 0.001 is one thousandth, as it was typed; one that needs all its digits was computed, and is itself. */
export function meant(value: number): Fraction {
  const text = String(value);
  const digits = text.split("e")[0]!.replace(/[.-]/g, "").replace(/^0+/, "");
  // Python writes 5.0 where JavaScript writes 5: its zero counts as a digit.
  const count = digits.length + (Number.isInteger(value) && Math.abs(value) < 1e16 ? 1 : 0);
  return count <= TYPED_DIGITS ? decimal(text) : exactly(value);
}

/** A count as it stands in the document: a number, or decimal digits where a float would round it. */
export const counted = (value: number | string): Fraction => (typeof value === "string" ? frac(BigInt(value)) : exactly(value));
