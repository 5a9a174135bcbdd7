// The command that tests the difference at the scenario shown: the page itself has no cases to test on.
import { repr } from "../core/formats.ts";
import type { Source } from "../document.ts";
import type { Solution, State } from "../scenario.ts";

/** A word as a shell reads it. */
const word = (text: string): string => (/^[\w.,:/=+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/** A number as Python reads it: 100, not 100.0. */
const number = (value: number): string => repr(value).replace(/\.0$/, "");

function moneyWords({ costs, costsGiven, earned }: State): string[] {
  if (!costsGiven) return [];
  const said = (["fn", "fp", "tp", "tn"] as const).filter((name) => costs[name]);
  return [earned ? "--profit" : "--cost", said.map((name) => `${name}=${number(earned ? 0 - costs[name] : costs[name])}`).join(",")];
}

/** `baserate choose` at the scenario shown. Without a file its name is left open. */
export function testCommand(sources: readonly Source[], { state, models }: Solution): string {
  const [source] = sources;
  const same = sources.every(({ path, label }) => path === source!.path && label === source!.label);
  const [file, label] = source?.label && same ? [source.path, source.label] : ["FILE", "COLUMN"];
  const positive = same && source?.positive && source.positive !== "1" ? ["--positive", source.positive] : [];
  const rule = state.mode === "rule" ? [state.rule] : state.mode === "budget" ? [`alerts <= ${number(state.budget)}`] : [];
  return [
    ...["baserate", "choose", file, ...rule, "--label", label, ...positive],
    ...models.flatMap(({ name }) => ["--score", name]),
    ...(state.prior === null ? [] : ["--prior", state.prior]),
    ...moneyWords(state),
    ...(rule.length ? ["--volume", number(state.volume)] : []),
  ]
    .map(word)
    .join(" ");
}
