// The measures that the page reads in rules: which way is better, whether they change with the base rate, and what else they are called.
// A test holds names, directions, ranges and synonyms to those of Python's registry.

export interface Definition {
  readonly direction: "higher" | "lower";
  readonly prior: boolean;
  readonly range: readonly [number, number];
  /** Why the measure is undefined where its denominator is 0. */
  readonly reason: string;
  readonly volume?: boolean;
  readonly synonyms: readonly string[];
}

const COUNT = { prior: false, range: [0, Infinity], reason: "" } as const;
const WITHIN = { prior: false, range: [0, 1] } as const;
const SHARE = { prior: true, range: [0, 1] } as const;
const VOLUME = { prior: true, range: [0, Infinity], reason: "no cases", volume: true } as const;
const words = (text: string): string[] => text.split(" ");

export const CATALOGUE = {
  tp: { ...COUNT, direction: "higher", synonyms: words("true_positives hits f++") },
  fp: { ...COUNT, direction: "lower", synonyms: words("false_positives f-+") },
  fn: { ...COUNT, direction: "lower", synonyms: words("false_negatives misses f+-") },
  tn: { ...COUNT, direction: "higher", synonyms: words("true_negatives f--") },
  tpr: {
    ...WITHIN,
    direction: "higher",
    reason: "no positives",
    synonyms: words("recall sensitivity hit_rate true_positive_rate detection_rate tp_rate tp_r tpr p_d pd power 1_beta 1_β"),
  },
  fpr: {
    ...WITHIN,
    direction: "lower",
    reason: "no negatives",
    synonyms: words(
      "fall_out fallout false_alarm_rate false_positive_rate fp_rate fp_r fpr p_fa pfa 1_specificity alpha α type_i_error type_1_error",
    ),
  },
  tnr: {
    ...WITHIN,
    direction: "higher",
    reason: "no negatives",
    synonyms: words("specificity true_negative_rate selectivity tn_rate tn_r"),
  },
  fnr: {
    ...WITHIN,
    direction: "lower",
    reason: "no positives",
    synonyms: words("miss_rate false_negative_rate fn_rate fn_r beta β 1_sensitivity type_ii_error type_2_error"),
  },
  precision: {
    ...SHARE,
    direction: "higher",
    reason: "nothing flagged",
    synonyms: words("ppv purity positive_predictive_value bayesian_detection_rate"),
  },
  npv: { ...SHARE, direction: "higher", reason: "everything flagged", synonyms: words("negative_predictive_value") },
  fdr: {
    ...SHARE,
    direction: "lower",
    reason: "nothing flagged",
    synonyms: words("false_discovery_rate bayesian_false_alarm_rate b_fa bfa 1_precision 1_ppv"),
  },
  fomr: { ...SHARE, direction: "lower", reason: "everything flagged", synonyms: words("for false_omission_rate 1_npv") },
  posfrac: {
    ...SHARE,
    direction: "lower",
    reason: "no cases",
    synonyms: words("pos_fraction positive_fraction alarm_rate alert_rate detection_prevalence predicted_positive_rate flag_rate"),
  },
  accuracy: { ...SHARE, direction: "higher", reason: "no cases", synonyms: words("acc correct_classification_rate") },
  error: {
    ...SHARE,
    direction: "lower",
    reason: "no cases",
    synonyms: words("error_rate misclassification_rate zero_one_loss 1_accuracy err"),
  },
  f1: {
    ...SHARE,
    direction: "higher",
    reason: "no positives and nothing flagged",
    synonyms: words("f f_measure f_score f1_score f_1 dice dice_coefficient"),
  },
  jaccard: {
    ...SHARE,
    direction: "higher",
    reason: "no positives and nothing flagged",
    synonyms: words("critical_success_index csi threat_score tanimoto"),
  },
  balanced_accuracy: { ...WITHIN, direction: "higher", reason: "one class only", synonyms: words("ba balanced_accuracy_score") },
  informedness: {
    ...WITHIN,
    range: [-1, 1],
    direction: "higher",
    reason: "one class only",
    synonyms: words("youden's_j youden_index j bookmaker_informedness peirce_skill_score true_skill_statistic tss"),
  },
  lift: {
    ...SHARE,
    range: [0, Infinity],
    direction: "higher",
    reason: "nothing flagged",
    synonyms: words("lift_factor enrichment enrichment_factor"),
  },
  nne: {
    ...SHARE,
    range: [1, Infinity],
    direction: "lower",
    reason: "nothing flagged is positive",
    synonyms: words("number_needed_to_evaluate workup_to_detection_ratio"),
  },
  expected_cost: {
    ...SHARE,
    range: [-Infinity, Infinity],
    direction: "lower",
    reason: "no cases",
    synonyms: words("cost expected_loss loss risk cost_per_case"),
  },
  normalized_cost: {
    ...SHARE,
    direction: "lower",
    reason: "no cases",
    synonyms: words("nec normalised_cost normalized_expected_cost normalised_expected_cost"),
  },
  alerts: { ...VOLUME, direction: "lower", synonyms: words("alarms flagged workload") },
  caught: { ...VOLUME, direction: "higher", synonyms: words("detected found") },
  missed: { ...VOLUME, direction: "lower", synonyms: words("missed_positives escapes") },
  false_alarms: { ...VOLUME, direction: "lower", synonyms: words("false_alerts") },
  volume_cost: { ...VOLUME, range: [-Infinity, Infinity], direction: "lower", synonyms: words("cost_per_volume") },
} as const satisfies Record<string, Definition>;

export type Name = keyof typeof CATALOGUE;

const SYNONYMS = new Map<string, Name>(
  (Object.keys(CATALOGUE) as Name[]).flatMap((name) => [name, ...CATALOGUE[name].synonyms].map((word): [string, Name] => [word, name])),
);

/** The one name of a measure that people may write in other words; undefined where it is not read here. */
export function named(text: string): Name | undefined {
  const plain = text
    .trim()
    .toLowerCase()
    .replaceAll("−", "-")
    .replace(/(?<=[\p{L}\p{N}_])[\s_-]+(?=[\p{L}\p{N}_])/gu, "_");
  return SYNONYMS.get(plain);
}
