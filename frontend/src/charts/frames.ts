// The nodes of a chart: axes, paths, marks and their names, put in step with a drawing.
import { symbol, symbolCircle, symbolCross, symbolDiamond, symbolSquare, symbolStar, symbolTriangle, symbolWye } from "d3-shape";
import { quoted } from "../core/formats.ts";
import { put, s, say } from "../page/dom.ts";
import type { Axis } from "./axes.ts";
import { isInk, type Drawing } from "./drawings.ts";
import { BOX, SIZE, type Scene } from "./kinds.ts";

const SYMBOLS = [symbolCircle, symbolSquare, symbolTriangle, symbolDiamond, symbolCross, symbolStar, symbolWye];

/** The mark of a model: each has its own, so that colour is never needed. */
export const shape = (model: number, size: number): string => symbol(SYMBOLS[model % SYMBOLS.length]!, size)() ?? "";

export function drawAxes(group: SVGGElement, titles: { readonly x: string; readonly y: string }, { x, y }: { x: Axis; y: Axis }): void {
  const drawn = JSON.stringify([
    SIZE,
    titles.x,
    titles.y,
    x.ticks.map(({ value, text }) => [x.place(value), text]),
    y.ticks.map(({ value, text }) => [y.place(value), text]),
  ]);
  if (group.dataset["drawn"] === drawn) return;
  group.dataset["drawn"] = drawn;
  const across = x.ticks.flatMap(({ value, text }) => {
    const at = x.place(value);
    return [s("path", { d: `M${at} ${BOX.top}V${BOX.bottom}` }), s("text", { x: at, y: BOX.bottom + 16, "text-anchor": "middle" }, text)];
  });
  const up = y.ticks.flatMap(({ value, text }) => {
    const at = y.place(value);
    return [s("path", { d: `M${BOX.left} ${at}H${BOX.right}` }), s("text", { x: BOX.left - 6, y: at + 4, "text-anchor": "end" }, text)];
  });
  const middle = (BOX.top + BOX.bottom) / 2;
  group.replaceChildren(
    ...across,
    ...up,
    s("text", { class: "title", x: (BOX.left + BOX.right) / 2, y: SIZE.height - 6, "text-anchor": "middle" }, titles.x),
    s("text", { class: "title", x: 12, y: middle, "text-anchor": "middle", transform: `rotate(-90 12 ${middle})` }, titles.y),
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
  const marks = drawing.marks.filter(({ model, best }) => best || isInk(model, scene));
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

/** What a line is, at the end of it that lies inside the frame. */
function labelsOf(drawing: Drawing): SVGElement[] {
  const taken: (readonly [number, number])[] = [];
  return drawing.paths.flatMap(({ label, d }) => {
    if (!label) return [];
    const vertices = [...d.matchAll(/(-?[\d.]+) (-?[\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)] as const);
    const upright = /V([\d.]+)$/.exec(d);
    const level = /H([\d.]+)$/.exec(d);
    const end = level
      ? ([Number(level[1]), vertices[0]![1]] as const)
      : upright
        ? ([vertices[0]![0], BOX.top + 28] as const)
        : vertices[vertices.length - 1];
    if (!end) return [];
    const left = !upright && end[0] > BOX.left + 0.25 * (BOX.right - BOX.left);
    const y = Math.min(BOX.bottom - 4, Math.max(BOX.top + 12, end[1] - (level ? 5 : 0)));
    const lower = taken.some(([x, up]) => Math.abs(x - end[0]) < 110 && Math.abs(up - y) < LINE) ? y + LINE : y;
    taken.push([end[0], lower]);
    return [s("text", { class: "line-name", x: end[0] + (left ? -6 : 6), y: lower, "text-anchor": left ? "end" : "start" }, label)];
  });
}

/** Where another model takes over: a line on the axis and its name below the frame's top; and what the other lines are. */
export function drawTicks(group: SVGGElement, drawing: Drawing): void {
  const ticks = drawing.ticks ?? [];
  const nodes = ticks.flatMap(({ x, text, model }, i) => {
    const until = ticks[i + 1]?.x ?? BOX.right;
    const colour = model < 0 ? "none" : `m${model % 7}`;
    const fits = ticks.length > 1 && until - x > 7 * text.length + 6;
    return [
      s("path", { class: `region ${colour}`, d: `M${x.toFixed(1)} ${BOX.top - 7}H${until.toFixed(1)}` }),
      i > 0 && s("path", { class: "switch", d: `M${x.toFixed(1)} ${BOX.top - 10}V${BOX.bottom}` }),
      fits && s("text", { class: `name ${colour}`, x: (x + until) / 2, y: BOX.top + 9, "text-anchor": "middle" }, text),
    ].filter((node) => node !== false);
  });
  group.replaceChildren(...nodes, ...labelsOf(drawing));
}
