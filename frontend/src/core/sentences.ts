// What a person reads first, in the words of the command line.
import { costsSaid, priorSaid, spoken, type Conditions } from "./conditions.ts";
import { cases, costs, digits, escaped, fixed, general, grouped, percent, quoted, UNDEFINED, whole } from "./formats.ts";
import { add, counted, div, exactly, mul, rounded, type Fraction } from "./fractions.ts";
import { read } from "./measures.ts";
import { confusionAt, scoreSaid, thresholdSaid, type Model } from "./points.ts";
import { budgetOf, ruleSaid, type Term } from "./rules.ts";
import { CATALOGUE, type Name } from "./catalogue.ts";
import { allBut, bestOf, filled, isBetter, keeping, keepsAll, unbeaten, type Baseline, type Question, type Setting } from "./choosing.ts";

export function heading(name: Name, at: Conditions): string {
  if (name !== "expected_cost") return CATALOGUE[name].heading;
  return at.costsGiven ? (at.earned ? "profit per case" : CATALOGUE[name].heading) : "errors per case";
}

/** How many cases are flagged needs no label: of all that were scored, at the sample's own base rate; null where only labelled ones are known. */
export function flaggedOfAll(one: Setting, { at }: Question): { readonly flagged: Fraction; readonly cases: Fraction } | null {
  const { held, positives, negatives } = one.model;
  if (!held.unlabelled || at.prior !== null || one.share !== 1) return null;
  const { tp, fp } = one.confusion;
  return {
    flagged: add(add(tp, fp), counted(held.unlabelled.flagged[one.place]!)),
    cases: add(add(positives, negatives), counted(held.unlabelled.cases)),
  };
}

/** A measure at a setting. */
export function valueOf(name: Name, one: Setting, question: Question): number {
  const all = name === "posfrac" || name === "alerts" ? flaggedOfAll(one, question) : null;
  if (!all) return read(name, one.confusion, question.at, question.volume);
  const share = div(all.flagged, all.cases);
  return rounded(name === "alerts" ? mul(share, exactly(question.volume ?? 1)) : share);
}

/** The same, as a table shows it. */
export function cell(name: Name, one: Setting, question: Question): string {
  const value = valueOf(name, one, question);
  if (CATALOGUE[name].volume) return name === "volume_cost" ? costs(value) : cases(value);
  return digits(name === "expected_cost" && question.at.earned ? 0 - value : value, 4);
}

/** Where a model is set, for a person. */
export function setting(one: Setting): string {
  const { model, place } = one;
  const cut = thresholdSaid(model, place);
  if (place === 0) return "flag nothing";
  if (one.share === 1) return `score ≥ ${cut}`;
  const tied = `${percent(one.share)} of those ${drawnFrom(one)}, drawn at random`;
  return place === 1 ? tied : `score ≥ ${thresholdSaid(model, place - 1)}, and ${tied}`;
}

/** Which cases a share is drawn from: those of one score, or where scores are condensed, all from one threshold to the next. */
function drawnFrom({ model, place }: Pick<Setting, "model" | "place">): string {
  if (model.held.every) return `at ${scoreSaid(model, place)}`;
  return `from ${thresholdSaid(model, place)} up${place === 1 ? "" : ` to ${thresholdSaid(model, place - 1)}`}`;
}

/** The same in few words, for a table. */
export function brief(one: Setting): string {
  const { model, place } = one;
  if (place === 0) return setting(one);
  const cut = thresholdSaid(model, place);
  if (one.share === 1) return `>= ${cut}`;
  const tied = `${percent(one.share)} ${model.held.every ? `at ${scoreSaid(model, place)}` : `from ${cut}`}`;
  return place === 1 ? tied : `>= ${thresholdSaid(model, place - 1)}, ${tied}`;
}

/** The conditions and the rule that are answered, and why the differences to the other models were not tested. */
export function questionSaid(one: Setting, question: Question, untested: string | null, rivals: number): string {
  const { at, terms } = question;
  const costs = one.objective === "tpr" ? "" : costsSaid(at);
  const rule = terms.length ? `with ${escaped(ruleSaid(terms))}` : "";
  const prior = at.prior !== null ? rounded(at.prior) : one.model.samplePrior ? rounded(one.model.samplePrior) : Number.NaN;
  const said = [`At ${priorSaid(prior, at.prior === null)}`, costs, rule].filter(Boolean).join(", ");
  const differences = rivals === 1 ? "difference was" : "differences were";
  return `${said}.${untested === null || rivals < 1 ? "" : ` The ${differences} not tested (${untested}).`}`;
}

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

