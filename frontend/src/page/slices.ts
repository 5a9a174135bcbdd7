// Slices: what the chosen threshold does at every value of a column, as dots with intervals on a line, the largest differences first.
import { digits, quoted, total } from "../core/formats.ts";
import type { Model } from "../core/points.ts";
import { CATALOGUE, type Name } from "../core/catalogue.ts";
import type { Report, Span } from "../document.ts";
import type { Solution } from "../scenario.ts";
import type { Part } from "./answer.ts";
import type { Switch } from "./charts.ts";
import { h, s, unbroken } from "./dom.ts";
import { span } from "./models.ts";

const MEASURES: readonly Name[] = ["tpr", "fpr", "precision", "posfrac"];
const TITLES: Partial<Record<Name, string>> = { tpr: "recall", fpr: "false alarm rate", precision: "precision", posfrac: "share flagged" };

type Row = NonNullable<Report["slices"]>["rows"][number];

/** The number of a measure at a slice, and its interval; of the false alarm rate that of its complement, turned. */
function at(row: Row, name: Name): { value: number; low: number | null; high: number | null } {
  const [point] = row.points;
  const value = typeof point![name] === "number" ? (point![name] as number) : Number.NaN;
  const own: Span | undefined = point!.intervals?.[name];
  const turned: Span | undefined = name === "fpr" ? point!.intervals?.["tnr"] : undefined;
  if (own) return { value, low: own.low, high: own.high };
  if (turned) return { value, low: turned.high === null ? null : 1 - turned.high, high: turned.low === null ? null : 1 - turned.low };
  return { value, low: null, high: null };
}

export function slicesPart(report: Report, models: readonly Model[], flip: Switch): Part | null {
  const found = report.slices;
  if (!found?.rows.length) return null;
  const buttons = MEASURES.map((name) => {
    const button = h("button", { type: "button", class: "pill", "aria-pressed": "false" }, TITLES[name]!);
    button.addEventListener("click", () => flip("slice", name));
    return button;
  });
  const columns = h("div", { class: "slices" });
  const says = h(
    "p",
    { class: "hint" },
    "Every value at the threshold of the given scenario; the upright line is the same over all values. A dot away from its line differs; those that differ most stand first. Filled: the interval does not reach the line.",
  );
  let drawn = "";
  return {
    element: h("div", {}, h("span", { class: "pills", role: "group", "aria-label": "Measure of the slices" }, ...buttons), columns, says),
    update: (solution: Solution) => {
      const name = MEASURES.find((one) => one === solution.state.view["slice"]) ?? "tpr";
      buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(MEASURES[i] === name)));
      if (drawn === name) return;
      drawn = name;
      const groups = new Map<string, Row[]>();
      for (const row of found.rows) groups.set(`${row.by}\u0000${row.model}`, [...(groups.get(`${row.by}\u0000${row.model}`) ?? []), row]);
      columns.replaceChildren(...[...groups.values()].map((rows) => group(rows, name, models, report)));
    },
  };
}

interface Read {
  readonly row: Row;
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
}

/** Whether an interval does not reach what holds over all values. */
const isApart = ({ low, high }: Read, overall: number): boolean => low !== null && high !== null && (low > overall || high < overall);

/** Which value is served worst, in words. */
function worstSaid(known: readonly Read[], name: Name, overall: number): string {
  const lowest = CATALOGUE[name].direction === "higher";
  const one = known.reduce((a, b) => (lowest === b.value < a.value ? b : a));
  const range = span(one.low, one.high, one.value);
  const said = `${lowest ? "Lowest" : "Highest"}: ${quoted(one.row.slice)}, ${digits(one.value, 3)}${range && ` (${range})`}`;
  return unbroken(isApart(one, overall) ? `${said}.` : `${said}; its interval reaches the overall, so this may be chance.`);
}

/** One model by one column. */
function group(rows: readonly Row[], name: Name, models: readonly Model[], report: Report): HTMLElement {
  const index = Math.max(
    0,
    models.findIndex((model) => model.name === rows[0]!.model),
  );
  const read = rows.map((row) => ({ row, ...at(row, name) }));
  const known = read.filter(({ value }) => Number.isFinite(value));
  const overall = Number(report.answers[0]?.points[rows[0]!.model]?.[name] ?? Number.NaN);
  const most = Math.max(...known.flatMap(({ value, high }) => [value, high ?? value]), overall) * 1.05 || 1;
  const far = ({ value }: { value: number }): number => (Number.isFinite(value) ? Math.abs(value - overall) : -1);
  const x = (value: number): number => (300 * Math.min(value, most)) / most;
  const lines = [...read]
    .sort((one, other) => far(other) - far(one))
    .map(({ row, value, low, high }) => {
      const apart = isApart({ row, value, low, high }, overall);
      const dot = Number.isFinite(value)
        ? s(
            "svg",
            { viewBox: "-6 0 312 20", "aria-hidden": "true", class: `dot m${index % 7}${apart ? " apart" : ""}` },
            s("path", { class: "axis", d: "M0 10H300" }),
            s("path", { class: "all", d: `M${x(overall).toFixed(1)} 0V20` }),
            low !== null && high !== null && s("path", { class: "whisker", d: `M${x(low).toFixed(1)} 10H${x(high).toFixed(1)}` }),
            s("circle", { cx: x(value).toFixed(1), cy: 10, r: 5 }),
          )
        : "—";
      const range = span(low, high, Number.isNaN(value) ? null : value);
      const size = `${total(row.positives, !Number.isInteger(Number(row.positives)))} positives`;
      return h(
        "tr",
        {},
        h("th", { scope: "row" }, h("bdi", {}, quoted(row.slice))),
        h("td", { class: "drawn" }, dot),
        h("td", {}, unbroken(digits(value, 3)), h("small", {}, unbroken(range))),
        h("td", { class: "size" }, size),
      );
    });
  const title = h(
    "caption",
    {},
    h("strong", { class: `named m${index % 7}` }, h("bdi", {}, quoted(rows[0]!.model))),
    ` by ${quoted(rows[0]!.by ?? "")}: ${CATALOGUE[name].heading}, overall ${digits(overall, 3)}. `,
    known.length > 1 && h("span", { class: "worst" }, worstSaid(known, name, overall)),
  );
  return h("table", { class: "dots" }, title, h("tbody", {}, ...lines));
}
