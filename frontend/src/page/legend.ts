// Which line is which model: colour, dash and mark together.
import { shape } from "../charts/frames.ts";
import { quoted } from "../core/formats.ts";
import type { Model } from "../core/points.ts";
import { h, s } from "./dom.ts";

/** The line and the mark of a model, small. */
export function sample(model: number): SVGSVGElement {
  return s(
    "svg",
    { class: "sample", viewBox: "0 0 34 12", width: 34, height: 12, "aria-hidden": "true" },
    s("path", { class: `curve m${model % 7} d${model % 5}`, d: "M1 6H33" }),
    s("path", { class: `mark m${model % 7}`, d: shape(model, 45), transform: "translate(17 6)" }),
  );
}

export function legend(models: readonly Model[]): HTMLElement {
  const items = models.map((model, i) => h("li", {}, sample(i), h("bdi", {}, quoted(model.name))));
  const lines = [
    ["iso", "equal cost, the budget, or here"],
    ["iso dotted", "equal precision"],
    ["chance", "chance, or one answer for all"],
  ] as const;
  const others = lines.map(([name, text]) => {
    const line = s(
      "svg",
      { class: "sample", viewBox: "0 0 34 12", width: 34, height: 12, "aria-hidden": "true" },
      s("path", { class: name, d: "M1 6H33" }),
    );
    return h("li", {}, line, text);
  });
  return h("ul", { class: "legend" }, ...items, ...others);
}
