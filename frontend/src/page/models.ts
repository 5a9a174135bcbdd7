// The table of models at the scenario, ranked, with what bounds the numbers and how far each is behind the best.
import { cases, costs, digits, digitsApart, general, grouped, quoted, short, UNDEFINED, whole } from "../core/formats.ts";
import { brief, cell, heading, per, realSaid, valueOf } from "../core/sentences.ts";
import type { Name } from "../core/catalogue.ts";
import { EVERYTHING, NOTHING, type Setting } from "../core/choosing.ts";
import { cutAt } from "../charts/scores.ts";
import type { Document, PointOut, Span, Report } from "../document.ts";
import { mayKeep, type Solution } from "../scenario.ts";
import type { Part } from "./answer.ts";
import type { Switch } from "./charts.ts";
import { h, press, put, say, unbroken, watched } from "./dom.ts";
import { sample } from "./legend.ts";

export const COLUMNS: readonly Name[] = ["expected_cost", "tpr", "fpr", "precision", "posfrac", "alerts", "caught"];

/** An interval in a cell, with as many digits as tell its ends apart, of numbers of cases in whole ones; null on a side means no bound there, and the number itself is the end. */
export function span(low: number | null, high: number | null, value: number | null = null, counts = false): string {
  if (low === null && high === null) return "";
  const ends: [number, number] = [low ?? value ?? high!, high ?? value ?? low!];
  const count = digitsApart(...ends);
  const finite = counts && ends.every(Number.isFinite);
  const apart = finite && ends[1] >= 10 && whole(ends[0]) < whole(ends[1]);
  const few = finite && cases(ends[0]) !== cases(ends[1]);
  const bound = (end: number): string => (apart ? grouped(whole(end)) : few ? cases(end) : short(end, count));
  if (low === null) return `<= ${bound(high!)}`;
  if (high === null) return `>= ${bound(low)}`;
  return `${bound(low)} to ${bound(high)}`;
}

/** A lower and an upper end, or that there is nothing to estimate. */
export type Ends = readonly [number | null, number | null] | typeof EXACT | null;

/** The ends that Python found of a measure at a point; of costs with their sign turned, where they were given as profits. */
export function knownEnds(point: PointOut | undefined, name: Name, earned = false): Ends {
  const one = point?.intervals?.[name];
  const ends = point?.ends?.[name] ?? (one && ([one.side === "upper" ? null : one.low, one.side === "lower" ? null : one.high] as const));
  if (!ends) return null;
  if (one ? one.method === EXACT : ends[0] === ends[1]) return EXACT;
  return name === "expected_cost" && earned ? [scaled(ends[1], -1), scaled(ends[0], -1)] : ends;
}

/** Those of flagging nothing or everything. */
const baselineEnds = (name: string, column: Name, { given, question }: Solution): Ends =>
  given && (given.baselines ? knownEnds(given.baselines[name], column, question.at.earned) : EXACT);

/** Ends as a cell shows them, beside the number that they bound. */
function spanned(ends: Ends, name: Name, value: number): string {
  if (Number.isNaN(value)) return "";
  if (ends === null || ends === EXACT) return ends ?? "";
  return span(ends[0], ends[1], value, name === "alerts" || name === "caught");
}

export const EXACT = "exact";

const CORRECTED = "Intervals are corrected for choosing the thresholds on these cases";
const SEVERAL = 3;
const FIXED = "Intervals take the thresholds as fixed in advance.";

const isCorrected = ({ corrected, intervals }: PointOut): boolean =>
  corrected ?? Object.values(intervals ?? {}).some(({ method }) => method?.startsWith("optimism-corrected"));

