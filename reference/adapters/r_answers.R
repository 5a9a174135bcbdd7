# The answers of three packages of R.
#
#     Rscript reference/adapters/r_answers.R pROC answers.json      (or ROCR, or PRROC)
#
# Sets with weights, with scores that no double holds, and with more than 5,000 cases are left out:
# R has no 64-bit integers, and these packages take one row per case.

library(jsonlite)

MOST <- 5000
tool <- commandArgs(trailingOnly = TRUE)[1]
path <- commandArgs(trailingOnly = TRUE)[2]
here <- dirname(dirname(sub("--file=", "", grep("--file=", commandArgs(FALSE), value = TRUE))))
suppressPackageStartupMessages(library(tool, character.only = TRUE))

cases <- function(reference) {
  found <- read.csv(file.path(here, reference$data))
  if (reference$scores == "int64" || "weight" %in% names(found)) return(NULL)
  if ("label" %in% names(found)) return(found)
  if (sum(found$positives, found$negatives) > MOST) return(NULL)
  data.frame(
    label = rep(c(1, 0), c(sum(found$positives), sum(found$negatives))),
    score = c(rep(found$score, found$positives), rep(found$score, found$negatives))
  )
}

# Undefined where the package stops or gives NaN.
asked <- function(expression) tryCatch(suppressWarnings(expression), error = function(e) NaN)

# 17 digits, as text: JSON numbers of jsonlite have 15.
number <- function(value) {
  value <- as.numeric(value)
  if (length(value) != 1 || is.nan(value) || is.na(value)) return(NA)
  if (is.infinite(value)) return(if (value > 0) "inf" else "-inf")
  sprintf("%.17g", value)
}
numbers <- function(values) lapply(values, number)
points <- function(x, y) unname(Map(function(x, y) list(number(x), number(y)), x, y))
interval <- function(found) if (anyNA(found)) NA else numbers(found[c(1, length(found))])
threshold <- function(text) if (text == "none") Inf else as.numeric(text)

of_pROC <- function(data, questions) {
  found <- roc(data$label, data$score, levels = c(0, 1), direction = "<", quiet = TRUE)
  names <- c(tp = "tp", fp = "fp", fn = "fn", tn = "tn", tpr = "sensitivity", tnr = "specificity",
             fpr = "fpr", fnr = "fnr", precision = "ppv", npv = "npv", fdr = "fdr",
             false_omission_rate = "1-npv", accuracy = "accuracy")
  at <- function(text) asked(coords(found, threshold(text), input = "threshold", ret = names,
                                    transpose = TRUE))
  measures <- lapply(questions, function(text) setNames(numbers(at(text)[names]), names(names)))
  part <- function(...) number(asked(auc(found, ...)))
  list(
    measures = list(sample = setNames(measures, questions)),
    summaries = list(sample = list(
      auc = part(),
      "partial_auc(fpr=0..0.25)" = part(partial.auc = c(1, 0.75)),
      "partial_auc(fpr=0.125..0.5, standardized)" =
        part(partial.auc = c(0.875, 0.5), partial.auc.correct = TRUE),
      "partial_auc(tpr=0.5..1)" = part(partial.auc = c(1, 0.5), partial.auc.focus = "sensitivity"),
      "partial_auc(tpr=0.75..1, standardized)" =
        part(partial.auc = c(1, 0.75), partial.auc.focus = "sensitivity",
             partial.auc.correct = TRUE)
    )),
    curves = list(sample = list(roc = points(rev(1 - found$specificities),
                                             rev(found$sensitivities)))),
    intervals = list(auc = list(delong = interval(asked(ci.auc(found, method = "delong")))))
  )
}

of_ROCR <- function(data, questions) {
  given <- prediction(data$score, data$label)
  names <- c(tpr = "tpr", fpr = "fpr", fnr = "fnr", tnr = "tnr", precision = "ppv", npv = "npv",
             fdr = "pcfall", false_omission_rate = "pcmiss", posfrac = "rpp", accuracy = "acc",
             error = "err", f1 = "f", mcc = "mat", lift = "lift", diagnostic_odds_ratio = "odds")
  cutoffs <- given@cutoffs[[1]]
  # Some measures begin at the first cutoff that flags something.
  of <- function(name) {
    values <- asked(performance(given, name)@y.values[[1]])
    c(rep(NaN, length(cutoffs) - length(values)), values)
  }
  values <- lapply(names, of)
  at <- function(text) lapply(values, function(one) number(one[sum(cutoffs >= threshold(text))]))
  curve <- function(y, x) {
    found <- performance(given, y, x)
    points(found@x.values[[1]], found@y.values[[1]])
  }
  area <- function(name, ...) number(asked(performance(given, name, ...)@y.values[[1]]))
  list(
    measures = list(sample = setNames(lapply(questions, at), questions)),
    summaries = list(sample = list(auc = area("auc"), auprc = area("aucpr"),
                                   "partial_auc(fpr=0..0.25)" = area("auc", fpr.stop = 0.25))),
    curves = list(sample = list(roc = curve("tpr", "fpr"), pr = curve("prec", "rec"),
                                lift = curve("lift", "rpp")))
  )
}

of_PRROC <- function(data, questions) {
  ours <- data$score[data$label == 1]
  theirs <- data$score[data$label == 0]
  list(summaries = list(sample = list(
    auc = number(asked(roc.curve(ours, theirs)$auc)),
    auprc = number(asked(pr.curve(ours, theirs)$auc.integral))
  )))
}

answers <- list()
for (file in sort(list.files(file.path(here, "answers"), full.names = TRUE))) {
  reference <- fromJSON(file, simplifyVector = FALSE)
  data <- cases(reference)
  if (is.null(data)) next
  found <- asked(get(paste0("of_", tool))(data, names(reference$answers$measures$sample)))
  if (!is.list(found)) next
  if (is.null(reference$answers$curves)) found$curves <- NULL
  if (is.null(reference$answers$intervals)) found$intervals <- NULL
  answers[[reference$name]] <- found
}
write_json(list(tool = tool, version = as.character(packageVersion(tool)), answers = answers),
           path, auto_unbox = TRUE, na = "null")
