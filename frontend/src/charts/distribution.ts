// The scores of one model: how many cases of each class lie where, at this base rate, and the threshold as a handle.
import { general } from "../core/formats.ts";
import { placeOf, thresholdSaid, type Model } from "../core/points.ts";
import { h, put, s, say } from "../page/dom.ts";
import type { Solution } from "../scenario.ts";
import { amount, logarithmic, type Axis } from "./axes.ts";
import type { Hooks, Looked } from "./chart.ts";
import { drawAxes } from "./frames.ts";
import { Grip } from "./grip.ts";
import { across, BOX, SIZE, upward } from "./kinds.ts";
import { cutAt, cutsOf, histogramOf, scoreAxis, type Histogram } from "./scores.ts";

const MOST_DECADES = 8;

export class Distribution {
  readonly svg: SVGSVGElement;
  readonly figure: HTMLElement;
  private readonly axes = s("g", { class: "axes" });
  private readonly side = s("rect", { class: "flagged" });
  private readonly others = s("path", { fill: "url(#fill-others)" });
  private readonly positives = s("path", { fill: "url(#fill-positives)" });
  // Bars change their colour at the threshold: from what is left alone, or missed, to what is flagged.
  private readonly fills = [gradient("fill-others", "rest", "alarms"), gradient("fill-positives", "missed", "found")];
  private readonly looked = s("path", { class: "looked" });
  private readonly grip = new Grip();
  private readonly word = s("text", { class: "name", y: 0 });
  private model: Model | null = null;
  private index = 0;
  private place = 0;
  private x: Axis | null = null;

  constructor(private readonly hooks: Hooks) {
    this.svg = s(
      "svg",
      {
        class: "chart",
        tabindex: 0,
        role: "slider",
        id: "chart-scores",
        "aria-label": "Threshold, on the scores of both classes",
        "aria-valuemin": 0,
        "aria-valuemax": 1,
        "aria-valuenow": 0,
        "aria-valuetext": "",
      },
      s("defs", {}, ...this.fills),
      this.axes,
      this.side,
      this.others,
      this.positives,
      this.looked,
      this.grip.element,
      this.word,
    );
    this.figure = h("figure", { class: "chart" }, this.svg);
    this.grip.drag(this.svg, (x) => this.take(x));
    this.svg.addEventListener("click", (event) => {
      const box = this.svg.getBoundingClientRect();
      this.take(((event.clientX - box.left) * SIZE.width) / box.width);
    });
    this.svg.addEventListener("keydown", (event) => this.step(event));
  }

  update(solution: Solution, index: number): void {
    const model = solution.models[index]!;
    const histogram = histogramOf(model);
    [this.model, this.index, this.place] = [model, index, solution.settings[index]?.place ?? 0];
    put(this.svg, "viewBox", `0 0 ${SIZE.width} ${SIZE.height}`);
    const x = scoreAxis(histogram, across());
    this.x = x;
    const scaled = scaledTo(model, histogram, solution, index);
    const [low, high] = ends(scaled);
    const y = logarithmic([low, high], upward(), amount);
    const { words } = solution.state;
    drawAxes(this.axes, { x: histogram.isOdds ? "score (spaced by log-odds)" : "score", y: `${words.unit} a ${words.period}` }, { x, y });
    put(this.others, "d", bars(scaled.negatives, y));
    put(this.positives, "d", bars(scaled.positives, y));
    this.set(solution);
  }

