// One chart on the page: it keeps its nodes, changes only what differs from what it drew last, and shows the threshold looked at.
import { h, put, s, say } from "../page/dom.ts";
import { drawingOf, type Drawing } from "./drawings.ts";
import { drawAxes, drawLabels, drawMarks, drawPaths } from "./frames.ts";
import { grip, Grip } from "./grip.ts";
import { BOX, fit, SIZE, type Kind, type Scene, type Size } from "./kinds.ts";
import { visible } from "./paths.ts";

/** A threshold of a model. */
export interface Looked {
  readonly model: number;
  readonly place: number;
}

export interface Hooks {
  /** A threshold is looked at; null when none is any more. */
  readonly look: (at: Looked | null) => void;
  /** This threshold is chosen by hand. */
  readonly take: (at: Looked) => void;
  readonly describe: (at: Looked) => string;
  /** The same in two lines. */
  readonly brief: (at: Looked) => string;
}

/** Model, place and pixels of the points that can be told from their neighbours. */
type Spots = readonly (readonly [number, number, number, number])[];

function spotsOf(drawing: Drawing, { models }: Scene): Spots {
  const found: [number, number, number, number][] = [];
  models.forEach((model, i) => {
    let [x, y] = [Number.NaN, Number.NaN];
    const places = visible(model);
    for (let k = 0; k < (places ?? model.tpr).length; k += 1) {
      const place = places ? places[k]! : k;
      const at = drawing.locate(i, place);
      if (!at || Math.abs(at[0] - x) + Math.abs(at[1] - y) < 0.7) continue;
      [x, y] = at;
      found.push([i, place, x, y]);
    }
  });
  return found;
}

const SIDES = 0.5; // of the width, from which on words stand to the left of a point, above it
const REACH = 40; // pixels: how far from a curve a pointer still means it

export class Chart {
  readonly svg: SVGSVGElement;
  readonly figure: HTMLElement;
  private readonly clip = s("rect");
  private readonly frame = s("rect", { class: "frame" });
  private readonly axes = s("g", { class: "axes" });
  private readonly lines: SVGGElement;
  private readonly labels = s("g");
  private readonly marks = s("g", { class: "marks" });
  private readonly ring = s("circle", { class: "ring", r: 6, visibility: "hidden" });
  private readonly grip: Grip | null;
  private readonly tip = h("div", { class: "tip", hidden: true });
  private readonly nodes = new Map<string, SVGPathElement>();
  private drawing: Drawing | null = null;
  private scene: Scene | null = null;
  private looked: Looked | null = null;
  private spots: Spots | null = null;

  constructor(
    readonly kind: Kind,
    private readonly hooks: Hooks,
    private readonly size: () => Size,
  ) {
    const clip = `clip-${kind.id}`;
    this.lines = s("g", { "clip-path": `url(#${clip})` });
    this.grip = kind.handle ? grip() : null;
    this.svg = s(
      "svg",
      {
        viewBox: `0 0 ${SIZE.width} ${SIZE.height}`,
        class: "chart",
        tabindex: 0,
        role: "slider",
        id: `chart-${kind.id}`,
        "aria-label": `${kind.title}: thresholds along the curves`,
        "aria-describedby": `says-${kind.id}`,
        "aria-valuemin": 0,
        "aria-valuemax": 1,
        "aria-valuenow": 0,
        "aria-valuetext": "no threshold looked at",
      },
      s("defs", {}, s("clipPath", { id: clip }, this.clip)),
      this.axes,
      this.frame,
      this.lines,
      this.labels,
      this.grip?.element ?? null,
      this.marks,
      this.ring,
    );
    this.figure = h("figure", { class: "chart" }, this.svg, this.tip);
    this.listen();
  }

  update(scene: Scene): void {
    fit(this.size());
    this.scene = scene;
    this.spots = null;
    this.drawing = drawingOf(this.kind, scene);
    const { costsGiven } = scene.solution.question.at;
    put(this.svg, "viewBox", `0 0 ${SIZE.width} ${SIZE.height}`);
    const inside = { x: BOX.left, y: BOX.top, width: BOX.right - BOX.left, height: BOX.bottom - BOX.top };
    for (const [name, value] of Object.entries(inside)) [this.clip, this.frame].forEach((node) => put(node, name, String(value)));
    drawAxes(this.axes, { x: this.kind.x, y: this.kind.id === "spent" && !costsGiven ? "errors" : this.kind.y }, this.drawing.axes);
    drawPaths(this.lines, this.nodes, this.drawing);
    drawLabels(this.labels, this.drawing);
    drawMarks(this.marks, this.drawing, scene);
    const set = this.grip && this.focused();
    const spot = set && this.drawing.locate(set.model, set.place);
    this.grip?.move(spot ? Math.max(BOX.left, spot[0]) : null);
    this.show(this.looked);
  }

