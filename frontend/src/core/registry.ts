// Written from the tables of Python by `python frontend/registry.py`: not edited by hand.
export const MEASURES = {
  tpr: ["higher", false, [0, 1], false, "recall (tpr)", ["recall", "sensitivity", "hit_rate", "true_positive_rate", "detection_rate", "tp_rate", "tp_r", "tpr", "p_d", "pd", "power", "1_beta", "1_β"]],
  fpr: ["lower", false, [0, 1], false, "false alarm rate (fpr)", ["fall_out", "fallout", "false_alarm_rate", "false_positive_rate", "fp_rate", "fp_r", "fpr", "p_fa", "pfa", "1_specificity", "alpha", "α", "type_i_error", "type_1_error"]],
  tnr: ["higher", false, [0, 1], false, "tnr", ["specificity", "true_negative_rate", "selectivity", "tn_rate", "tn_r"]],
  fnr: ["lower", false, [0, 1], false, "fnr", ["miss_rate", "false_negative_rate", "fn_rate", "fn_r", "beta", "β", "1_sensitivity", "type_ii_error", "type_2_error"]],
  precision: ["higher", true, [0, 1], false, "precision (PPV)", ["ppv", "purity", "positive_predictive_value", "bayesian_detection_rate"]],
  npv: ["higher", true, [0, 1], false, "npv", ["negative_predictive_value"]],
  fdr: ["lower", true, [0, 1], false, "fdr", ["false_discovery_rate", "bayesian_false_alarm_rate", "b_fa", "bfa", "1_precision", "1_ppv"]],
  posfrac: ["lower", true, [0, 1], false, "flagged (posfrac)", ["pos_fraction", "positive_fraction", "alarm_rate", "alert_rate", "detection_prevalence", "predicted_positive_rate", "flag_rate"]],
  accuracy: ["higher", true, [0, 1], false, "accuracy", ["acc", "correct_classification_rate"]],
  error: ["lower", true, [0, 1], false, "error", ["error_rate", "misclassification_rate", "zero_one_loss", "1_accuracy", "err"]],
  f1: ["higher", true, [0, 1], false, "f1", ["f", "f_measure", "f_score", "f1_score", "f_1", "dice", "dice_coefficient"]],
  lift: ["higher", true, [0, Infinity], false, "lift", ["lift_factor", "enrichment", "enrichment_factor"]],
  nne: ["lower", true, [1, Infinity], false, "nne", ["alerts_per_true_positive", "number_needed_to_evaluate", "workup_to_detection_ratio"]],
  expected_cost: ["lower", true, [-Infinity, Infinity], false, "cost per case", ["cost", "expected_loss", "loss", "risk", "cost_per_case"]],
  alerts: ["lower", true, [0, Infinity], true, "alerts", ["alarms", "flagged", "workload"]],
  caught: ["higher", true, [0, Infinity], true, "caught", ["detected", "found"]],
  missed: ["lower", true, [0, Infinity], true, "missed", ["missed_positives", "escapes"]],
  false_alarms: ["lower", true, [0, Infinity], true, "false_alarms", ["false_alerts"]],
  volume_cost: ["lower", true, [-Infinity, Infinity], true, "volume_cost", ["cost_per_volume"]],
} as const;
export const CURVES = {
  roc: {"title": "ROC", "x": "false alarm rate (fpr)", "y": "recall (tpr)"},
  broc: {"title": "B-ROC", "x": "share of alerts that are false (fdr, B_FA)", "y": "recall (tpr)"},
  pr: {"title": "Precision against recall", "x": "recall (tpr)", "y": "precision (PPV)"},
  posfrac: {"title": "Share flagged against recall", "x": "recall (tpr)", "y": "flagged (posfrac)"},
  cost: {"title": "Cost curve", "x": "effective prior", "y": "normalized cost"},
} as const;
