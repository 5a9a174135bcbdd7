// The first screen: the answer in two plain sentences, how far it can be trusted, and what happens to the cases of a period.
import { baseRate } from "../core/conditions.ts";
import { read } from "../core/measures.ts";
import { confusionAt, thresholdSaid } from "../core/points.ts";
import { isThin, rateBounds } from "../core/bounds.ts";
import { best, choose, NOTHING, unbeaten, type Setting } from "../core/choosing.ts";
import { cases, costs, general, grouped, percent, quoted, short, whole } from "../core/formats.ts";
import { beside, brief, finds, per, spends, flaggedOfAll, heading, headline, valueOf } from "../core/sentences.ts";
import { exactly, rounded } from "../core/fractions.ts";
import type { Name } from "../core/catalogue.ts";
import { NOT_HERE, type Solution, type State } from "../scenario.ts";
import type { Difference, Document } from "../document.ts";
import { cautions, nearestFeasible } from "./cautions.ts";
import { h, put, s, say, unbroken } from "./dom.ts";
import { boundsSaid, endsOf, EXACT } from "./models.ts";
import { testCommand } from "./command.ts";

const QUIET = 500; // milliseconds without a change before the answer is read out

export interface Part {
  readonly element: HTMLElement;
  readonly update: (solution: Solution) => void;
}

export function answer({ report, sources }: Document): Part & { refuse: (text: string) => void } {
  const use = h("p", { class: "use", id: "use" });
  const plain = h("p", { class: "plain", id: "plain" });
  const chips = h("p", { class: "chips", id: "chips" });
  const caution = h("p", { class: "caution", id: "caution" });
  const sentence = h("p", { id: "answer" });
  const command = h("code");
  const toTest = h("p", { id: "to-test" }, "To test the difference: ", command);
  const lead = leadPicture();
  const full = h("details", { class: "full" }, h("summary", {}, "In full"), sentence, caution, toTest);
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
    element: h("section", { class: "card said", "aria-label": "Answer" }, use, plain, chips, lead.element, full, spoken),
    update: (solution) => {
      use.classList.remove("refused");
      const beware = cautions(solution, report.level).join(" ");
      const found = chipsOf(solution);
      if (chips.dataset["said"] !== JSON.stringify(found)) {
        chips.dataset["said"] = JSON.stringify(found);
        chips.replaceChildren(...found.map(([kind, text]) => h("span", { class: `chip ${kind}` }, unbroken(text))));
      }
      lead.update(solution);
      const { chosen, baselines, question, state, over } = solution;
      const said = headline(chosen, over ? [] : baselines, question, state.mode === "hand");
      toTest.hidden = !isTestedElsewhere(solution);
      if (!toTest.hidden) say(command, testCommand(sources, solution));
      tell(said, inPlainNumbers(solution) + (over ? spread(solution) + besideOthers(solution) : ""), solution.sentence, beware);
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
  return ` This is in the middle of the ranges: at base rates from ${ends.map(percent).join(" to ")} it finds ${at("caught")} in ${at("alerts")} alerts.`;
}

/** What a recommendation over ranges costs at the base rate shown, beside doing nothing and beside the best threshold there. */
function besideOthers({ chosen, models, question, state, baselines, priors }: Solution): string {
  const [one] = chosen;
  if (!one || !question.at.costsGiven || question.at.earned) return "";
  const there = best(models.map((model) => choose(model, question)).filter((each) => each !== null), question)[0]!; // prettier-ignore
  const cost = (each: Setting): string => `${state.words.currency}${costs(valueOf("volume_cost", each, question))}`;
  const nothing = baselines.find(({ name }) => name === NOTHING);
  const parts = [
    `it costs ${cost(one)}`,
    nothing && `flagging nothing ${cost(nothing.setting)}`,
    `the best threshold (${quoted(there.model.name)} ${there.place ? `from ${thresholdSaid(there.model, there.place)}` : "flagging nothing"}) ${cost(there)}`,
  ];
  return ` At ${baseRate(priors[0]!)} ${parts.filter(Boolean).join(", ")}${per(state.words)}.`;
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
    return `Of ${volume} ${words.unit}${per(words)} it flags ${cases(valueOf("alerts", one, question))}, ${seen}; of those with a label, ${real}.`;
  }
  const ends = solution.over ? [] : solution.baselines;
  const said = finds(chosen, solution.second, ends, question, words, boundsSaid(one, "caught", solution));
  if (solution.cheapest) return said + beside(one, solution.cheapest, question, words);
  return unbeaten(solution.baselines, one, question) ? said : said + spends(one, solution.baselines, question, words);
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
  else if (state.mode !== "hand") found.push(...leads(solution));
  if (state.mode === "rule") found.push(...undemonstrated(one, solution));
  const { tp, fp } = one.model;
  const seen = (sums: Float64Array): string => grouped(sums[one.place]!);
  if (isThin(one)) found.push(["warn", `Rests on few cases: ${seen(tp)} true and ${seen(fp)} false alarms seen`]);
  return found;
}

