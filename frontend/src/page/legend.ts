// Which line is which model: colour, dash and mark together. Pointing at a name lifts its line, a click keeps it in colour.
import type { Hooks } from "../charts/chart.ts";
import { shape } from "../charts/frames.ts";
import { quoted } from "../core/formats.ts";
import type { Model } from "../core/points.ts";
import type { Solution } from "../scenario.ts";
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

export function legend(
  models: readonly Model[],
  hooks: Hooks,
  pick: (model: number) => void,
): { element: HTMLElement; update: (solution: Solution) => void } {
  let places: readonly number[] = [];
  const buttons = models.map((model, i) => {
    const button = h("button", { type: "button", class: "model", "aria-pressed": "false" }, sample(i), h("bdi", {}, quoted(model.name)));
    const look = (): void => hooks.look({ model: i, place: places[i] ?? 0 });
    button.addEventListener("pointerenter", look);
    button.addEventListener("focus", look);
    button.addEventListener("pointerleave", () => hooks.look(null));
    button.addEventListener("blur", () => hooks.look(null));
    button.addEventListener("click", () => pick(i));
    return button;
  });
  return {
    element: h("div", { class: "legend", role: "group", "aria-label": "Models" }, ...buttons),
    update: (solution) => {
      places = solution.settings.map((one) => one?.place ?? 0);
      const picked = (solution.state.view["models"] ?? "").split(",");
      buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(picked.includes(String(i)))));
    },
  };
}
