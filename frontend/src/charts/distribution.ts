// The scores of one model: each class in a row of its own, on a linear scale of its own, so that areas are to each other as cases; the threshold as a handle.
import { cases, general, grouped, whole } from "../core/formats.ts";
import { placeOf, thresholdSaid, type Model } from "../core/points.ts";
import type { Setting } from "../core/choosing.ts";
import { per } from "../core/sentences.ts";
import { h, put, s, say } from "../page/dom.ts";
import type { Solution } from "../scenario.ts";
import type { Hooks, Looked } from "./chart.ts";
import { Grip } from "./grip.ts";
import { cutAt, cutsOf, histogramOf, scoreAxis, type Histogram } from "./scores.ts";
import type { Axis } from "./axes.ts";

/** The picture in its own pixels: above the bars of a class two lines of words, below both rows the scores. */
export interface Plot {
  readonly width: number;
  readonly bars: number;
}
export const WIDE: Plot = { width: 840, bars: 84 };
export const NARROW: Plot = { width: 316, bars: 74 };
const [SIDE, TOP, WORDS, GAP, FOOT] = [12, 30, 38, 8, 34];
const LETTER = 7.4; // pixels, about

/** What a class is called, and its two parts: those that are flagged, and those that are not. */
const CLASSES = [
  { flagged: "found", passed: "missed" },
  { flagged: "alarms", passed: "rest" },
] as const;

/** The bars of one class, with its words. */
class Row {
  private readonly passed: SVGPathElement;
  private readonly flagged: SVGPathElement;
  private readonly base = s("path", { class: "base" });
  private readonly all = s("text", { class: "class" });
  private readonly passedSaid: SVGTextElement;
  private readonly flaggedSaid: SVGTextElement;
  readonly element: SVGGElement;

  constructor({ flagged, passed }: (typeof CLASSES)[number]) {
    this.passed = s("path", { class: `bars ${passed}` });
    this.flagged = s("path", { class: `bars ${flagged}` });
    this.passedSaid = s("text", { class: `count ${passed}` });
    this.flaggedSaid = s("text", { class: `count ${flagged}` });
    this.element = s("g", {}, this.passed, this.flagged, this.base, this.all, this.passedSaid, this.flaggedSaid);
  }

  update(
    counts: Float64Array,
    flagged: number,
    top: number,
    plot: Plot,
    cut: number,
    texts: { readonly all: string; readonly passed: string; readonly flagged: string },
  ): void {
    const bottom = top + WORDS + plot.bars;
    const parts = stacked(counts, flagged, bottom, plot);
    put(this.passed, "d", parts.passed);
    put(this.flagged, "d", parts.flagged);
    put(this.base, "d", `M${SIDE} ${bottom}H${plot.width - SIDE}`);
    const word = (node: SVGTextElement, text: string, x: number, line: number, end = false): void => {
      put(node, "x", x.toFixed(1));
      put(node, "y", String(top + 13 + 17 * line));
      put(node, "text-anchor", end ? "end" : "start");
      say(node, text);
    };
    word(this.all, texts.all, SIDE, 0);
    word(this.passedSaid, texts.passed, SIDE, 1);
    // On the side of the flagged scores where there is room for it, else on the other, or above.
    const long = LETTER * texts.flagged.length + 10;
    if (plot.width - SIDE - cut > long) word(this.flaggedSaid, texts.flagged, cut + 10, 1);
    else if (cut - long > SIDE + LETTER * texts.passed.length + 10) word(this.flaggedSaid, texts.flagged, cut - 10, 1, true);
    else word(this.flaggedSaid, texts.flagged, plot.width - SIDE, 0, true);
  }
}

/** The bars, from the highest score down flagged until so many cases are; where that ends inside a bar, the rest stands on top. */
function stacked(counts: Float64Array, flagged: number, bottom: number, plot: Plot): { passed: string; flagged: string } {
  const wide = (plot.width - 2 * SIDE) / counts.length;
  const gap = wide > 5 ? 1 : 0;
  const size = plot.bars / (counts.reduce((a, b) => Math.max(a, b), 0) || 1);
  const found = { passed: "", flagged: "" };
  let left = flagged;
  for (let k = counts.length - 1; k >= 0; k -= 1) {
    const inside = Math.min(counts[k]!, Math.max(0, left));
    left -= counts[k]!;
    const bar = (from: number, to: number): string => {
      if (!(to > from)) return "";
      const x = (SIDE + k * wide + gap / 2).toFixed(2);
      return `M${x} ${(bottom - from * size).toFixed(2)}V${(bottom - to * size).toFixed(2)}h${(wide - gap).toFixed(2)}V${(bottom - from * size).toFixed(2)}Z`;
    };
    found.flagged += bar(0, inside);
    found.passed += bar(inside, counts[k]!);
  }
  return found;
}

