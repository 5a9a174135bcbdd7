"""What newcomers typed first and was refused (shared findings, issue 22), each with the call that
works.
"""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import baserate as br

RNG = np.random.default_rng(22)
Y = (RNG.random(2000) < 0.1).astype(int)
SCORES = {"logit": RNG.normal(Y, 1.2), "forest": RNG.normal(1.2 * Y, 1.0)}
SITE = np.array(["oslo", "bern"])[RNG.integers(0, 2, 2000)]
FRAME = pd.DataFrame({"fraud": Y, **SCORES, "site": SITE, "amount": RNG.integers(1, 90, 2000)})
MODELS = br.count(Y, SCORES)
COUNTS = br.count(Y, SCORES["logit"])
AT = br.Conditions(prior="1 in 1000", costs=br.Costs(fp=1, fn=100))


def test_models_counted_together_are_chosen_among():
    choice = br.choose(MODELS, at=AT)
    assert choice.model in SCORES
    assert choice.differences


@pytest.mark.parametrize("library", [pd, pl])
def test_a_frame_of_scores_is_its_columns(library):
    assert br.count(Y, library.DataFrame(SCORES)) == MODELS


def test_a_frame_that_holds_the_labels_too_is_refused():
    with pytest.raises(br.InputError, match='BR417: column "fraud" of the scores equals'):
        br.count(Y, FRAME[["fraud", "logit"]])


def test_compare_takes_the_models_first_and_auc_by_default():
    assert br.compare(MODELS) == br.compare(MODELS, "auc", pair=("logit", "forest"))
    assert br.compare(MODELS).models == ("logit", "forest")


def test_a_choice_that_is_no_better_than_flagging_nothing_is_shown_as_such():
    last = "not significantly better than flagging nothing (p = "
    assert last in repr(br.choose(MODELS, prior=1e-5))
    clear = br.choose(br.count(Y, {"a": Y + 0.1, "b": SCORES["forest"]}), prior=0.1)
    assert clear.lead_over_baseline.significant
    assert last not in repr(clear)


def test_a_prior_is_enough():
    assert br.choose(COUNTS, prior=0.001) == br.choose(COUNTS, at=br.Conditions(0.001))


def test_conditions_given_twice_are_refused():
    with pytest.raises(br.InputError, match="BR418: conditions are given twice, as at= and as pri"):
        br.choose(COUNTS, at=AT, prior=0.1)


def test_a_number_is_no_conditions():
    with pytest.raises(br.InputError, match="BR519: at must be Conditions, got float"):
        br.choose(COUNTS, at=0.001)


def test_a_range_of_base_rates_chooses_the_least_regret():
    point = br.choose(COUNTS, prior="0.05%..0.3%", costs={"fn": 100})
    assert isinstance(point, br.OperatingPoint)
    assert point.regret.value >= 0
    assert not point.over.is_exact
    choice = br.choose(MODELS, prior="0.05%..0.3%", costs={"fn": 100})
    assert choice.regret.value == min(choice.regrets[name].value for name in SCORES)


def test_the_old_order_of_arguments_is_told():
    with pytest.raises(br.InputError, match="BR429: the data come first"):
        br.measure("precision", COUNTS)
    with pytest.raises(br.InputError, match="BR429: the data come first"):
        br.interval("auc", COUNTS)
    with pytest.raises(br.InputError, match="BR429: choose needs counts, got DataFrame"):
        br.choose(FRAME)


def test_every_source_is_counted_by_one_word(tmp_path):
    path = tmp_path / "scores.csv"
    FRAME.to_csv(path, index=False)
    for source in (FRAME, pl.from_pandas(FRAME), path):
        assert br.count(source, label="fraud", score="logit") == COUNTS
        assert br.count(source, label="fraud", score=["logit", "forest"]) == MODELS
        by_site = br.count(source, label="fraud", score="logit", by="site")
        assert by_site == br.count(Y, SCORES["logit"], by=SITE)
        assert by_site.role == "group"
        amounts = br.count(source, label="fraud", score="logit", amount="amount")
        assert amounts.counts == COUNTS
        slices = br.count(source, label="fraud", score=["logit", "forest"], by="site")
        assert slices == br.count(Y, SCORES, by=SITE)
        clusters = br.count(source, label="fraud", score="logit", by="site", cluster="amount")
        assert {part.role for part in clusters.values()} == {"cluster"}
        assert br.count_unlabelled(source, score="logit").total == 2000