/** What the intervals in the table are, and of which models they are something else. */
function meant({ given, models, over }: Solution, { nearby }: Report): string {
  const more = nearby.length ? ", and at a tenth, half, twice and ten times its base rate" : "";
  if (!given) return over || models.every(({ held }) => held.weighted) ? "" : `Intervals are shown at the given scenario${more}.`;
  const points = Object.entries(given.points);
  const isBounded = (ends: Ends): boolean => ends !== null && ends !== EXACT;
  const names = points.filter(([, point]) => COLUMNS.some((name) => isBounded(knownEnds(point, name)))).map(([name]) => name);
  const fixed = names.filter((name) => !isCorrected(given.points[name]!));
  if (!names.length) return "";
  if (fixed.length === names.length) return FIXED;
  const among = points.length < SEVERAL ? "" : `, not for choosing the best of ${points.length} models`;
  const rest = fixed.length ? ` Those of ${fixed.map(quoted).join(", ")} take the threshold as fixed in advance.` : "";
  return `${CORRECTED}${among}.${rest}`;
}

/** Numbers of cases that are a share of all of a kind. */
const SHARES: Partial<Record<Name, readonly [Name, (prior: number) => number]>> = {
  caught: ["tpr", (prior) => prior],
  false_alarms: ["fpr", (prior) => 1 - prior],
  alerts: ["posfrac", () => 1],
};

const scaled = (end: number | null, size: number): number | null => (end === null ? null : 0 + end * size);

/** The interval that Python found of this very point, or what it comes to in cases; none where Python did not answer. */
export function endsOf(one: Setting, name: Name, solution: Solution, earned = solution.question.at.earned): Ends {
  const { given, priors, settings, state } = solution;
  if (!given) return null;
  if (name === "volume_cost") {
    const ends = endsOf(one, "expected_cost", solution, earned);
    return ends === null || ends === EXACT ? ends : [scaled(ends[0], state.volume), scaled(ends[1], state.volume)];
  }
  const known = knownEnds(given.points[one.model.name], name, earned);
  const share = SHARES[name];
  if (known || !share) return known;
  const ends = endsOf(one, share[0], solution);
  const size = share[1](priors[settings.indexOf(one)]!) * state.volume;
  return ends === null || ends === EXACT ? ends : [scaled(ends[0], size), scaled(ends[1], size)];
}

/** " (125 to 198)", of a number of cases; nothing where its interval is not known. */
export function boundsSaid(one: Setting, name: Name, solution: Solution): string {
  const ends = endsOf(one, name, solution);
  const text = ends === null || ends === EXACT ? "" : span(...ends, valueOf(name, one, solution.question), true);
  return text && ` (${text.replace("<=", "at most").replace(">=", "at least")})`;
}

/** A number as the table shows it: costs as profits, where they were given so. */
const told = (name: Name, one: Setting, { question }: Solution): number =>
  valueOf(name, one, question) * (question.at.earned && (name === "expected_cost" || name === "volume_cost") ? -1 : 1);

/** The same as text. */
const shownIn = (name: Name, one: Setting, solution: Solution): string =>
  name === "volume_cost" ? costs(told(name, one, solution)) : cell(name, one, solution.question);

/** What a column is called. */
function titleOf(column: Column, { question: { at }, state }: Solution): string {
  if (column === "volume_cost") return `${at.costsGiven ? (at.earned ? "profit" : "cost") : "errors"}${per(state.words)}`;
  return isMeasure(column) ? heading(column, at) : OTHER[column]![0];
}

/** How far a model is behind the best, in what decides, and between which bounds where that was tested. */
export function behind(one: Setting, solution: Solution): { value: number; ends: Ends; p: number | null } | null {
  const best = solution.chosen[0];
  if (!best || solution.cheapest || solution.chosen.includes(one)) return null;
  const name: Name = best.objective === "tpr" ? "caught" : "expected_cost";
  const tested = solution.given?.differences?.find((each) => each.models[0] === one.model.name && each.models[1] === best.model.name);
  const sign = name === "expected_cost" && solution.question.at.earned ? 1 : -1;
  const turned = (end: number | null | undefined): number | null => (end === null || end === undefined ? null : sign * end);
  const ends = tested
    ? ([turned(tested.low), turned(tested.high)].sort((a, b) => (a ?? 0) - (b ?? 0)) as [number | null, number | null])
    : null;
  return { value: told(name, one, solution) - told(name, best, solution), ends, p: tested?.p_adjusted ?? null };
}

