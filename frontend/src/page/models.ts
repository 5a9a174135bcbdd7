// The table of models at the scenario, with what bounds the numbers, and to within how much condensed thresholds are known.
import { precisionBounds, rateBounds } from "../core/bounds.ts";
import { digits, digitsApart, general, grouped, quoted, short, UNDEFINED, whole } from "../core/formats.ts";
import { brief, cell, heading, valueOf } from "../core/sentences.ts";
import type { Name } from "../core/catalogue.ts";
import { EVERYTHING, NOTHING, type Setting } from "../core/choosing.ts";
import type { Document, PointOut, Span } from "../document.ts";
import { mayKeep, type Solution } from "../scenario.ts";
import type { Part } from "./answer.ts";
import { h, say, unbroken } from "./dom.ts";
import { sample } from "./legend.ts";

export const COLUMNS: readonly Name[] = ["expected_cost", "tpr", "fpr", "precision", "posfrac", "alerts", "caught"];

/** An interval in a cell, with as many digits as tell its ends apart, of numbers of cases in whole ones; null on a side means no bound there, and the number itself is the end. */
export function span(low: number | null, high: number | null, value: number | null = null, counts = false): string {
  if (low === null && high === null) return "";
  const ends: [number, number] = [low ?? value ?? high!, high ?? value ?? low!];
  const count = digitsApart(...ends);
  const apart = counts && ends.every(Number.isFinite) && ends[1] >= 10 && whole(ends[0]) < whole(ends[1]);
  const bound = (end: number): string => (apart ? grouped(whole(end)) : short(end, count));
  if (low === null) return `<= ${bound(high!)}`;
  if (high === null) return `>= ${bound(low)}`;
  return `${bound(low)} to ${bound(high)}`;
}

/** An interval that Python found; of costs with its sign turned, where they were given as profits. */
function found(point: PointOut | undefined, name: Name, earned: boolean): string {
  const one = point?.intervals?.[name];
  if (!one) return "";
  if (one.method === EXACT) return EXACT;
  const [low, high] = [one.side === "upper" ? null : one.low, one.side === "lower" ? null : one.high];
  const turned = (end: number | null): number | null => (end === null ? null : 0 - end);
  const value = typeof point![name] === "number" ? (point![name] as number) : null;
  return name === "expected_cost" && earned
    ? span(turned(high), turned(low), turned(value))
    : span(low, high, value, name === "alerts" || name === "caught");
}

const EXACT = "exact";

const CORRECTED = "Intervals are corrected for choosing the thresholds on these cases.";
const FIXED = "Intervals take the thresholds as fixed in advance.";
const OF_PRECISION =
  "That of precision: where recall and false alarm rate are both at the worse ends of their bounds, and where both are at the better ones.";

/** What the intervals in the table are, and of which models they are something else. */
function meant({ given, models }: Solution): string {
  if (!given) return models.every(({ held }) => held.weighted) ? "" : `${FIXED} ${OF_PRECISION}`;
  const methods = new Map(
    Object.entries(given.points).map(([name, { intervals }]) => [
      name,
      Object.values(intervals ?? {})
        .map(({ method }) => method ?? "")
        .filter((method) => method !== EXACT),
    ]),
  );
  const names = [...methods.keys()].filter((name) => methods.get(name)!.length);
  const fixed = names.filter((name) => !methods.get(name)!.some((method) => method.startsWith("optimism-corrected")));
  if (!names.length) return "";
  if (fixed.length === names.length) return FIXED;
  return fixed.length ? `${CORRECTED} Those of ${fixed.map(quoted).join(", ")} take the threshold as fixed in advance.` : CORRECTED;
}

/** The interval that Python found of this very point, or else the bounds of a rate, and what both rates together leave of precision. */
function bounds(one: Setting, name: Name, prior: number, { given, question }: Solution): string {
  if (given) return found(given.points[one.model.name], name, question.at.earned);
  const value = valueOf(name, one, question);
  if (name === "precision") return span(...precisionBounds(one, prior), Number.isNaN(value) ? null : value);
  if (name !== "tpr" && name !== "fpr") return "";
  return one.place === 0 ? EXACT : span(...rateBounds(one, name), value); // flagging nothing is no estimate
}

