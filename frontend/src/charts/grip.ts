// A handle on a chart: an upright line with a grip at its top, dragged sideways.
import { put, s } from "../page/dom.ts";
import { BOX } from "./kinds.ts";

const REACH = 14; // pixels

export class Grip {
  private readonly line = s("path", { class: "cut" });
  private readonly knob = s(
    "g",
    { class: "knob" },
    s("rect", { x: -9, y: -2, width: 18, height: 22, rx: 5 }),
    s("path", { d: "M-3.5 4V14M0 4V14M3.5 4V14" }),
  );
  readonly element = s("g", { class: "grip", visibility: "hidden" }, this.line, this.knob);
  private x: number | null = null;
  private held = false;

  /** Puts the handle at an x; away where there is none. */
  move(x: number | null, { top, bottom }: { readonly top: number; readonly bottom: number } = BOX): void {
    this.x = x;
    put(this.element, "visibility", x === null ? "hidden" : "visible");
    if (x === null) return;
    put(this.line, "d", `M${x.toFixed(1)} ${top}V${bottom}`);
    put(this.knob, "transform", `translate(${x.toFixed(1)} ${top - 6})`);
  }

  /** Calls `to` with the x of the pointer while the handle is dragged; a press near it does not count as a click. */
  drag(svg: SVGSVGElement, to: (x: number) => void): void {
    const at = (event: PointerEvent): number => {
      const box = svg.getBoundingClientRect();
      return ((event.clientX - box.left) * svg.viewBox.baseVal.width) / box.width;
    };
    svg.addEventListener("pointerdown", (event) => {
      this.held = this.x !== null && event.button === 0 && Math.abs(at(event) - this.x) <= REACH;
      if (!this.held) return;
      svg.setPointerCapture(event.pointerId);
      event.preventDefault();
      svg.focus({ preventScroll: true });
    });
    svg.addEventListener(
      "pointermove",
      (event) => {
        put(this.element, "class", `grip${this.held || (this.x !== null && Math.abs(at(event) - this.x) <= REACH) ? " near" : ""}`);
        if (!this.held) return;
        event.stopImmediatePropagation();
        to(at(event));
      },
      { capture: true },
    );
    const stop = (event: Event): void => {
      if (event.type === "click" && this.held) event.stopImmediatePropagation();
      if (event.type !== "pointerup") this.held = false;
    };
    for (const name of ["pointerup", "click", "pointercancel"]) svg.addEventListener(name, stop, { capture: true });
  }
}

export const grip = (): Grip => new Grip();
