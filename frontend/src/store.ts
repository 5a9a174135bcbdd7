// The scenario as it stands: what changes it, when it is answered, and the address that remembers it.
import { Refusal } from "./core/notations.ts";
import type { Model } from "./core/points.ts";
import type { Report } from "./document.ts";
import { RESTED } from "./page/dom.ts";
import { question, restored, written } from "./fragment.ts";
import { firstState, recommended, solve, type Over, type Solution, type State } from "./scenario.ts";

const PAUSE = 300; // milliseconds: the address follows when the controls rest

export class Store {
  readonly first: State;
  state: State;
  /** The last answer; null where there is none yet. */
  solution: Solution | null = null;
  /** What shows an answer, or why there is none. */
  render: (solution: Solution | Refusal) => void = () => {};
  /** What is told when there may be another step to go back to. */
  stepped: () => void = () => {};
  private readonly over: Over | null;
  private waiting = false;
  private timer = 0;

  constructor(
    private readonly models: readonly Model[],
    private readonly report: Report,
  ) {
    this.first = firstState(report, models);
    this.over = recommended(report, models);
    this.state = this.read(this.first);
    addEventListener("popstate", () => {
      clearTimeout(this.timer);
      this.change(this.read(this.first));
    });
  }

  /** Changes the scenario; however many changes a frame brings, it is answered once. */
  change(patch: Partial<State> | ((state: State) => Partial<State>)): void {
    this.state = { ...this.state, ...(typeof patch === "function" ? patch(this.state) : patch) };
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => this.answer());
  }

  answer(): void {
    this.waiting = false;
    const found = this.solved(this.state);
    this.render(found);
    if (found instanceof Refusal) return;
    this.solution = found;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.remember(), PAUSE);
  }

  /** Whether a scenario asks what was given. */
  private isFirst(state: State): boolean {
    return question(state, this.models) === question(this.first, this.models);
  }

  /** What is recommended over ranges, where it is shown. */
  shownOver(state: State): Over | null {
    return this.over !== null && this.isFirst(state) ? this.over : null;
  }

  /** Where each model stands. */
  here(): number[] {
    return this.solution?.settings.map((one, i) => one?.place ?? this.state.hand[i]!) ?? [...this.state.hand];
  }

  /** The model that is chosen, or set by hand. */
  focus(): number {
    const { settings, chosen } = this.solution ?? {};
    return Math.max(0, settings && chosen ? settings.indexOf(chosen[0]!) : this.state.model);
  }

  /** The page with this scenario. */
  address(): string {
    return location.href.split("#")[0] + written(this.state, this.models);
  }

  private solved(state: State): Solution | Refusal {
    try {
      return solve(this.models, state, this.report, this.shownOver(state));
    } catch (error) {
      if (error instanceof Refusal) return error;
      throw error;
    }
  }

  /** What the address says, where it can be answered: an address may say anything. */
  private read(otherwise: State): State {
    if (!location.hash) return otherwise;
    const state = restored(location.hash, this.first, this.models);
    return this.solved(state) instanceof Refusal ? otherwise : state;
  }

  /** Every scenario that rests is a step to go back to. Where an address cannot be changed (a page inside a frame), it stays as it is. */
  private remember(): void {
    dispatchEvent(new Event(RESTED));
    const hash = written(this.state, this.models);
    const here = location.hash || written(this.first, this.models);
    try {
      if (here !== hash) history.pushState(Number(history.state) + 1, "", hash);
    } catch {
      return;
    }
    this.stepped();
  }
}
