// What to beware of in the answer that stands: few cases behind it, and points that are not held.
import { precisionBounds, isThin } from "../core/bounds.ts";
import { grouped, percent, quoted, short, total } from "../core/formats.ts";
import { isThinned, type Model } from "../core/points.ts";
import { ruleSaid } from "../core/rules.ts";
import type { Setting } from "../core/choosing.ts";
import { mayKeep, type Solution } from "../scenario.ts";

const MOST_NAMED = 3;

export function cautions(solution: Solution, level: number): string[] {
  const thin = solution.chosen.filter(isThin).slice(0, MOST_NAMED);
  return [...thin.map((one) => restsOn(one, solution, level)), ...(solution.chosen.length ? missing(solution) : [])];
}

function restsOn(one: Setting, solution: Solution, level: number): string {
  const { model, place } = one;
  const { held } = model;
  const flagged = (seen: number | string, all: number | string, what: string): string =>
    `${total(seen, held.weighted)} of ${total(all, held.weighted)} ${what}`;
  const seen = `${flagged(held.tp[place]!, held.positives, "positives")} and ${flagged(held.fp[place]!, held.negatives, "negatives")} flagged`;
  const rests = `${quoted(model.name)} rests on ${one.share === 1 ? "" : "no more than "}${seen}`;
  if (solution.given) {
    const known = solution.given.points[model.name]?.intervals?.["precision"];
    const least = known && known.side !== "upper" ? known.low : null;
    return `${rests}${least === null ? "" : `: precision could be as low as ${short(least)} (its ${percent(level)} interval)`}.`;
  }
  const [low] = precisionBounds(one, solution.priors[solution.settings.indexOf(one)]!);
  if (low === null) return `${rests}.`;
  const ends = `where recall and false alarm rate are both at the worse ends of their bounds (${percent(level)} each)`;
  return `${rests}: precision could be as low as ${short(low)}, ${ends}.`;
}

/** Models of which no held point keeps the rule, where one that is not held may. */
function missing(solution: Solution): string[] {
  const models = solution.models.filter((model, i) => !solution.settings[i] && mayKeep(model, solution));
  return models.length ? [notHeld(models, solution)] : [];
}

/** How many points are held of these models, and who reads all of them. */
export function notHeld(models: readonly Model[], solution: Solution): string {
  const shares = models
    .filter(isThinned)
    .map(({ name, held }) => `${quoted(name)}: ${grouped(held.tp.length)} of ${grouped(held.distinct + 1)} points are held`);
  const rule = ruleSaid(solution.question.terms);
  return `${shares.join("; ")}. None of these satisfies the rule, another threshold may: baserate choose with "${rule}" searches all of them.`;
}
