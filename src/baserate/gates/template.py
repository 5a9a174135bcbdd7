"""A `baserate.toml` to start from, with every setting and a comment on it."""

TEMPLATE = """\
# baserate.toml: the checks of a build. Run them with `baserate gate`, or `pytest --baserate`.
# A setting after # is optional: remove the # to use it.
#seed = 0                           # random seed of the resamples

[data]
source = "scores.csv"               # file of cases, relative to this file, or one per model
label = "y"                         # column that says which cases are positive
#positive = 1                       # label of the positives, if not 0/1, yes/no or similar
#design = "case-control"            # class totals were fixed by design
# Several files: id = "case"        # column that joins them
# Several files: join = "inner"     # keep cases in all files
# Several files, no id: by_position = true  # the same rows in all
# Reading options, as on the command line: delimiter = ";", nan_score = "drop"

[models]
candidate = "score"                 # name of a model = column of its score
#baseline = "old_score"             # the model in use

[scenario.field]  # conditions under any name; each check names its own
prior = "1 in 1000"                 # base rate in the field, or "sample"
#costs = { fn = 100, fp = 1 }       # what an outcome costs; also tp and tn
# Instead of costs: profits = { tp = 95, fp = -5 }  # what it earns
# For counts such as alerts: volume = 1_000_000  # number of cases, for example per day
#threshold = 0.5                    # threshold in use, or one per model: { candidate = 0.5 }

[[require]]  # may be repeated
scenario = "field"
model = "candidate"
rule = "precision >= 0.2"           # what must be demonstrated
#slice = "country"                  # column: check each of its values as well
#accept_observed = true             # pass what is met but not demonstrated
#level = "95%"                      # confidence level

#[[compare]]  # may be repeated
#scenario = "field"
#baseline = "baseline"
#candidate = "candidate"            # must not be worse than the baseline
#statistic = "expected_cost"        # auc, or any measure
# Instead of a threshold: rule = "posfrac <= 1%"  # chooses the thresholds
#margin = 0.01                      # non-inferiority margin
#slice = "country"                  # column: check each of its values as well
#level = "95%"                      # confidence level
#replicates = 2000                  # number of bootstrap resamples

#[defaults]  # of choose, show, compare and other commands run in this folder
#scores = ["score"]                 # score columns (default: all models)
#prior = "1 in 1000"                # also a list, or a range: "0.05%..0.3%"
#costs = { fn = 100, fp = 1 }       # what an outcome costs; also tp and tn
# Instead of costs: profits = { tp = 95, fp = -5 }  # what it earns
# For counts such as alerts: volume = 1_000_000  # number of cases, for example per day
#rule = "recall >= 0.8"
# Instead of a rule: budget = 200   # at most this number of alerts
#level = "95%"                      # confidence level
#test = "test.csv"                  # held-out data

#[digests]  # counts that must not have changed: baserate show --json prints theirs
"""