/** The first term of a rule that holds in the sample, and at the bound of its measure does not. */
function undemonstrated(one: Setting, solution: Solution): Chip[] {
  for (const { measure, sense, limit } of solution.question.terms) {
    const isRate = measure === "tpr" || measure === "fpr";
    const ends = solution.given ? endsOf(one, measure, solution) : isRate ? rateBounds(one, measure) : null;
    const bound = ends === null || ends === EXACT ? null : ends[sense === ">=" ? 0 : 1];
    if (bound === null || (sense === ">=" ? bound >= rounded(limit) : bound <= rounded(limit))) continue;
    const worse = `${heading(measure, solution.question.at)} could be ${short(bound)}`;
    return [["warn", `Rule met in this sample, not demonstrated: ${worse}`]];
  }
  return [];
}

/** Whether the difference can be tested, but only where the cases are. */
const isTestedElsewhere = ({ over, untested, chosen, baselines, question }: Solution): boolean =>
  over === null && untested === NOT_HERE && unbeaten(baselines, chosen[0]!, question) === null;

/** The tested difference to the next model, or where that is significant and another is not, to that one. */
function toRival({ given, second }: Solution): Difference | undefined {
  const differences = given?.differences ?? [];
  const next = differences.find((one) => one.models[0] === second?.model.name) ?? differences[0];
  return next?.significant ? (differences.find((one) => !one.significant) ?? next) : next;
}

/** The tested difference that the label speaks of: to flagging nothing or everything, or to the next model. */
function leadOf(solution: Solution): Difference | undefined {
  const { given, second, state, over, chosen, baselines, question } = solution;
  if (state.mode === "hand" || over || !chosen[0] || unbeaten(baselines, chosen[0], question)) return undefined;
  const base = given?.lead_over_baseline;
  return base && (!base.significant || !second) ? base : toRival(solution);
}

/** What the tests say of the lead. */
function leads(solution: Solution): Chip[] {
  const { given, untested, second, chosen, state, settings } = solution;
  const differences = given?.differences ?? [];
  const over = given?.lead_over_baseline ?? null;
  const base = over?.models[0]!.replace("flag", "flagging");
  if (over && !over.significant) return [["warn", `Cannot tell from ${base}`]];
  if (!second) {
    if (over) return [["good", `Clearly better than ${base}`]];
    return given?.baseline_untested ? [["plain", `Not tested against flagging nothing or everything: ${given.baseline_untested}`]] : [];
  }
  if (!differences.length)
    return untested === null ? [] : [["plain", untested === NOT_HERE ? "Lead not tested here" : `Lead not tested: ${untested}`]];
  const rival = toRival(solution)!;
  const close = differences.filter((one) => !one.significant);
  if (!close.length) return [["good", `Clear lead: ${gapSaid(rival, state)}`]];
  const models = settings.filter(Boolean).length;
  const pairs = (models * (models - 1)) / 2;
  const allowed = pairs > 1 ? `; p = ${general(rival.p_adjusted ?? 1, 2)}, allowing for ${pairs} comparisons` : "";
  const others = close.filter((one) => one !== rival);
  const more = others.length > 1 ? ` and ${others.length} others` : others.length ? ` and ${quoted(others[0]!.models[0]!)}` : "";
  const rivals = `${quoted(rival.models[0]!)}${more}`;
  return [["warn", `Cannot tell ${quoted(chosen[0]!.model.name)} from ${rivals}: ${gapSaid(rival, state)}${allowed}`]];
}

interface Gap {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  readonly text: (end: number) => string;
  readonly what: string;
}

/** A difference of two models in a period, in the direction of the better. */
function gapOf(one: Difference, { volume, costsGiven, earned, words }: State): Gap {
  const caught = one.statistic === "caught";
  const sign = caught || (costsGiven && earned) ? 1 : -1;
  const scale = sign * (caught ? 1 : volume);
  const [low, high] = [one.low, one.high].map((end) => (end ?? Number.NaN) * scale).sort((a, b) => a - b) as [number, number];
  return {
    value: (one.value ?? Number.NaN) * scale,
    low,
    high,
    text: (end) => `${end < 0 ? "−" : ""}${caught || !costsGiven ? "" : words.currency}${amount(Math.abs(end))}`,
    what: `${caught ? "more found" : costsGiven ? (earned ? "more profit" : "less cost") : "fewer errors"}${per(words)}`,
  };
}

