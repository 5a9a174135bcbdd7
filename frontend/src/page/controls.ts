// The scenario as a sentence: every bracket can be typed in, dragged, or stepped.
import { oneIn } from "../core/conditions.ts";
import { cases, general, grouped, short } from "../core/formats.ts";
import { rounded } from "../core/fractions.ts";
import { prior as priorOf, Refusal } from "../core/notations.ts";
import { thresholdSaid, type Model } from "../core/points.ts";
import { parseRule } from "../core/rules.ts";
import { checkedBudget, MODES, type Mode, type State } from "../scenario.ts";
import { h, press, put, say, unbroken } from "./dom.ts";
import { amountOf, boxed, fit, forget, guarded, pointed, positive, slot, wordSlot, type Change, type Field } from "./fields.ts";

const NAMES: Record<Mode, string> = { cheapest: "lowest cost", budget: "alert budget", rule: "a rule", hand: "by hand" };
/** What a mode is called: without costs nothing is cheapest. */
const modeSaid = (mode: Mode, { costsGiven }: State): string => (mode === "cheapest" && !costsGiven ? "fewest errors" : NAMES[mode]);
const TYPED = 8; // signs: a number of more is computed, and shown in few digits
const shown = (value: number, digits = 12): string => {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return grouped(value);
  return String(value).length > TYPED ? short(value) : general(value, digits);
};

function priorValue(state: State, models: readonly Model[]): number {
  try {
    const own = models[0]!.samplePrior;
    return state.prior !== null ? rounded(priorOf(state.prior)) : own ? rounded(own) : Number.NaN;
  } catch {
    return Number.NaN;
  }
}

/** A base rate in few digits. */
const rateSaid = (value: number): string => oneIn(value) ?? `${general(100 * value, 3)} %`;

function priorHint(state: State, value: number): string {
  if (Number.isNaN(value)) return "";
  const inverse = oneIn(value) ?? `about 1 in ${cases(1 / value)}`;
  return unbroken(`${inverse} · ${general(100 * value, 4)} %${state.prior === null ? ", as in the sample" : ""}`);
}

const quiet = (id: string, text: string, click: () => void, keys = true): HTMLButtonElement =>
  press(text, { class: "quiet", id, tabindex: keys ? null : -1 }, click);

const COUNTED = /^([\d.]+)\s*(bps?|pct)$/i;

/** "10 bps" and "0.1 pct" as percentages; what may mean two things is asked. */
function unambiguous(text: string): string {
  const plain = text.trim();
  const found = COUNTED.exec(plain);
  if (found) return `${general(Number(found[1]) / (found[2]!.toLowerCase() === "pct" ? 1 : 100), 12)} %`;
  if (/^[1-9]\d?(\.\d+)?$/.test(plain) && Number(plain) >= 1) throw new Refusal(`${plain} %, or 1 in ${plain}? Write one of them.`);
  const thousand = /^(.*\b(?:in|out of)\s+)([1-9]\d{0,2})\.(\d{3})$/i.exec(plain);
  if (thousand) throw new Refusal(`${thousand[1]}${thousand[2]},${thousand[3]}? Write thousands with a comma.`);
  return text;
}

/** The base rate, with the steps that people ask for: a tenth, half, twice, ten times, and as in the sample. */
function priorField(models: readonly Model[], change: Change): Field {
  const own = models.every((model) => model.samplePrior !== null);
  const read = (text: string): Partial<State> => {
    if (["sample", "test"].includes(text.trim().toLowerCase())) {
      if (!own) throw new Refusal("The class totals of this sample were chosen: it has no base rate of its own.");
      return { prior: null };
    }
    const plain = unambiguous(pointed(text));
    priorOf(plain);
    return { prior: plain.trim() };
  };
  const put = (patch: (state: State) => Partial<State>) => (): void => {
    forget(field.element);
    change(patch);
  };
  const times = (factor: number) => (state: State) => {
    const text = general(Math.min(0.5, Math.max(1e-6, factor * priorValue(state, models))), 4);
    return { prior: oneIn(Number(text)) ?? text };
  };
  const steps: [string, string, (state: State) => Partial<State>][] = [
    ["prior-tenth", "÷ 10", times(0.1)],
    ["prior-half", "÷ 2", times(0.5)],
    ["prior-twice", "× 2", times(2)],
    ["prior-ten", "× 10", times(10)],
  ];
  if (own) steps.push(["prior-sample", "As in the sample", () => ({ prior: null })]);
  const more = steps.map(([id, text, patch]) => quiet(id, text, put(patch), false));
  const field = slot(
    {
      id: "prior",
      label: "Base rate",
      range: [1e-6, 0.5],
      text: (state) => state.prior ?? "sample",
      value: (state) => priorValue(state, models),
      read,
      hint: (state) => priorHint(state, priorValue(state, models)),
      more,
    },
    change,
  );
  return field;
}

