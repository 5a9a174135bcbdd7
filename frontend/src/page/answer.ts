// The first screen: the answer in two plain sentences, how far it can be trusted, and what happens to the cases of a period.
import { rateBounds } from "../core/bounds.ts";
import { unbeaten, type Setting } from "../core/choosing.ts";
import { cases, general, grouped, quoted, total, whole } from "../core/formats.ts";
import { brief, finds, spends, flaggedOfAll, headline, valueOf } from "../core/sentences.ts";
import { exactly, rounded } from "../core/fractions.ts";
import type { Name } from "../core/catalogue.ts";
import type { Solution } from "../scenario.ts";
import type { Difference, Span } from "../document.ts";
import { cautions, nearestFeasible } from "./cautions.ts";
import { h, put, s, say, unbroken } from "./dom.ts";
import { span } from "./models.ts";

const QUIET = 500; // milliseconds without a change before the answer is read out

export interface Part {
  readonly element: HTMLElement;
  readonly update: (solution: Solution) => void;
}

export function answer(level: number): Part & { refuse: (text: string) => void } {
  const use = h("p", { class: "use", id: "use" });
  const plain = h("p", { class: "plain", id: "plain" });
  const chips = h("p", { class: "chips", id: "chips" });
  const caution = h("p", { class: "caution", id: "caution" });
  const sentence = h("p", { id: "answer" });
  const full = h("details", { class: "full" }, h("summary", {}, "In full"), sentence);
  const spoken = h("p", { class: "unseen", "aria-live": "polite", id: "spoken" });
  let timer = 0;
  const tell = (said: string, more: string, text: string, beware: string): void => {
    say(use, unbroken(said));
    say(plain, unbroken(more));
    say(sentence, unbroken(text));
    say(caution, unbroken(beware));
    caution.hidden = !beware;
    clearTimeout(timer);
    timer = setTimeout(() => say(spoken, [said, more, beware].filter(Boolean).join(" ")), QUIET);
  };
  return {
    element: h("section", { class: "card said", "aria-label": "Answer" }, use, plain, chips, caution, full, spoken),
    update: (solution) => {
      use.classList.remove("refused");
      const beware = cautions(solution, level).join(" ");
      const found = chipsOf(solution);
      if (chips.dataset["said"] !== JSON.stringify(found)) {
        chips.dataset["said"] = JSON.stringify(found);
        chips.replaceChildren(...found.map(([kind, text]) => h("span", { class: `chip ${kind}` }, unbroken(text))));
      }
      const { chosen, baselines, question, state, over } = solution;
      const said = headline(chosen, over ? [] : baselines, question, state.mode === "hand");
      tell(said, inPlainNumbers(solution) + (over ? spread(solution) : ""), solution.sentence, beware);
    },
    refuse: (text) => {
      use.classList.add("refused");
      tell(text, "", "", "");
    },
  };
}

/** What a recommendation over ranges comes to at the ends of the base rate. */
function spread({ over, chosen, question }: Solution): string {
  const [one, ends] = [chosen[0], over?.priors];
  if (!one || !ends) return "";
  const at = (name: Name): string =>
    ends.map((prior) => cases(valueOf(name, one, { ...question, at: { ...question.at, prior: exactly(prior) } }))).join(" to ");
  return ` That is in the middle of what was given; over its base rates it finds ${at("caught")} in ${at("alerts")} alerts.`;
}

/** How many of a period's positives are found, between which bounds: those of Python, or what the bounds of recall leave. */
function caughtSpan(one: Setting, solution: Solution): readonly [number | null, number | null] {
  const known = solution.given?.points[one.model.name]?.intervals;
  const ends = (found: Span): readonly [number | null, number | null] => [
    found.side === "upper" ? null : found.low,
    found.side === "lower" ? null : found.high,
  ];
  const { volume } = solution.state;
  if (known?.["caught"] && solution.given?.volume === volume) return ends(known["caught"]);
  const rates = known ? (known["tpr"] ? ends(known["tpr"]) : ([null, null] as const)) : rateBounds(one, "tpr");
  const positives = solution.priors[solution.settings.indexOf(one)]! * volume;
  return [rates[0] === null ? null : rates[0] * positives, rates[1] === null ? null : rates[1] * positives];
}

/** What the answer comes to, in numbers of cases. */
function inPlainNumbers(solution: Solution): string {
  const { chosen, question, state } = solution;
  const one = chosen[0];
  if (!one) return nearestFeasible(solution);
  const all = flaggedOfAll(one, question);
  const { words } = state;
  if (all) {
    const [flagged, scored] = [all.flagged, all.cases].map((count) => grouped(whole(rounded(count)))) as [string, string];
    const precision = valueOf("precision", one, question);
    const real = precision > 0 ? `1 alert in ${cases(1 / precision)} is real` : "no alert is real";
    const volume = grouped(whole(state.volume));
    const seen = `as it flags ${flagged} of all ${scored} that were scored, with and without a label`;
    return `Of ${volume} ${words.unit} a ${words.period} it flags ${cases(valueOf("alerts", one, question))}, ${seen}; of those with a label, ${real}.`;
  }
  const ends = solution.over ? [] : solution.baselines;
  const said = finds(
    chosen,
    solution.second,
    ends,
    question,
    words,
    span(...caughtSpan(one, solution), valueOf("caught", one, question), true),
  );
  return unbeaten(solution.baselines, one, question) && state.mode !== "hand"
    ? said
    : said + spends(one, solution.baselines, question, words);
}

