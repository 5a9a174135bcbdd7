// Sections of the page: some are made here, others stand in the static page already and are moved as they are.
import { h } from "./dom.ts";

export function section(id: string, title: string, parts: readonly Node[], tools: HTMLElement | null = null): HTMLElement {
  return h("section", { "aria-labelledby": id }, h("header", {}, h("h2", { id }, title), tools), ...parts);
}

/** A section of the static page, taken out of it; null where there is none. */
export function moved(part: string, title?: string): HTMLElement | null {
  const found = document.querySelector<HTMLElement>(`#static [data-part="${part}"]`);
  const heading = found?.querySelector("h2");
  if (heading && title) heading.textContent = title;
  return found;
}