def test_groups_are_reported_and_clusters_resampled():
    with pytest.raises(br.InputError, match="BR420: these counts are grouped to report each group"):
        br.interval(br.count(Y, SCORES["logit"], by=SITE), "auc")
    clusters = br.count(Y, SCORES["logit"], cluster=np.arange(2000) // 4)
    assert br.interval(clusters, "auc").method == "cluster-t"


def test_more_than_two_models_are_compared_pair_by_pair():
    three = br.count(Y, {**SCORES, "third": SCORES["logit"] + SCORES["forest"]})
    found = br.compare(three)
    assert [one.models for one in found] == [
        ("logit", "forest"),
        ("logit", "third"),
        ("forest", "third"),
    ]
    assert all(one.p_adjusted is not None for one in found)
    with pytest.raises(br.InputError, match="BR436: 3 pairs were compared: p_value is that of one"):
        _ = found.p_value


def test_summaries_and_curves_are_asked_for_by_name():
    assert br.summary(COUNTS, "auc") == br.auc(COUNTS)
    assert list(br.summary(MODELS, "partial_auc(fpr=0..0.1)")) == list(SCORES)
    assert list(br.curve(MODELS, "broc", at=AT)) == list(SCORES)
    assert list(br.roc(MODELS)) == list(SCORES)
    with pytest.raises(br.InputError, match="BR002: hull= has no effect on a gain curve"):
        br.curve(COUNTS, "gain", hull=True)


def test_every_threshold_is_a_row():
    table = br.table(COUNTS, ["tp", "fp", "precision"], at=AT)
    assert list(table.columns) == ["threshold", "tp", "fp", "precision"]
    threshold = float(table["threshold"][7])
    assert table["precision"][7] == pytest.approx(
        br.measure(COUNTS, "precision", threshold=threshold, at=AT), rel=1e-14
    )


def test_a_report_takes_a_prior():
    costs = br.Costs(fn=100)
    several = [br.Conditions("0.1%", costs), br.Conditions("1%", costs)]
    assert repr(br.report(MODELS, prior=["0.1%", "1%"], costs={"fn": 100})) == repr(
        br.report(MODELS, at=several)
    )
    with pytest.raises(br.InputError, match="BR418: conditions are given twice"):
        br.report(MODELS, at=several, prior=0.1)


def test_one_model_of_several_is_had_by_its_name():
    assert list(MODELS) == list(MODELS.models)
    choice = br.choose(MODELS, prior=0.01)
    for name in MODELS:
        assert MODELS[name] == MODELS.marginal(name)
        assert choice[name] == choice.points[name]
    assert list(choice) == list(choice.points)
    amounts = br.choose(br.count(Y, SCORES, amount=FRAME["amount"]), review=2)
    assert [amounts[name] for name in amounts] == list(amounts.points.values())
    for models in (MODELS, choice, amounts):
        with pytest.raises(br.InputError, match='BR408: there is no model "none"'):
            models["none"]
        with pytest.raises(br.InputError, match="BR408: there is no model"):
            models[["none"]]


def test_several_base_rates_are_not_taken_for_draws_of_one():
    fix = r"Fix: call once for each, or give draws of one that is uncertain: prior=Draws\(\[…\]\)"
    for verb in (br.choose, lambda x, **given: br.interval(x["logit"], "precision", **given)):
        with pytest.raises(br.InputError, match=f"BR418: several base rates.*{fix}"):
            verb(MODELS, prior=[0.01, 0.02])
    assert br.choose(MODELS, prior=br.Draws([0.01, 0.02])).over is not None


def test_a_requirement_is_shown_line_by_line():
    found = br.require(MODELS["logit"], "precision >= 0.2 and recall >= 0.1", threshold=0.5)
    first, *checks, point = repr(found).splitlines()
    assert first == f"Requirement: {found.outcome}"
    assert [line.split(":")[0].strip() for line in checks] == ["precision >= 0.2", "tpr >= 0.1"]
    assert point.strip() == repr(found.point)
