// Slices: what the thresholds do at every value of a column: one row for each value, with all models in it, as dots with intervals.
import { digits, general, quoted, total } from "../core/formats.ts";
import { shareBounds } from "../core/bounds.ts";
import { Numbers, unpack } from "../core/packed.ts";
import { thresholdSaid, type Model } from "../core/points.ts";
import { rate, steps } from "../charts/axes.ts";
import { CATALOGUE, type Name } from "../core/catalogue.ts";
import type { Report, Span } from "../document.ts";
import type { Solution } from "../scenario.ts";
import type { Part } from "./answer.ts";
import type { Switch } from "./charts.ts";
import { h, press, s, unbroken, watched } from "./dom.ts";
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

/** How many cases each slice flags at each corner, by the text that they are packed in; empty until they are unpacked. */
const sums = new Map<string, Float64Array>();

async function unpackSums(text: string): Promise<void> {
  const numbers = new Numbers(await unpack(text));
  const found = [0];
  while (numbers.place < numbers.bytes.length) found.push(found[found.length - 1]! + numbers.next());
  sums.set(text, Float64Array.from(found));
}

/** A measure of both rates, at a base rate: rising with the first and falling with the second, or what is flagged. */
function mixed(name: Name, tpr: number, fpr: number, prior: number): number {
  if (name === "tpr") return tpr;
  if (name === "fpr") return fpr;
  const all = prior * tpr + (1 - prior) * fpr;
  return name === "posfrac" ? all : (prior * tpr) / all;
}

