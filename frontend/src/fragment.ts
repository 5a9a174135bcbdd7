// The scenario in the address: what is shown can be sent as a link, and comes back.
import { MODES, WORDS, type State, type Words } from "./scenario.ts";
import { placeOf, scoreSaid, type Model } from "./core/points.ts";

// A rule or a word that a person would write; a link may hold anything.
const LONGEST = 500;
const LONGEST_WORD = 24;
const MOST_SWITCHES = 40;

const number = (text: string | null, otherwise: number): number => {
  const value = text === null || text.trim() === "" ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : otherwise;
};

/** The question: what decides the answer. */
function asked(state: State, models: readonly Model[]): URLSearchParams {
  const said = new URLSearchParams();
  said.set("prior", state.prior ?? "sample");
  if (state.costsGiven)
    for (const name of ["fp", "fn", "tp", "tn"] as const) if (state.costs[name]) said.set(name, String(state.costs[name]));
  said.set("volume", String(state.volume));
  said.set("mode", state.mode);
  if (state.mode === "rule") said.set("rule", state.rule);
  if (state.mode === "budget") said.set("budget", String(state.budget));
  if (state.mode === "hand") {
    said.set("set", state.hand.map((place, i) => (place ? scoreSaid(models[i]!, place) : "none")).join(","));
    said.set("model", models[state.model]!.name);
  }
  return said;
}

export const question = (state: State, models: readonly Model[]): string => asked(state, models).toString();

/** The question, the words and every switch that was moved. */
export function written(state: State, models: readonly Model[]): string {
  const said = asked(state, models);
  for (const name of Object.keys(WORDS) as (keyof Words)[]) if (state.words[name] !== WORDS[name]) said.set(name, state.words[name]);
  for (const [name, value] of Object.entries(state.view)) said.set(`show-${name}`, value);
  return `#${said.toString()}`;
}

/** The place of a threshold as it is written; NaN where it is none. */
function placeAt(model: Model, text: string): number {
  const score = Number(text.replace("inf", "Infinity") || Number.NaN);
  return text === "none" ? 0 : Number.isNaN(score) ? Number.NaN : placeOf(model, score);
}

/** The thresholds that an address says, as places of each model; null where it does not say them all. */
function places(text: string | null, models: readonly Model[]): number[] | null {
  const cuts = text?.split(",") ?? [];
  if (cuts.length !== models.length) return null;
  const found = cuts.map((cut, i) => placeAt(models[i]!, cut));
  return found.every((place) => Number.isInteger(place)) ? found : null;
}

/** The state that an address says; what it does not say, or says wrongly, stays as it is. */
export function restored(hash: string, start: State, models: readonly Model[]): State {
  const said = new URLSearchParams(hash.replace(/^#/, ""));
  const costsGiven = ["fp", "fn", "tp", "tn"].some((name) => said.has(name));
  const cost = (name: "fp" | "fn" | "tp" | "tn"): number => number(said.get(name), 0);
  const prior = said.get("prior");
  const own = models.every((model) => model.samplePrior !== null);
  const words = Object.fromEntries(
    (Object.keys(WORDS) as (keyof Words)[]).map((name) => {
      const word = said.get(name)?.slice(0, LONGEST_WORD);
      return [name, word || (name === "period" && word === "" ? "" : said.has("mode") ? WORDS[name] : start.words[name])];
    }),
  ) as unknown as Words;
  const switches = [...said].filter(([name]) => name.startsWith("show-")).slice(0, MOST_SWITCHES);
  return {
    ...start,
    prior: prior === null ? start.prior : prior !== "sample" ? prior : own ? null : start.prior,
    costsGiven: costsGiven || (!said.has("mode") && start.costsGiven),
    costs: costsGiven ? { fp: cost("fp"), fn: cost("fn"), tp: cost("tp"), tn: cost("tn") } : start.costs,
    volume: number(said.get("volume"), start.volume),
    mode: MODES.find((one) => one === said.get("mode")) ?? start.mode,
    rule: said.get("rule")?.slice(0, LONGEST) ?? start.rule,
    budget: number(said.get("budget"), start.budget),
    hand: places(said.get("set"), models) ?? start.hand,
    model: Math.max(
      0,
      models.findIndex((model) => model.name === said.get("model")),
    ),
    words,
    view: Object.fromEntries(switches.map(([name, value]) => [name.slice(5), value.slice(0, LONGEST_WORD)])),
  };
}
