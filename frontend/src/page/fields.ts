// Fields: a box that takes what people write, and a slider beside it on a logarithmic scale. Both say the same.
import { general } from "../core/formats.ts";
import { number, Refusal } from "../core/notations.ts";
import { rounded } from "../core/fractions.ts";
import { h, put, say } from "./dom.ts";
import type { State } from "../scenario.ts";

export interface Field {
  readonly element: HTMLElement;
  readonly reflect: (state: State) => void;
}

export interface Asked {
  readonly id: string;
  readonly label: string;
  /** The ends of the slider. */
  readonly range: readonly [number, number];
  /** The text in the box, and the number under the slider; NaN where there is none. */
  readonly text: (state: State) => string;
  readonly value: (state: State) => number;
  /** What the text means; a Refusal where it means nothing. */
  readonly read: (text: string) => Partial<State> | ((state: State) => Partial<State>);
  readonly hint?: (state: State) => string;
}

export type Change = (patch: Partial<State> | ((state: State) => Partial<State>)) => void;

const STEP = 0.01;

/** The number at a place of a slider, in as many digits as anybody would type. */
export const typed = (exponent: number, digits = 3): string => general(10 ** exponent, digits);

/** Runs what reads a box, and says beside it what is wrong. */
export function guarded(box: HTMLInputElement, wrong: HTMLElement, read: () => void): void {
  try {
    read();
    wrong.textContent = "";
    box.removeAttribute("aria-invalid");
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    say(wrong, error.message);
    box.setAttribute("aria-invalid", "true");
  }
}

/** Puts into a box what the state says, unless somebody writes there; what could not be read stays, with its reason, until it is mended. */
export function boxed(box: HTMLInputElement, wrong: HTMLElement): (text: string) => void {
  let last: string | null = null;
  return (text) => {
    const stays = document.activeElement === box || (box.hasAttribute("aria-invalid") && text === last);
    last = text;
    if (stays || box.value === text) return;
    box.value = text;
    wrong.textContent = "";
    box.removeAttribute("aria-invalid");
  };
}

/** What could not be read need not be mended: the state is put back. */
export const forget = (root: ParentNode): void =>
  root.querySelectorAll("[aria-invalid]").forEach((box) => box.removeAttribute("aria-invalid"));

export function sliderField(asked: Asked, change: Change): Field {
  const { id, range } = asked;
  const box = h("input", { id, type: "text", autocomplete: "off", spellcheck: "false", "aria-describedby": `${id}-hint ${id}-wrong` });
  const low = Math.log10(range[0]);
  // Whole steps up to the end or just beyond it: what lies beyond is taken for the end.
  const steps = Math.ceil((Math.log10(range[1]) - low) / STEP - 1e-9);
  const slider = h("input", {
    type: "range",
    id: `${id}-slider`,
    min: low,
    max: (low + steps * STEP).toFixed(2),
    step: STEP,
    "aria-label": `${asked.label}, on a logarithmic scale`,
  });
  const [hint, wrong] = [h("span", { class: "hint", id: `${id}-hint` }), h("span", { class: "wrong", id: `${id}-wrong`, role: "status" })];
  const take = (text: string): void => guarded(box, wrong, () => change(asked.read(text)));
  box.addEventListener("input", () => take(box.value));
  slider.addEventListener("input", () => {
    const text = typed(Math.min(Number(slider.value), Math.log10(range[1])));
    box.value = text;
    take(text);
  });
  const element = h("div", { class: "field" }, h("label", { for: id }, asked.label), box, slider, hint, wrong);
  const fill = boxed(box, wrong);
  const reflect = (state: State): void => {
    const text = asked.text(state);
    fill(text);
    const value = asked.value(state);
    if (document.activeElement !== slider && value > 0) slider.value = String(Math.log10(value));
    put(slider, "aria-valuetext", text);
    say(hint, asked.hint ? asked.hint(state) : "");
  };
  return { element, reflect };
}

/** A number above 0, as typed in a box. */
export function positive(text: string, what: string): number {
  const value = number(text.replace(/(\d)[ \u00a0\u202f,](?=\d{3}(\D|$))/g, "$1"));
  const near = value ? rounded(value) : Number.NaN;
  if (!(near > 0 && near <= 1e18)) throw new Refusal(`${what} is a number above 0.`);
  return near;
}
