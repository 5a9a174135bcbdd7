// Lines as path data: edges of ROC space densified before they are mapped, and no more vertices than a screen can show.
import type { Model } from "../core/points.ts";
import type { Axis } from "./axes.ts";
import { firstOfFew, type Kind, type Scene, type Spot } from "./kinds.ts";

const LONG = 12; // pixels: an edge longer than this is bent where the map bends it
const STEP = 6;
const MOST_STEPS = 64;
const FAINT = 4; // how much coarser a model in grey is drawn
const NEAR = 8; // tenths of a pixel: vertices closer than this are one; in grey, FAINT times as many
const START = 1e-6; // on the first edge, precision is what its end has; only at the origin itself there is none
// Every tenth of a pixel as text: writing numbers is most of the work of a frame.
const TENTHS = Array.from({ length: 8000 }, (_, i) => String(i / 10));

/** Collects vertices, leaving out what nobody could see. */
class Pen {
  private text = "";
  private x = -1e9;
  private y = -1e9;
  private pending = false;
  private lastX = 0;
  private lastY = 0;

  constructor(private readonly near = NEAR) {}

  move(x: number, y: number): void {
    this.lastX = Math.round(x * 10);
    this.lastY = Math.round(y * 10);
    this.pending = Math.abs(this.lastX - this.x) + Math.abs(this.lastY - this.y) < this.near;
    if (!this.pending) this.write();
  }

  private write(): void {
    this.text += `${this.text ? "L" : "M"}${TENTHS[this.lastX] ?? this.lastX / 10} ${TENTHS[this.lastY] ?? this.lastY / 10}`;
    this.x = this.lastX;
    this.y = this.lastY;
    this.pending = false;
  }

  toString(): string {
    if (this.pending) this.write();
    return this.text;
  }
}

/** From rates to pixels: `at` is true where there is a place, and leaves it in x and y. */
export class Projection implements Spot {
  x = 0;
  y = 0;

  constructor(
    private readonly kind: Kind,
    private readonly axes: { x: Axis; y: Axis },
    private readonly prior: number,
    private readonly scene: Scene,
  ) {}

  at(tpr: number, fpr: number): boolean {
    if (!this.kind.map(tpr, fpr, this.prior, this, this.scene)) return false;
    this.x = this.axes.x.place(this.x);
    this.y = this.axes.y.place(this.y);
    return true;
  }

  get straight(): boolean {
    return this.kind.straight(this.scene.log);
  }
}

/** The line through some ROC points, given by their rates. */
export function lineOf(
  tpr: ArrayLike<number>,
  fpr: ArrayLike<number>,
  places: readonly number[] | null,
  project: Projection,
  faint = false,
): string {
  const pen = new Pen(faint ? FAINT * NEAR : NEAR);
  const { straight } = project;
  const count = places ? places.length : tpr.length;
  let [px, py, known] = [0, 0, false];
  for (let k = 0; k < count; k += 1) {
    const place = places ? places[k]! : k;
    const [t, f] = [tpr[place]!, fpr[place]!];
    if (k === 1 && !known) {
      known = project.at(tpr[0]! + START * (t - tpr[0]!), fpr[0]! + START * (f - fpr[0]!));
      if (known) pen.move((px = project.x), (py = project.y));
    }
    if (!project.at(t, f)) continue;
    const { x, y } = project;
    if (known && !straight && Math.abs(x - px) + Math.abs(y - py) > LONG) {
      const before = places ? places[k - 1]! : k - 1;
      bend(pen, project, tpr[before]!, fpr[before]!, t, f, Math.abs(x - px) + Math.abs(y - py));
    }
    pen.move((px = x), (py = y));
    known = true;
  }
  return pen.toString();
}

/** The edge between two ROC points as it is bent by the map; most near its beginning, where logarithms bend it most. */
function bend(pen: Pen, project: Projection, t0: number, f0: number, t1: number, f1: number, length: number): void {
  const steps = Math.min(MOST_STEPS, Math.ceil(length / STEP));
  for (let i = 1; i < steps; i += 1) {
    const share = (i / steps) ** 3;
    if (project.at(t0 + share * (t1 - t0), f0 + share * (f1 - f0))) pen.move(project.x, project.y);
  }
}

const drawn = new WeakMap<Model, Map<string, { readonly of: string; readonly d: string }>>();

/** What was drawn last is written again only where what it depends on (`of`) has changed. */
export function kept(model: Model, name: string, of: string, write: () => string): string {
  const lines = drawn.get(model) ?? new Map<string, { readonly of: string; readonly d: string }>();
  drawn.set(model, lines);
  const last = lines.get(name);
  if (last?.of === of) return last.d;
  const d = write();
  lines.set(name, { of, d });
  return d;
}

const MANY = 400; // points that are all drawn
const STEPS = { even: 0.001, log: 0.013 } as const; // about half a pixel, on even and on logarithmic axes
const seen = [new WeakMap<Model, readonly number[]>(), new WeakMap<Model, readonly number[]>()] as const;

/** The places that differ visibly on some chart, at any base rate: a rate has moved by a share of its range, or of itself. */
export function visible(model: Model, faint = false): readonly number[] | null {
  const { tpr, fpr } = model;
  if (tpr.length <= MANY) return null;
  const drawn = seen[faint ? 1 : 0];
  const known = drawn.get(model);
  if (known) return known;
  const places = [0];
  let [t, f] = [0, 0];
  const size = faint ? FAINT : 1;
  const moved = (from: number, to: number): boolean => to - from > size * STEPS.even || to - from > size * STEPS.log * from;
  for (let place = 1; place < tpr.length - 1; place += 1) {
    if (!moved(t, tpr[place]!) && !moved(f, fpr[place]!)) continue;
    places.push(place);
    [t, f] = [tpr[place]!, fpr[place]!];
  }
  places.push(tpr.length - 1);
  drawn.set(model, places);
  return places;
}

/** Places from where they mean something on a chart. */
function meant(model: Model, kind: Kind, places: readonly number[] | null): readonly number[] | null {
  const first = kind.ofAlerts ? firstOfFew(model) : 0;
  return first ? (places ?? [...model.tpr.keys()]).filter((place) => place >= first) : places;
}

/** The curve of a model on a chart. */
export const curveOf = (model: Model, kind: Kind, project: Projection, of: string, faint: boolean): string =>
  kept(model, `${kind.id} curve`, `${of} ${faint}`, () =>
    lineOf(model.tpr, model.fpr, meant(model, kind, visible(model, faint)), project, faint),
  );

/** Its hull. */
export const hullOf = (model: Model, kind: Kind, project: Projection, of: string): string =>
  kept(model, `${kind.id} hull`, of, () => lineOf(model.tpr, model.fpr, meant(model, kind, model.held.hull), project));

/** A line through places on the axes as they are. */
export function strokes(points: readonly (readonly [number, number])[], axes: { x: Axis; y: Axis }): string {
  const pen = new Pen();
  for (const [x, y] of points) pen.move(axes.x.place(x), axes.y.place(y));
  return pen.toString();
}
