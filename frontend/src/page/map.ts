// Who is cheapest where: over logit(base rate) and log(cost ratio) all borders are parallel straight lines.
import { falseAlarm, miss } from "../core/conditions.ts";
import { cases, general, quoted } from "../core/formats.ts";
import { div, rounded } from "../core/fractions.ts";
import { thresholdSaid, type Model } from "../core/points.ts";
import type { Report } from "../document.ts";
import { rangeEnds, type Solution, type State } from "../scenario.ts";
import { logarithmic, rate, type Axis } from "../charts/axes.ts";
import { drawAxes } from "../charts/frames.ts";
import { BOX, fit, SIZE, upward, type Size } from "../charts/kinds.ts";
import type { Part } from "./answer.ts";
import { h, put, s, say, unbroken } from "./dom.ts";
import { saving, standalone } from "./downloads.ts";

const PRIORS = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.5];
const RATIOS = [1e-4, 10] as const;
const SAYS = "“No model”: none beats flagging nothing or everything.";
const BOXED = " Dashed box: the ranges given.";
const POINT = " Point to read it; a click takes that place.";
const FEW = 5; // cases flagged: by fewer no model is chosen
const logit = (p: number): number => Math.log(p / (1 - p));
const [LEFT, RIGHT] = [logit(PRIORS[0]!), logit(PRIORS[PRIORS.length - 1]!)];
const [LOW, HIGH] = [Math.log(RATIOS[0]), Math.log(RATIOS[1])];

/** The map in its pixels; logits of effective priors are read at the lowest ratio, where they are least. */
class Plane {
  readonly x: Axis;
  readonly y: Axis;
  readonly box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

  constructor(readonly size: Size) {
    fit(size);
    const { left, right, top, bottom } = BOX;
    this.box = { x: left, y: top, width: right - left, height: bottom - top };
    this.x = { place: (prior) => this.across(logit(prior)), ticks: PRIORS.map((value) => ({ value, text: rate(value) })) };
    this.y = logarithmic(RATIOS, upward(), rate, true);
  }

  across(z: number): number {
    return this.box.x + ((z - LEFT) / (RIGHT - LEFT)) * this.box.width;
  }

  up(z: number): number {
    return this.box.y + this.box.height - ((z - LOW) / (HIGH - LOW)) * this.box.height;
  }

  /** The base rate and the cost ratio under the pointer. */
  under(event: MouseEvent, svg: SVGSVGElement): Place {
    const { left, top, width, height } = svg.getBoundingClientRect();
    const [x, y] = [((event.clientX - left) * this.size[0]) / width, ((event.clientY - top) * this.size[1]) / height];
    const odds = Math.exp(LEFT + ((x - this.box.x) / this.box.width) * (RIGHT - LEFT));
    return { prior: odds / (1 + odds), ratio: Math.exp(HIGH - ((y - this.box.y) / this.box.height) * (HIGH - LOW)) };
  }
}

interface Place {
  readonly prior: number;
  readonly ratio: number;
}

/** From one effective prior to another, the place of a model that is cheapest; of no model none. */
interface Win {
  readonly low: number;
  readonly high: number;
  readonly model: Model | null;
  readonly place: number;
}

/** Who is cheapest at which effective prior: the corners of the hull over the points of all models. */
function winsOf(models: readonly Model[]): Win[] {
  const points = models.flatMap((model) => model.held.hull.map((place) => ({ model, place, x: model.fpr[place]!, y: model.tpr[place]! })));
  points.sort((one, other) => one.x - other.x || other.y - one.y);
  const hull: typeof points = [];
  for (const point of points) {
    if (hull.length && point.y <= hull[hull.length - 1]!.y) continue;
    const turns = (): boolean => {
      const [a, b] = [hull[hull.length - 2]!, hull[hull.length - 1]!];
      return (b.y - a.y) * (point.x - b.x) <= (point.y - b.y) * (b.x - a.x);
    };
    while (hull.length > 1 && turns()) hull.pop();
    hull.push(point);
  }
  const border = (k: number): number => {
    const [a, b] = [hull[k - 1]!, hull[k]!];
    return (b.x - a.x) / (b.x - a.x + b.y - a.y);
  };
  return hull.map(({ model, place, x, y }, k) => ({
    low: k ? border(k) : 0,
    high: k + 1 < hull.length ? border(k + 1) : 1,
    model: (x === 0 && y === 0) || (x === 1 && y === 1) ? null : model,
    place,
  }));
}

