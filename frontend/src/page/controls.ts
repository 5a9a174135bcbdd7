// The scenario: everything that can be moved.
import { oneIn } from "../core/conditions.ts";
import { general, grouped } from "../core/formats.ts";
import { rounded } from "../core/fractions.ts";
import { number, prior as priorOf, Refusal } from "../core/notations.ts";
import { thresholdSaid, type Model } from "../core/points.ts";
import { parseRule } from "../core/rules.ts";
import { checkedBudget, MODES, type Mode, type State } from "../scenario.ts";
import { h, put, say, unbroken } from "./dom.ts";
import { boxed, forget, guarded, positive, sliderField, type Change, type Field } from "./fields.ts";

const NAMES: Record<Mode, string> = { cheapest: "cheapest", rule: "by a rule", budget: "alert budget", hand: "by hand" };
/** What a mode is called: without costs nothing is cheapest. */
const modeSaid = (mode: Mode, { costsGiven }: State): string => (mode === "cheapest" && !costsGiven ? "fewest errors" : NAMES[mode]);
const shown = (value: number): string => (Number.isInteger(value) && Math.abs(value) < 1e15 ? grouped(value) : general(value, 12));

function priorText(state: State): string {
  return state.prior ?? "sample";
}

function priorValue(state: State): number {
  try {
    return state.prior === null ? Number.NaN : rounded(priorOf(state.prior));
  } catch {
    return Number.NaN;
  }
}

function priorHint(state: State): string {
  const value = priorValue(state);
  if (Number.isNaN(value)) return state.prior === null ? "as in each sample" : "";
  const inverse = oneIn(value) ?? `about 1 in ${general(1 / value, 3)}`;
  return unbroken(`${inverse} · ${general(100 * value, 6)} %`);
}

export function priorField(models: readonly Model[], change: Change): Field {
  const own = models.every((model) => model.samplePrior !== null);
  const read = (text: string): Partial<State> => {
    if (["sample", "test"].includes(text.trim().toLowerCase())) {
      if (!own) throw new Refusal("The class totals of this sample were chosen: it has no base rate of its own.");
      return { prior: null };
    }
    priorOf(text);
    return { prior: text.trim() };
  };
  const field = sliderField(
    { id: "prior", label: "Base rate", range: [1e-6, 0.5], text: priorText, value: priorValue, read, hint: priorHint },
    change,
  );
  if (own) {
    const button = h("button", { type: "button", class: "quiet", id: "prior-sample" }, "As in the sample");
    button.addEventListener("click", () => {
      forget(field.element);
      change({ prior: null });
    });
    field.element.append(button);
  }
  return field;
}

function costField(id: string, name: "fn" | "fp", other: "tp" | "tn", label: string, change: Change): Field {
  const read = (text: string) => {
    const value = number(text);
    if (!value) throw new Refusal("A cost is a plain number.");
    return (state: State): Partial<State> => {
      const size = rounded(value);
      if (size <= state.costs[other]) throw new Refusal(`It must cost more than ${general(state.costs[other], 6)}.`);
      return { costs: { ...state.costs, [name]: size }, costsGiven: true };
    };
  };
  const hint = (state: State): string =>
    state.costs[other] ? `${other === "tp" ? "a catch" : "a negative left alone"} costs ${general(state.costs[other], 6)}` : "";
  const text = (state: State): string => general(state.costs[name], 12);
  return sliderField({ id, label, range: [0.01, 1e6], text, value: (state) => state.costs[name] - state.costs[other], read, hint }, change);
}

export function costFields(change: Change): Field {
  const fields = [costField("fn", "fn", "tp", "A miss costs", change), costField("fp", "fp", "tn", "A false alarm costs", change)];
  const known = h("input", { type: "checkbox", id: "costs-known" });
  known.addEventListener("change", () => change({ costsGiven: known.checked }));
  const note = h("p", { class: "hint" });
  const element = h(
    "fieldset",
    {},
    h("legend", {}, "Costs"),
    ...fields.map((field) => field.element),
    h("label", { class: "tick", for: "costs-known" }, known, "The costs are known"),
    note,
  );
  return {
    element,
    reflect: (state) => {
      fields.forEach((field) => field.reflect(state));
      known.checked = state.costsGiven;
      say(note, state.costsGiven ? "" : "Both errors count the same; a budget is used up for the most caught.");
    },
  };
}

export function volumeField(change: Change): Field {
  const read = (text: string) => {
    const volume = positive(text, "A volume");
    return (state: State): Partial<State> => {
      if (state.mode === "budget") checkedBudget(state.budget, volume);
      return { volume };
    };
  };
  return sliderField(
    { id: "volume", label: "Cases a day", range: [100, 1e9], text: (state) => shown(state.volume), value: (state) => state.volume, read },
    change,
  );
}

function budgetField(change: Change): Field {
  const read = (text: string) => {
    const budget = positive(text, "A budget");
    if (budget < 1) throw new Refusal("A budget is 1 alert or more.");
    return (state: State): Partial<State> => ({ budget: checkedBudget(budget, state.volume) });
  };
  return sliderField(
    {
      id: "budget",
      label: "Alerts a day, at most",
      range: [1, 1e6],
      text: (state) => shown(state.budget),
      value: (state) => state.budget,
      read,
    },
    change,
  );
}