/** The interval is of one comparison: where a test of several sees no difference, and it does, the test alone is shown. */
const isContradicted = ({ significant }: Difference, { low, high }: Gap): boolean => !significant && low * high > 0;

/** "14,000 less cost a day (8,400 to 19,000)". */
function gapSaid(one: Difference, state: State): string {
  const gap = gapOf(one, state);
  const { value, low, high, text, what } = gap;
  if (isContradicted(one, gap)) return `${text(value)} ${what}`;
  const unsure = one.significant && low < 0 ? `, p = ${general(one.p_adjusted ?? one.p_value ?? 1, 2)}; its size is uncertain` : "";
  return `${text(value)} ${what} (${text(low)} to ${text(high)}${unsure})`;
}

const [WIDE, TALL, MARGIN] = [316, 50, 30];

/** The lead over the next model, drawn as its interval beside no difference. */
function leadPicture(): Part {
  const [axis, zero, whisker] = [s("path", { class: "axis" }), s("path", { class: "zero" }), s("path", { class: "whisker" })];
  const dot = s("circle", { r: 6, cy: 18 });
  const texts = [0, 1, 2, 3].map(() => s("text", { y: 44, "text-anchor": "middle" }));
  const picture = { class: "lead", viewBox: `0 0 ${WIDE} ${TALL}`, "aria-hidden": "true" };
  const svg = s("svg", picture, axis, zero, whisker, dot, ...texts);
  const element = h("div", {}, svg);
  return {
    element,
    update: (solution) => {
      const one = leadOf(solution);
      const gap = one && gapOf(one, solution.state);
      const shown = gap && Number.isFinite(gap.low + gap.high) && !isContradicted(one!, gap);
      svg.toggleAttribute("hidden", !shown);
      if (!shown) return;
      const { value, low, high, text } = gap;
      const [from, to] = [Math.min(0, low), Math.max(0, high)];
      const x = (at: number): string => (MARGIN + ((at - from) / (to - from)) * (WIDE - 2 * MARGIN)).toFixed(1);
      put(element, "class", one!.significant ? "good" : "warn");
      put(axis, "d", `M${MARGIN} 18H${WIDE - MARGIN}`);
      put(zero, "d", `M${x(0)} 6V30`);
      put(whisker, "d", `M${x(low)} 18H${x(high)}`);
      put(dot, "cx", x(value));
      const far = 52; // pixels between two texts
      const isFar = (one: number, other: number): boolean => Math.abs(Number(x(one)) - Number(x(other))) > far;
      const ends: [number, string][] = isFar(low, high)
        ? [low, high, value].map((end) => [end, text(end)])
        : [[(low + high) / 2, `${text(low)} to ${text(high)}`]];
      const said: [number, string][] = [[0, "equal"]];
      for (const one of ends) if (said.every(([at]) => isFar(at, one[0]))) said.push(one);
      texts.forEach((node, i) => {
        put(node, "x", said[i] ? x(said[i]![0]) : "0");
        say(node, said[i]?.[1] ?? "");
      });
    },
  };
}

/** An amount in two or three digits: 14,000, or 85.7. */
const amount = (value: number): string => short(Number(value.toPrecision(value >= 1e5 ? 3 : 2)), 3);

const reader =
  (one: Setting, { question }: Solution) =>
  (name: Name): number =>
    valueOf(name, one, question);

const [ACROSS, DOWN, STEP, SIDE] = [28, 7, 16, 14];

/** How many alerts a square stands for: 1, 2, 5, 10, 20 and so on, so that all have room. */
function unitOf(alerts: number): number {
  const size = 10 ** Math.max(0, Math.floor(Math.log10(alerts / (ACROSS * DOWN))));
  return [1, 2, 5, 10].map((step) => step * size).find((unit) => alerts <= unit * ACROSS * DOWN)!;
}

/** The squares from one place in their row to another, the first and the last of them in part. */
function squares(from: number, to: number): string {
  let path = "";
  for (let k = Math.floor(from); k < to; k += 1) {
    const [x, y] = [STEP * (k % ACROSS), STEP * Math.floor(k / ACROSS)];
    const [left, right] = [SIDE * Math.max(0, from - k), SIDE * Math.min(1, to - k)];
    path += `M${(x + left).toFixed(2)} ${y}H${(x + right).toFixed(2)}v${SIDE}H${(x + left).toFixed(2)}Z`;
  }
  return path;
}