const withSign = (value: number): string => `${value < 0 ? "−" : "+"}${costs(Number(Math.abs(value).toPrecision(3)))}`;

/** Where thresholds are condensed: to within how much the setting is known. */
export function gap(one: Setting, solution: Solution): string {
  const { gap: apart } = one.model.held;
  if (solution.exact || !apart) return "";
  return `recall to within ${general(apart.tpr, 2)}, false alarm rate to within ${general(apart.fpr, 2)}`;
}

const aucSaid = (auc: (Span & { value: number | null }) | undefined): [string, string] => [
  digits(auc?.value ?? Number.NaN, 4),
  auc && auc.low !== undefined && auc.high !== undefined ? span(auc.low, auc.high) : "",
];

type Column = Name | "real" | "behind" | "cut" | "auc";
const ORDER: readonly Column[] = [
  "caught",
  "alerts",
  "real",
  "volume_cost",
  "behind",
  "cut",
  "tpr",
  "fpr",
  "precision",
  "posfrac",
  "expected_cost",
  "auc",
];
const FIRST = 6; // columns that are always shown
const isMeasure = (column: Column): column is Name => !["real", "behind", "cut", "auc"].includes(column);
const OTHER: Record<string, readonly [string, string]> = {
  real: ["real alerts", "How many alerts it takes to find one positive."],
  behind: ["behind the best", "The difference to the best model, with its interval or p-value where it was tested."],
  cut: ["threshold", "A case is flagged where its score is at least this."],
  auc: ["AUC", "The chance that a positive scores above a negative, ties counted half."],
};

const SOME = 5; // models that a phone shows at first
const MANY = 8; // models, from which on one looks for a name
const LONGEST = 24;

interface Line {
  readonly row: HTMLTableRowElement;
  readonly cells: ReadonlyMap<Column, HTMLElement>;
}

const isExtra = (column: Column): boolean => ORDER.indexOf(column) >= FIRST;

function lineOf(first: HTMLElement, props: Record<string, string | number>): Line {
  const cells = new Map(
    ORDER.map((column) => [column, h("td", { "data-name": column, class: `${column}${isExtra(column) ? " extra" : ""}` })] as const),
  );
  return { row: h("tr", props, first, ...cells.values()), cells };
}

/** What stands in the cells of a row, as text and small text below it. */
type Told = (column: Column) => readonly [string, string];

function modelTold(i: number, document: Document, solution: Solution): Told {
  const one = solution.settings[i];
  const [value, range] = aucSaid(document.models[i]!.summaries["auc"]);
  const none = mayKeep(solution.models[i]!, solution) ? "no threshold in this report satisfies the rule" : "cannot satisfy the rule";
  return (column) => {
    if (column === "auc") return [value, range];
    if (column === "cut") return one ? [brief(one), gap(one, solution)] : [none, ""];
    if (!one) return [column === "behind" ? "" : UNDEFINED, ""];
    if (column === "real") return [realSaid(one, solution.question), ""];
    if (column === "behind") return behindSaid(one, solution);
    return [shownIn(column, one, solution), spanned(endsOf(one, column, solution), column, told(column, one, solution))];
  };
}

function behindSaid(one: Setting, solution: Solution): readonly [string, string] {
  const found = behind(one, solution);
  if (!found) return [solution.settings.length > 1 && !solution.cheapest ? "best" : "", ""];
  const size = solution.chosen[0]!.objective === "tpr" ? 1 : solution.state.volume;
  const { ends, p } = found;
  const known = ends && ends !== EXACT && ends[0] !== null && ends[1] !== null;
  // The interval is of one comparison; of several, the p-value allows for all.
  const small = p !== null ? `p = ${general(p, 2)}` : known ? `${withSign(size * ends[0]!)} to ${withSign(size * ends[1]!)}` : "";
  return [withSign(size * found.value), small];
}

