// What it costs to keep the threshold where the base rate is another than was assumed: a tenth, half, twice, ten times.
import { amount, linear, logarithmic, type Axis } from "../charts/axes.ts";
import { drawAxes } from "../charts/frames.ts";
import { visible } from "../charts/paths.ts";
import { BOX, across, fit, SIZE, upward, type Size } from "../charts/kinds.ts";
import { oneIn } from "../core/conditions.ts";
import { budgetOf } from "../core/rules.ts";
import { costs, cases, general, grouped, quoted, whole } from "../core/formats.ts";
import { rounded } from "../core/fractions.ts";
import { Keeping } from "../core/keeping.ts";
import { thresholdSaid } from "../core/points.ts";
import { per } from "../core/sentences.ts";
import type { Solution } from "../scenario.ts";
import type { Part } from "./answer.ts";
import { h, put, s, say, unbroken, watched } from "./dom.ts";
import { saving, standalone } from "./downloads.ts";

const FACTORS = [0.1, 0.5, 1, 2, 10] as const;
const BEYOND = 1.35; // times as far as the outer factors the axis goes
const MOST = 0.9; // base rates above this are not asked
const STEPS = 80;
const LEAST = 0.1; // of what is lost anyway: the axis is no finer, so that what hardly counts is seen to
const NARROW = 400; // pixels
const LITTLE = 0.001; // of what is lost anyway: less than this is nothing

/** Marks that stand too close to their neighbours for words on a narrow chart. */
const isNear = (factor: number): boolean => factor === 0.5 || factor === 2;

/** "÷ 10", "× 2", "now". */
const factorSaid = (factor: number): string => (factor === 1 ? "now" : factor < 1 ? `÷ ${general(1 / factor, 3)}` : `× ${factor}`);

const rateSaid = (prior: number): string => oneIn(prior) ?? (prior < 0.1 ? `1 in ${cases(1 / prior)}` : `${general(100 * prior, 2)} %`);

/** A number in two or three digits. */
const few = (value: number): string => costs(Number(value.toPrecision(value >= 1e5 ? 3 : 2)));

/** The curve of the threshold that is chosen, or set by hand. */
class Kept {
  readonly keeping: Keeping;
  private readonly scale: number;

  constructor(readonly solution: Solution) {
    const { chosen, question, state } = solution;
    const one = chosen[0]!;
    this.keeping = new Keeping(one, question, one.objective === "tpr");
    this.scale = state.volume;
  }

  get prior(): number {
    return this.solution.priors[this.solution.settings.indexOf(this.solution.chosen[0]!)]!;
  }

  /** In a period, or of the cases spoken of. */
  extra(prior: number, some: readonly number[] | null = null): number {
    const value = this.keeping.at(prior, some);
    return value < LITTLE * this.keeping.total(prior) ? 0 : this.scale * value;
  }

  /** What is lost at the base rate that was assumed. */
  get total(): number {
    return this.scale * this.keeping.total(this.prior);
  }

  private get money(): boolean {
    return this.solution.question.at.costsGiven && !this.keeping.inMisses;
  }

  /** What is counted. */
  get what(): string {
    const { earned } = this.solution.question.at;
    return this.keeping.inMisses ? "misses" : !this.money ? "errors" : earned ? "lost profit" : "cost";
  }

  said(value: number): string {
    return `${this.money ? this.solution.state.words.currency : ""}${few(value)}`;
  }

  /** "costs 63,000 a day more than need be", of an amount; the other words are left out where they were said. */
  private moreThanNeeded(value: number, isFirst: boolean): string {
    const { words } = this.solution.state;
    const said = value === 0 ? "nothing" : this.said(value);
    if (!isFirst) return said;
    if (value === 0) return { misses: "misses none extra", errors: "makes no extra errors" }[this.what] ?? "costs nothing extra";
    const rest = `${per(words)} more than need be`;
    if (this.what === "errors") return `makes ${said} errors${rest}`;
    return this.what === "lost profit"
      ? `earns ${said}${per(words)} less than it could`
      : `${this.what} ${said}${rest}`.replace(/^cost /, "costs ");
  }

