// Axes: where a number lies on the page, and which numbers are written beside it.
import { general, grouped } from "../core/formats.ts";

export interface Axis {
  readonly place: (value: number) => number;
  readonly ticks: readonly { readonly value: number; readonly text: string }[];
}

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** A rate on an axis. */
export function rate(value: number): string {
  if (value === 0 || Math.abs(value) >= 0.001) return general(value, 3);
  const power = Math.round(Math.log10(value));
  const exact = Math.abs(10 ** power / value - 1) < 1e-9;
  return exact ? `10⁻${Array.from(String(-power), (digit) => SUPERSCRIPTS[Number(digit)]).join("")}` : general(value, 2);
}

/** A number of cases on an axis. */
export function amount(value: number): string {
  for (const [unit, name] of [
    [1e9, "bn"],
    [1e6, "M"],
    [1e4, "k"],
  ] as const) {
    if (value >= unit) return `${general(value / (name === "k" ? 1e3 : unit), 3)}${name}`;
  }
  return Number.isInteger(value) ? grouped(value) : general(value, 2);
}

/** An even axis; what lies beyond its ends is drawn at them, or beyond them where it is open. */
export function linear(
  domain: readonly [number, number],
  range: readonly [number, number],
  text: (value: number) => string,
  open = false,
): Axis {
  const factor = (range[1] - range[0]) / (domain[1] - domain[0]);
  const kept = (value: number): number => (open ? value : Math.min(domain[1], Math.max(domain[0], value)));
  const place = (value: number): number => range[0] + (kept(value) - domain[0]) * factor;
  return { place, ticks: steps(domain, 5).map((value) => ({ value, text: text(value) })) };
}

/** Round numbers from one end to the other: about as many as are wanted, in steps of 1, 2 or 5. */
export function steps([low, high]: readonly [number, number], count: number): number[] {
  const rough = (high - low) / count;
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = size * (rough / size >= 7.07 ? 10 : rough / size >= 3.16 ? 5 : rough / size >= 1.41 ? 2 : 1);
  const [first, last] = [Math.ceil(low / step - 1e-9), Math.floor(high / step + 1e-9)];
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

const MOST_TICKS = 6;

/** A logarithmic axis; what lies below its start, 0 too, is drawn at the start, or before it where it is open. */
export function logarithmic(
  [low, high]: readonly [number, number],
  range: readonly [number, number],
  text: (value: number) => string,
  open = false,
): Axis {
  const decades = Math.log10(high / low);
  const factor = (range[1] - range[0]) / decades;
  const least = open ? low / 100 : low;
  const place = (value: number): number => range[0] + (value >= high ? decades : Math.log10(Math.max(value, least) / low)) * factor;
  const [first, last] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
  const whole = Array.from({ length: last - first + 1 }, (_, i) => Number(`1e${first + i}`));
  const every = Math.ceil(whole.length / MOST_TICKS);
  const shown = whole.filter((_, i) => (whole.length - 1 - i) % every === 0);
  return { place, ticks: shown.map((value) => ({ value, text: text(value) })) };
}

/** A share close to 1, spread out by the logarithm of what it lacks: 0, 0.9, 0.99, 0.999. */
export function nearlyOne(least: number, range: readonly [number, number]): Axis {
  const rest = logarithmic([least, 1], [range[1], range[0]], rate);
  return {
    place: (value) => rest.place(1 - value),
    ticks: rest.ticks.map(({ value }) => ({ value: 1 - value, text: general(1 - value, 12) })),
  };
}