function ruleField(change: Change): Field {
  const box = h("input", {
    id: "rule",
    type: "text",
    autocomplete: "off",
    spellcheck: "false",
    "aria-describedby": "rule-hint rule-wrong",
  });
  const wrong = h("span", { class: "wrong", id: "rule-wrong", role: "status" });
  box.addEventListener("input", () =>
    guarded(box, wrong, () => {
      change((state) => {
        parseRule(box.value, state.volume);
        return { rule: box.value };
      });
    }),
  );
  const fill = boxed(box, wrong);
  const hint = h("span", { class: "hint", id: "rule-hint" }, "such as recall >= 0.8 and posfrac <= 1%");
  return {
    element: h("div", { class: "field wide" }, h("label", { for: "rule" }, "The best threshold with"), box, hint, wrong),
    reflect: (state) => fill(state.rule),
  };
}

function handField(models: readonly Model[], change: Change): Field {
  const slider = h("input", { type: "range", id: "threshold", min: 0, step: 1, "aria-describedby": "threshold-hint" });
  const pick = h("select", { id: "threshold-model", "aria-label": "Model whose threshold moves" });
  models.forEach((model, i) => pick.append(h("option", { value: i }, model.name)));
  pick.addEventListener("change", () => change({ model: Number(pick.value) }));
  slider.addEventListener("input", () =>
    change((state) => ({ hand: state.hand.map((place, i) => (i === state.model ? Number(slider.value) : place)) })),
  );
  const hint = h("span", { class: "hint", id: "threshold-hint" });
  const label = h("label", { for: "threshold" }, "Threshold of");
  return {
    element: h("div", { class: "field" }, label, models.length > 1 && pick, slider, hint),
    reflect: (state) => {
      const model = models[state.model]!;
      const place = state.hand[state.model]!;
      put(slider, "max", String(model.tp.length - 1));
      slider.value = String(place);
      pick.value = String(state.model);
      say(label, models.length > 1 ? "Threshold of" : "Threshold");
      const cut = thresholdSaid(model, place);
      const text = place ? `score ≥ ${cut}` : "flag nothing";
      put(slider, "aria-valuetext", text);
      say(hint, unbroken(text));
    },
  };
}

export function modeField(models: readonly Model[], change: Change, here: () => readonly number[]): Field {
  const fields: Partial<Record<Mode, Field>> = { rule: ruleField(change), budget: budgetField(change), hand: handField(models, change) };
  const radios = MODES.map((mode) => {
    const radio = h("input", { type: "radio", name: "mode", value: mode, id: `mode-${mode}` });
    const patch = (state: State): Partial<State> => ({
      mode,
      ...(mode === "hand" && { hand: [...here()] }),
      ...(mode === "budget" && { budget: Math.min(state.budget, state.volume) }),
    });
    radio.addEventListener("change", () => change(patch));
    return h("label", { class: "tick", for: radio.id }, radio, h("span", {}, NAMES[mode]));
  });
  const parts = Object.values(fields).map((field) => field.element);
  const element = h("fieldset", {}, h("legend", {}, "Threshold"), h("div", { class: "modes" }, ...radios), ...parts);
  return {
    element,
    reflect: (state) => {
      for (const label of radios) {
        const radio = label.querySelector("input")!;
        radio.checked = radio.value === state.mode;
        say(label.querySelector("span")!, modeSaid(radio.value as Mode, state));
      }
      for (const [mode, field] of Object.entries(fields)) {
        field.element.hidden = mode !== state.mode;
        field.reflect(state);
      }
    },
  };
}

/** All of them, and the scenario in a line for small screens. */
export function controls(models: readonly Model[], change: Change, here: () => readonly number[], more: readonly HTMLElement[]): Field {
  const fields = [priorField(models, change), costFields(change), modeField(models, change, here), volumeField(change)];
  const line = h("span", { class: "line" });
  const details = h("details", { open: true }, h("summary", {}, h("strong", {}, "Scenario"), " ", line));
  details.append(...fields.map((field) => field.element), h("div", { class: "buttons" }, ...more));
  const narrow = matchMedia("(max-width: 860px)");
  const fold = (): void => void (details.open = !narrow.matches);
  narrow.addEventListener("change", fold);
  fold();
  return {
    element: h("aside", { class: "controls", "aria-label": "Scenario" }, details),
    reflect: (state) => {
      fields.forEach((field) => field.reflect(state));
      const costs = state.costsGiven ? `costs ${general(state.costs.fn, 6)} to ${general(state.costs.fp, 6)}` : "";
      const assumed = state.costsGiven || state.mode === "budget" ? "" : "equal costs assumed";
      const said = [state.prior ?? "prior as in the sample", costs || assumed, modeSaid(state.mode, state)];
      say(line, unbroken(said.filter(Boolean).join(" · ")));
    },
  };
}