const MONEY =
  /^([^\d\s.,+-]{0,3})\s*([^a-z]*?[\d.,]\s*(?:(?:k|m|bn|thousand|million|billion)(?![a-z]))?(?:e[+-]?\d+)?)\s*([^\d\s.,+-]{0,3})$/i;

function costField(id: string, name: "fn" | "fp", other: "tp" | "tn", label: string, change: Change): Field {
  const read = (text: string) => {
    const found = MONEY.exec(text.trim());
    const value = found && amountOf(found[2]!);
    if (!found || value === null) throw new Refusal("A cost is a plain number.");
    const currency = found[1] || found[3];
    return (state: State): Partial<State> => {
      if (value <= state.costs[other]) throw new Refusal(`It must cost more than ${general(state.costs[other], 6)}.`);
      return {
        costs: { ...state.costs, [name]: value },
        costsGiven: true,
        ...(currency && { words: { ...state.words, currency } }),
      };
    };
  };
  const hint = (state: State): string =>
    state.costs[other] ? `${other === "tp" ? "a catch" : "a negative left alone"} costs ${general(state.costs[other], 6)}` : "";
  const text = (state: State): string => `${state.words.currency}${shown(state.costs[name], 6)}`;
  return slot({ id, label, range: [0.01, 1e6], text, value: (state) => state.costs[name] - state.costs[other], read, hint }, change);
}

function volumeField(change: Change): Field {
  const read = (text: string) => {
    const volume = positive(text, "A volume");
    return (state: State): Partial<State> => {
      if (state.mode === "budget") checkedBudget(state.budget, volume);
      return { volume, words: { ...state.words, period: state.words.period || "day" } };
    };
  };
  return slot(
    {
      id: "volume",
      label: "Number of cases",
      range: [100, 1e9],
      text: (state) => shown(state.volume),
      value: (state) => state.volume,
      read,
    },
    change,
  );
}

function budgetField(change: Change): Field {
  const read = (text: string) => {
    const budget = positive(text, "A budget");
    if (budget < 1) throw new Refusal("A budget is 1 alert or more.");
    return (state: State): Partial<State> => ({ budget: checkedBudget(budget, state.volume) });
  };
  return slot(
    { id: "budget", label: "Alerts at most", range: [1, 1e6], text: (state) => shown(state.budget), value: (state) => state.budget, read },
    change,
  );
}

function ruleField(change: Change): Field {
  const box = h("input", {
    id: "rule",
    type: "text",
    class: "slot",
    autocomplete: "off",
    spellcheck: "false",
    "aria-label": "Rule",
    "aria-describedby": "rule-hint rule-wrong",
  });
  const wrong = h("span", { class: "wrong", id: "rule-wrong", role: "status" });
  box.addEventListener("input", () => {
    fit(box);
    guarded(box, wrong, () => {
      change((state) => {
        parseRule(box.value, state.volume);
        return { rule: box.value };
      });
    });
  });
  const fill = boxed(box, wrong);
  const hint = h("span", { class: "hint", id: "rule-hint" }, "such as recall >= 0.8 and posfrac <= 1%");
  return {
    element: h("span", { class: "field" }, box, h("span", { class: "below" }, hint, wrong)),
    reflect: (state) => fill(state.rule),
  };
}

function handField(models: readonly Model[], change: Change): Field {
  const slider = h("input", {
    type: "range",
    id: "threshold",
    min: 0,
    step: 1,
    "aria-label": "Threshold",
    "aria-describedby": "threshold-hint",
  });
  const pick = h("select", { id: "threshold-model", "aria-label": "Model whose threshold moves" });
  models.forEach((model, i) => pick.append(h("option", { value: i }, model.name)));
  pick.addEventListener("change", () => change({ model: Number(pick.value) }));
  slider.addEventListener("input", () =>
    change((state) => ({ hand: state.hand.map((place, i) => (i === state.model ? Number(slider.value) : place)) })),
  );
  const hint = h("span", { id: "threshold-hint" });
  return {
    element: h("span", { class: "hand" }, models.length > 1 && pick, slider, hint),
    reflect: (state) => {
      const model = models[state.model]!;
      const place = state.hand[state.model]!;
      put(slider, "max", String(model.tp.length - 1));
      slider.value = String(place);
      pick.value = String(state.model);
      const text = place ? `score ≥ ${thresholdSaid(model, place)}` : "flag nothing";
      put(slider, "aria-valuetext", text);
      say(hint, unbroken(text));
    },
  };
}

