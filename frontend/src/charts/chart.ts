// One chart on the page: it keeps its nodes, changes only what differs from what it drew last, and shows the threshold looked at.
import { h, put, s, say } from "../page/dom.ts";
import { drawingOf, type Drawing } from "./drawings.ts";
import { drawAxes, drawMarks, drawPaths } from "./frames.ts";
import { BOX, HEIGHT, WIDTH, type Kind, type Scene } from "./kinds.ts";

/** A held point of a model. */
export interface Looked {
  readonly model: number;
  readonly place: number;
}

export interface Hooks {
  /** A held point is looked at; null when none is any more. */
  readonly look: (at: Looked | null) => void;
  /** A held point is taken as the threshold. */
  readonly take: (at: Looked) => void;
  readonly describe: (at: Looked) => string;
}

const REACH = 40; // pixels: how far from a curve a pointer still means it

export class Chart {
  readonly svg: SVGSVGElement;
  readonly figure: HTMLElement;
  private readonly axes = s("g", { class: "axes" });
  private readonly lines: SVGGElement;
  private readonly marks = s("g", { class: "marks" });
  private readonly ring = s("circle", { class: "ring", r: 6, visibility: "hidden" });
  private readonly tip = h("div", { class: "tip", hidden: true });
  private readonly nodes = new Map<string, SVGPathElement>();
  private drawing: Drawing | null = null;
  private scene: Scene | null = null;
  private looked: Looked | null = null;

  constructor(
    readonly kind: Kind,
    private readonly hooks: Hooks,
  ) {
    const clip = `clip-${kind.id}`;
    const inside = { x: BOX.left, y: BOX.top, width: BOX.right - BOX.left, height: BOX.bottom - BOX.top };
    this.lines = s("g", { "clip-path": `url(#${clip})` });
    this.svg = s(
      "svg",
      {
        viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
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
      s("defs", {}, s("clipPath", { id: clip }, s("rect", { ...inside, x: inside.x - 1, width: inside.width + 2 }))),
      this.axes,
      s("rect", { class: "frame", ...inside }),
      this.lines,
      this.marks,
      this.ring,
    );
    this.figure = h("figure", { class: "chart" }, this.svg, this.tip);
    this.listen();
  }

  update(scene: Scene): void {
    this.scene = scene;
    this.drawing = drawingOf(this.kind, scene);
    drawAxes(this.axes, this.kind, this.drawing.axes);
    drawPaths(this.lines, this.nodes, this.drawing);
    drawMarks(this.marks, this.drawing);
    this.show(this.looked);
  }

  /** Rings the point that is looked at, on whichever chart that is. */
  show(looked: Looked | null): void {
    this.looked = looked;
    const at = looked && this.drawing?.locate(looked.model, looked.place);
    this.ring.setAttribute("visibility", at ? "visible" : "hidden");
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

  /** Looks at a point from here: the words about it stand beside it. */
  private tell(looked: Looked | null): void {
    this.hooks.look(looked);
    const at = looked && this.drawing?.locate(looked.model, looked.place);
    this.tip.hidden = !at;
    if (!at || !looked) return;
    say(this.tip, this.hooks.describe(looked));
    this.tip.classList.toggle("left", at[0] > WIDTH / 2);
    this.tip.style.left = `${(100 * at[0]) / WIDTH}%`;
    this.tip.style.top = `${(100 * at[1]) / HEIGHT}%`;
  }

  private listen(): void {
    this.svg.addEventListener("pointermove", (event) => this.tell(this.nearest(event)));
    this.svg.addEventListener("pointerleave", () => this.tell(null));
    this.svg.addEventListener("blur", () => this.tell(null));
    this.svg.addEventListener("click", () => this.looked && this.hooks.take(this.looked));
    this.svg.addEventListener("keydown", (event) => {
      const next = this.moved(event.key);
      const taken = this.looked && (event.key === "Enter" || event.key === " ");
      if (next) this.tell(next);
      else if (taken) this.hooks.take(this.looked!);
      else if (event.key === "Escape") this.tell(null);
      if (next || taken) event.preventDefault();
    });
  }

  /** The held point nearest to the pointer. */
  private nearest(event: PointerEvent): Looked | null {
    const { drawing, scene } = this;
    if (!drawing || !scene) return null;
    const box = this.svg.getBoundingClientRect();
    const [x, y] = [((event.clientX - box.left) * WIDTH) / box.width, ((event.clientY - box.top) * HEIGHT) / box.height];
    let [found, least]: [Looked | null, number] = [null, REACH ** 2];
    scene.models.forEach((model, i) => {
      for (let place = 0; place < model.tpr.length; place += 1) {
        const at = drawing.locate(i, place);
        const far = at ? (at[0] - x) ** 2 + (at[1] - y) ** 2 : Infinity;
        if (far < least) [found, least] = [{ model: i, place }, far];
      }
    });
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
