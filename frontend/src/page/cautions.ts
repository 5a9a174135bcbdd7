// What to beware of in the answer that stands: few cases behind it, and models that cannot satisfy the rule.
import { isThin } from "../core/bounds.ts";
import { general, percent, quoted, short, total } from "../core/formats.ts";
import { capital, infeasible } from "../core/sentences.ts";
import { EXACT, knownEnds } from "./models.ts";
import type { Setting } from "../core/choosing.ts";
import type { Solution } from "../scenario.ts";

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
  const known = knownEnds(solution.given?.points[model.name], "precision");
  const least = known && known !== EXACT ? known[0] : null;
  return `${rests}${least === null ? "" : `: precision could be as low as ${short(least)} (its ${percent(level)} interval)`}.`;
}

/** Models that cannot satisfy the rule, where others can. */
function missing(solution: Solution): string[] {
  const said = nearestFeasible(solution);
  return said ? [said] : [];
}

/** Of models that cannot satisfy the rule, how near each of them gets; where thresholds are condensed, to within how much that is known. */
export function nearestFeasible({ models, settings, question }: Solution): string {
  const refused = models.filter((_, i) => !settings[i]);
  const said = refused.slice(0, MOST_NAMED).map((model) => {
    const why = infeasible(model, question);
    const { gap } = model.held;
    const known = gap ? ` (recall known to within ${general(gap.tpr, 2)}, false alarm rate to within ${general(gap.fpr, 2)})` : "";
    return `${models.length > 1 ? `${quoted(model.name)}: ${why}` : capital(why)}${known}.`;
  });
  const more = refused.length - said.length;
  return [...said, ...(more > 0 ? [`${more} more ${more === 1 ? "model" : "models"} cannot satisfy it either.`] : [])].join(" ");
}
