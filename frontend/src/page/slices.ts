// Slices: what the chosen threshold does at every value of a column, as dots with intervals on a line, the largest differences first.
import { digits, quoted, total } from "../core/formats.ts";
import { shareBounds } from "../core/bounds.ts";
import { Numbers, unpacked } from "../core/packed.ts";
import { thresholdSaid, type Model } from "../core/points.ts";
import { rate, steps } from "../charts/axes.ts";
import { CATALOGUE, type Name } from "../core/catalogue.ts";
import type { Report, Span } from "../document.ts";
import type { Solution } from "../scenario.ts";
import type { Part } from "./answer.ts";
import type { Switch } from "./charts.ts";
import { h, s, unbroken, watched } from "./dom.ts";
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

/** The corner of the hull that flags about as many cases as a threshold: at the cheapest thresholds, the same. */
function nearestCorner(model: Model, place: number): number {
  const flagged = (at: number): number => model.tp[at]! + model.fp[at]!;
  const far = (k: number): number => Math.abs(flagged(model.held.hull[k]!) - flagged(place));
  return model.held.hull.reduce((best, _, k) => (far(k) < far(best) ? k : best), 0);
}

const counted = new Map<string, Float64Array>();

/** How many cases a slice flags at each corner. */
function sums(text: string): Float64Array {
  const numbers = new Numbers(unpacked(text));
  const found = [0];
  while (numbers.place < numbers.bytes.length) found.push(found[found.length - 1]! + numbers.next());
  return Float64Array.from(found);
}
const sumsOf = (text: string): Float64Array => counted.get(text) ?? counted.set(text, sums(text)).get(text)!;

/** A measure of both rates, at a base rate: rising with the first and falling with the second, or what is flagged. */
function mixed(name: Name, tpr: number, fpr: number, prior: number): number {
  if (name === "tpr") return tpr;
  if (name === "fpr") return fpr;
  const all = prior * tpr + (1 - prior) * fpr;
  return name === "posfrac" ? all : (prior * tpr) / all;
}

/** The same where the controls stand: at a corner of the model's hull, with both rates between their bounds. */
function movedTo(row: Row, name: Name, corner: number, model: Model, prior: number | null): Omit<Read, "row"> {
  const [tp, fp] = [sumsOf(row.corners!.tp)[corner]!, sumsOf(row.corners!.fp)[corner]!];
  const [positives, negatives] = [Number(row.positives), Number(row.negatives)];
  const own = prior ?? positives / (positives + negatives);
  const value = mixed(name, tp / positives, fp / negatives, own);
  const { bounds } = model.held;
  if (!bounds || !positives || !negatives) return { value, low: null, high: null };
  const [[few, many], [least, most]] = [shareBounds(tp, positives, bounds), shareBounds(fp, negatives, bounds)];
  const against = name === "precision";
  const low = mixed(name, few ?? 0, (against ? most : least) ?? (against ? 1 : 0), own);
  const high = mixed(name, many ?? 1, (against ? least : most) ?? (against ? 0 : 1), own);
  return { value, low: Number.isNaN(low) ? null : low, high: Number.isNaN(high) ? null : high };
}

const SAYS =
  "Upright line: overall. Largest differences first; filled: the interval does not reach the line. Intervals treat the thresholds as fixed in advance.";

