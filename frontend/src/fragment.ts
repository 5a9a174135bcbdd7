// The scenario in the address: what is shown can be sent as a link, and comes back.
import { MODES, type State } from "./scenario.ts";
import type { Model } from "./core/points.ts";

// A rule that a person would write; a link may hold anything.
const LONGEST = 500;

const number = (text: string | null, otherwise: number): number => {
  const value = text === null || text.trim() === "" ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : otherwise;
};

export function written(state: State, models: readonly Model[]): string {
  const said = new URLSearchParams();
  said.set("prior", state.prior ?? "sample");
  if (state.costsGiven)
    for (const name of ["fp", "fn", "tp", "tn"] as const) if (state.costs[name]) said.set(name, String(state.costs[name]));
  said.set("volume", String(state.volume));
  said.set("mode", state.mode);
  if (state.mode === "rule") said.set("rule", state.rule);
  if (state.mode === "budget") said.set("budget", String(state.budget));
  if (state.mode === "hand") {
    said.set("set", state.hand.join(","));
    said.set("model", models[state.model]!.name);
  }
  return `#${said.toString()}`;
}

/** The state that an address says; what it does not say, or says wrongly, stays as it is. */
export function restored(hash: string, start: State, models: readonly Model[]): State {
  const said = new URLSearchParams(hash.replace(/^#/, ""));
  const mode = MODES.find((one) => one === said.get("mode")) ?? start.mode;
  if (![...said.keys()].includes("mode")) return start;
  const costsGiven = ["fp", "fn", "tp", "tn"].some((name) => said.has(name));
  const cost = (name: "fp" | "fn" | "tp" | "tn"): number => number(said.get(name), 0);
  const places = said.get("set")?.split(",").map(Number);
  const fits =
    places?.length === models.length && places.every((place, i) => Number.isInteger(place) && place >= 0 && place < models[i]!.tp.length);
  const prior = said.get("prior");
  return {
    ...start,
    prior:
      prior === "sample" && models.every((model) => model.samplePrior !== null)
        ? null
        : prior === "sample"
          ? start.prior
          : (prior ?? start.prior),
    costsGiven,
    costs: costsGiven ? { fp: cost("fp"), fn: cost("fn"), tp: cost("tp"), tn: cost("tn") } : start.costs,
    volume: number(said.get("volume"), start.volume),
    mode,
    rule: said.get("rule")?.slice(0, LONGEST) ?? start.rule,
    budget: number(said.get("budget"), start.budget),
    hand: fits ? places! : start.hand,
    model: Math.max(
      0,
      models.findIndex((model) => model.name === said.get("model")),
    ),
  };
}
