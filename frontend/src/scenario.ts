// What the controls say, and what follows from it: one question, the setting of every model, and the answer.
import { baselines, best, choose, type Baseline, type Question, type Setting } from "./core/choosing.ts";
import { baseRate, checkedCosts, EQUAL, oneIn, type Conditions, type Costs } from "./core/conditions.ts";
import { general, grouped, percent, repr, whole } from "./core/formats.ts";
import { rounded } from "./core/fractions.ts";
import { prior as priorOf, Refusal } from "./core/notations.ts";
import { confusionAt, isCondensed, placeOf, type Model } from "./core/points.ts";
import { parseRule, ruleSaid } from "./core/rules.ts";
import { conditionsSaid, questionSaid } from "./core/sentences.ts";
import { cutAt } from "./charts/scores.ts";
import type { Given, Report } from "./document.ts";

export type Mode = "cheapest" | "rule" | "budget" | "hand";
export const MODES: readonly Mode[] = ["cheapest", "budget", "rule", "hand"];
/** A given question in few words, to pick from. */
export const presetSaid = (one: Given): string =>
  [one.at.as_in_sample || one.at.prior === null ? "base rate of the sample" : baseRate(one.at.prior), one.rule].filter(Boolean).join(", ");

/** Of how many cases a page speaks where no volume is given: 1,000, or as many more as have ten positives among them. */
function usualVolume(prior: number): number {
  let volume = 1000;
  while (volume * prior < 10 && volume < 1e9) volume *= 10;
  return volume;
}

/** What cases, a period, positives and money are called; no period where no volume was given. */
export interface Words {
  readonly unit: string;
  readonly period: string;
  readonly positive: string;
  readonly currency: string;
}
export const WORDS: Words = { unit: "cases", period: "day", positive: "positive", currency: "" };

export interface State {
  /** As it is written; null for each sample's own. */
  readonly prior: string | null;
  readonly costs: Costs;
  readonly costsGiven: boolean;
  readonly earned: boolean;
  readonly volume: number;
  readonly mode: Mode;
  readonly rule: string;
  readonly budget: number;
  /** The place of each model where thresholds are set by hand, and the model whose threshold moves. */
  readonly hand: readonly number[];
  readonly model: number;
  readonly words: Words;
  /** The switches of charts and tables that do not stand where they started. */
  readonly view: Readonly<Record<string, string>>;
}

export interface Solution {
  readonly models: readonly Model[];
  readonly state: State;
  readonly question: Question;
  /** In the order of the models; null where no threshold satisfies the rule. */
  readonly settings: readonly (Setting | null)[];
  readonly chosen: readonly Setting[];
  /** The best of the other models; null where a threshold is set by hand, which says nothing of models. */
  readonly second: Setting | null;
  /** The cheapest threshold of the model that is set by hand. */
  readonly cheapest: Setting | null;
  /** Flagging nothing and flagging everything, where they keep the rule. */
  readonly baselines: readonly Baseline[];
  /** What Python answered to this very question, on all the points, with tested differences and corrected intervals. */
  readonly given: Given | null;
  /** Why the differences to the other models were not tested; null where they were, or there are none. */
  readonly untested: string | null;
  readonly sentence: string;
  /** The base rate that each model is read at. */
  readonly priors: readonly number[];
  /** Whether the settings are the best of all thresholds, also of those that were condensed. */
  readonly exact: boolean;
  /** Where conditions are ranges: what is recommended over all of them, and what it comes to at their ends. */
  readonly over: Over | null;
}

export interface Over {
  readonly sentence: string;
  readonly lead: string;
  readonly settings: readonly (Setting | null)[];
  readonly chosen: readonly Setting[];
  /** The ends of the base rate. */
  readonly priors: readonly [number, number] | null;
  /** The ranges that were given, in words. */
  readonly ranges: string;
}

/** The ends of a condition, which may be one number; NaN where there are none. */
export function rangeEnds(value: unknown): readonly [number, number] {
  const range = value as { low?: number; high?: number } | number;
  return typeof range === "number" ? [range, range] : [range?.low ?? Number.NaN, range?.high ?? Number.NaN];
}