export function slicesPart(report: Report, models: readonly Model[], flip: Switch): Part | null {
  const found = report.slices;
  if (!found?.rows.length) return null;
  const buttons = MEASURES.map((name) => {
    const button = h("button", { type: "button", class: "pill", "aria-pressed": "false" }, TITLES[name]!);
    button.addEventListener("click", () => flip("slice", name));
    return button;
  });
  const columns = h("div", { class: "slices" });
  const groups = new Map<string, Row[]>();
  for (const row of found.rows) groups.set(`${row.by}\u0000${row.model}`, [...(groups.get(`${row.by}\u0000${row.model}`) ?? []), row]);
  let [drawn, latest]: [string, Solution | null] = ["", null];
  const draw = (): void => {
    if (!latest || (drawn && !near())) return;
    const name = MEASURES.find((one) => one === latest!.state.view["slice"]) ?? "tpr";
    buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(MEASURES[i] === name)));
    const isGiven = latest.given === report.answers[0] || latest.over !== null;
    const key = isGiven ? name : `${name} ${latest.priors.join()} ${latest.settings.map((one) => one?.place).join()}`;
    if (drawn === key) return;
    drawn = key;
    const solution = isGiven ? null : latest;
    columns.replaceChildren(...[...groups.values()].map((rows) => group(rows, name, models, report, solution)));
  };
  const element = h(
    "div",
    { class: "card" },
    h("span", { class: "pills", role: "group", "aria-label": "Measure of the slices" }, ...buttons),
    columns,
    h("p", { class: "hint" }, SAYS),
  );
  const near = watched(element, draw);
  return {
    element,
    update: (solution: Solution) => {
      latest = solution;
      draw();
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
function group(rows: readonly Row[], name: Name, models: readonly Model[], report: Report, moved: Solution | null): HTMLElement {
  const index = Math.max(
    0,
    models.findIndex((model) => model.name === rows[0]!.model),
  );
  const model = models[index]!;
  // Where a slice cannot follow the controls, all stay at the given scenario.
  const one = rows.every(({ corners }) => corners) ? (moved?.settings[index] ?? null) : null;
  const corner = one && nearestCorner(model, one.place);
  const given = moved && moved.question.at.prior !== null ? moved.priors[index]! : null;
  const read = rows.map((row) => ({ row, ...(corner === null ? at(row, name) : movedTo(row, name, corner, model, given)) }));
  const known = read.filter(({ value }) => Number.isFinite(value));
  const place = corner === null ? 0 : model.held.hull[corner]!;
  const overall =
    corner === null
      ? Number(report.answers[0]?.points[rows[0]!.model]?.[name] ?? Number.NaN)
      : mixed(name, model.tpr[place]!, model.fpr[place]!, moved!.priors[index]!);
  const cut = corner === null ? "" : place ? ` at score ≥ ${thresholdSaid(model, place)}` : " flagging nothing";
  const where =
    corner === null
      ? moved
        ? " at the given scenario"
        : ""
      : one!.place === place
        ? cut
        : `${cut}, the nearest threshold counted by slice`;
  const most = Math.max(...known.flatMap(({ value, high }) => [value, high ?? value]), overall) * 1.05 || 1;
  const far = ({ value }: { value: number }): number => (Number.isFinite(value) ? Math.abs(value - overall) : -1);
  const x = (value: number): number => (300 * Math.min(value, most)) / most;
  const ticks = steps([0, most], 4);
  const lines = [...read]
    .sort((one, other) => far(other) - far(one))
    .map(({ row, value, low, high }) => {
      const apart = isApart({ row, value, low, high }, overall);
      const dot = Number.isFinite(value)
        ? s(
            "svg",
            {
              viewBox: "-6 0 312 20",
              preserveAspectRatio: "none",
              "aria-hidden": "true",
              class: `dot m${index % 7}${apart ? " apart" : ""}`,
            },
            s("path", { class: "axis", d: `M0 10H300${ticks.map((tick) => `M${x(tick).toFixed(1)} 0V20`).join("")}` }),
            s("path", { class: "all", d: `M${x(overall).toFixed(1)} 0V20` }),
            low !== null && high !== null && s("path", { class: "whisker", d: `M${x(low).toFixed(1)} 10H${x(high).toFixed(1)}` }),
            s("path", { class: "spot", d: `M${x(value).toFixed(1)} 10h0` }),
            s("path", { class: "spot inner", d: `M${x(value).toFixed(1)} 10h0` }),
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
    ` by ${quoted(rows[0]!.by ?? "")}: ${CATALOGUE[name].heading}${where}, overall ${digits(overall, 3)}. `,
    known.length > 1 && h("span", { class: "worst" }, worstSaid(known, name, overall)),
  );
  const scale = h("div", { class: "scale", "aria-hidden": "true" }, ...ticks.map((tick) => h("span", {}, rate(tick))));
  ticks.forEach((tick, i) => ((scale.children[i] as HTMLElement).style.left = `${(100 * (x(tick) + 6)) / 312}%`));
  const foot = h("tr", {}, h("td"), h("td", { class: "drawn" }, scale));
  return h("table", { class: "dots" }, title, h("tbody", {}, ...lines), h("tfoot", {}, foot));
}
