// Light or dark: what the system says, until a person says otherwise.
import { press } from "./dom.ts";

const isDark = (): boolean => {
  const { theme } = document.documentElement.dataset;
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
};

/** Shows the page as a link says. */
export function applied(theme: string | undefined): void {
  const root = document.documentElement;
  if (theme === "dark" || theme === "light") root.dataset["theme"] = theme;
  else delete root.dataset["theme"];
  for (const button of document.querySelectorAll("#theme")) named(button);
}

function named(button: Element): void {
  button.textContent = isDark() ? "Light" : "Dark";
  button.setAttribute("aria-label", `Show the page ${isDark() ? "light" : "dark"}`);
}

export function themeButton(flip: (name: string, value: string) => void): HTMLButtonElement {
  const button = press("", { class: "quiet", id: "theme" }, () => flip("theme", isDark() ? "light" : "dark"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => named(button));
  named(button);
  return button;
}
