// The nodes of a chart: axes, paths, marks and their names, put in step with a drawing.
import { quoted } from "../core/formats.ts";
import { put, s, say } from "../page/dom.ts";
import type { Axis } from "./axes.ts";
import { isInk, type Drawing } from "./drawings.ts";
import { BOX, SIZE, type Scene } from "./kinds.ts";

/** Corners of marks of about the same area: square, triangle, diamond, plus, triangle on its tip, cross; the first is a circle. */
const CORNERS = [
  [],
  [-50, -50, 50, -50, 50, 50, -50, 50],
  [0, -88, 76, 44, -76, 44],
  [0, -93, 54, 0, 0, 93, -54, 0],
  [-67, -22, -22, -22, -22, -67, 22, -67, 22, -22, 67, -22, 67, 22, 22, 22, 22, 67, -22, 67, -22, 22, -67, 22],
  [0, 88, 76, -44, -76, -44],
  [-63, -32, -32, -63, 0, -32, 32, -63, 63, -32, 32, 0, 63, 32, 32, 63, 0, 32, -32, 63, -63, 32, -32, 0],
] as const;

/** The mark of a model: each has its own, so that colour is never needed. */
export function shape(model: number, size: number): string {
  const corners = CORNERS[model % CORNERS.length]!;
  const scaled = (length: number): string => ((length * Math.sqrt(size)) / 100).toFixed(2);
  const radius = scaled(56);
  return corners.length
    ? `M${corners.map(scaled).join(" ")}Z`
    : `M${radius} 0A${radius} ${radius} 0 1 1-${radius} 0A${radius} ${radius} 0 1 1 ${radius} 0`;
}

export function drawAxes(group: SVGGElement, titles: { readonly x: string; readonly y: string }, { x, y }: { x: Axis; y: Axis }): void {
  const written = ({ place, ticks }: Axis): string => ticks.map(({ value, text }) => `${place(value).toFixed(1)} ${text}`).join();
  const drawn = `${SIZE.width} ${titles.x} ${titles.y} ${written(x)} ${written(y)}`;
  if (group.dataset["drawn"] === drawn) return;
  group.dataset["drawn"] = drawn;
  const text = (said: string, props: Readonly<Record<string, string | number>>): SVGTextElement =>
    s("text", { "text-anchor": "middle", ...props }, said);
  const [middle, level] = [(BOX.left + BOX.right) / 2, (BOX.top + BOX.bottom) / 2];
  const right = x.ticks.map(({ value, text: said }) => [x.place(value).toFixed(1), said] as const);
  const up = y.ticks.map(({ value, text: said }) => [y.place(value), said] as const);
  const lines = [
    ...right.map(([at]) => `M${at} ${BOX.top}V${BOX.bottom}`),
    ...up.map(([at]) => `M${BOX.left} ${at.toFixed(1)}H${BOX.right}`),
  ];
  group.replaceChildren(
    s("path", { d: lines.join("") }),
    ...right.map(([at, said]) => text(said, { x: at, y: BOX.bottom + 16 })),
    ...up.map(([at, said]) => text(said, { x: BOX.left - 6, y: (at + 4).toFixed(1), "text-anchor": "end" })),
    text(titles.x, { class: "title", x: middle, y: SIZE.height - 6 }),
    text(titles.y, { class: "title", x: 12, y: level, transform: `rotate(-90 12 ${level})` }),
  );
}

/** Lines in the order of the drawing: those in grey below those in colour. */
export function drawPaths(group: SVGGElement, nodes: Map<string, SVGPathElement>, drawing: Drawing): void {
  const depth = (path: { class: string }): number => (path.class.includes("faint") ? 0 : path.class.startsWith("range") ? 1 : 2);
  const paths = [...drawing.paths].sort((one, other) => depth(one) - depth(other));
  const wanted = paths.map((path) => path.key).join(" ");
  if (group.dataset["drawn"] !== wanted) {
    group.dataset["drawn"] = wanted;
    for (const [key] of nodes) if (!paths.some((path) => path.key === key)) nodes.delete(key);
    for (const { key } of paths) if (!nodes.has(key)) nodes.set(key, s("path"));
    group.replaceChildren(...paths.map((path) => nodes.get(path.key)!));
  }
  for (const path of paths) {
    const node = nodes.get(path.key)!;
    put(node, "class", path.class);
    put(node, "d", path.d);
  }
}

const LINE = 14;

/** The thresholds that are set, with the names of the models that are in colour beside them. */
export function drawMarks(group: SVGGElement, drawing: Drawing, scene: Scene): void {
  // What lies beyond the end of an axis stands at it.
  const within = (value: number, from: number, to: number): number => Math.min(to, Math.max(from, value));
  const marks = drawing.marks
    .filter(({ model, best }) => best || isInk(model, scene))
    .map((mark) => ({ ...mark, at: [within(mark.at[0], BOX.left, BOX.right), within(mark.at[1], BOX.top, BOX.bottom)] as const }));
  let last: readonly [number, number] | null = null;
  const nodes = marks
    .sort((one, other) => one.at[1] - other.at[1])
    .flatMap((mark) => {
      const [x, y] = mark.at;
      const node = s("path", {
        class: `mark m${mark.model % 7}${mark.best ? " best" : ""}`,
        d: shape(mark.model, mark.best ? 110 : 60),
        transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`,
      });
      const left = x > BOX.left + 0.6 * (BOX.right - BOX.left);
      // Names stand above their marks, or below those that are close.
      const close = last !== null && Math.abs(last[0] - x) < 120 && y - last[1] < 2 * LINE;
      const height = close ? Math.max(y + LINE + 3, last![1] + LINE) : Math.max(BOX.top + LINE, y - 10);
      last = [x, height];
      const name = s("text", {
        class: `name m${mark.model % 7}`,
        x: x + (left ? -10 : 10),
        y: height,
        "text-anchor": left ? "end" : "start",
      });
      say(name, quoted(scene.models[mark.model]!.name));
      return [node, name];
    });
  group.replaceChildren(...nodes);
}

/** Writes what a line is: beside the top of an upright one, else at its end. */
export function drawLabels(group: SVGGElement, drawing: Drawing): void {
  const labels = drawing.paths.flatMap(({ label, d }) => {
    const vertices = [...d.matchAll(/(-?[\d.]+) (-?[\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)] as const);
    if (!label || !vertices.length) return [];
    const upright = d.includes("V");
    const level = /H([\d.]+)$/.exec(d);
    const [x, end] = level ? [Number(level[1]), vertices[0]![1] - 5] : vertices[vertices.length - 1]!;
    const left = !upright && x > BOX.left + 0.25 * (BOX.right - BOX.left);
    const y = Math.min(BOX.bottom - 4, Math.max(BOX.top + (upright ? 44 : 30), upright ? 0 : end));
    return [s("text", { class: "line-name", x: x + (left ? -6 : 6), y, "text-anchor": left ? "end" : "start" }, label)];
  });
  group.replaceChildren(...labels);
}