// With fewer cases flagged a threshold is not chosen, but met by chance.
const TOO_FEW = 5;

/** Which model to use and which scores to flag: the answer in its fewest words. */
export function headline(chosen: readonly Setting[], found: readonly Baseline[], question: Question, hand: boolean): string {
  const one = chosen[0];
  if (!one) return "No model can satisfy the rule.";
  const base = hand ? null : unbeaten(found, one, question);
  if (base) return `${capital(base.name)}.`;
  const names = chosen.map((each) => quoted(each.model.name)).join(" or ");
  const flagged = rounded(add(one.confusion.tp, one.confusion.fp));
  if (!hand && one.place && !one.model.held.weighted && flagged < TOO_FEW) {
    const seen = Math.ceil(flagged);
    return `These cases cannot choose: ${names} would rest on ${seen} ${seen === 1 ? "case" : "cases"} flagged here.`;
  }
  const flags =
    one.place === 0 ? "flag nothing" : one.share === 1 ? `flag scores from ${thresholdSaid(one.model, one.place)}` : setting(one);
  if (hand) return `By hand: ${names} ${one.place ? `from ${thresholdSaid(one.model, one.place)}` : "flags nothing"}.`;
  return chosen.length > 1 ? `Use ${names}.` : `Use ${names}, ${flags}.`;
}

/** What cases, a period and positives are called. */
export interface Called {
  readonly unit: string;
  readonly period: string;
  readonly positive: string;
}

/** " a day". */
export const per = ({ period }: Called): string => (period ? ` a ${period}` : "");

const A_YEAR: Readonly<Record<string, number>> = { day: 365, week: 52, month: 12, year: 1 };

/** Less than one in a period as a number in a longer one: "about 3 alerts a month". */
function often(value: number, period: string, noun = ""): string {
  const what = noun && ` ${noun}`;
  for (const [longer, times] of Object.entries(A_YEAR)) {
    const count = whole((value * A_YEAR[period]!) / times);
    if (times < A_YEAR[period]! && count >= 1) return `about ${count === 1 ? `one${what}` : `${count}${what}${noun && "s"}`} a ${longer}`;
  }
  return `less than one${what} a year`;
}

/** What it comes to in cases: what is found, in how many alerts, and what the next model would find. */
export function finds(
  chosen: readonly Setting[],
  second: Setting | null,
  found: readonly Baseline[],
  question: Question,
  words: Called,
  span: string,
): string {
  const one = chosen[0]!;
  const base = one.objective && unbeaten(found, one, question);
  const name: Name = one.objective ?? "expected_cost";
  if (base) {
    const value = (at: Setting): string => `${heading(name, question.at)} ${cell(name, at, question)}`;
    return `No model does better: ${value(base.setting)}, with ${quoted(one.model.name)} ${cell(name, one, question)}.`;
  }
  const positives = cases(valueOf("caught", one, question) + valueOf("missed", one, question));
  const unit = positives === "1" ? words.unit.replace(/s$/, "") : words.unit;
  const all = `Of ${positives} ${words.positive} ${unit}${per(words)} ${chosen.length > 1 ? quoted(one.model.name) : "it"}`;
  const next = second
    ? ` ${quoted(second.model.name)} would find ${cell("caught", second, question)} in ${cell("alerts", second, question)}.`
    : "";
  if (valueOf("alerts", one, question) === 0) return `${all} finds none, as it flags nothing.${next}`;
  const [few, alerts] = (["caught", "alerts"] as const).map((each) => valueOf(each, one, question)) as [number, number];
  if (few > 0 && few < 1 && words.period in A_YEAR) {
    const many = alerts < 1 ? often(alerts, words.period, "alert") : `${cases(alerts)} alerts${per(words)}`;
    return `${all} finds ${often(few, words.period)} in ${many}; ${areReal(one, question)}.${next}`;
  }
  const caught = `${cell("caught", one, question)}${span}`;
  return `${all} finds ${caught} in ${cell("alerts", one, question)} alerts; ${areReal(one, question)}.${next}`;
}

/** What the misses and false alarms of a period cost, beside the cheaper one of flagging nothing and everything; nothing where no costs were given. */
export function spends(
  one: Setting,
  found: readonly Baseline[],
  question: Question,
  words: Called & { readonly currency: string },
): string {
  const paid = (at: Setting): number => valueOf("volume_cost", at, question);
  const [base] = [...found].sort((a, b) => paid(a.setting) - paid(b.setting));
  if (!question.at.costsGiven || question.at.earned || !base || one.objective === "tpr") return "";
  const cost = (at: Setting): string => `${words.currency}${costs(paid(at))}`;
  return ` Errors cost ${cost(one)}${per(words)}; ${base.name.replace("flag", "flagging")} would cost ${cost(base.setting)}.`;
}

