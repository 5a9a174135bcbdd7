// Light or dark: what the system says, until a person says otherwise.
import { h } from "./dom.ts";

export function themeButton(): HTMLButtonElement {
  const root = document.documentElement;
  const isDark = (): boolean =>
    root.dataset["theme"] ? root.dataset["theme"] === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const button = h("button", { type: "button", class: "quiet", id: "theme" });
  const name = (): void => {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", `Show the page ${isDark() ? "light" : "dark"}`);
  };
  button.addEventListener("click", () => {
    root.dataset["theme"] = isDark() ? "light" : "dark";
    name();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", name);
  name();
  return button;
}
