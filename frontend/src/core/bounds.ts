// Between which bounds a rate lies.
import type { Setting } from "./choosing.ts";
import { rounded } from "./fractions.ts";

/** A lower and an upper bound; null on a side means none there. */
export type Bounds = readonly [number | null, number | null];

const NONE: Bounds = [null, null];
const FEW = 10;

/** What was bounded already: no condition changes it. */
const known = new WeakMap<Float64Array, Map<number, Bounds>>();

/** The bounds of a rate at a threshold; none for a share of a tie. */
export function rateBounds({ model, place, share }: Pick<Setting, "model" | "place" | "share">, name: "tpr" | "fpr"): Bounds {
  const { bounds } = model.held;
  if (!bounds || share !== 1) return NONE;
  const [flagged, cases] = name === "tpr" ? [model.tp, model.positives] : [model.fp, model.negatives];
  const seen = known.get(flagged) ?? new Map<number, Bounds>();
  known.set(flagged, seen);
  const found = seen.get(place) ?? shareBounds(flagged[place]!, rounded(cases), bounds);
  seen.set(place, found);
  return found;
}

/** Wilson's bounds of a share; Clopper and Pearson's where fewer than ten lie on one side, and of none, or all, the one that says something. */
export function shareBounds(seen: number, cases: number, { level, z }: { level: number; z: number }): Bounds {
  const rest = cases - seen;
  if (Math.min(seen, rest) >= FEW) {
    const [centre, spread] = [seen + (z * z) / 2, z * Math.sqrt(seen * (rest / cases) + (z * z) / 4)];
    return [(centre - spread) / (cases + z * z), (centre + spread) / (cases + z * z)];
  }
  const tail = seen && rest ? (1 - level) / 2 : 1 - level;
  const few = Math.min(seen, rest);
  const [low, high] = [few ? shareWith(few - 1, cases, 1 - tail) : 0, few < cases ? shareWith(few, cases, tail) : 1];
  const ends = few === seen ? [low, high] : [1 - high, 1 - low];
  return [seen ? ends[0]! : null, rest ? ends[1]! : null];
}

/** The share at which this number of cases, or fewer, is seen with this probability. */
function shareWith(seen: number, cases: number, probability: number): number {
  const likely = (share: number): number => {
    let [term, sum] = [Math.exp(cases * Math.log1p(-share)), 0];
    for (let k = 0; k <= seen; k += 1) {
      sum += term;
      term *= ((cases - k) / (k + 1)) * (share / (1 - share));
    }
    return sum;
  };
  let [low, high] = [0, 1];
  for (let middle = 0.5; middle > low && middle < high; middle = (low + high) / 2) {
    if (likely(middle) > probability) low = middle;
    else high = middle;
  }
  return low;
}

/** Whether what a setting shows rests on fewer cases of a class flagged than can bear it; weights do not say how many there were. */
export const isThin = ({ model, place }: Setting): boolean =>
  place > 0 && !model.held.weighted && Math.min(model.tp[place]!, model.fp[place]!) < FEW;
