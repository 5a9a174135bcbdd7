// Who is cheapest where: over logit(base rate) and log(cost ratio) all borders are parallel straight lines.
import { falseAlarm, miss } from "../core/conditions.ts";
import { cases, general, quoted } from "../core/formats.ts";
import { div, rounded } from "../core/fractions.ts";
import { placeOf as placeIn, scoreSaid, thresholdSaid, type Model } from "../core/points.ts";
import type { Report, Win } from "../document.ts";
import { rangeEnds, type Solution, type State } from "../scenario.ts";
import { amount, rate } from "../charts/axes.ts";
import type { Part } from "./answer.ts";
import { h, put, s, say, unbroken } from "./dom.ts";
import { saving, standalone } from "./downloads.ts";

// Smaller on a small screen, so that type stays as large.
const BOX = matchMedia("(max-width: 640px)").matches
  ? { left: 54, right: 370, top: 10, bottom: 250, width: 380, height: 300 }
  : { left: 60, right: 610, top: 10, bottom: 290, width: 620, height: 340 };
const PRIORS = [1e-6, 0.5] as const;
const RATIOS = [1e-4, 10] as const;
const SAYS = "“No model”: none beats flagging nothing or everything.";
const BOXED = " Dashed box: the ranges given.";
const POINT = " Point at the map to read it; a click takes that place.";
const logit = (p: number): number => Math.log(p / (1 - p));
const [LEFT, RIGHT] = [logit(PRIORS[0]), logit(PRIORS[1])];
const [LOW, HIGH] = [Math.log(RATIOS[0]), Math.log(RATIOS[1])];

const across = (z: number): number => BOX.left + ((z - LEFT) / (RIGHT - LEFT)) * (BOX.right - BOX.left);
const up = (z: number): number => BOX.bottom - ((z - LOW) / (HIGH - LOW)) * (BOX.bottom - BOX.top);

/** The band between two effective priors: logit(prior) = logit(e) + log(ratio) on each border. */
function band(low: number, high: number): string {
  const far = 80;
  const at = (e: number): number => (e <= 0 ? -far : e >= 1 ? far : logit(e));
  const [a, b] = [at(low), at(high)];
  const corner = (z: number, y: number): string => `${across(z + y).toFixed(1)} ${up(y).toFixed(1)}`;
  return `M${corner(a, LOW)}L${corner(b, LOW)}L${corner(b, HIGH)}L${corner(a, HIGH)}Z`;
}

interface Place {
  readonly prior: number;
  readonly ratio: number;
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
    models: (x === 0 && y === 0) || (x === 1 && y === 1) ? [] : [model.name],
    thresholds: place ? [scoreSaid(model, place)] : ["none"],
  }));
}

// With fewer cases flagged, no model is chosen by them.
const FEW = 5;

/** Which model is cheapest at a base rate and a cost ratio, and from where to where; what flags only few cases is no choice. */
function rangesSaid(wins: readonly Win[], { models, question, state }: Solution, prior: number, ratio: number): string {
  const stretches: { low: number; name: string }[] = [];
  for (const { low, models: names, thresholds } of wins) {
    const model = models.find(({ name }) => name === names[0]);
    const place = model ? placeIn(model, Number(thresholds[0])) : 0;
    const isFew = model !== undefined && !model.held.weighted && model.tp[place]! + model.fp[place]! < FEW;
    const name = !model ? "No model" : isFew ? "Too few cases to choose" : quoted(model.name);
    if (stretches[stretches.length - 1]?.name !== name) stretches.push({ low, name });
  }
  const borders = stretches.map(({ low }) => (low * ratio) / (1 - low + low * ratio));
  const here = borders.filter((border) => border <= prior).length - 1;
  const rate = (at: number): string => (borders[at]! < 0.1 ? `1 in ${cases(1 / borders[at]!)}` : `${general(100 * borders[at]!, 2)} %`);
  const inside = (at: number): string => stretches[at]!.name.replace(/^(No|Too few) /, (word) => word.toLowerCase());
  const [before, after] = [here > 0, here + 1 < stretches.length];
  const range = [before && `from ${rate(here)} ${after ? "" : "on"}`, after && `${before ? "" : "up "}to ${rate(here + 1)}`];
  const where = before || after ? `at base rates ${range.filter(Boolean).join("").trim()}` : "at every base rate";
  const others = [before && `below that ${inside(here - 1)}`, after && `above it ${inside(here + 1)}`];
  const said = `${stretches[here]!.name} ${stretches[here]!.name.startsWith("Too few") ? "" : question.at.costsGiven ? "is cheapest " : "has fewest errors "}${where}`;
  const without = question.terms.length ? ` (without the ${state.mode === "budget" ? "budget" : "rule"})` : "";
  return `${[said, ...others.filter(Boolean)].join("; ")}${without}.`;
}