export class Distribution {
  readonly svg: SVGSVGElement;
  readonly figure: HTMLElement;
  private readonly axis = s("g", { class: "axes" });
  private readonly rows = CLASSES.map((one) => new Row(one));
  private readonly looked = s("path", { class: "looked" });
  private readonly grip = new Grip();
  private readonly word = s("text", { class: "name", y: 17 });
  private model: Model | null = null;
  private histogram: Histogram | null = null;
  private index = 0;
  private place = 0;
  private x: Axis | null = null;
  private plot = WIDE;

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
      this.axis,
      ...this.rows.map(({ element }) => element),
      this.looked,
      this.grip.element,
      this.word,
    );
    this.figure = h("figure", { class: "chart" }, this.svg);
    this.grip.drag(this.svg, (x) => this.take(x));
    this.svg.addEventListener("click", (event) => {
      const box = this.svg.getBoundingClientRect();
      this.take(((event.clientX - box.left) * this.plot.width) / box.width);
    });
    this.svg.addEventListener("keydown", (event) => this.step(event));
  }

  private get height(): number {
    return TOP + 2 * (WORDS + this.plot.bars) + GAP + FOOT;
  }

  update(solution: Solution, index: number, plot: Plot, said: readonly [string, string]): void {
    const model = solution.models[index]!;
    const one = solution.settings[index] ?? null;
    const histogram = histogramOf(model);
    [this.model, this.histogram, this.index, this.place, this.plot] = [model, histogram, index, one?.place ?? 0, plot];
    put(this.svg, "viewBox", `0 0 ${plot.width} ${this.height}`);
    this.x = scoreAxis(histogram, [SIDE, plot.width - SIDE]);
    const at = this.cutX();
    this.drawAxis(histogram.isOdds ? "score (spaced by log-odds)" : "score");
    const last = model.tp.length - 1;
    const prior = solution.priors[index]!;
    const { volume, words } = solution.state;
    const counts = [
      {
        bins: histogram.positives,
        sums: model.tp,
        all: volume * prior,
        name: `${words.positive} ${words.unit}`,
        verbs: ["found", "missed"],
      },
      { bins: histogram.negatives, sums: model.fp, all: volume * (1 - prior), name: "others", verbs: ["false alarms", "left alone"] },
    ] as const;
    counts.forEach(({ bins, sums, all, name, verbs }, row) => {
      const flagged = one ? flaggedOf(one, sums) : 0;
      const share = flagged / sums[last]!;
      this.rows[row]!.update(bins, flagged, TOP + row * (WORDS + plot.bars + GAP), plot, at, {
        all: `${counted(all)} ${name}${per(words)}`,
        passed: `${counted(all * (1 - share))} ${verbs[1]}`,
        flagged: `${counted(all * share)} ${verbs[0]}${said[row]}`,
      });
    });
    this.set(at, model.tp[last] ? (one ? flaggedOf(one, model.tp) : 0) / model.tp[last]! : 0);
  }

  /** Where the threshold lies: whole grades stand in the middle of their bars, which are flagged from their left side on. */
  private cutX(): number {
    const { model, histogram, x, plot } = this;
    if (!this.place) return plot.width - SIDE;
    return x!.place(cutAt(model!, this.place) - (histogram!.isGrades ? 0.5 : 0));
  }

  private drawAxis(title: string): void {
    const bottom = this.height - FOOT;
    const { ticks, place } = this.x!;
    const drawn = `${this.plot.width} ${title} ${ticks.map(({ value, text }) => `${place(value).toFixed(1)} ${text}`).join()}`;
    if (this.axis.dataset["drawn"] === drawn) return;
    this.axis.dataset["drawn"] = drawn;
    const middle = { "text-anchor": "middle" };
    this.axis.replaceChildren(
      ...ticks.map(({ value, text }) => s("text", { x: place(value).toFixed(1), y: bottom + 14, ...middle }, text)),
      s("path", { d: ticks.map(({ value }) => `M${place(value).toFixed(1)} ${bottom}v4`).join("") }),
      s("text", { class: "title", x: this.plot.width / 2, y: bottom + 30, ...middle }, title),
    );
  }

  private set(at: number, share: number): void {
    const model = this.model!;
    this.grip.move(at, { top: TOP - 6, bottom: this.height - FOOT });
    const text = this.place ? `flag from ${thresholdSaid(model, this.place)}` : "flag nothing";
    const left = at > this.plot.width / 2;
    put(this.word, "x", String(at + (left ? -14 : 14)));
    put(this.word, "text-anchor", left ? "end" : "start");
    say(this.word, text);
    put(this.svg, "aria-valuemax", String(model.tp.length - 1));
    put(this.svg, "aria-valuenow", String(this.place));
    put(this.svg, "aria-valuetext", `${text}, finds ${general(100 * share, 3)} %`);
  }

  /** A thin line at the threshold that is looked at on another chart. */
  show(looked: Looked | null): void {
    const seen = looked && this.model && looked.model === this.index && looked.place > 0 && this.x;
    const at = seen && seen.place(cutAt(this.model!, looked.place)).toFixed(1);
    put(this.looked, "d", at ? `M${at} ${TOP}V${this.height - FOOT}` : "");
  }

  private take(x: number): void {
    if (!this.model || !this.x) return;
    const half = (this.plot.width - 2 * SIDE) / this.histogram!.positives.length / 2;
    const at = this.histogram!.isGrades ? x + half : x;
    const cuts = cutsOf(this.model);
    // Places rise from right to left.
    let [low, high] = [1, cuts.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.x.place(cuts[middle]!) > at) low = middle + 1;
      else high = middle;
    }
    const nearer = low > 1 && Math.abs(this.x.place(cuts[low - 1]!) - at) < Math.abs(this.x.place(cuts[low]!) - at) ? low - 1 : low;
    this.hooks.take({ model: this.index, place: at > this.x.place(cuts[1]!) + 6 ? 0 : placeOf(this.model, cuts[nearer]!) });
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

/** What is flagged of a class, with the share of a tie that is drawn at random. */
function flaggedOf({ place, share }: Setting, sums: Float64Array): number {
  return share === 1 ? sums[place]! : sums[place - 1]! + share * (sums[place]! - sums[place - 1]!);
}

const counted = (value: number): string => (value >= 10 ? grouped(whole(value)) : cases(value));
