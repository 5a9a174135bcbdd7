// The first screen: the answer in words, what it comes to out of so many cases, and the four outcomes.
import { cases, digits, grouped, quoted, total, whole } from "../core/formats.ts";
import { brief, flaggedOfAll, valueOf } from "../core/sentences.ts";
import { rounded } from "../core/fractions.ts";
import type { Name } from "../core/catalogue.ts";
import type { Solution, State } from "../scenario.ts";
import type { Decided } from "../document.ts";
import { cautions, nearestFeasible } from "./cautions.ts";
import { h, say, unbroken } from "./dom.ts";

const QUIET = 500; // milliseconds without a change before the answer is read out

export interface Part {
  readonly element: HTMLElement;
  readonly update: (solution: Solution) => void;
}

/** What was decided over all that is uncertain, while the controls stand where they started. */
export type Over = (state: State) => Decided | null;

export function answer(over: Over, level: number): Part & { refuse: (text: string) => void } {
  const sentence = h("p", { class: "answer", id: "answer" });
  const plain = h("p", { class: "plain", id: "plain" });
  const caution = h("p", { class: "caution", id: "caution" });
  const spoken = h("p", { class: "unseen", "aria-live": "polite", id: "spoken" });
  let timer = 0;
  const tell = (text: string, more: string, beware: string): void => {
    say(sentence, unbroken(text));
    say(plain, unbroken(more));
    say(caution, unbroken(beware));
    caution.hidden = !beware;
    clearTimeout(timer);
    timer = setTimeout(() => say(spoken, [text, more, beware].filter(Boolean).join(" ")), QUIET);
  };
  return {
    element: h("div", {}, sentence, plain, caution, spoken),
    update: (solution) => {
      sentence.classList.remove("refused");
      const [decided, numbers, beware] = [over(solution.state), inPlainNumbers(solution), cautions(solution, level).join(" ")];
      if (decided) tell(decided.sentence, `${decided.lead} ${inside(solution.sentence)} ${numbers}`, beware);
      else tell(solution.sentence, numbers, beware);
    },
    refuse: (text) => {
      sentence.classList.add("refused");
      tell(text, "", "");
    },
  };
}

/** A sentence that goes on after others. */
const inside = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

const reader = (solution: Solution) => {
  const { question, chosen } = solution;
  return (name: Name): number => valueOf(name, chosen[0]!, question);
};

/** What the answer comes to, in numbers of cases. */
function inPlainNumbers(solution: Solution): string {
  const one = solution.chosen[0];
  if (!one) return nearestFeasible(solution);
  const value = reader(solution);
  const volume = grouped(whole(solution.state.volume));
  const all = flaggedOfAll(one, solution.question);
  if (all) {
    const [flagged, scored] = [all.flagged, all.cases].map((count) => grouped(whole(rounded(count)))) as [string, string];
    const seen = `as it flags ${flagged} of all ${scored} that were scored, with and without a label`;
    const real = Number.isNaN(value("nne")) ? "no alert is real" : `1 alert in ${many(value("nne"))} is real`;
    return `Of ${volume} cases a day ${quoted(one.model.name)} flags ${cases(value("alerts"))}, ${seen}; of those with a label, ${real}.`;
  }
  const positives = cases(value("caught") + value("missed"));
  const flags = `Of ${volume} cases a day ${positives} ${positives === "1" ? "is" : "are"} positive: ${quoted(one.model.name)} flags ${cases(value("alerts"))}`;
  if (value("alerts") === 0) return `${flags}, and so catches none.`;
  const share = Number.isNaN(value("nne")) ? "none of the alerts is real" : `1 alert in ${many(value("nne"))} is real`;
  return `${flags}, catches ${cases(value("caught"))} and misses ${cases(value("missed"))}; ${share}.`;
}

const many = (value: number): string => (value >= 999.5 ? grouped(whole(value)) : digits(value, 3));

/** The outcomes of so many cases, as a table. */
export function outcomes(over: Over): Part {
  const caption = h("caption");
  const body = h("tbody");
  const heads = ["", "positive", "negative", "together"].map((text) => (text ? h("th", { scope: "col" }, text) : h("td")));
  const table = h("table", { class: "outcomes", id: "outcomes" }, caption, h("thead", {}, h("tr", {}, ...heads)), body);
  const why = h("p", { class: "hint", hidden: true }, "How many of the cases without a label are positive is not known.");
  const cellsOf = new Map<string, HTMLElement>();
  for (const row of ["flagged", "not flagged", "together"]) {
    const cells = ["positive", "negative", "together"].map((column) => {
      const cell = h("td", { class: `${row} ${column}`.replace("not flagged", "passed") });
      cellsOf.set(`${row} ${column}`, cell);
      return cell;
    });
    body.append(h("tr", {}, h("th", { scope: "row" }, row), ...cells));
  }
  const put = (row: string, ...values: number[]): void =>
    values.forEach((value, i) => say(cellsOf.get(`${row} ${["positive", "negative", "together"][i]}`)!, unbroken(cases(value))));
  return {
    element: h(
      "section",
      { class: "card", "aria-labelledby": "outcomes-title" },
      h("h2", { id: "outcomes-title" }, "What happens in a day"),
      table,
      why,
    ),
    update: (solution) => {
      const one = solution.chosen[0];
      // How many of the cases without a label are positive is not known: what their alerts come to is not, either.
      const unknown = Boolean(one && flaggedOfAll(one, solution.question));
      table.hidden = !one || unknown;
      why.hidden = !unknown;
      if (!one || unknown) return;
      const lead = over(solution.state)?.lead;
      const where = `${quoted(one.model.name)}, ${brief(one)}, out of ${grouped(whole(solution.state.volume))} cases`;
      say(caption, unbroken(lead ? `${lead} ${where}` : where));
      const value = reader(solution);
      const { volume } = solution.state;
      // The same sums as Python's, so that the last digit is the same too.
      const passed = volume - value("alerts");
      const clear = passed - value("missed");
      put("flagged", value("caught"), value("false_alarms"), value("alerts"));
      put("not flagged", value("missed"), clear, passed);
      put("together", value("caught") + value("missed"), value("false_alarms") + clear, volume);
    },
  };
}

/** The totals of a sample, in words. */
export const sampleSaid = (positives: number | string, negatives: number | string, weighted: boolean): string =>
  `${total(positives, weighted)} positives, ${total(negatives, weighted)} negatives`;