type Chip = readonly ["good" | "warn" | "plain", string];

/** Whether the lead is clear, and whether the answer rests on few cases. */
function chipsOf(solution: Solution): Chip[] {
  const { chosen, baselines, question, state, over } = solution;
  const one = chosen[0];
  if (!one) return [["warn", "No threshold satisfies the rule"]];
  const base = state.mode === "hand" || over ? null : unbeaten(baselines, one, question);
  const found: Chip[] = [];
  if (base) found.push(["warn", `No better than ${base.name.replace("flag", "flagging")}`]);
  else if (over) found.push(["plain", "Least regret over the ranges given"]);
  else found.push(...leads(solution));
  const { model, place } = one;
  const { held } = model;
  if (place > 0 && !held.weighted && Math.min(model.tp[place]!, model.fp[place]!) < FEW)
    found.push([
      "warn",
      `Rests on few cases: ${total(held.tp[place]!, false)} true and ${total(held.fp[place]!, false)} false alarms seen`,
    ]);
  return found;
}

const FEW = 10;

/** What the tests say of the lead. */
function leads({ given, lead: { differences, untested }, second, chosen, question, settings }: Solution): Chip[] {
  const over = given?.lead_over_baseline ?? null;
  const name = (text: string): string => quoted(text);
  if (over && !over.significant) return [["warn", `Cannot tell from flagging ${over.models[0]!.split(" ")[1]}`]];
  if (!second) {
    if (over) return [["good", `Clearly better than flagging ${over.models[0]!.split(" ")[1]}`]];
    return given?.baseline_untested ? [["plain", `Not tested against flagging nothing or everything: ${given.baseline_untested}`]] : [];
  }
  if (!differences.length) return [["plain", `Lead not tested: ${untested}`]];
  const close = differences.filter((one) => !one.significant);
  const rival = differences.find((one) => one.models[0] === second.model.name) ?? differences[0]!;
  const models = settings.filter(Boolean).length;
  const pairs = (models * (models - 1)) / 2;
  const p = Math.min(...close.map((one) => one.p_adjusted ?? 1));
  const allowed = pairs > 1 ? `; p = ${general(p, 2)}, allowing for ${pairs} comparisons` : "";
  if (!close.length) return [["good", `Clear lead: ${gapSaid(rival, question.at)}`]];
  const rivals = close.length > 2 ? `${close.length} others` : close.map((one) => name(one.models[0]!)).join(" and ");
  return [["warn", `Cannot tell ${quoted(chosen[0]!.model.name)} from ${rivals}: ${gapSaid(rival, question.at)}${allowed}`]];
}

/** A difference of two models, in the direction of the better: "0.0035 less per case (−0.0008 to 0.0079)". */
function gapSaid(one: Difference, at: Solution["question"]["at"]): string {
  const caught = one.statistic === "caught";
  const sign = caught || at.earned ? 1 : -1;
  const [value, ...ends] = [one.value, one.low, one.high].map((end) => (end ?? Number.NaN) * sign) as [number, number, number];
  const [low, high] = ends.sort((a, b) => a - b) as [number, number];
  const text = (end: number): string => (caught ? cases(end) : general(end, 2)).replace("-", "−");
  const what = caught
    ? "more found"
    : at.costsGiven
      ? at.earned
        ? "more profit per case"
        : "less cost per case"
      : "fewer errors per case";
  return `${text(value)} ${what} (${text(low)} to ${text(high)})`;
}

const reader =
  (one: Setting, { question }: Solution) =>
  (name: Name): number =>
    valueOf(name, one, question);

/** One bar of what happens to the cases of a period: missed, found, false alarms, to one scale for all models. */
class Bar {
  private readonly name = h("strong");
  private readonly parts = [s("rect", { class: "missed" }), s("rect", { class: "found" }), s("rect", { class: "alarms" })] as const;
  private readonly whiskers = [s("path", { class: "whisker" }), s("path", { class: "whisker" })] as const;
  private readonly texts = ["found", "missed", "alarms", "rest"].map((kind) => h("span", { class: `outcome ${kind}` }));
  readonly element = h(
    "div",
    { class: "bar" },
    h("div", {}, this.name),
    s("svg", { viewBox: "0 0 600 26", preserveAspectRatio: "none", "aria-hidden": "true" }, ...this.parts, ...this.whiskers),
    h("div", { class: "counts" }, ...this.texts),
  );