type Move = (patch: (state: State) => Partial<State>) => void;

export function winnerMap(report: Report, models: readonly Model[], move: Move): Part {
  const { decision } = report;
  const wins = decision?.winner_map?.wins.length ? decision.winner_map.wins : winsOf(models);
  const here = s("path", { class: "here", d: "M-7 0H7M0 -7V7" });
  const box = rangeOf(decision);
  const svg = drawn([...regionsOf(wins, models), ...box], here);
  const said = h("p", { class: "hint", id: "map-says" });
  let home = "";
  let at: Place | null = null; // a click takes the place that was told: its own is rounded to whole pixels
  svg.addEventListener("pointermove", (event) => {
    at = placeOf(event, svg);
    say(said, told(wins, models, at));
  });
  svg.addEventListener("pointerleave", () => say(said, home));
  svg.addEventListener("click", (event) => {
    const { prior, ratio } = at ?? placeOf(event, svg);
    move((state) => ({
      prior: general(Math.min(0.5, prior), 3),
      costs: { ...state.costs, fp: Number(general((state.costs.fn - state.costs.tp) * ratio + state.costs.tn, 3)) },
      costsGiven: true,
    }));
  });
  const says = SAYS + (box.length ? BOXED : "") + POINT;
  const [title, tools] = ["Which model is cheapest where", h("span", { class: "tools" })];
  const finding = h("h3", { id: "map-title" });
  const own = winsOf(models);
  const foot = h("div", { class: "foot" }, h("div", {}, said, h("p", { class: "hint" }, says)), tools);
  const element = h("div", {}, finding, h("figure", { class: "chart" }, svg), foot);
  let latest: Solution | null = null;
  tools.append(...saving("map", title, () => standalone(svg, title, latest!)));
  return {
    element,
    update: (solution) => {
      const { question, priors } = (latest = solution);
      const [prior, ratio] = [priors[0]!, rounded(div(falseAlarm(question.at.costs), miss(question.at.costs)))];
      put(here, "transform", `translate(${across(logit(prior)).toFixed(1)} ${up(Math.log(ratio)).toFixed(1)})`);
      say(finding, unbroken(rangesSaid(own, latest, prior, ratio)));
      home = `Cross: the scenario. ${told(wins, models, { prior, ratio })}`;
      say(said, home);
    },
  };
}

/** The stretches of one model as one region, with its name where it fits. */
function regionsOf(wins: readonly Win[], models: readonly Model[]): SVGElement[] {
  const merged: { low: number; high: number; name: string }[] = [];
  for (const { low, high, models: names } of wins) {
    const last = merged[merged.length - 1];
    const name = names[0] ?? "";
    if (last?.name === name) last.high = high;
    else merged.push({ low, high, name });
  }
  const taken: { x: number; y: number; half: number }[] = [];
  const regions = merged.map(({ low, high, name }) => {
    const model = models.findIndex((one) => one.name === name);
    return {
      area: s("path", { class: "band", d: band(low, high) }),
      label: labelOf(low, high, model < 0 ? "no model" : quoted(name), model, taken),
    };
  });
  return [...regions.map(({ area }) => area), ...regions.flatMap(({ label }) => label)];
}

/** The name of a region in its widest visible row that no other name has taken. */
function labelOf(low: number, high: number, name: string, model: number, taken: { x: number; y: number; half: number }[]): SVGElement[] {
  const half = 3.6 * name.length + 4;
  const rows = [0.5, 0.3, 0.7, 0.15, 0.85].map((share) => {
    const at = (e: number): number => (e <= 0 ? -Infinity : e >= 1 ? Infinity : across(logit(e) + LOW + share * (HIGH - LOW)));
    const [from, to] = [Math.max(BOX.left, at(low)), Math.min(BOX.right, at(high))];
    return { x: (from + to) / 2, y: up(LOW + share * (HIGH - LOW)), half, width: to - from };
  });
  const free = rows.filter(
    ({ x, y, width }) => width > 2 * half && taken.every((one) => Math.abs(one.y - y) > 20 || Math.abs(one.x - x) > one.half + half),
  );
  if (!free.length) return [];
  const best = free.reduce((one, other) => (other.width > one.width + 40 ? other : one));
  taken.push(best);
  return [
    s(
      "text",
      { class: `name ${model < 0 ? "none" : `m${model % 7}`}`, x: best.x.toFixed(1), y: (best.y + 4).toFixed(1), "text-anchor": "middle" },
      name,
    ),
  ];
}