/** Those of flagging nothing or everything, of which the rates are no estimates. */
function baselineBounds(name: string, column: Name, { given, question }: Solution): string {
  if (given) return found(given.baselines[name], column, question.at.earned);
  return column === "tpr" || column === "fpr" ? EXACT : "";
}

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

export function modelTable(document: Document): Part {
  const { models } = document;
  const heads = COLUMNS.map((name) => h("th", { scope: "col", "data-name": name }));
  const head = h(
    "tr",
    {},
    h("th", { scope: "col" }, "model"),
    h("th", { scope: "col" }, "AUC"),
    h("th", { scope: "col" }, "threshold"),
    ...heads,
  );
  const rows = models.map((model, i) => {
    const [value, range] = aucSaid(model.summaries["auc"]);
    const cut = h("td", { class: "cut" });
    const cells = COLUMNS.map((name) => h("td", { "data-name": name }));
    const name = h("th", { scope: "row" }, sample(i), h("bdi", {}, quoted(model.name)));
    const row = h("tr", { "data-model": i }, name, h("td", {}, value, h("small", {}, unbroken(range))), cut, ...cells);
    return { row, cut, cells };
  });
  const ends = [NOTHING, EVERYTHING].map((name) => {
    const cells = COLUMNS.map((column) => h("td", { "data-name": column }));
    const row = h("tr", { "data-baseline": name }, h("th", { scope: "row" }, name), h("td"), h("td", { class: "cut" }), ...cells);
    return { name, row, cells };
  });
  const table = h("table", { id: "models" }, h("thead", {}, head), h("tbody", {}, ...[...rows, ...ends].map(({ row }) => row)));
  const hint = h("p", { class: "hint" });
  const update = (solution: Solution): void => {
    heads.forEach((cellOf, i) => say(cellOf, heading(COLUMNS[i]!, solution.question.at)));
    say(hint, meant(solution));
    for (const { name, row, cells } of ends) {
      const end = solution.baselines.find((one) => one.name === name);
      row.hidden = !end;
      if (!end) continue;
      cells.forEach((cellOf, k) => {
        const column = COLUMNS[k]!;
        fill(cellOf, unbroken(cell(column, end.setting, solution.question)), unbroken(baselineBounds(name, column, solution)));
      });
    }
    rows.forEach(({ row, cut, cells }, i) => {
      const one = solution.settings[i];
      row.classList.toggle("best", Boolean(one && solution.chosen.includes(one)));
      const none = mayKeep(solution.models[i]!, solution) ? "no threshold in this report satisfies the rule" : "cannot satisfy the rule";
      fill(cut, one ? unbroken(brief(one)) : none, one ? gap(one, solution) : "");
      cells.forEach((cellOf, k) => {
        const name = COLUMNS[k]!;
        const small = one ? unbroken(bounds(one, name, solution.priors[i]!, solution)) : "";
        fill(cellOf, one ? unbroken(cell(name, one, solution.question)) : UNDEFINED, small);
      });
    });
  };
  const region = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Table of models" }, table);
  return { element: h("div", {}, region, hint), update };
}

function fill(element: HTMLElement, text: string, small: string): void {
  const key = `${text}|${small}`;
  if (element.dataset["said"] === key) return;
  element.dataset["said"] = key;
  element.replaceChildren(text, ...(small ? [h("small", {}, small)] : []));
}

/** The table as rows of plain values, for a program. */
export function tableRows(document: Document, solution: Solution): Record<string, string | number | null>[] {
  return document.models.map((model, i) => {
    const one = solution.settings[i];
    const auc = model.summaries["auc"];
    const plain: Record<string, string | number | null> = {
      model: model.name,
      auc: auc?.value ?? null,
      prior: solution.priors[i]!,
      threshold: one ? brief(one) : null,
      chosen: one && solution.chosen.includes(one) ? 1 : 0,
    };
    for (const name of COLUMNS) {
      const value = one ? valueOf(name, one, solution.question) : Number.NaN;
      plain[name] = Number.isFinite(value) ? value : null;
    }
    return plain;
  });
}