export function modelTable(document: Document, flip: Switch): Part {
  const { definitions } = document.report;
  let latest: Solution | null = null;
  const heads = ORDER.map((column) => {
    const about = definitions.find(({ name }) => name === column)?.text ?? OTHER[column]?.[1] ?? "";
    const button = press("", { class: "sort term", "data-tip": about, "aria-description": about }, () => {
      const said = latest?.state.view["sort"] ?? "";
      flip("sort", said === column ? `-${column}` : said === `-${column}` ? "" : column);
    });
    return { column, button, head: h("th", { scope: "col", "data-name": column, class: isExtra(column) && "extra" }, button) };
  });
  const rows = document.models.map((model, i) =>
    lineOf(h("th", { scope: "row" }, sample(i), h("bdi", {}, quoted(model.name))), { "data-model": i }),
  );
  const ends = [NOTHING, EVERYTHING].map((name) => ({ name, ...lineOf(h("th", { scope: "row" }, name), { "data-baseline": name }) }));
  const body = h("tbody", {}, ...[...rows, ...ends].map(({ row }) => row));
  const table = h("table", { id: "models" }, h("thead", {}, h("tr", {}, h("td"), ...heads.map(({ head }) => head))), body);
  const hint = h("p", { class: "hint" });
  const find = h("input", { type: "search", id: "find", placeholder: "Find a model", "aria-label": "Find a model" });
  find.addEventListener("input", () => flip("find", find.value.slice(0, LONGEST)));
  const flips = (name: string, text: string): HTMLButtonElement => {
    const props = { class: "quiet", id: `models-${name}`, "aria-pressed": "false" };
    return press(text, props, () => flip(name, latest?.state.view[name] === "1" ? "" : "1"));
  };
  const [all, every] = [flips("all", "All measures"), flips("every", `All ${rows.length} models`)];
  const near = watched(table, () => latest && fillAll(latest), "-40px");
  const update = (solution: Solution): void => {
    latest = solution;
    if (near()) fillAll(solution);
    else put(table, "aria-busy", "true");
  };
  const fillAll = (solution: Solution): void => {
    put(table, "aria-busy", "false");
    const wanted = (solution.state.view["find"] ?? "").toLowerCase();
    if (globalThis.document.activeElement !== find) find.value = solution.state.view["find"] ?? "";
    const sort = solution.state.view["sort"] ?? "";
    const titles = new Map(ORDER.map((column) => [column, titleOf(column, solution)] as const));
    const isOn = (name: string): boolean => solution.state.view[name] === "1";
    table.classList.toggle("all", isOn("all"));
    table.classList.toggle("every", isOn("every"));
    put(all, "aria-pressed", String(isOn("all")));
    put(every, "aria-pressed", String(isOn("every")));
    for (const { column, button, head } of heads) {
      say(button, titles.get(column)!);
      put(head, "aria-sort", sort === column ? "ascending" : sort === `-${column}` ? "descending" : "none");
    }
    say(
      hint,
      `${solution.state.words.period ? "" : `Of ${grouped(whole(solution.state.volume))} ${solution.state.words.unit}. `}${meant(solution, document.report)}`,
    );
    const show = ({ row, cells }: Line, said: Told): void => {
      row.hidden = false;
      for (const [column, cellOf] of cells) {
        const [text, small] = said(column);
        put(cellOf, "data-label", titles.get(column)!);
        fill(cellOf, unbroken(text), unbroken(small));
      }
    };
    rows.forEach((line, i) => {
      line.row.classList.toggle("best", Boolean(solution.settings[i] && solution.chosen.includes(solution.settings[i]!)));
      show(line, modelTold(i, document, solution));
      line.row.hidden = !document.models[i]!.name.toLowerCase().includes(wanted);
    });
    for (const line of ends) {
      const end = solution.baselines.find((one) => one.name === line.name);
      line.row.hidden = !end;
      if (end)
        show(line, (column) => {
          if (column === "real") return [realSaid(end.setting, solution.question), ""];
          if (!isMeasure(column)) return [column === "behind" ? behindSaid(end.setting, solution)[0] : "", ""];
          const value = told(column, end.setting, solution);
          return [shownIn(column, end.setting, solution), spanned(baselineEnds(line.name, column, solution), column, value)];
        });
    }
    ranked(solution, sort, document).forEach((i, rank) => rows[i]!.row.classList.toggle("more", rank >= SOME && !wanted));
    const order = [...ranked(solution, sort, document).map((i) => rows[i]!.row), ...ends.map(({ row }) => row)];
    if (order.some((row, i) => body.children[i] !== row)) body.append(...order);
  };
  const region = h("div", { class: "wide", role: "region", "aria-label": "Table of models" }, table);
  const foot = h("div", { class: "foot" }, hint, h("span", { class: "tools" }, rows.length > SOME && every, all));
  return { element: h("div", {}, document.models.length > MANY && find, region, foot), update };
}

