// What it costs to keep a threshold where the base rate is another than was assumed.
import { falseAlarm, miss } from "./conditions.ts";
import { isSeveral, type Question, type Setting } from "./choosing.ts";
import { rounded } from "./fractions.ts";
import { read } from "./measures.ts";
import type { Model } from "./points.ts";
import { budgetOf, TOLERANCE } from "./rules.ts";

const SMALL = 0.01; // of the budget: a smaller tie is not split

/** A threshold that is kept, and what is lost at each base rate beside the best threshold of its model there. */
export class Keeping {
  private readonly tpr: number;
  private readonly fpr: number;
  private readonly missed: number;
  private readonly alarm: number;
  /** The most alerts that can be checked, as a share of all cases. */
  private readonly budget: number;

  private readonly model: Model;

  constructor(
    one: Setting,
    { at, terms, volume }: Question,
    /** Whether only misses are counted, as where alerts have a budget and errors no costs. */
    readonly inMisses: boolean,
  ) {
    this.model = one.model;
    [this.tpr, this.fpr] = [read("tpr", one.confusion, at), read("fpr", one.confusion, at)];
    [this.missed, this.alarm] = inMisses ? [1, 0] : [rounded(miss(at.costs)), rounded(falseAlarm(at.costs))];
    const budget = budgetOf(terms);
    this.budget = budget && volume ? rounded(budget.limit) / volume : Infinity;
  }

  private loss(prior: number, tpr: number, fpr: number): number {
    return prior * this.missed * (1 - tpr) + (1 - prior) * this.alarm * fpr;
  }

  /** The share of all cases that the kept threshold flags at a base rate. */
  flagged(prior: number): number {
    return prior * this.tpr + (1 - prior) * this.fpr;
  }

  /** Whether it flags more cases than can be checked. */
  isOver(prior: number): boolean {
    return this.flagged(prior) > this.budget * (1 + TOLERANCE);
  }

  /** The average loss of a case. Of more alerts than can be checked, an even share is. */
  total(prior: number): number {
    const share = this.isOver(prior) ? this.budget / this.flagged(prior) : 1;
    return this.loss(prior, share * this.tpr, share * this.fpr);
  }

  /** How much of it the best threshold would save; for a drawing, the best of some places that cannot be told from the others. */
  at(prior: number, some: readonly number[] | null = null): number {
    return Math.max(0, this.total(prior) - this.least(prior, some));
  }

  /** The least loss of all thresholds within the budget. */
  private least(prior: number, some: readonly number[] | null): number {
    const { tpr, fpr, held } = this.model;
    const at = (place: number): number => this.loss(prior, tpr[place]!, fpr[place]!);
    const last = this.lastWithin(prior);
    let least = at(0);
    let corner = 0;
    for (const place of held.hull) {
      if (place > last) break;
      least = Math.min(least, at(place));
      corner = place;
    }
    if (last === tpr.length - 1) return least;
    // Behind the last corner of the hull that is within the budget, any threshold may be the best.
    if (some) for (const place of some) least = place > corner && place < last ? Math.min(least, at(place)) : least;
    for (let place = some ? last : corner + 1; place <= last; place += 1) least = Math.min(least, at(place));
    return Math.min(least, this.splitTie(prior, last));
  }

  private share(prior: number, place: number): number {
    return prior * this.model.tpr[place]! + (1 - prior) * this.model.fpr[place]!;
  }

  /** The last threshold that flags no more than the budget. */
  private lastWithin(prior: number): number {
    let [low, high] = [0, this.model.tpr.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.share(prior, middle) <= this.budget * (1 + TOLERANCE)) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The loss where the budget ends inside a large tie, of which a share is flagged. */
  private splitTie(prior: number, last: number): number {
    const { tpr, fpr } = this.model;
    const [before, after] = [this.share(prior, last), this.share(prior, last + 1)];
    if (after - before <= SMALL * this.budget || !isSeveral(this.model, last)) return Infinity;
    const part = (this.budget - before) / (after - before);
    const between = (rates: Float64Array): number => rates[last]! + part * (rates[last + 1]! - rates[last]!);
    return this.loss(prior, between(tpr), between(fpr));
  }
}
