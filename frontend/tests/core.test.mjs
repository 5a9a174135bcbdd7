// What the core must do on its own: the numbers behind these are worked by hand; Python's tests compare the rest.
import assert from "node:assert/strict";
import test from "node:test";
import * as core from "../build/core.mjs";

const points = (rows) => ({
  name: "m",
  positives: 50,
  negatives: 1000,
  sample_prior: 50 / 1050,
  weighted: false,
  integer: false,
  thresholds: ["none", ...rows.map(([score]) => score)],
  shown: ["none", ...rows.map(([score]) => String(score))],
  tp: [0, ...rows.map(([, tp]) => tp)],
  fp: [0, ...rows.map(([, , fp]) => fp)],
  hull: [0, 1, 2, 3],
  every: true,
  distinct: rows.length,
  gap: null,
  bounds: null,
});
const MODEL = await core.modelOf(
  points([
    [0.9, 30, 10],
    [0.6, 45, 100],
    [0.3, 50, 1000],
  ]),
);
const at = (prior, costs = core.EQUAL, costsGiven = true) => ({ prior: core.prior(prior), costs, costsGiven, earned: false });
const ask = (conditions, rule = null, volume = null) => ({ terms: rule ? core.parseRule(rule, volume) : [], at: conditions, volume });

test("a base rate is read in every notation, exactly", () => {
  for (const text of ["0.001", "0.1%", "1 in 1000", "1 in 1,000", "1 in 1 000", "1:999", "100 per 100k", "1000 ppm", "1e-3", "1‰"]) {
    assert.equal(core.compare(core.prior(text), core.frac(1, 1000)), 0, text);
  }
});

test("what is no base rate is refused, with what to write instead", () => {
  for (const text of ["", "x", "0", "1", "1.2", "-0.1", "1 in 0", "5 in 3"]) assert.throws(() => core.prior(text), core.Refusal, text);
});

test("the cheapest threshold is found, and a budget is used up inside a tie", () => {
  const cheapest = core.choose(MODEL, ask(at("0.01", { fp: 1, fn: 50, tp: 0, tn: 0 })));
  assert.equal(cheapest.place, 2);
  const budget = core.choose(MODEL, ask(at("0.01", core.EQUAL, false), "alerts <= 50", 10_000));
  assert.equal(budget.place, 1);
  assert.equal(core.read("caught", budget.confusion, at("0.01"), 10_000), 18.867924528301888);
});

test("where scores are condensed, a share is drawn from all cases between two thresholds", () => {
  const some = { ...MODEL, held: { ...MODEL.held, every: false } };
  const said = (model, alerts) => {
    const found = core.choose(model, ask(at("0.01", core.EQUAL, false), `alerts <= ${alerts}`, 10_000));
    return [core.setting(found), core.brief(found)];
  };
  assert.deepEqual(said(MODEL, 500), ["score ≥ 0.9, and 37 % of those at 0.6, drawn at random", ">= 0.9, 37 % at 0.6"]);
  assert.deepEqual(said(some, 500), ["score ≥ 0.9, and 37 % of those from 0.6 up to 0.9, drawn at random", ">= 0.9, 37 % from 0.6"]);
  assert.equal(said(some, 50)[0], "31.4 % of those from 0.9 up, drawn at random");
});

test("nothing flagged has no precision", () => {
  const value = core.exactValue("precision", core.confusionAt(MODEL, 0), at("0.5"));
  assert.equal(value, null);
});

test("a rule that no threshold satisfies is answered with the nearest that is feasible", () => {
  const question = ask(at("0.01"), "precision >= 0.999 and tpr >= 0.99");
  assert.equal(core.choose(MODEL, question), null);
  const nearest = "the highest precision with tpr >= 0.99 is 0.01, at threshold 0.3";
  assert.equal(core.infeasible(MODEL, question), `no threshold has precision >= 0.999 and tpr >= 0.99: ${nearest}`);
});

test("halves are rounded to even, as Python does", () => {
  assert.deepEqual(
    [core.fixed(0.125, 2), core.fixed(2.5, 0), core.general(1234.5, 4), String(core.whole(0.5))],
    ["0.12", "2", "1234", "0"],
  );
});

test("signs that steer or hide are written out", () => {
  assert.equal(core.quoted("a\u202eb\u0000"), "a\\u202eb\\x00");
});
