// Elements made by hand: text goes in as text, and nothing is ever parsed as markup.

type Child = Node | string | null | false;
type Props = Readonly<Record<string, string | number | boolean | null>>;

const SVG = "http://www.w3.org/2000/svg";

function filled<T extends Element>(element: T, props: Props, children: readonly Child[]): T {
  for (const [name, value] of Object.entries(props)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== null && value !== false) element.setAttribute(name, String(value));
  }
  for (const child of children) if (child !== null && child !== false) element.append(child);
  return element;
}

export const h = <K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] =>
  filled(document.createElement(tag), props, children);

/** A button with words in it. */
export function press(text: string, props: Props, click: () => void, ...more: Child[]): HTMLButtonElement {
  const button = h("button", { type: "button", ...props }, text, ...more);
  button.addEventListener("click", click);
  return button;
}

export const s = <K extends keyof SVGElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): SVGElementTagNameMap[K] =>
  filled(document.createElementNS(SVG, tag), props, children);

/** Sets an attribute where it differs: the page is touched only where something changed. */
export function put(element: Element, name: string, value: string): void {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

export function say(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Neither thousands, nor "1 in 12", "95 %" and ">= 0.5", are broken over two lines. */
export const unbroken = (text: string): string =>
  text.replace(/(\d) (?=\d{3}\b|%)|([<>]=) (?=\S)/g, "$1$2\u00a0").replace(/\b(1|p) (in|=) (?=\d)/g, "$1\u00a0$2\u00a0");

/** What the window is told when the controls have rested. */
export const RESTED = "rested";
const SOON = 150; // milliseconds after the first answer

/** Whether an element is near the screen. What is out of sight is drawn when the controls rest, when it comes into view, and on paper. */
export function watched(element: HTMLElement, draw: () => void, margin = "0px"): () => boolean {
  let near = false;
  const watcher = new IntersectionObserver(
    (entries) => {
      near = entries.some((entry) => entry.isIntersecting);
      if (near) draw();
    },
    { rootMargin: margin },
  );
  watcher.observe(element);
  const drawUnseen = (): void => {
    const was = near;
    near = true;
    draw();
    near = was;
  };
  setTimeout(drawUnseen, SOON);
  for (const event of ["beforeprint", RESTED]) addEventListener(event, drawUnseen);
  return () => near;
}