/** What was recommended over ranges of conditions, where its thresholds are among those of the page; null otherwise. */
export function recommended({ decision, decided }: Report, models: readonly Model[]): Over | null {
  const found = decision?.decision;
  if (!found || !decided) return null;
  const settings = models.map((model): Setting | null => {
    const cut = found.rivals?.[model.name]?.threshold;
    if (cut === undefined) return null;
    const place = cut === "none" ? 0 : placeOf(model, Number(cut));
    const same = place === 0 ? cut === "none" : cutAt(model, place) === Number(cut);
    return same ? { ...atPlace(model, place), objective: found.optimized === "caught" ? "tpr" : "expected_cost" } : null;
  });
  const chosen = settings.filter((one) => one !== null && found.models.includes(one.model.name)) as Setting[];
  const ends = (name: string): readonly [number, number] | null => {
    const [low, high] = rangeEnds(found.at[name]);
    return low < high ? [low, high] : null;
  };
  const ranges = Object.entries({ prior: "a base rate of", fn: "a miss at", fp: "a false alarm at" }).flatMap(([name, words]) => {
    const range = ends(name)?.map((end) => (name === "prior" ? percent(end) : general(end, 6)));
    return range ? [`${words} ${range.join(" to ")}`] : [];
  });
  return chosen.length ? { ...decided, settings, chosen, priors: ends("prior"), ranges: ranges.join(" and ") || "the ranges given" } : null;
}

export function firstState(report: Report, models: readonly Model[]): State {
  const { scenario } = report;
  const [{ samplePrior }] = models as [Model];
  const volume = scenario.volume ?? usualVolume(scenario.prior ?? (samplePrior ? rounded(samplePrior) : 1));
  const budgeted = scenario.budget !== null && scenario.budget > 0 && scenario.budget <= volume;
  const own = scenario.as_in_sample && models.every((model) => model.samplePrior !== null);
  const state: State = {
    prior: own || scenario.prior === null ? null : shareSaid(scenario.written ?? repr(scenario.prior)),
    costs: { ...scenario.costs },
    costsGiven: scenario.costs_given ?? true,
    earned: scenario.earned ?? false,
    volume,
    mode: scenario.rule ? "rule" : budgeted ? "budget" : scenario.budget ? "rule" : "cheapest",
    rule: scenario.rule ?? (scenario.budget && !budgeted ? `alerts <= ${scenario.budget}` : "recall >= 0.8"),
    budget: scenario.budget ?? Math.min(200, Math.ceil(volume / 100)),
    hand: models.map(() => 0),
    model: 0,
    words: scenario.volume === null ? { ...WORDS, period: "" } : WORDS,
    view: {},
  };
  const started = { ...state, mode: startingMode(state) };
  return started.prior === null && !own ? { ...started, prior: "" } : started;
}

/** A fraction as people say it: 1/1000 is 1 in 1,000. */
const shareSaid = (text: string): string =>
  text.includes("/")
    ? text
        .split("/")
        .map((part) => grouped(BigInt(part)))
        .join(" in ")
    : text;

/** The state in which one of the given questions is asked. */
export function asked(one: Given, first: State): State {
  const { prior } = one.at;
  const state: State = {
    ...first,
    prior: one.at.as_in_sample ? null : prior === null ? first.prior : priorText(prior),
    costs: { ...one.at.costs },
    costsGiven: one.at.costs_given ?? true,
    volume: one.volume ?? first.volume,
    mode: one.rule ? "rule" : "cheapest",
    rule: one.rule ?? first.rule,
  };
  const budget = /^alerts <= ([\d.]+)$/.exec(one.rule ?? "");
  return budget && Number(budget[1]) <= state.volume ? { ...state, mode: "budget", budget: Number(budget[1]) } : state;
}

/** A base rate as people say it, where that is the same number. */
function priorText(prior: number): string {
  const said = oneIn(prior);
  return said !== null && rounded(priorOf(said)) === prior ? said : repr(prior);
}

/** A rule that is nothing but a budget is one; a rule that this page cannot read leaves the cheapest threshold. */
function startingMode(state: State): Mode {
  if (state.mode !== "rule") return state.mode;
  try {
    const said = ruleSaid(parseRule(state.rule, state.volume));
    const budget = ruleSaid(parseRule(`alerts <= ${state.budget}`, state.volume));
    return said === budget && state.budget <= state.volume ? "budget" : "rule";
  } catch {
    return "cheapest";
  }
}