/** What wins at neighbouring effective priors under one name; what flags only few cases is no choice. */
interface Stretch {
  readonly low: number;
  high: number;
  readonly name: string;
  readonly model: Model | null;
}

function stretchesOf(wins: readonly Win[]): Stretch[] {
  const found: Stretch[] = [];
  for (const { low, high, model, place } of wins) {
    const isFew = model !== null && !model.held.weighted && model.tp[place]! + model.fp[place]! < FEW;
    const name = !model ? "no model" : isFew ? "too few cases to choose" : quoted(model.name);
    const last = found[found.length - 1];
    if (last?.name === name) last.high = high;
    else found.push({ low, high, name, model: isFew ? null : model });
  }
  return found;
}

/** Which model is cheapest at a base rate and a cost ratio, and from where to where. */
function rangesSaid(stretches: readonly Stretch[], { question, state }: Solution, { prior, ratio }: Place): string {
  const borders = stretches.map(({ low }) => (low * ratio) / (1 - low + low * ratio));
  const here = borders.filter((border) => border <= prior).length - 1;
  const border = (at: number): string => (borders[at]! < 0.1 ? `1 in ${cases(1 / borders[at]!)}` : `${general(100 * borders[at]!, 2)} %`);
  const [before, after] = [here > 0, here + 1 < stretches.length];
  const range = [before && `from ${border(here)} ${after ? "" : "on"}`, after && `${before ? "" : "up "}to ${border(here + 1)}`];
  const where = before || after ? `at base rates ${range.filter(Boolean).join("").trim()}` : "at every base rate";
  const others = [before && `below that ${stretches[here - 1]!.name}`, after && `above it ${stretches[here + 1]!.name}`];
  const { name, model } = stretches[here]!;
  const subject = model ? name : `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const verb = name.startsWith("too few") ? "" : question.at.costsGiven ? "is cheapest " : "has fewest errors ";
  const without = question.terms.length ? ` (without the ${state.mode === "budget" ? "budget" : "rule"})` : "";
  return `${[`${subject} ${verb}${where}`, ...others.filter(Boolean)].join("; ")}${without}.`;
}

/** Who is cheapest at a place, in words. */
function placeSaid(wins: readonly Win[], { prior, ratio }: Place): string {
  const e = prior / (prior + (1 - prior) * ratio);
  const win = wins.find(({ low, high }) => e >= low && e <= high);
  const where = `Base rate ${general(prior, 3)}, a false alarm costs ${general(ratio, 3)} of a miss`;
  const model = win?.model;
  const cut = model && win.place ? ` from score ${thresholdSaid(model, win.place)}` : "";
  return `${where}: ${model ? quoted(model.name) + cut : "flagging nothing or everything"} is cheapest.`;
}

type Move = (patch: (state: State) => Partial<State>) => void;

export function winnerMap(report: Report, models: readonly Model[], move: Move): Part {
  const wins = winsOf(models);
  const stretches = stretchesOf(wins);
  const plane = new Plane(matchMedia("(max-width: 640px)").matches ? [316, 290] : [620, 340]);
  const here = s("path", { class: "here", d: "M-7 0H7M0 -7V7" });
  const box = rangeOf(report.decision, plane);
  const svg = drawn([...regionsOf(stretches, models, plane), ...box], here, plane);
  const said = h("p", { class: "hint", id: "map-says" });
  let home = "";
  let at: Place | null = null; // a click takes the place that was told: its own is rounded to whole pixels
  svg.addEventListener("pointermove", (event) => {
    at = plane.under(event, svg);
    say(said, placeSaid(wins, at));
  });
  svg.addEventListener("pointerleave", () => say(said, home));
  svg.addEventListener("click", (event) => {
    const { prior, ratio } = at ?? plane.under(event, svg);
    move((state) => ({
      prior: general(Math.min(0.5, prior), 3),
      costs: { ...state.costs, fp: Number(general((state.costs.fn - state.costs.tp) * ratio + state.costs.tn, 3)) },
      costsGiven: true,
    }));
  });
  const title = "Which model is cheapest where";
  const finding = h("h3", { id: "map-title" });
  let latest: Solution | null = null;
  const tools = h("span", { class: "tools" }, ...saving("map", title, () => standalone(svg, title, latest!)));
  const says = h("p", { class: "hint" }, SAYS + (box.length ? BOXED : "") + POINT);
  const foot = h("div", { class: "foot" }, h("div", {}, said, says), tools);
  return {
    element: h("div", {}, finding, h("figure", { class: "chart" }, svg), foot),
    update: (solution) => {
      const { question, priors } = (latest = solution);
      const place = { prior: priors[0]!, ratio: rounded(div(falseAlarm(question.at.costs), miss(question.at.costs))) };
      put(here, "transform", `translate(${plane.x.place(place.prior).toFixed(1)} ${plane.up(Math.log(place.ratio)).toFixed(1)})`);
      say(finding, unbroken(rangesSaid(stretches, latest, place)));
      home = `Cross: the scenario. ${placeSaid(wins, place)}`;
      say(said, home);
    },
  };
}

/** Each stretch as a band between two effective priors, with its name in its widest visible row that no other name has taken. */
function regionsOf(stretches: readonly Stretch[], models: readonly Model[], plane: Plane): SVGElement[] {
  const far = 80;
  const taken: { x: number; y: number; half: number }[] = [];
  const bands = stretches.map(({ low, high }) => {
    // logit(prior) = logit(e) + log(ratio) on each border
    const [a, b] = [low <= 0 ? -far : logit(low), high >= 1 ? far : logit(high)];
    const corner = (z: number, y: number): string => `${plane.across(z + y).toFixed(1)} ${plane.up(y).toFixed(1)}`;
    return s("path", { class: "band", d: `M${corner(a, LOW)}L${corner(b, LOW)}L${corner(b, HIGH)}L${corner(a, HIGH)}Z` });
  });
  const labels = stretches.flatMap(({ low, high, name, model }): SVGElement[] => {
    const half = 3.6 * name.length + 4;
    const { x: left, width } = plane.box;
    const rows = [0.5, 0.3, 0.7, 0.15, 0.85].map((share) => {
      const level = LOW + share * (HIGH - LOW);
      const at = (e: number): number => (e <= 0 ? left : e >= 1 ? left + width : plane.across(logit(e) + level));
      const [from, to] = [Math.max(left, at(low)), Math.min(left + width, at(high))];
      return { x: (from + to) / 2, y: plane.up(level), half, width: to - from };
    });
    const free = rows.filter(
      ({ x, y, width }) => width > 2 * half && taken.every((one) => Math.abs(one.y - y) > 20 || Math.abs(one.x - x) > one.half + half),
    );
    if (!free.length) return [];
    const best = free.reduce((one, other) => (other.width > one.width + 40 ? other : one));
    taken.push(best);
    const kind = `name ${model ? `m${models.indexOf(model) % 7}` : "none"}`;
    return [s("text", { class: kind, x: best.x.toFixed(1), y: (best.y + 4).toFixed(1), "text-anchor": "middle" }, name)];
  });
  return [...bands, ...labels];
}

/** The ranges that were given, as a box. */
function rangeOf(decision: Report["decision"], plane: Plane): SVGElement[] {
  const at = decision?.decision?.at;
  if (!at) return [];
  const [prior, fp, fn, tp, tn] = [at["prior"], at["fp"], at["fn"], at["tp"] ?? 0, at["tn"] ?? 0].map(rangeEnds);
  const ratio = [(fp![0] - tn![1]) / (fn![1] - tp![0]), (fp![1] - tn![0]) / (fn![0] - tp![1])] as const;
  if (![...prior!, ...ratio].every((end) => end > 0)) return [];
  const [left, right, bottom, top] = [...prior!.map(plane.x.place), ...ratio.map((end) => plane.up(Math.log(end)))] as [
    number,
    number,
    number,
    number,
  ];
  const size = { width: Math.max(2, right - left).toFixed(1), height: Math.max(2, bottom - top).toFixed(1) };
  return [s("rect", { class: "range-box", x: left.toFixed(1), y: top.toFixed(1), ...size })];
}

function drawn(regions: readonly SVGElement[], here: SVGPathElement, plane: Plane): SVGSVGElement {
  const axes = s("g", { class: "axes" });
  drawAxes(axes, { x: "base rate (prior)", y: "cost ratio, false alarm to miss" }, plane);
  const named = { role: "img", "aria-label": "Which model is cheapest at each base rate and cost ratio", "aria-describedby": "map-says" };
  return s(
    "svg",
    { viewBox: `0 0 ${SIZE.width} ${SIZE.height}`, class: "chart map", ...named },
    s("defs", {}, s("clipPath", { id: "clip-map" }, s("rect", plane.box))),
    axes,
    s("g", { "clip-path": "url(#clip-map)" }, ...regions, here),
    s("rect", { class: "frame", ...plane.box }),
  );
}