/** The models by a column, or by what decides, the best first; those without a value last. */
function ranked(solution: Solution, sort: string, document: Document): number[] {
  const column = sort.replace(/^-/, "") as Column;
  const key = (i: number): number => {
    const one = solution.settings[i];
    if (column === "auc") return document.models[i]!.summaries["auc"]?.value ?? Number.NaN;
    if (!one) return Number.NaN;
    if (column === "cut") return cutAt(one.model, one.place);
    if (column === "real") return -valueOf("precision", one, solution.question);
    if (ORDER.includes(column) && isMeasure(column)) return valueOf(column, one, solution.question);
    return valueOf(one.objective === "tpr" ? "missed" : "expected_cost", one, solution.question);
  };
  const sign = sort.startsWith("-") ? -1 : 1;
  const keys = solution.settings.map((_, i) => key(i) * sign);
  const best = (i: number): number => (sort === "" && solution.chosen.includes(solution.settings[i]!) ? 0 : 1);
  const after = (i: number): number => (Number.isNaN(keys[i]!) ? 1 : 0);
  return [...keys.keys()].sort((a, b) => after(a) - after(b) || best(a) - best(b) || keys[a]! - keys[b]! || a - b);
}

function fill(element: HTMLElement, text: string, small: string): void {
  const key = `${text}|${small}`.replaceAll(">=", "≥").replaceAll("<=", "≤");
  if (element.dataset["said"] === key) return;
  element.dataset["said"] = key;
  const [said, below] = key.split("|") as [string, string];
  element.replaceChildren(said, ...(below ? [h("small", { class: below === EXACT ? "unseen" : null }, below)] : []));
}

/** The table as rows of plain values with the ends of their intervals, for a program. */
export function tableRows(document: Document, solution: Solution): Record<string, string | number | null>[] {
  return document.models.map((model, i) => {
    const one = solution.settings[i];
    const auc = model.summaries["auc"];
    const plain: Record<string, string | number | null> = {
      model: model.name,
      auc: auc?.value ?? null,
      auc_low: auc?.low ?? null,
      auc_high: auc?.high ?? null,
      prior: solution.priors[i]!,
      threshold: one && one.place ? cutAt(one.model, one.place) : null,
      share_of_tie: one ? one.share : null,
      chosen: one && solution.chosen.includes(one) ? 1 : 0,
    };
    const put = (name: string, value: number | null, ends: Ends): void => {
      plain[name] = value !== null && Number.isFinite(value) ? value : null;
      [plain[`${name}_low`], plain[`${name}_high`]] = ends === EXACT ? [plain[name], plain[name]] : (ends ?? [null, null]);
    };
    for (const name of COLUMNS) {
      const [value, ends] = one ? [valueOf(name, one, solution.question), endsOf(one, name, solution, false)] : [Number.NaN, null];
      put(name, value, ends);
    }
    const after = one ? behind(one, solution) : null;
    put("behind_best", after?.value ?? null, after?.ends ?? null);
    return plain;
  });
}
