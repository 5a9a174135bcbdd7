// Who is cheapest where: over logit(base rate) and log(cost ratio) all borders are parallel straight lines.
import { falseAlarm, miss } from "../core/conditions.ts";
import { general, quoted } from "../core/formats.ts";
import { div, rounded } from "../core/fractions.ts";
import type { Model } from "../core/points.ts";
import type { Win } from "../document.ts";
import type { State } from "../scenario.ts";
import { amount, rate } from "../charts/axes.ts";
import type { Part } from "./answer.ts";
import { h, put, s, say } from "./dom.ts";

const BOX = { left: 60, right: 610, top: 10, bottom: 290, width: 620, height: 340 } as const;
const PRIORS = [1e-6, 0.5] as const;
const RATIOS = [1e-4, 10] as const;
const SAYS = [
  "Colours as in the charts, shades for thresholds, grey for one answer to all.",
  "Point at the map to see who is cheapest there; a click takes that base rate and cost ratio.",
].join(" ");
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

export function winnerMap(wins: readonly Win[], models: readonly Model[], move: (patch: (state: State) => Partial<State>) => void): Part {
  const here = s("path", { class: "here", d: "M-7 0H7M0 -7V7" });
  const svg = drawn(bandsOf(wins, models), here);
  const said = h("p", { class: "hint", id: "map-says" });
  let home = "";
  svg.addEventListener("pointermove", (event) => say(said, told(wins, placeOf(event, svg))));
  svg.addEventListener("pointerleave", () => say(said, home));
  svg.addEventListener("click", (event) => {
    const { prior, ratio } = placeOf(event, svg);
    move((state) => ({
      prior: general(Math.min(0.5, prior), 3),
      costs: { ...state.costs, fp: Number(general((state.costs.fn - state.costs.tp) * ratio + state.costs.tn, 3)) },
      costsGiven: true,
    }));
  });
  return {
    element: h("figure", { class: "chart" }, svg, said, h("p", { class: "hint" }, SAYS)),
    update: ({ question, priors }) => {
      const [prior, ratio] = [priors[0]!, rounded(div(falseAlarm(question.at.costs), miss(question.at.costs)))];
      put(here, "transform", `translate(${across(logit(prior)).toFixed(1)} ${up(Math.log(ratio)).toFixed(1)})`);
      home = `The cross, where the scenario stands. ${told(wins, { prior, ratio })}`;
      say(said, home);
    },
  };
}

const bandsOf = (wins: readonly Win[], models: readonly Model[]): SVGPathElement[] =>
  wins.map((win, i) => {
    const model = models.findIndex(({ name }) => name === win.models[0]);
    return s("path", { class: `band ${model < 0 ? "none" : `m${model % 7}`} shade${i % 2}`, d: band(win.low, win.high) });
  });

function drawn(bands: readonly SVGPathElement[], here: SVGPathElement): SVGSVGElement {
  const inside = { x: BOX.left, y: BOX.top, width: BOX.right - BOX.left, height: BOX.bottom - BOX.top };
  const named = { role: "img", "aria-label": "Which model is cheapest at each base rate and cost ratio", "aria-describedby": "map-says" };
  return s(
    "svg",
    { viewBox: `0 0 ${BOX.width} ${BOX.height}`, class: "chart map", ...named },
    s("defs", {}, s("clipPath", { id: "clip-map" }, s("rect", inside))),
    s("g", { "clip-path": "url(#clip-map)" }, ...bands, here),
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
function told(wins: readonly Win[], { prior, ratio }: Place): string {
  const e = prior / (prior + (1 - prior) * ratio);
  const win = wins.find(({ low, high }) => e >= low && e <= high);
  const where = `Prior ${general(prior, 3)}, a false alarm at ${general(ratio, 3)} of a miss`;
  return win ? `${where}: ${winSaid(win)} (effective prior ${general(e, 3)}).` : `${where}.`;
}

/** The winner of a stretch, in words. */
export function winSaid(win: Win): string {
  const cut = win.thresholds[0];
  const where = cut === undefined || cut === "none" ? "" : `, score ≥ ${typeof cut === "number" ? general(cut, 6) : cut}`;
  return `${win.models.map(quoted).join(" or ") || "one answer for all"}${where}`;
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