  /** Rings the point that is looked at, on whichever chart that is. */
  show(looked: Looked | null): void {
    this.looked = looked;
    const at = looked && this.drawing?.locate(looked.model, looked.place);
    this.ring.setAttribute("visibility", at ? "visible" : "hidden");
    for (const [key, node] of this.nodes)
      if (key.startsWith("curve")) node.classList.toggle("lifted", looked !== null && key === `curve${looked.model}`);
    if (looked && this.scene) {
      put(this.svg, "aria-valuemax", String(this.scene.models[looked.model]!.tpr.length - 1));
      put(this.svg, "aria-valuenow", String(looked.place));
      put(this.svg, "aria-valuetext", this.hooks.describe(looked));
    }
    if (!at || !looked) {
      this.tip.hidden = true;
      return;
    }
    put(this.ring, "cx", String(at[0]));
    put(this.ring, "cy", String(at[1]));
    put(this.ring, "class", `ring m${looked.model % 7}`);
  }

  /** The threshold of the model that a handle moves: the one set by hand, or the chosen one. */
  private focused(): Looked | null {
    const { scene } = this;
    if (!scene) return null;
    const { state, chosen, settings } = scene.solution;
    const model = state.mode === "hand" ? state.model : chosen[0] ? settings.indexOf(chosen[0]) : 0;
    return settings[model] ? { model, place: settings[model]!.place } : null;
  }

  /** Looks at a point from here: the words about it stand beside it, where a rising curve leaves room. */
  private tell(looked: Looked | null): void {
    this.hooks.look(looked);
    const at = looked && this.drawing?.locate(looked.model, looked.place);
    this.tip.hidden = !at;
    if (!at || !looked) return;
    say(this.tip, this.hooks.brief(looked));
    fit(this.size());
    const left = at[0] > SIDES * SIZE.width;
    put(this.tip, "class", `tip${left ? " left" : ""}`);
    this.tip.style.left = `${(100 * at[0]) / SIZE.width}%`;
    this.tip.style.top = `${(100 * at[1]) / SIZE.height}%`;
  }

  private listen(): void {
    this.svg.addEventListener("pointermove", (event) => this.tell(this.nearest(event)));
    this.svg.addEventListener("pointerleave", () => this.tell(null));
    this.svg.addEventListener("blur", () => this.tell(null));
    this.svg.addEventListener("click", () => this.looked && this.hooks.take(this.looked));
    this.grip?.drag(this.svg, (x) => {
      const focus = this.focused();
      const place = focus && this.along(focus.model, x);
      if (focus && place !== null) this.hooks.take({ model: focus.model, place });
    });
    this.svg.addEventListener("keydown", (event) => {
      const next = this.moved(event.key);
      const taken = this.looked && (event.key === "Enter" || event.key === " ");
      if (next) this.tell(next);
      else if (taken) this.hooks.take(this.looked!);
      else if (event.key === "Escape") this.tell(null);
      if (next || taken) event.preventDefault();
    });
  }

  /** The place of a model whose point lies nearest to an x, where x rises with the place. */
  private along(model: number, x: number): number | null {
    const locate = (place: number): number => this.drawing?.locate(model, place)?.[0] ?? -Infinity;
    let [low, high] = [0, (this.scene?.models[model]!.tpr.length ?? 1) - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (locate(middle) < x) low = middle + 1;
      else high = middle;
    }
    return low > 0 && Math.abs(locate(low - 1) - x) < Math.abs(locate(low) - x) ? low - 1 : low;
  }

  /** The threshold nearest to the pointer. */
  private nearest(event: PointerEvent): Looked | null {
    const { drawing, scene } = this;
    if (!drawing || !scene) return null;
    fit(this.size());
    const box = this.svg.getBoundingClientRect();
    const [x, y] = [((event.clientX - box.left) * SIZE.width) / box.width, ((event.clientY - box.top) * SIZE.height) / box.height];
    this.spots ??= spotsOf(drawing, scene);
    let [found, least]: [Looked | null, number] = [null, REACH ** 2];
    for (const [model, place, atX, atY] of this.spots) {
      const far = (atX - x) ** 2 + (atY - y) ** 2;
      if (far < least) [found, least] = [{ model, place }, far];
    }
    return found;
  }

  /** Arrows walk along a curve; up and down change the model. The first key looks at the chosen point. */
  private moved(key: string): Looked | null {
    const { scene, looked } = this;
    if (!scene) return null;
    const { chosen, settings } = scene.solution;
    const model = looked?.model ?? Math.max(0, chosen[0] ? scene.models.indexOf(chosen[0].model) : 0);
    const last = scene.models[model]!.tpr.length - 1;
    const leap = Math.max(1, Math.round(last / 50));
    const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, PageDown: -leap, PageUp: leap, Home: -last, End: last };
    const step = steps[key];
    if (step !== undefined)
      return { model, place: looked ? Math.min(last, Math.max(0, looked.place + step)) : (settings[model]?.place ?? 0) };
    if (key !== "ArrowUp" && key !== "ArrowDown") return null;
    const next = (model + (key === "ArrowDown" ? 1 : scene.models.length - 1)) % scene.models.length;
    return { model: next, place: settings[next]?.place ?? 0 };
  }
}
