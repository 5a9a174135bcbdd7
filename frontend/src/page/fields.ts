// Fields of the sentence: a box that takes what people write, dragged or stepped by arrow keys, and a slider below it on a logarithmic scale. All say the same.
import { general } from "../core/formats.ts";
import { number, Refusal, withoutThousands } from "../core/notations.ts";
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
  /** Buttons below the slider. */
  readonly more?: readonly HTMLElement[];
}

export type Change = (patch: Partial<State> | ((state: State) => Partial<State>)) => void;

const STEP = 0.01; // of a power of ten
const DRAGGED = 4; // pixels before a press is a drag

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

/** Puts into a box what the state says, unless somebody writes there; what could not be read stays, with its reason, until it is corrected. */
export function boxed(box: HTMLInputElement, wrong: HTMLElement): (text: string) => void {
  let last: string | null = null;
  return (text) => {
    const stays = document.activeElement === box || (box.hasAttribute("aria-invalid") && text === last);
    last = text;
    if (!stays && box.value !== text) {
      box.value = text;
      wrong.textContent = "";
      box.removeAttribute("aria-invalid");
    }
    fit(box);
  };
}

const SIZED = CSS.supports("field-sizing", "content");

/** A box as wide as what stands in it, also where the browser does not see to that. */
export const fit = (box: HTMLInputElement): void => {
  if (!SIZED) box.style.width = `${Math.max(2, box.value.length) + 1}ch`;
};

/** What could not be read need not be corrected: the state is put back. */
export const forget = (root: ParentNode): void =>
  root.querySelectorAll("[aria-invalid]").forEach((box) => box.removeAttribute("aria-invalid"));

export function slot(asked: Asked, change: Change): Field {
  const { id, label } = asked;
  const box = h("input", {
    id,
    type: "text",
    class: "slot",
    autocomplete: "off",
    spellcheck: "false",
    "aria-label": label,
    "aria-describedby": `${id}-hint ${id}-wrong`,
  });
  const [low, high] = asked.range.map(Math.log10) as [number, number];
  // Whole steps up to the end or just beyond it: what lies beyond is taken for the end.
  const steps = Math.ceil((high - low) / STEP - 1e-9);
  const slider = h("input", {
    type: "range",
    id: `${id}-slider`,
    min: low,
    max: (low + steps * STEP).toFixed(2),
    step: STEP,
    tabindex: -1, // the box has the same by arrow keys
    "aria-label": `${label}, on a logarithmic scale`,
  });
  const [hint, wrong] = [h("span", { class: "hint", id: `${id}-hint` }), h("span", { class: "wrong", id: `${id}-wrong`, role: "status" })];
  const take = (text: string): void => guarded(box, wrong, () => change(asked.read(text)));
  const moveTo = (exponent: number): void => {
    box.value = typed(Math.min(high, Math.max(low, exponent)));
    fit(box);
    take(box.value);
  };
  let [value, said] = [Number.NaN, ""];
  box.addEventListener("input", () => {
    fit(box);
    take(box.value);
  });
  box.addEventListener("focus", () => box.select());
  // What was typed is shown as it was understood.
  box.addEventListener("blur", () => fill(said));
  scrubbed(box, () => Math.log10(value), moveTo);
  slider.addEventListener("input", () => moveTo(Number(slider.value)));
  const below = h("span", { class: "below" }, slider, hint, ...(asked.more ?? []), wrong);
  const fill = boxed(box, wrong);
  const reflect = (state: State): void => {
    const text = (said = asked.text(state));
    fill(text);
    value = asked.value(state);
    if (document.activeElement !== slider && value > 0) slider.value = String(Math.log10(value));
    put(slider, "aria-valuetext", text);
    say(hint, asked.hint ? asked.hint(state) : "");
  };
  return { element: h("span", { class: "field" }, box, below), reflect };
}

/** Dragging a box sideways, or the arrow keys, move its number by steps of a power of ten. */
function scrubbed(box: HTMLInputElement, here: () => number, moveTo: (exponent: number) => void): void {
  let from: { x: number; exponent: number; moving: boolean } | null = null;
  box.addEventListener("pointerdown", (event) => {
    from = event.button === 0 ? { x: event.clientX, exponent: here(), moving: false } : null;
  });
  box.addEventListener("pointermove", (event) => {
    if (!from || !(event.buttons & 1) || !Number.isFinite(from.exponent)) return;
    const far = event.clientX - from.x;
    if (!from.moving && Math.abs(far) < DRAGGED) return;
    if (!from.moving) box.setPointerCapture(event.pointerId);
    from.moving = true;
    event.preventDefault();
    moveTo(from.exponent + far * STEP);
  });
  box.addEventListener("pointerup", () => {
    if (from?.moving) box.blur();
    from = null;
  });
  box.addEventListener("keydown", (event) => {
    const step = { ArrowUp: STEP, ArrowDown: -STEP, PageUp: 0.1, PageDown: -0.1 }[event.key];
    if (step === undefined || !Number.isFinite(here())) return;
    event.preventDefault();
    moveTo(here() + step * (event.shiftKey ? 10 : 1));
  });
}

/** A word of the sentence that people may change: the name of a case, or of a period. */
export function wordSlot(id: "unit" | "period" | "positive", label: string, change: Change): Field {
  const box = h("input", {
    id,
    type: "text",
    class: "slot word",
    autocomplete: "off",
    spellcheck: "false",
    maxlength: 24,
    "aria-label": label,
  });
  box.addEventListener("input", () => {
    fit(box);
    if (box.value.trim()) change((state) => ({ words: { ...state.words, [id]: box.value.trim() } }));
  });
  return {
    element: h("span", { class: "field" }, box),
    reflect: (state) => {
      if (document.activeElement !== box) box.value = state.words[id];
      fit(box);
    },
  };
}

const DECIMAL_COMMA = /^(\D*)(\d+),(\d+)(\s*(?:%|‰|ppm)?\s*)$/;
const UNITS = new Map(Object.entries({ k: 1e3, thousand: 1e3, m: 1e6, million: 1e6, bn: 1e9, billion: 1e9 }));

/** A decimal comma as a point, where it cannot part thousands: "0,1 %" is "0.1 %". */
export const pointed = (text: string): string => {
  const found = DECIMAL_COMMA.exec(text.trim());
  return !found || (/^[1-9]\d{0,2}$/.test(found[2]!) && found[3]!.length === 3) ? text : `${found[1]}${found[2]}.${found[3]}${found[4]}`;
};

/** A number as people write it: "1,000", "1 000", "1,500.50", "2.5k", "1 million", "0,5"; null where it is none. */
export function amountOf(text: string): number | null {
  const plain = pointed(text).trim();
  const either = /^([1-9]\d{0,2})\.(\d{3})$/.exec(plain);
  if (either) throw new Refusal(`${either[1]},${either[2]}, or ${Number(plain)}? Write one of them.`);
  const bare = /^\d{1,3}(,\d{3})+\.\d/.test(plain) ? plain.replaceAll(",", "") : withoutThousands(plain);
  const [, digits = bare, unit = ""] = /^(.*?\d)\s*([a-z]+)$/i.exec(bare) ?? [];
  const scale = unit ? UNITS.get(unit.toLowerCase()) : 1;
  const value = scale ? number(digits) : null;
  return value && scale ? rounded({ n: value.n * BigInt(scale), d: value.d }) : null;
}

/** A number above 0, as typed in a box. */
export function positive(text: string, what: string): number {
  const value = amountOf(text) ?? Number.NaN;
  if (!(value > 0 && value <= 1e18)) throw new Refusal(`${what} is a number above 0.`);
  return value;
}
