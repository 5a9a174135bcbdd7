// Between which bounds the numbers of a setting lie: those of its rates, and what they leave of precision.
import type { Setting } from "./choosing.ts";

/** A lower and an upper bound; null on a side means none there. */
export type Bounds = readonly [number | null, number | null];

const NONE: Bounds = [null, null];

/** The bounds of a rate at a held point; none for a share of a tie. */
export function rateBounds(one: Setting, name: "tpr" | "fpr"): Bounds {
  const found = name === "tpr" ? one.model.held.tpr_bounds : one.model.held.fpr_bounds;
  return found && one.share === 1 ? [found[0][one.place] ?? null, found[1][one.place] ?? null] : NONE;
}

/** Precision where both rates stand at the ends of their bounds that are worse for it, and at those that are better. */
export function precisionBounds(one: Setting, prior: number): Bounds {
  const [[few, many], [least, most]] = [rateBounds(one, "tpr"), rateBounds(one, "fpr")];
  if (few === null && many === null && least === null && most === null) return NONE;
  const precision = (tpr: number, fpr: number): number => (prior * tpr) / (prior * tpr + (1 - prior) * fpr);
  return [few === null ? null : precision(few, most ?? 1), least === null ? null : precision(many ?? 1, least)];
}

const FEW = 10;

/** Whether what a setting shows rests on fewer cases of a class flagged than can bear it; weights do not say how many there were. */
export const isThin = ({ model, place }: Setting): boolean =>
  place > 0 && !model.held.weighted && Math.min(model.tp[place]!, model.fp[place]!) < FEW;