  private set(solution: Solution): void {
    const model = this.model!;
    const at = this.place ? this.x!.place(cutAt(model, this.place)) : BOX.right;
    this.grip.move(at);
    for (const fill of this.fills) {
      put(fill, "x1", String(at));
      put(fill, "x2", String(at + 0.01));
    }
    for (const [name, value] of Object.entries({ x: at, y: BOX.top, width: Math.max(0, BOX.right - at), height: BOX.bottom - BOX.top }))
      put(this.side, name, String(value));
    const text = this.place ? `flag from ${thresholdSaid(model, this.place)}` : "flag nothing";
    const left = at > BOX.left + 150;
    put(this.word, "x", String(at + (left ? -14 : 14)));
    put(this.word, "y", String(BOX.top + 9));
    put(this.word, "text-anchor", left ? "end" : "start");
    say(this.word, text);
    put(this.svg, "aria-valuemax", String(model.tp.length - 1));
    put(this.svg, "aria-valuenow", String(this.place));
    const share = general(100 * (solution.settings[this.index] ? model.tpr[this.place]! : 0), 3);
    put(this.svg, "aria-valuetext", `${text}, finds ${share} %`);
  }

  /** A thin line at the threshold that is looked at on another chart. */
  show(looked: Looked | null): void {
    const seen = looked && this.model && looked.model === this.index && looked.place > 0 && this.x;
    put(this.looked, "d", seen ? `M${seen.place(cutAt(this.model!, looked.place)).toFixed(1)} ${BOX.top}V${BOX.bottom}` : "");
  }

  private take(x: number): void {
    if (!this.model || !this.x) return;
    const cuts = cutsOf(this.model);
    // Places rise from right to left.
    let [low, high] = [1, cuts.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.x.place(cuts[middle]!) > x) low = middle + 1;
      else high = middle;
    }
    const nearer = low > 1 && Math.abs(this.x.place(cuts[low - 1]!) - x) < Math.abs(this.x.place(cuts[low]!) - x) ? low - 1 : low;
    this.hooks.take({ model: this.index, place: x > this.x.place(cuts[1]!) + 6 ? 0 : placeOf(this.model, cuts[nearer]!) });
  }

  private step(event: KeyboardEvent): void {
    if (!this.model) return;
    const last = this.model.tp.length - 1;
    const leap = Math.max(1, Math.round(last / 50));
    const steps: Record<string, number> = {
      ArrowLeft: 1,
      ArrowDown: 1,
      ArrowRight: -1,
      ArrowUp: -1,
      PageDown: leap,
      PageUp: -leap,
      Home: last,
      End: -last,
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    this.hooks.take({ model: this.index, place: Math.min(last, Math.max(0, this.place + step)) });
  }
}

const gradient = (id: string, left: string, right: string): SVGLinearGradientElement =>
  s("linearGradient", { id, gradientUnits: "userSpaceOnUse" }, s("stop", { class: left }), s("stop", { class: right, offset: 1 }));

type Bars = { readonly positives: Float64Array; readonly negatives: Float64Array };

/** The bins in cases of the volume, at this base rate. */
function scaledTo(model: Model, found: Histogram, solution: Solution, index: number): Bars {
  const { volume } = solution.state;
  const prior = solution.priors[index]!;
  const last = model.tp.length - 1;
  const to = (values: Float64Array, all: number, share: number): Float64Array => values.map((value) => (value / all) * share * volume);
  return { positives: to(found.positives, model.tp[last]!, prior), negatives: to(found.negatives, model.fp[last]!, 1 - prior) };
}

/** Powers of ten around all that is there. */
function ends({ positives, negatives }: Bars): [number, number] {
  const there = [...positives, ...negatives].filter((value) => value > 0);
  const most = Math.max(...there, 1e-6);
  const high = 10 ** Math.ceil(Math.log10(most * 1.5));
  const least = Math.max(Math.min(...there) / 2, high / 10 ** MOST_DECADES);
  return [Math.min(10 ** Math.floor(Math.log10(least)), high / 10), high];
}

function bars(values: Float64Array, y: Axis): string {
  const wide = (BOX.right - BOX.left) / values.length;
  const gap = wide > 5 ? 1 : 0;
  return Array.from(values, (value, k) => {
    if (!(value > 0)) return "";
    const x = BOX.left + k * wide;
    return `M${(x + gap / 2).toFixed(1)} ${BOX.bottom}V${y.place(value).toFixed(1)}h${(wide - gap).toFixed(1)}V${BOX.bottom}Z`;
  }).join("");
}