/** Why fewer alerts are raised than can be checked. */
function unusedSaid(one: Setting, alerts: number, { state, question }: Solution): string {
  if (state.mode !== "budget" || !state.costsGiven || whole(alerts) >= whole(state.budget)) return "";
  const next = one.place + 1;
  if (next >= one.model.tp.length || one.share !== 1) return "";
  const fits = read("alerts", confusionAt(one.model, next), question.at, state.volume) <= state.budget;
  return fits ? `; up to ${grouped(whole(state.budget))}, more would cost more than they save` : "";
}

/** What happens to the cases of a period: the alerts as squares that can be counted, and the four outcomes as a table on demand. */
export function outcomes(): Part {
  const caption = h("caption");
  const body = h("tbody");
  const heads = ["", "positive", "negative", "total"].map((text) => (text ? h("th", { scope: "col" }, text) : h("td")));
  const table = h("table", { class: "outcomes", id: "outcomes" }, caption, h("thead", {}, h("tr", {}, ...heads)), body);
  const why = h("p", { class: "hint", hidden: true }, "How many of the cases without a label are positive is not known.");
  const rows = ["flagged", "not flagged", "total"].map((row) => {
    const cells = ["positive", "negative", "total"].map((column) =>
      h("td", { class: `${row} ${column}`.replace("not flagged", "passed") }),
    );
    body.append(h("tr", {}, h("th", { scope: "row" }, row), ...cells));
    return cells;
  });
  const title = h("h2", { id: "outcomes-title" });
  const scale = h("p", { class: "hint" });
  const [real, wrong] = [s("path", { class: "found" }), s("path", { class: "alarms" })];
  const drawn = s("svg", { class: "squares", viewBox: `0 0 ${ACROSS * STEP} ${DOWN * STEP}`, "aria-hidden": "true" }, real, wrong);
  const [found, alarms] = [h("span", { class: "outcome found" }), h("span", { class: "outcome alarms" })];
  const details = h("details", { class: "full", id: "outcomes-table" }, h("summary", {}, "As a table"), table);
  const picture = h("div", {}, scale, drawn, h("p", { class: "counts" }, found, alarms), details);
  const element = h("section", { class: "card happens", "aria-labelledby": "outcomes-title" }, title, picture, why);
  return {
    element,
    update: (solution) => {
      const one = solution.chosen[0];
      element.hidden = !one;
      const { words, volume } = solution.state;
      // How many of the cases without a label are positive is not known: what their alerts come to is not, either.
      const unknown = Boolean(one && flaggedOfAll(one, solution.question));
      picture.hidden = !one || unknown;
      table.hidden = picture.hidden;
      why.hidden = !unknown;
      say(title, words.period ? `What happens in a ${words.period}` : "What happens");
      if (!one || unknown) return;
      const value = reader(one, solution);
      const [caught, alarmed] = [value("caught"), value("false_alarms")];
      const alerts = caught + alarmed;
      const unit = alerts > 0 ? unitOf(alerts) : 1;
      say(scale, alerts > 0 ? `${cases(alerts)} alerts; one square is ${grouped(unit)}${unusedSaid(one, alerts, solution)}` : "no alerts");
      put(real, "d", squares(0, caught / unit));
      put(wrong, "d", squares(caught / unit, alerts / unit));
      const count = (name: Name, what: string): string => `${cases(value(name))} ${what}${boundsSaid(one, name, solution)}`;
      say(found, unbroken(count("caught", "real")));
      say(alarms, unbroken(count("false_alarms", "false")));
      const lead = solution.over?.lead;
      const where = `${quoted(one.model.name)}, ${brief(one)}, out of ${grouped(whole(volume))} ${words.unit}`;
      say(caption, unbroken(lead ? `${lead} ${where}` : where));
      // The same sums as Python's, so that the last digit is the same too.
      const passed = volume - value("alerts");
      const clear = passed - value("missed");
      const values = [
        [value("caught"), value("false_alarms"), value("alerts")],
        [value("missed"), clear, passed],
        [value("caught") + value("missed"), value("false_alarms") + clear, volume],
      ];
      rows.forEach((row, i) => row.forEach((cell, k) => say(cell, unbroken(cases(values[i]![k]!)))));
    },
  };
}
