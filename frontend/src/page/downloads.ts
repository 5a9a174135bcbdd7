// What can be taken away: a chart as SVG or PNG, the table as CSV or JSON. Nothing leaves the page on its own.
import { escaped, grouped, quoted, whole } from "../core/formats.ts";
import type { Model } from "../core/points.ts";
import { ruleSaid } from "../core/rules.ts";
import { capital, conditionsSaid } from "../core/sentences.ts";
import type { Solution } from "../scenario.ts";
import { press, s } from "./dom.ts";
import { sample } from "./legend.ts";

function save(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const KEPT = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-opacity",
  "font-size",
  "font-family",
  "font-weight",
  "opacity",
  "paint-order",
  "stroke-linejoin",
  "stop-color",
];
const [LINE, LEFT, AROUND] = [18, 60, 12];

/** The conditions, and the day, below a picture that leaves the page. */
function underline(solution: Solution): string[] {
  const { question, state, priors } = solution;
  const rule = question.terms.length ? `, ${ruleSaid(question.terms)}` : "";
  const where = `${capital(conditionsSaid(question.at, priors[0]!))}${rule}; out of ${grouped(whole(state.volume))} ${state.words.unit}.`;
  return [where, `baserate report, ${new Date().toISOString().slice(0, 10)}`];
}

/** A line of the legend inside a picture that stands alone: its styles as attributes. */
function row(model: Model, place: number): SVGElement {
  const drawn = sample(place);
  document.body.append(drawn);
  const paths = [...drawn.querySelectorAll("path")].map((path) => {
    const look = getComputedStyle(path);
    const copy = path.cloneNode() as SVGPathElement;
    for (const name of ["fill", "stroke", "stroke-width", "stroke-dasharray"]) copy.setAttribute(name, look.getPropertyValue(name));
    copy.removeAttribute("class");
    return copy;
  });
  drawn.remove();
  return s("g", {}, ...paths, s("text", { x: 42, y: 10 }, quoted(model.name)));
}

/** The chart as it looks now, on its own: styles become attributes, with a title above, and below it a legend, the conditions and the day. */
export function standalone(svg: SVGSVGElement, title: string, solution: Solution): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const [originals, copies] = [svg.querySelectorAll("*"), copy.querySelectorAll("*")];
  const unseen = copy.querySelectorAll("[visibility=hidden], .knob");
  originals.forEach((original, i) => {
    const look = getComputedStyle(original);
    for (const name of KEPT) copies[i]!.setAttribute(name, look.getPropertyValue(name));
    copies[i]!.removeAttribute("class");
  });
  unseen.forEach((node) => node.remove());
  const [, , width, height] = svg.getAttribute("viewBox")!.split(" ").map(Number) as [number, number, number, number];
  const ground = getComputedStyle(document.querySelector(".card")!).backgroundColor;
  const { models } = solution;
  const under = underline(solution);
  const headed = `${document.querySelector("h1 > bdi")!.textContent}: ${title}`;
  const tall = height + 48 + (models.length + under.length) * LINE;
  const text = { fill: getComputedStyle(document.body).color, "font-family": "system-ui, sans-serif", "font-size": 12 };
  const below = [...models.map(row), ...under.map((line) => s("text", { y: 10, "font-size": 11 }, line))];
  const page = s(
    "svg",
    {
      viewBox: `${-AROUND} 0 ${width + AROUND} ${tall}`,
      width: 2 * (width + AROUND),
      height: 2 * tall,
      ...text,
    },
    s("title", {}, headed),
    s("rect", { x: -AROUND, width: width + AROUND, height: tall, fill: ground }),
    s("text", { x: LEFT, y: 20, "font-weight": "bold", "font-size": 14 }, headed),
    s("g", { transform: "translate(0 26)" }, ...copy.childNodes),
    ...below.map((item, i) => s("g", { transform: `translate(${LEFT} ${height + 38 + i * LINE})` }, item)),
  );
  return new XMLSerializer().serializeToString(page);
}

/** The buttons that save a drawing. */
export function saving(id: string, title: string, text: () => string): HTMLElement[] {
  return (["SVG", "PNG"] as const).map((kind) =>
    press(kind, { class: "quiet", "aria-label": `${title} as ${kind}` }, () => {
      void (kind === "SVG" ? saveSvg : savePng)(`baserate-${id}`, text());
    }),
  );
}

const saveSvg = (name: string, text: string): void => save(`${name}.svg`, new Blob([text], { type: "image/svg+xml" }));

async function savePng(name: string, text: string): Promise<void> {
  const picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await picture.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [picture.naturalWidth, picture.naturalHeight];
  canvas.getContext("2d")!.drawImage(picture, 0, 0);
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
  if (blob) save(`${name}.png`, blob);
}

type Row = Readonly<Record<string, string | number | null>>;

// Where a formula would begin: at the start, and behind what separates columns elsewhere. As in numbers.py.
const FORMULA = /(?:^|[;,|"]) *(?=[=+\-@\uff1d\uff0b\uff0d\uff20])/g;

/** A cell that no spreadsheet takes for a formula, whatever separates its columns. */
function csvCell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const safe = escaped(value).replace(FORMULA, "$&'");
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function saveCsv(name: string, rows: readonly Row[]): void {
  const names = Object.keys(rows[0] ?? {});
  const lines = [names.join(","), ...rows.map((row) => names.map((column) => csvCell(row[column] ?? null)).join(","))];
  save(`${name}.csv`, new Blob([`${lines.join("\n")}\n`], { type: "text/csv" }));
}

export const saveJson = (name: string, content: unknown): void =>
  save(`${name}.json`, new Blob([`${JSON.stringify(content, null, 1)}\n`], { type: "application/json" }));