  /** How many cases the bar is long. */
  static length(one: Setting, solution: Solution): number {
    const value = reader(one, solution);
    return value("caught") + value("missed") + Math.max(value("false_alarms"), alarmSpan(one, solution)[1] ?? 0);
  }

  update(one: Setting, solution: Solution, length: number): void {
    const value = reader(one, solution);
    const x = (count: number): number => (600 * count) / length;
    const [caught, missed, alarms] = [value("caught"), value("missed"), value("false_alarms")];
    const positives = caught + missed;
    const ends = [0, x(missed), x(positives), x(positives + alarms)] as const;
    this.parts.forEach((part, i) => {
      put(part, "x", ends[i]!.toFixed(1));
      put(part, "y", "3");
      put(part, "height", "20");
      put(part, "width", Math.max(0, ends[i + 1]! - ends[i]!).toFixed(1));
    });
    const [few, many] = caughtSpan(one, solution);
    const [least, most] = alarmSpan(one, solution);
    put(this.whiskers[0], "d", whisker(x(positives - (many ?? caught)), x(positives - (few ?? caught))));
    put(this.whiskers[1], "d", whisker(x(positives + (least ?? alarms)), x(positives + (most ?? alarms))));
    say(this.name, quoted(one.model.name));
    put(this.name, "class", `m${solution.settings.indexOf(one) % 7} named`);
    const within = (low: number | null, high: number | null, middle: number): string => {
      const text = span(low, high, middle, true);
      return text && ` (${text})`;
    };
    const rest = solution.state.volume - positives - alarms;
    const said = [
      `${cases(caught)} found${within(few, many, caught)}`,
      `${cases(missed)} missed`,
      `${cases(alarms)} false alarms${within(least, most, alarms)}`,
      `${cases(rest)} rightly left alone`,
    ];
    said.forEach((text, i) => say(this.texts[i]!, unbroken(text)));
  }
}

const whisker = (from: number, to: number): string =>
  to - from < 1 ? "" : `M${from.toFixed(1)} 13H${to.toFixed(1)}M${from.toFixed(1)} 8V18M${to.toFixed(1)} 8V18`;

function alarmSpan(one: Setting, solution: Solution): readonly [number | null, number | null] {
  const known = solution.given?.points[one.model.name]?.intervals;
  const { volume } = solution.state;
  const exact = known?.["false_alarms"];
  if (exact && solution.given?.volume === volume)
    return [exact.side === "upper" ? null : exact.low, exact.side === "lower" ? null : exact.high];
  const negatives = (1 - solution.priors[solution.settings.indexOf(one)]!) * volume;
  const [low, high] = rateBounds(one, "fpr");
  return [low === null ? null : low * negatives, high === null ? null : high * negatives];
}

/** What happens to the cases of a period: as bars for the two best models, and as a table on demand. */
export function outcomes(): Part {
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
  const fill = (row: string, ...values: number[]): void =>
    values.forEach((value, i) => say(cellsOf.get(`${row} ${["positive", "negative", "together"][i]}`)!, unbroken(cases(value))));
  const bars = [new Bar(), new Bar()];
  const title = h("h2", { id: "outcomes-title" });
  const details = h("details", { class: "full", id: "outcomes-table" }, h("summary", {}, "As a table"), table);
  return {
    element: h(
      "section",
      { class: "card", "aria-labelledby": "outcomes-title" },
      title,
      ...bars.map(({ element }) => element),
      details,
      why,
    ),
    update: (solution) => {
      const one = solution.chosen[0];
      const { words, volume } = solution.state;
      say(title, `What happens in a ${words.period}`);
      // How many of the cases without a label are positive is not known: what their alerts come to is not, either.
      const unknown = Boolean(one && flaggedOfAll(one, solution.question));
      table.hidden = details.hidden = !one || unknown;
      why.hidden = !unknown;
      const shown = unknown ? [] : [one, solution.second].filter((each) => each !== undefined && each !== null);
      const length = Math.max(...shown.map((each) => Bar.length(each, solution)));
      bars.forEach((bar, i) => {
        bar.element.hidden = !shown[i];
        if (shown[i]) bar.update(shown[i], solution, length);
      });
      if (!one || unknown) return;
      const lead = solution.over?.lead;
      const where = `${quoted(one.model.name)}, ${brief(one)}, out of ${grouped(whole(volume))} ${words.unit}`;
      say(caption, unbroken(lead ? `${lead} ${where}` : where));
      const value = reader(one, solution);
      // The same sums as Python's, so that the last digit is the same too.
      const passed = volume - value("alerts");
      const clear = passed - value("missed");
      fill("flagged", value("caught"), value("false_alarms"), value("alerts"));
      fill("not flagged", value("missed"), clear, passed);
      fill("together", value("caught") + value("missed"), value("false_alarms") + clear, volume);
    },
  };
}
