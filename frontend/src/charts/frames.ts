// The nodes of a chart: axes, paths and marks, put in step with a drawing.
import { symbol, symbolCircle, symbolCross, symbolDiamond, symbolSquare, symbolStar, symbolTriangle, symbolWye } from "d3-shape";
import { put, s } from "../page/dom.ts";
import type { Axis } from "./axes.ts";
import type { Drawing } from "./drawings.ts";
import { BOX, HEIGHT, type Kind } from "./kinds.ts";

const SYMBOLS = [symbolCircle, symbolSquare, symbolTriangle, symbolDiamond, symbolCross, symbolStar, symbolWye];

/** The mark of a model: each has its own, so that colour is never needed. */
export const shape = (model: number, size: number): string => symbol(SYMBOLS[model % SYMBOLS.length]!, size)() ?? "";

export function drawAxes(group: SVGGElement, kind: Kind, { x, y }: { x: Axis; y: Axis }): void {
  const drawn = JSON.stringify([
    x.ticks.map(({ value, text }) => [x.place(value), text]),
    y.ticks.map(({ value, text }) => [y.place(value), text]),
  ]);
  if (group.dataset["drawn"] === drawn) return;
  group.dataset["drawn"] = drawn;
  const across = x.ticks.flatMap(({ value, text }) => {
    const at = x.place(value);
    return [s("path", { d: `M${at} ${BOX.top}V${BOX.bottom}` }), s("text", { x: at, y: BOX.bottom + 15, "text-anchor": "middle" }, text)];
  });
  const up = y.ticks.flatMap(({ value, text }) => {
    const at = y.place(value);
    return [s("path", { d: `M${BOX.left} ${at}H${BOX.right}` }), s("text", { x: BOX.left - 6, y: at + 4, "text-anchor": "end" }, text)];
  });
  const middle = (BOX.top + BOX.bottom) / 2;
  group.replaceChildren(
    ...across,
    ...up,
    s("text", { class: "title", x: (BOX.left + BOX.right) / 2, y: HEIGHT - 8, "text-anchor": "middle" }, kind.x),
    s("text", { class: "title", x: 10, y: middle, "text-anchor": "middle", transform: `rotate(-90 10 ${middle})` }, kind.y),
  );
}

export function drawPaths(group: SVGGElement, nodes: Map<string, SVGPathElement>, drawing: Drawing): void {
  const wanted = new Set(drawing.paths.map((path) => path.key));
  for (const [key, node] of nodes) {
    if (wanted.has(key)) continue;
    node.remove();
    nodes.delete(key);
  }
  for (const path of drawing.paths) {
    let node = nodes.get(path.key);
    if (!node) {
      node = s("path", { class: path.class });
      nodes.set(path.key, node);
      group.append(node);
    }
    put(node, "d", path.d);
  }
}

export function drawMarks(group: SVGGElement, drawing: Drawing): void {
  while (group.children.length > drawing.marks.length) group.lastElementChild!.remove();
  while (group.children.length < drawing.marks.length) group.append(s("path"));
  drawing.marks.forEach((mark, i) => {
    const node = group.children[i]!;
    put(node, "class", `mark m${mark.model % 7}${mark.best ? " best" : ""}`);
    put(node, "d", shape(mark.model, mark.best ? 110 : 60));
    put(node, "transform", `translate(${mark.at[0].toFixed(1)} ${mark.at[1].toFixed(1)})`);
  });
}
