// Answers the vectors that Python wrote: `node answer_vectors.mjs core.mjs < vectors.json > answers.json`.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const core = await import(pathToFileURL(process.argv[2]).href);
const NAMES = Object.keys(core.CATALOGUE);

/** Numbers travel as text, so that every bit arrives; null stands for what is undefined. */
const told = (value) => (core.isDefined(value) ? core.repr(core.rounded(value)) : null);

function pointOf(setting, question) {
  const names = NAMES.filter((name) => question.volume !== null || !core.CATALOGUE[name].volume);
  const shown = core.asShown(question.at);
  return {
    place: setting.place,
    share: core.repr(setting.share),
    bounds: ["tpr", "fpr"].map((name) => core.rateBounds(setting, name)),
    brief: core.brief(setting),
    setting: core.setting(setting),
    cells: names.map((name) => core.cell(name, setting, question)),
    values: Object.fromEntries(names.map((name) => [name, told(core.exactValue(name, setting.confusion, shown, question.volume))])),
  };
}

function alongOf(model, question) {
  return Object.fromEntries(
    ["precision", "posfrac", "expected_cost", "fdr"].map((name) => [name, [...core.along(name, model, question.at)].map(core.repr)]),
  );
}

async function answer(vector) {
  const costsGiven = vector.costs !== null;
  const at = {
    prior: vector.prior === null ? null : core.prior(vector.prior),
    costs: core.checkedCosts(vector.costs ?? core.EQUAL),
    costsGiven,
    earned: costsGiven && vector.earned,
  };
  const question = { terms: vector.rule === null ? [] : core.parseRule(vector.rule, vector.volume), at, volume: vector.volume };
  const models = vector.points ? await Promise.all(vector.points.map(core.modelOf)) : shared;
  const found = models.map((model) => core.choose(model, question));
  const settings = found.filter(Boolean);
  const chosen = core.best(settings, question);
  const own = at.prior ?? models[0].samplePrior;
  return {
    rule: core.ruleSaid(question.terms),
    points: found.map((one) => one && pointOf(one, question)),
    infeasible: found.map((one, i) => (one ? null : core.infeasible(models[i], question))),
    models: chosen.map((one) => one.model.name),
    said: core.conditionsSaid(at, at.prior === null ? Number.NaN : core.rounded(at.prior)),
    effective: core.repr(core.effectivePrior(own, at.costs)),
    slope: core.repr(core.isoCostSlope(own, at.costs)),
    along: vector.points && alongOf(models[0], question),
  };
}

const vectors = JSON.parse(readFileSync(0, "utf8"));
const shared = await Promise.all((vectors.models ?? []).map(core.modelOf));
const formats = vectors.formats.map(([text, count]) => {
  const value = Number(text);
  const plain = [core.general(value, count), core.digits(value, count), core.repr(value), core.short(value), core.cases(value)];
  return [...plain, ...(Math.abs(value) < 1e30 ? [core.fixed(value, 2)] : [])];
});
process.stdout.write(
  JSON.stringify({
    answers: await Promise.all(vectors.vectors.map(answer)),
    formats,
    names: vectors.names.map((text) => core.quoted(text)),
  }),
);