export function conditionsOf(state: State): Conditions {
  return {
    prior: state.prior === null ? null : priorOf(state.prior),
    costs: checkedCosts(state.costsGiven ? state.costs : EQUAL),
    costsGiven: state.costsGiven,
    earned: state.costsGiven && state.earned,
  };
}

/** A budget out of so many cases; refused where it is more than all of them. */
export function checkedBudget(budget: number, volume: number): number {
  const [most, cases] = [budget, volume].map((value) => grouped(whole(value))) as [string, string];
  if (budget > volume) throw new Refusal(`A budget of ${most} alerts is more than all ${cases} cases: lower it, or raise the volume.`);
  return budget;
}

function questionOf(state: State): Question {
  if (!(state.volume > 0 && state.volume <= 1e18)) throw new Refusal("A volume is a number of cases above 0.");
  const at = conditionsOf(state);
  const budget = state.mode === "budget" ? checkedBudget(state.budget, state.volume) : null;
  const rule = state.mode === "rule" ? state.rule : budget === null ? null : `alerts <= ${budget}`;
  return { terms: rule === null ? [] : parseRule(rule, state.volume), at, volume: state.volume };
}

/** Tests need the cases, which a report does not have. */
export const NOT_HERE = "this page shows tests of the given scenarios only";

/** The answer to what the controls ask; a Refusal says what is wrong with them. */
export function solve(models: readonly Model[], state: State, { answers, nearby }: Report, over: Over | null): Solution {
  const question = questionOf(state);
  const settings =
    over?.settings ?? models.map((model, i) => (state.mode === "hand" ? atPlace(model, state.hand[i] ?? 0) : choose(model, question)));
  const found = settings.filter((one) => one !== null);
  const hand = state.mode === "hand";
  const inHand = hand ? settings[state.model]! : null;
  const chosen = over?.chosen ?? (inHand ? [inHand] : best(found, question));
  const others = found.filter((one) => !chosen.includes(one));
  const prior = question.at.prior === null ? null : rounded(question.at.prior);
  const ends = found.length ? baselines(found[0]!.model, question) : [];
  const answered = hand || over ? null : givenFor(question, [...answers, ...nearby]);
  const exact = state.mode === "cheapest" || hand || over !== null || !models.some(isCondensed) || answered !== null;
  const none = models.some((model) => mayKeep(model, { exact }))
    ? "none of the thresholds in this report satisfies the rule"
    : "no model can satisfy the rule";
  const never = answers.find((one) => one.untested)?.untested ?? NOT_HERE;
  const untested = found.length < 2 || hand ? null : answered ? (answered.untested ?? null) : never;
  const sentence = found.length
    ? (over?.sentence ?? answered?.sentence ?? questionSaid(chosen[0]!, question, untested, found.length - 1))
    : `At ${conditionsSaid(question.at, prior ?? Number.NaN)}: ${none}.`;
  return {
    models,
    state,
    question,
    settings,
    chosen,
    second: hand ? null : (chosen[1] ?? best(others, question)[0] ?? null),
    cheapest: inHand && choose(inHand.model, question),
    baselines: ends,
    given: answered,
    untested,
    sentence,
    priors: models.map((model) => prior ?? (model.samplePrior ? rounded(model.samplePrior) : Number.NaN)),
    exact,
    over,
  };
}

/** Whether a threshold that was condensed may satisfy a rule that none of the others does. */
export const mayKeep = (model: Model, { exact }: Pick<Solution, "exact">): boolean => !exact && isCondensed(model);

const atPlace = (model: Model, place: number): Setting => ({
  model,
  place,
  confusion: confusionAt(model, place),
  share: 1,
  objective: null,
});

/** What Python answered to this very question, on all the points. */
function givenFor(question: Question, given: readonly Given[]): Given | null {
  const { at, terms, volume } = question;
  const rule = ruleSaid(terms);
  const found = given.find((one) => {
    const same = at.prior === null ? one.at.as_in_sample === true : one.at.prior === rounded(at.prior);
    const costs = (["fp", "fn", "tp", "tn"] as const).every((name) => one.at.costs[name] === at.costs[name]);
    return (
      same && costs && (one.rule ?? "") === rule && (one.volume ?? volume) === volume && (one.at.costs_given ?? true) === at.costsGiven
    );
  });
  return found?.choose.length ? found : null;
}
