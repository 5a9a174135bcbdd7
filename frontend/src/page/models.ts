// The table of models at the scenario, with what bounds the numbers, and how far apart the held points are.
import { precisionBounds, rateBounds } from "../core/bounds.ts";
import { digits, digitsApart, general, quoted, short, UNDEFINED } from "../core/formats.ts";
import { read } from "../core/measures.ts";
import { thresholdSaid } from "../core/points.ts";
import { brief, cell, heading } from "../core/sentences.ts";
import type { Name } from "../core/catalogue.ts";
import { EVERYTHING, NOTHING, type Setting } from "../core/choosing.ts";
import type { Document, Given, Span } from "../document.ts";
import { mayKeep, type Solution } from "../scenario.ts";
import type { Part } from "./answer.ts";
import { h, say, unbroken } from "./dom.ts";
import { sample } from "./legend.ts";

export const COLUMNS: readonly Name[] = ["expected_cost", "tpr", "fpr", "precision", "posfrac", "alerts", "caught"];

/** An interval in a cell; null on a side means no bound there. */
export function span(low: number | null, high: number | null): string {
  if (low === null && high === null) return "";
  if (low === null) return `<= ${short(high!)}`;
  if (high === null) return `>= ${short(low)}`;
  const count = digitsApart(low, high);
  return `${short(low, count)} to ${short(high, count)}`;
}

/** An interval that Python found. */
function found(one: Span | undefined): string {
  if (!one) return "";
  if (one.method === EXACT) return EXACT;
  return span(one.side === "upper" ? null : one.low, one.side === "lower" ? null : one.high);
}

const EXACT = "exact";

const CORRECTED = "Intervals are corrected for choosing the thresholds on these cases.";
const FIXED =
  "Intervals take the thresholds as fixed in advance. That of precision: where recall and false alarm rate are both at the worse ends of their bounds, and where both are at the better ones.";

/** The interval that Python found of this very point, or else the bounds of a rate, and what both rates together leave of precision. */
function bounds(one: Setting, name: Name, prior: number, given: Given | null): string {
  if (given) return found(given.points[one.model.name]?.intervals?.[name]);
  if (name === "precision") return span(...precisionBounds(one, prior));
  return name === "tpr" || name === "fpr" ? span(...rateBounds(one, name)) : "";
}

/** Where only some points are held: what lies between the neighbours of the one that was found. */
export function gap(one: Setting, solution: Solution): string {
  const { held } = one.model;
  if (solution.exact || held.every) return "";
  const [above, below] = [Math.max(0, one.place - 1), Math.min(held.tp.length - 1, one.place + 1)];
  const share = (place: number): string => general(one.model.tpr[place]!, 4);
  const cuts = `${thresholdSaid(one.model, above)} and ${thresholdSaid(one.model, below)}`;
  return `held neighbours: ${cuts}, recall ${share(above)} to ${share(below)}`;
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
    say(hint, solution.given ? CORRECTED : FIXED);
    for (const { name, row, cells } of ends) {
      const end = solution.baselines.find((one) => one.name === name);
      row.hidden = !end;
      if (end) cells.forEach((cellOf, k) => fill(cellOf, unbroken(cell(COLUMNS[k]!, end.setting, solution.question)), ""));
    }
    rows.forEach(({ row, cut, cells }, i) => {
      const one = solution.settings[i];
      row.classList.toggle("best", Boolean(one && solution.chosen.includes(one)));
      const none = mayKeep(solution.models[i]!, solution) ? "no held point keeps the rule" : "cannot keep the rule";
      fill(cut, one ? unbroken(brief(one)) : none, one ? gap(one, solution) : "");
      cells.forEach((cellOf, k) => {
        const name = COLUMNS[k]!;
        const small = one ? unbroken(bounds(one, name, solution.priors[i]!, solution.given)) : "";
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
      const value = one ? read(name, one.confusion, solution.question.at, solution.question.volume) : Number.NaN;
      plain[name] = Number.isFinite(value) ? value : null;
    }
    return plain;
  });
}