/** The ranges that were given, as a box. */
function rangeOf(decision: Report["decision"]): SVGElement[] {
  const at = decision?.decision?.at;
  if (!at) return [];
  const [prior, fp, fn, tp, tn] = [at["prior"], at["fp"], at["fn"], at["tp"] ?? 0, at["tn"] ?? 0].map(rangeEnds);
  const ratio = [(fp![0] - tn![1]) / (fn![1] - tp![0]), (fp![1] - tn![0]) / (fn![0] - tp![1])] as const;
  if (![...prior!, ...ratio].every((end) => end > 0)) return [];
  const [left, right, bottom, top] = [across(logit(prior![0])), across(logit(prior![1])), up(Math.log(ratio[0])), up(Math.log(ratio[1]))];
  return [
    s("rect", {
      class: "range-box",
      x: left.toFixed(1),
      y: top.toFixed(1),
      width: Math.max(2, right - left).toFixed(1),
      height: Math.max(2, bottom - top).toFixed(1),
    }),
  ];
}

function drawn(regions: readonly SVGElement[], here: SVGPathElement): SVGSVGElement {
  const inside = { x: BOX.left, y: BOX.top, width: BOX.right - BOX.left, height: BOX.bottom - BOX.top };
  const named = { role: "img", "aria-label": "Which model is cheapest at each base rate and cost ratio", "aria-describedby": "map-says" };
  return s(
    "svg",
    { viewBox: `0 0 ${BOX.width} ${BOX.height}`, class: "chart map", ...named },
    s("defs", {}, s("clipPath", { id: "clip-map" }, s("rect", inside))),
    s("g", { "clip-path": "url(#clip-map)" }, ...regions, here),
    s("rect", { class: "frame", ...inside }),
    axes(),
  );
}

/** The base rate and the cost ratio under the pointer. */
function placeOf(event: MouseEvent, svg: SVGSVGElement): Place {
  const box = svg.getBoundingClientRect();
  const [x, y] = [((event.clientX - box.left) * BOX.width) / box.width, ((event.clientY - box.top) * BOX.height) / box.height];
  const odds = Math.exp(LEFT + ((x - BOX.left) / (BOX.right - BOX.left)) * (RIGHT - LEFT));
  return { prior: odds / (1 + odds), ratio: Math.exp(LOW + ((BOX.bottom - y) / (BOX.bottom - BOX.top)) * (HIGH - LOW)) };
}

/** Who is cheapest at a place, in words. */
function told(wins: readonly Win[], models: readonly Model[], { prior, ratio }: Place): string {
  const e = prior / (prior + (1 - prior) * ratio);
  const win = wins.find(({ low, high }) => e >= low && e <= high);
  const where = `Base rate ${general(prior, 3)}, a false alarm costs ${general(ratio, 3)} of a miss`;
  return win ? `${where}: ${winSaid(win, models)} is cheapest.` : `${where}.`;
}

/** The winner of a stretch, in words. */
function winSaid({ models: names, thresholds: [cut] }: Win, models: readonly Model[]): string {
  const model = models.find((one) => one.name === names[0]);
  if (!model) return "flagging nothing or everything";
  const where = cut === undefined || cut === "none" ? "" : ` from score ${thresholdSaid(model, placeIn(model, Number(cut)))}`;
  return `${names.map(quoted).join(" or ")}${where}`;
}

function axes(): SVGGElement {
  const priors = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.5];
  const ratios = [1e-4, 1e-3, 1e-2, 0.1, 1, 10];
  const middle = (BOX.top + BOX.bottom) / 2;
  return s(
    "g",
    { class: "axes" },
    ...priors.map((value) => s("text", { x: across(logit(value)), y: BOX.bottom + 16, "text-anchor": "middle" }, rate(value))),
    ...ratios.map((value) =>
      s("text", { x: BOX.left - 6, y: up(Math.log(value)) + 4, "text-anchor": "end" }, value < 1 ? rate(value) : amount(value)),
    ),
    s("text", { class: "title", x: (BOX.left + BOX.right) / 2, y: BOX.height - 12, "text-anchor": "middle" }, "base rate (prior)"),
    s(
      "text",
      { class: "title", x: 14, y: middle, "text-anchor": "middle", transform: `rotate(-90 14 ${middle})` },
      "cost ratio, false alarm to miss",
    ),
  );
}
