// What can be taken away: a chart as SVG or PNG, the table as CSV or JSON. Nothing leaves the page on its own.
import { s } from "./dom.ts";

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
];
const [LINE, LEFT] = [18, 58];

/** The chart as it looks now, on its own: styles become attributes, with a title above and a legend below. */
export function standalone(svg: SVGSVGElement, title: string, legend: readonly SVGElement[]): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const [originals, copies] = [svg.querySelectorAll("*"), copy.querySelectorAll("*")];
  originals.forEach((original, i) => {
    const look = getComputedStyle(original);
    for (const name of KEPT) copies[i]!.setAttribute(name, look.getPropertyValue(name));
    copies[i]!.removeAttribute("class");
  });
  copy.querySelectorAll("[visibility=hidden]").forEach((node) => node.remove());
  for (const name of [...copy.getAttributeNames()]) if (name !== "viewBox" && name !== "xmlns") copy.removeAttribute(name);
  const [, , width, height] = svg.getAttribute("viewBox")!.split(" ").map(Number) as [number, number, number, number];
  const look = getComputedStyle(document.body);
  const whole = height + 28 + legend.length * LINE;
  const text = { fill: look.color, "font-family": "system-ui, sans-serif", "font-size": 12 };
  const rows = legend.map((item, i) => s("g", { transform: `translate(${LEFT} ${height + 30 + i * LINE})` }, item));
  const group = s("g", { transform: "translate(0 24)" }, ...copy.childNodes);
  const page = s(
    "svg",
    { viewBox: `0 0 ${width} ${whole}`, width: 2 * width, height: 2 * whole, ...text },
    s("title", {}, title),
    s("rect", { width, height: whole, fill: look.backgroundColor }),
    s("text", { x: LEFT, y: 18, "font-weight": "bold" }, title),
    group,
    ...rows,
  );
  return new XMLSerializer().serializeToString(page);
}

export const saveSvg = (name: string, text: string): void => save(`${name}.svg`, new Blob([text], { type: "image/svg+xml" }));

export async function savePng(name: string, text: string): Promise<void> {
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

/** A cell that no spreadsheet takes for a formula. */
function csvCell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function saveCsv(name: string, rows: readonly Row[]): void {
  const names = Object.keys(rows[0] ?? {});
  const lines = [names.join(","), ...rows.map((row) => names.map((column) => csvCell(row[column] ?? null)).join(","))];
  save(`${name}.csv`, new Blob([`${lines.join("\n")}\n`], { type: "text/csv" }));
}

export const saveJson = (name: string, content: unknown): void =>
  save(`${name}.json`, new Blob([`${JSON.stringify(content, null, 1)}\n`], { type: "application/json" }));