/** The same where the controls stand: at a corner of the model's hull, with both rates between their bounds. */
function movedTo(row: Row, name: Name, corner: number, model: Model, prior: number | null): Omit<Read, "row"> {
  const [tp, fp] = [sums.get(row.corners!.tp)![corner]!, sums.get(row.corners!.fp)![corner]!];
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

const SAYS = "Upright lines: overall. Filled: the interval does not reach the model's own line. Faint: fewer than 20 positives.";
const MOST_DRAWN = 4; // models in one row
const FEW = 20; // positives

export function slicesPart(report: Report, flip: Switch): Part | null {
  const found = report.slices;
  if (!found?.rows.length) return null;
  const buttons = MEASURES.map((name) => press(TITLES[name]!, { class: "pill", "aria-pressed": "false" }, () => flip("slice", name)));
  const columns = h("div", { class: "slices" });
  const groups = new Map<string, Row[]>();
  for (const row of found.rows) groups.set(row.by, [...(groups.get(row.by) ?? []), row]);
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
    columns.replaceChildren(...[...groups.values()].map((rows) => table(rows, name, latest!, report, solution)));
  };
  const element = h(
    "div",
    { class: "card" },
    h("span", { class: "pills", role: "group", "aria-label": "Measure of the slices" }, ...buttons),
    columns,
    h("p", { class: "hint" }, SAYS),
  );
  const near = watched(element, draw);
  const packed = found.rows.flatMap(({ corners }) => (corners ? [corners.tp, corners.fp] : []));
  void Promise.all(packed.map(unpackSums)).then(() => {
    drawn = "";
    draw();
  });
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

/** One model over all values of a column. */
interface Line {
  readonly index: number;
  readonly model: Model;
  readonly overall: number;
  /** Where its threshold stands, in words. */
  readonly where: string;
  readonly read: ReadonlyMap<string, Read>;
}

const isFew = ({ positives }: Row): boolean => Number(positives) < FEW;

/** Whether an interval does not reach what holds over all values. */
const isApart = ({ low, high }: Read, overall: number): boolean => low !== null && high !== null && (low > overall || high < overall);

/** Which value is served worst, in words. */
function worstSaid(lines: readonly Line[], name: Name): string {
  const lowest = CATALOGUE[name].direction === "higher";
  const known = lines.flatMap((line) =>
    [...line.read.values()].filter(({ value }) => Number.isFinite(value)).map((one) => ({ line, one })),
  );
  if (known.length < 2) return "";
  const enough = known.filter(({ one }) => !isFew(one.row));
  const all = enough.length ? enough : known;
  const { line, one } = all.reduce((a, b) => (lowest === b.one.value < a.one.value ? b : a));
  const range = span(one.low, one.high, one.value);
  const which = lines.length > 1 ? `${quoted(line.model.name)} in ${quoted(one.row.slice)}` : quoted(one.row.slice);
  const others = lines.flatMap((other) => {
    const there = other.read.get(one.row.slice);
    return other === line || !there ? [] : [`${quoted(other.model.name)} ${digits(there.value, 3)}`];
  });
  const beside = others.length ? `, beside ${others.join(", ")}` : "";
  const said = `${lowest ? "Lowest" : "Highest"}: ${which}, ${digits(one.value, 3)}${range && ` (${range})`}${beside}`;
  return unbroken(isApart(one, line.overall) ? `${said}.` : `${said}; its interval reaches the overall, so this may be chance.`);
}

/** What a model does at every value, where the controls stand, or else at the given scenario. */
function lineOf(model: Model, index: number, rows: readonly Row[], name: Name, report: Report, moved: Solution | null): Line {
  // Where a slice cannot follow the controls, all stay at the given scenario.
  const one = rows.every(({ corners }) => corners && sums.has(corners.tp) && sums.has(corners.fp))
    ? (moved?.settings[index] ?? null)
    : null;
  const corner = one && nearestCorner(model, one.place);
  const given = moved && moved.question.at.prior !== null ? moved.priors[index]! : null;
  const read = rows.map((row) => ({ row, ...(corner === null ? at(row, name) : movedTo(row, name, corner, model, given)) }));
  const found = new Map(read.map((each) => [each.row.slice, each] as const));
  if (corner === null) {
    const overall = Number(report.answers[0]?.points[model.name]?.[name] ?? Number.NaN);
    return { index, model, overall, where: moved ? " at the given scenario" : "", read: found };
  }
  const place = model.held.hull[corner]!;
  const cut = place ? ` at score ≥ ${thresholdSaid(model, place)}` : " flagging nothing";
  const where = one!.place === place ? cut : `${cut}, the nearest threshold counted by slice`;
  return { index, model, overall: mixed(name, model.tpr[place]!, model.fpr[place]!, moved!.priors[index]!), where, read: found };
}

const isDay = (text: string): boolean => /^\d{4}-\d{2}(-\d{2})?/.test(text);

/** Days and numbers in their order; null where the values have none. */
function inOrder(names: readonly string[]): string[] | null {
  if (names.every(isDay)) return [...names].sort();
  const numbers = names.every((name) => name.trim() !== "" && Number.isFinite(Number(name)));
  return numbers && names.length > 2 ? [...names].sort((a, b) => Number(a) - Number(b)) : null;
}

/** The drawing of one row: every model on a line of its own, with where it goes from the row above and to the row below. */
function drawnRow(
  lines: readonly Line[],
  slice: string,
  x: (value: number) => number,
  ticks: readonly number[],
  [before, after]: readonly [string | undefined, string | undefined],
): SVGSVGElement {
  const height = lines.length > 1 ? 8 + 9 * lines.length : 20;
  const parts = lines.flatMap((line, k): (SVGElement | false)[] => {
    const one = line.read.get(slice);
    if (!one || !Number.isFinite(one.value)) return [];
    const y = (height * (k + 1)) / (lines.length + 1);
    const here = x(one.value);
    const trend = [
      [before, 0, y / height],
      [after, height, 1 - y / height],
    ] as const;
    const through = trend.map(([other, edge, share]) => {
      const next = other === undefined ? Number.NaN : (line.read.get(other)?.value ?? Number.NaN);
      return Number.isFinite(next) ? `M${here.toFixed(1)} ${y}L${(here + (x(next) - here) * share).toFixed(1)} ${edge}` : "";
    });
    const colour = `m${line.index % 7}`;
    const { low, high } = one;
    return [
      s("path", { class: `all ${colour}`, d: `M${x(line.overall).toFixed(1)} 0V${height}` }),
      s("path", { class: `through ${colour}`, d: through.join("") }),
      low !== null && high !== null && s("path", { class: `whisker ${colour}`, d: `M${x(low).toFixed(1)} ${y}H${x(high).toFixed(1)}` }),
      s("path", { class: `spot ${colour}${k % 2 ? " square" : ""}`, d: `M${here.toFixed(1)} ${y}h0` }),
      !isApart(one, line.overall) && s("path", { class: `spot inner${k % 2 ? " square" : ""}`, d: `M${here.toFixed(1)} ${y}h0` }),
    ];
  });
  const grid = s("path", { class: "axis", d: ticks.map((tick) => `M${x(tick).toFixed(1)} 0V${height}`).join("") });
  const box = { viewBox: `-6 0 312 ${height}`, height, preserveAspectRatio: "none", "aria-hidden": "true" };
  const apart = lines.some((line) => line.read.has(slice) && isApart(line.read.get(slice)!, line.overall));
  return s("svg", { ...box, class: apart ? "dot apart" : "dot" }, grid, ...parts.filter((part) => part !== false));
}

/** A column: a row for each of its values, with all models, or of many the best two. */
function table(rows: readonly Row[], name: Name, solution: Solution, report: Report, moved: Solution | null): HTMLElement {
  const { models, settings, chosen, second } = solution;
  const there = models.filter((model) => rows.some((row) => row.model === model.name));
  const best = [...chosen, ...(second ? [second] : [])].map((one) => one.model);
  const shown = there.length > MOST_DRAWN ? there.filter((model) => best.includes(model)).slice(0, MOST_DRAWN) : there;
  const first = (shown.length ? shown : there.slice(0, 2)).sort((a, b) => Number(best.includes(b)) - Number(best.includes(a)));
  const lines = first.map((model) => lineOf(model, models.indexOf(model), rows.filter((row) => row.model === model.name), name, report, moved)); // prettier-ignore
  const names = [...new Set(rows.map(({ slice }) => slice))];
  const size = new Map(rows.map((row) => [row.slice, row] as const));
  const few = (slice: string): boolean => isFew(size.get(slice)!);
  const far = (slice: string): number =>
    Math.max(...lines.map((line) => Math.abs((line.read.get(slice)?.value ?? Number.NaN) - line.overall) || 0));
  const ordered = inOrder(names);
  const order = ordered ?? [...names].sort((a, b) => Number(few(a)) - Number(few(b)) || far(b) - far(a));
  const ends = lines.flatMap(({ read, overall }) => [overall, ...[...read.values()].flatMap(({ value, high }) => [value, high ?? value])]);
  const most = Math.max(...ends.filter(Number.isFinite)) * 1.05 || 1;
  const x = (value: number): number => (300 * Math.min(value, most)) / most;
  const ticks = steps([0, most], 4);
  const body = order.map((slice, i) => {
    const beside = ordered ? ([order[i - 1], order[i + 1]] as const) : ([undefined, undefined] as const);
    const values = lines.map((line) => {
      const one = line.read.get(slice);
      const text = one ? unbroken(digits(one.value, 3)) : "—";
      const range = one ? span(one.low, one.high, Number.isNaN(one.value) ? null : one.value) : "";
      return h("td", { class: "value" }, text, h("small", {}, unbroken(range)));
    });
    const { positives } = size.get(slice)!;
    return h(
      "tr",
      { class: few(slice) ? "few" : null },
      h("th", { scope: "row", title: slice }, h("bdi", {}, quoted(slice))),
      h("td", { class: "drawn" }, drawnRow(lines, slice, x, ticks, beside)),
      ...values,
      h("td", { class: "size" }, `${total(positives, !Number.isInteger(Number(positives)))} positives`),
    );
  });
  const key = lines.map((line) =>
    h(
      "span",
      { class: "key" },
      h("strong", { class: `named m${line.index % 7}` }, lines.length > 1 && h("i", { class: `spot m${line.index % 7}` }), h("bdi", {}, quoted(line.model.name))),
      `${line.where}, overall ${digits(line.overall, 3)}. `,
    ),
  ); // prettier-ignore
  const by = rows[0]!.by;
  const chance = lines.length * names.length * (1 - report.level);
  const intervals = lines.some(({ read }) => [...read.values()].some(({ low }) => low !== null));
  const allowance =
    intervals && lines.length * names.length > 5
      ? `Of ${lines.length * names.length} intervals about ${general(chance, 1)} would miss the line by chance alone. `
      : "";
  const caption = h(
    "caption",
    {},
    `${CATALOGUE[name].heading} by ${quoted(by)}: `,
    ...key,
    h("span", { class: "worst" }, worstSaid(lines, name)),
    allowance && h("span", { class: "hint" }, ` ${allowance}`),
    settings.length > first.length && h("span", { class: "hint" }, `${first.length} of ${there.length} models. `),
  );
  const scale = h("div", { class: "scale", "aria-hidden": "true" }, ...ticks.map((tick) => h("span", {}, rate(tick))));
  ticks.forEach((tick, i) => ((scale.children[i] as HTMLElement).style.left = `${(100 * (x(tick) + 6)) / 312}%`));
  const foot = h("tr", {}, h("td"), h("td", { class: "drawn" }, scale));
  const columns = lines.map((line) =>
    h("th", { scope: "col", class: `value named m${line.index % 7}` }, h("bdi", {}, quoted(line.model.name))),
  );
  const heads =
    lines.length > 1 && h("thead", {}, h("tr", {}, h("td"), h("td", { class: "drawn" }), ...columns, h("td", { class: "size" })));
  return h("table", { class: "dots" }, caption, heads, h("tbody", {}, ...body), h("tfoot", {}, foot)); // prettier-ignore
}