  /** The finding, as a title. */
  get title(): string {
    const one = this.solution.chosen[0]!;
    const more = [2, 10].filter((factor) => factor * this.prior < MOST);
    const asked = more.length ? more : [0.5, 0.1];
    const [first, second] = asked.map((factor) => this.extra(factor * this.prior)) as [number, number?];
    const subject = one.place ? `Keeping ${thresholdSaid(one.model, one.place)}` : "Flagging nothing";
    const [once, tenfold] = more.length
      ? ["if positives double", "if they are ten times as many"]
      : ["if positives halve", "if they are a tenth as many"];
    const then = second === undefined ? "" : `, ${this.moreThanNeeded(second, false)} ${tenfold}`;
    return `${subject} ${this.moreThanNeeded(first, true)} ${once}${then}.`;
  }

  /** What is compared with what. */
  get says(): string {
    const { chosen, question, state } = this.solution;
    const model = quoted(chosen[0]!.model.name);
    const budget = budgetOf(question.terms);
    const best = `the best threshold of ${model} at each base rate`;
    if (!budget) return `Against ${best}${state.mode === "rule" ? ", without the rule" : ""}.`;
    const other = question.terms.length > 1 ? ", without the rest of the rule" : "";
    const limit = `${grouped(whole(rounded(budget.limit)))} alerts`;
    const over = FACTORS.map((factor) => factor * this.prior).find((prior) => prior < MOST && this.keeping.isOver(prior));
    const shared = over ? `; where it flags more, an even share of them is checked` : "";
    return `Against ${best} within ${limit}${other}${shared}.`;
  }

  /** One base rate in words. */
  described(prior: number): string {
    const { words } = this.solution.state;
    const flagged = `${cases(this.scale * this.keeping.flagged(prior))} alerts${per(words)}`;
    return `At ${rateSaid(prior)}: ${flagged}; it ${this.moreThanNeeded(this.extra(prior), true)}.`;
  }
}