/** How the sentence ends: what the threshold is chosen by. */
function endings(change: Change, over: (state: State) => string): Field {
  const parts: Record<Mode, { before: string; field?: Field; after: string }> = {
    cheapest: { before: "; take the cheapest threshold.", after: "" },
    budget: { before: "; we can check at most ", field: budgetField(change), after: "." },
    rule: { before: "; with ", field: ruleField(change), after: "." },
    hand: { before: "; the threshold is set by hand.", after: "" },
  };
  const spans = MODES.map((mode) => {
    const { before, field, after } = parts[mode];
    return h("span", { "data-mode": mode }, h("span", {}, before), field?.element ?? null, after);
  });
  return {
    element: h("span", {}, ...spans),
    reflect: (state) => {
      spans.forEach((span, i) => (span.hidden = MODES[i] !== state.mode));
      const least = state.costsGiven ? "the cheapest threshold" : "the threshold with the fewest errors";
      say(spans[0]!.firstElementChild!, `; take ${over(state) ? `the threshold of least regret for ${over(state)}` : least}.`);
      MODES.forEach((mode) => parts[mode].field?.reflect(state));
    },
  };
}

/** What the threshold is chosen by, to pick from. */
function modeField(change: Change, here: () => Partial<State>): Field {
  const radios = MODES.map((mode) => {
    const radio = h("input", { type: "radio", name: "mode", value: mode, id: `mode-${mode}` });
    const patch = (state: State): Partial<State> => ({
      mode,
      ...(mode === "hand" && here()),
      ...(mode === "budget" && { budget: Math.min(state.budget, state.volume) }),
    });
    radio.addEventListener("change", () => change(patch));
    return h("label", { class: "pill", for: radio.id }, radio, h("span", {}, NAMES[mode]));
  });
  return {
    element: h("span", { class: "pills", role: "radiogroup", "aria-label": "Choose the threshold by" }, ...radios),
    reflect: (state) => {
      for (const label of radios) {
        const radio = label.querySelector("input")!;
        radio.checked = radio.value === state.mode;
        say(label.querySelector("span")!, modeSaid(radio.value as Mode, state));
      }
    },
  };
}

/** The whole sentence, and below it what is picked rather than typed. */
export function controls(
  models: readonly Model[],
  change: Change,
  here: () => Partial<State>,
  over: (state: State) => string,
  presets: readonly (readonly [string, State])[],
): Field {
  const volume = volumeField(change);
  const unit = wordSlot("unit", "What a case is called", change);
  const period = wordSlot("period", "Period", change);
  const rate = priorField(models, change);
  const positives = wordSlot("positive", "What a positive case is called", change);
  const [miss, alarm] = [
    costField("fn", "fn", "tp", "Cost of a miss", change),
    costField("fp", "fp", "tn", "Cost of a false alarm", change),
  ];
  const ending = endings(change, over);
  const mode = modeField(change, here);
  const hand = handField(models, change);
  const known = h("input", { type: "checkbox", id: "costs-known" });
  known.addEventListener("change", () => change({ costsGiven: known.checked }));
  const [asIn, own] = [h("span", {}, "as in the "), h("span")];
  const times = h("span", {}, " a ", period.element);
  const costs = h("span", { class: "costs" }, "; a miss costs ", miss.element, ", a false alarm ", alarm.element);
  const sentence = h(
    "div",
    { class: "sentence" },
    ...["Of ", volume.element, " ", unit.element, times, ", ", asIn, rate.element, own, " are ", positives.element],
    costs,
    ending.element,
  );
  const add = quiet("add-volume", "Add your volume", () => volume.element.querySelector("input")!.focus());
  const tick = h("label", { class: "tick", for: "costs-known" }, known, "use these costs");
  const row = h("div", { class: "row" }, h("span", { class: "hint" }, "Choose the threshold by"), mode.element, tick, add);
  const fields = [volume, unit, period, rate, positives, miss, alarm, ending, mode, hand];
  const given = h("select", { id: "given", "aria-label": "Scenarios that were given" }, h("option", { value: "" }, "Given scenarios …"));
  presets.forEach(([name], i) => given.append(h("option", { value: i }, name)));
  given.addEventListener("change", () => {
    forget(document);
    if (given.value) change(({ view, words }) => ({ ...presets[Number(given.value)]![1], view, words }));
    given.value = "";
  });
  if (presets.length > 1) row.append(given);
  const hint = h("span", { class: "hint" }, "Type, drag sideways, or use the arrow keys.");
  const tray = h("div", { class: "tray" }, hint, hand.element);
  return {
    element: h("section", { class: "card scenario", "aria-label": "Scenario" }, sentence, row, tray),
    reflect: (state) => {
      fields.forEach((field) => field.reflect(state));
      hand.element.hidden = !(hint.hidden = state.mode === "hand");
      known.checked = state.costsGiven;
      asIn.hidden = state.prior !== null;
      say(own, state.prior === null ? ` ${rateSaid(priorValue(state, models))}` : "");
      costs.hidden = !state.costsGiven;
      times.hidden = !(add.hidden = state.words.period !== "");
    },
  };
}
