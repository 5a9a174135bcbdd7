// Sections of the page: some are made here, others stand in the static page already and are moved as they are.
import { total } from "../core/formats.ts";
import { h } from "./dom.ts";

export function section(id: string, title: string, parts: readonly (Node | null)[], tools: HTMLElement | null = null): HTMLElement {
  return h("section", { "aria-labelledby": id }, h("header", {}, h("h2", { id }, title), tools), ...parts);
}

/** A section of the static page, taken out of it; null where there is none. */
export function moved(part: string, title?: string): HTMLElement | null {
  const found = document.querySelector<HTMLElement>(`#static [data-part="${part}"]`);
  const heading = found?.querySelector("h2");
  if (heading && title) heading.textContent = title;
  return found;
}

/** Parts that are read on demand; null where there are none. */
export function folded(title: string, parts: readonly (HTMLElement | null)[]): HTMLElement | null {
  const found = parts.filter((part) => part !== null);
  if (found.length === 1) found[0]!.querySelector("h2")?.remove();
  return found.length ? h("details", { class: "folded" }, h("summary", {}, title), ...found) : null;
}

/** The totals of a sample, in words. */
export const sampleSaid = (positives: number | string, negatives: number | string, weighted: boolean): string =>
  `${total(positives, weighted)} positives, ${total(negatives, weighted)} negatives`;