/** The chart, its finding as the title, and a reading at any base rate by pointer, touch or keys. */
export function keepingCard(size: () => Size): Part {
  const title = h("h3", { id: "keeping-title" });
  const says = h("p", { class: "hint", id: "keeping-says" });
  const reading = h("p", { class: "hint", id: "keeping-reading" });
  const axes = s("g", { class: "axes" });
  const frame = s("rect", { class: "frame" });
  const here = s("path", { class: "iso" });
  const line = s("path", { class: "curve" });
  const marks = s("g", { class: "marks" });
  const ring = s("circle", { class: "ring", r: 6, visibility: "hidden" });
  const slider = {
    tabindex: 0,
    role: "slider",
    "aria-labelledby": "keeping-title",
    "aria-describedby": "keeping-says",
    "aria-valuemin": -100,
    "aria-valuemax": 100,
    "aria-valuenow": 0,
    "aria-valuetext": "",
  };
  const svg = s("svg", { id: "chart-keeping", class: "chart", ...slider }, axes, frame, here, line, marks, ring);
  const name = "What keeping the threshold costs";
  let kept: Kept | null = null;
  let x: Axis | null = null;
  let y: Axis | null = null;
  let range: readonly [number, number] = [0.001, 0.1];
  let looked: number | null = null; // the factor that is looked at
  const saved = saving("keeping", name, () => standalone(svg, name, kept!.solution));
  const foot = h("div", { class: "foot" }, h("div", {}, says, reading), h("span", { class: "tools" }, ...saved));
  const element = h("div", {}, title, h("figure", { class: "chart" }, svg), foot);

  const show = (): void => {
    if (!kept || !x || !y) return;
    const prior = (looked ?? 1) * kept.prior;
    const text = kept.described(prior);
    put(svg, "aria-valuenow", (100 * Math.log10(looked ?? 1)).toFixed(0));
    put(svg, "aria-valuetext", text);
    say(reading, unbroken(looked === null ? "" : text));
    ring.setAttribute("visibility", looked === null ? "hidden" : "visible");
    put(ring, "cx", x.place(prior).toFixed(1));
    put(ring, "cy", y.place(kept.extra(prior)).toFixed(1));
  };
  const look = (factor: number | null): void => {
    if (!kept) return;
    looked = factor === null ? null : Math.min(range[1] / kept.prior, Math.max(range[0] / kept.prior, factor));
    show();
  };
  svg.addEventListener("pointermove", (event) => {
    if (!kept) return;
    const box = svg.getBoundingClientRect();
    const share = (((event.clientX - box.left) * SIZE.width) / box.width - BOX.left) / (BOX.right - BOX.left);
    fit(size());
    look((range[0] * (range[1] / range[0]) ** share) / kept.prior);
  });
  for (const event of ["pointerleave", "blur"]) svg.addEventListener(event, () => look(null));
  svg.addEventListener("keydown", (event) => {
    const factor = { ArrowRight: 1.1, ArrowUp: 1.1, ArrowLeft: 1 / 1.1, ArrowDown: 1 / 1.1, PageUp: 2, PageDown: 0.5 }[event.key];
    if (event.key === "Escape") look(null);
    if (factor === undefined) return;
    event.preventDefault();
    look((looked ?? 1) * factor);
  });

  const draw = (): void => {
    if (!kept || !near()) return;
    fit(size());
    const { prior } = kept;
    const far = 10 * BEYOND;
    range = [prior / far, Math.min(MOST, prior * far)];
    const factors = FACTORS.filter((factor) => factor === 1 || factor * prior < range[1]);
    const model = kept.solution.models.indexOf(kept.solution.chosen[0]!.model);
    const along = Array.from({ length: STEPS + 1 }, (_, i) => range[0] * (range[1] / range[0]) ** (i / STEPS));
    const some = visible(kept.solution.chosen[0]!.model);
    const values = along.map((value) => kept!.extra(value, some));
    const most = Math.max(...values, LEAST * kept.total);
    const ticks = SIZE.width < NARROW ? factors.filter((factor) => !isNear(factor)) : factors;
    x = {
      ...logarithmic(range, across(), String),
      ticks: ticks.map((factor) => ({ value: factor * prior, text: rateSaid(factor * prior) })),
    };
    y = linear([0, 1.25 * most || 1], upward(), amount, true);
    const [right, up] = [x.place, y.place];
    say(title, unbroken(kept.title));
    say(says, unbroken(kept.says));
    const { words, volume } = kept.solution.state;
    const out = words.period ? per(words) : `, of ${grouped(whole(volume))} ${words.unit}`;
    put(svg, "viewBox", `0 0 ${SIZE.width} ${SIZE.height}`);
    for (const [key, value] of Object.entries({ x: BOX.left, y: BOX.top, width: BOX.right - BOX.left, height: BOX.bottom - BOX.top }))
      put(frame, key, String(value));
    drawAxes(axes, { x: "base rate", y: `extra ${kept.what}${out}` }, { x, y });
    put(line, "class", `curve m${model % 7}`);
    put(ring, "class", `ring m${model % 7}`);
    put(line, "d", `M${along.map((value, i) => `${right(value).toFixed(1)} ${up(values[i]!).toFixed(1)}`).join("L")}`);
    put(here, "d", `M${right(prior).toFixed(1)} ${BOX.top}V${BOX.bottom}`);
    marks.replaceChildren(
      ...factors.flatMap((factor) => markOf(factor, kept!, [right(factor * prior), up(kept!.extra(factor * prior))], model)),
    );
    show();
  };
  const near = watched(element, draw);
  return {
    element,
    update: (solution) => {
      kept = solution.chosen.length ? new Kept(solution) : null;
      element.hidden = kept === null;
      draw();
    },
  };
}

/** A mark on the curve, with what it stands for above it. */
function markOf(factor: number, kept: Kept, [x, y]: readonly [number, number], model: number): SVGElement[] {
  const extra = kept.extra(factor * kept.prior);
  const value = SIZE.width < NARROW ? amount(Number(extra.toPrecision(2))) : kept.said(extra);
  const place = { x: x.toFixed(1), "text-anchor": "middle" };
  const mark = s("circle", { class: `mark m${model % 7}`, cx: x.toFixed(1), cy: y.toFixed(1), r: factor === 1 ? 6 : 4.5 });
  if (SIZE.width < NARROW && isNear(factor)) return [mark];
  return [
    mark,
    s("text", { class: "line-name", ...place, y: (y - 26).toFixed(1) }, factorSaid(factor)),
    s("text", { class: `name m${model % 7}`, ...place, y: (y - 11).toFixed(1) }, extra ? `+${value}` : "0"),
  ];
}