// As a percentage from one in ten on, in more digits near all.
const [ONE_IN, SURE] = [0.1, 0.95];

/** How many of the alerts are real, in a cell. */
export function realSaid(one: Setting, question: Question): string {
  const precision = valueOf("precision", one, question);
  if (Number.isNaN(precision)) return UNDEFINED;
  if (precision > ONE_IN) return precision > SURE ? percent(precision) : `${fixed(100 * precision, 0)} %`;
  return precision === 0 ? "none" : `1 in ${grouped(whole(1 / precision))}`;
}

/** How many of the alerts are real. */
function areReal(one: Setting, question: Question): string {
  const said = realSaid(one, question);
  if (said === "none" || said === UNDEFINED) return "none is real";
  return said.startsWith("1 in") ? `${said} is real` : `${said} are real`;
}

/** The base rate, and the costs where they were given. */
export function conditionsSaid(at: Conditions, prior: number): string {
  const said = priorSaid(prior, at.prior === null);
  return at.costsGiven ? `${said}, ${spoken(at)}` : said;
}

/** How much more a threshold set by hand costs in a period than the cheapest one of its model. */
export function beside(one: Setting, cheapest: Setting, question: Question, words: Called & { readonly currency: string }): string {
  const { at } = question;
  const more = valueOf("volume_cost", one, question) - valueOf("volume_cost", cheapest, question);
  const best = `its ${at.costsGiven ? (at.earned ? "most profitable" : "cheapest") : "best"} threshold`;
  const where = cheapest.place ? thresholdSaid(cheapest.model, cheapest.place) : "flagging nothing";
  if (!(more > 0)) return ` This is ${best}.`;
  const amount = costs(more);
  if (!at.costsGiven) return ` It makes ${amount} errors${per(words)} more than at ${best}, ${where}.`;
  const [verb, than] = at.earned ? ["earns", "less than at"] : ["costs", "more than"];
  return ` It ${verb} ${words.currency}${amount}${per(words)} ${than} ${best}, ${where}.`;
}

/** Why no threshold satisfies a rule: the nearest that each of its terms can get while the others are kept. */
export function infeasible(model: Model, question: Question): string {
  const { terms } = question;
  const size = model.tp.length;
  const masks = terms.map((term) => keeping(term, model, question));
  if (allBut(masks, size).includes(1)) {
    const objective = budgetOf(terms) && !question.at.costsGiven ? "tpr" : "expected_cost";
    return `${objective} is defined at no threshold that has ${ruleSaid(terms)}`;
  }
  const near = (term: Term, i: number): string =>
    nearest(
      model,
      term,
      terms.filter((other) => other !== term),
      allBut(masks, size, i),
      question,
    );
  const found = terms.map(near).filter(Boolean);
  const alone = (term: Term): string => nearest(model, term, [], null, question) || `${term.measure} is defined nowhere`;
  const each = found.length ? found : terms.map(alone);
  return `no threshold has ${ruleSaid(terms)}: ${!found.length && each.length > 1 ? "each for itself, " : ""}${each.join("; ")}`;
}

/** The best that one term can get: at a threshold, or where a budget ends inside a tie. */
function nearest(model: Model, term: Term, others: readonly Term[], kept: Uint8Array | null, question: Question): string {
  const { measure } = term;
  const direction = term.sense === ">=" ? "higher" : "lower";
  const place = bestOf(measure, model, kept, question, direction);
  let best = place === null ? null : confusionAt(model, place);
  let where = place ? `at threshold ${thresholdSaid(model, place)}` : "flagging nothing";
  const budget = budgetOf(others);
  const shared = budget && filled(model, budget, question);
  const rest = others.filter((other) => other !== budget);
  if (shared && keepsAll(rest, shared.confusion, question) && (!best || isBetter(measure, shared.confusion, best, question, direction))) {
    best = shared.confusion;
    where = `with a share of the ${model.held.every ? "tie" : "run"} ${drawnFrom(shared)}`;
  }
  if (!best) return "";
  const given = others.length ? ` with ${others.map((other) => ruleSaid([other])).join(" and ")}` : "";
  const value = general(read(measure, best, question.at, question.volume), 6);
  return `the ${term.sense === ">=" ? "highest" : "lowest"} ${measure}${given} is ${value}, ${where}`;
}
