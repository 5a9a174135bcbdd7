"""Cárdenas & Baras, claim by claim: C1 to C25, on synthetic detectors and on real traffic."""

import gzip
import itertools
from fractions import Fraction

import numpy as np
import pytest
from tests.studies.rehearsals import rehearsed

import baserate as br
from baserate_studies.cardenas import comparisons, curves, detections, rates, traffic
from baserate_studies.claims import AGREEING

ERRATA = {
    "vanishing-alarms-slope-1": "B16",
    "eq-3-the-corner": "B19",
    "eq-5-the-corner": "B19",
    "npv-of-interest": "B15",
    "a-function": "B18",
    "figs-8-and-9-order": "B17",
}
FIGURES = ["fig-1", "fig-2", "fig-3", "fig-4", "fig-5", "fig-6-7", "fig-8-9"]


def test_what_is_computed_is_reproduced_but_for_the_errata_of_the_paper():
    claims = [*rates.claims(), *curves.claims(), *comparisons.claims()]
    assert {claim.id: claim.errata[0] for claim in claims if claim.verdict == "erratum"} == ERRATA
    others = {claim.id for claim in claims if claim.verdict not in ("erratum", *AGREEING)}
    assert others == {"notation", "fig-3", "fig-6", "figs-8-and-9-curves"}


def test_figures_1_to_9_are_drawn_without_any_data():
    study = rehearsed("cardenas")
    assert [figure.name for figure in study.figures] == FIGURES
    assert all("<svg" in figure.drawing.svg() for figure in study.figures)


def test_C22_random_rocs_turn_back_as_often_as_fractions_say():
    """C22: B_FA in exact fractions, on the points and on their hull by the definition of a hull."""
    rng = np.random.default_rng(22)
    raw = hulls = 0
    for _ in range(curves.RANDOM):
        x, y = (
            [Fraction(0), *map(Fraction, np.sort(rng.random(6)).tolist()), Fraction(1)]
            for _ in range(2)
        )
        points = list(zip(x, y, strict=True))
        raw += _rises(points)
        hulls += _rises(_hull(points))
    assert curves.monotone() == (raw, hulls)
    assert hulls == curves.RANDOM


def _rises(points):
    p = Fraction(0.01)
    found = [(1 - p) * fpr / (p * tpr + (1 - p) * fpr) for fpr, tpr in points if fpr or tpr]
    return all(one <= other for one, other in itertools.pairwise(found))


def _hull(points):
    """Those that no straight line between two others passes above."""
    kept = []
    for point in points:
        while len(kept) > 1 and (kept[-1][1] - kept[-2][1]) * (point[0] - kept[-2][0]) <= (
            point[1] - kept[-2][1]
        ) * (kept[-1][0] - kept[-2][0]):
            kept.pop()
        kept.append(point)
    return kept


def test_C23_the_stand_in_crosses_and_who_leads_within_half_false_alarms_changes_with_the_base_rate():  # noqa: E501
    """C23, B17: the order at fixed P_D never changes; the best P_D with B_FA <= 1/2 by hand on the
    hull's segments.
    """
    found = comparisons.ordered(comparisons.pair())
    assert found.same == found.checked > 150
    assert len(found.crossings) == 1
    for prior, better in ((1e-4, "early"), (1e-2, "late")):
        reached = {name: _most(points.hull(), prior) for name, points in comparisons.pair().items()}
        assert max(reached, key=reached.get) == better
        assert br.robustness.best_recall(comparisons.pair(), fdr=0.5).at(prior) == pytest.approx(
            reached, abs=2e-4
        )


def _most(hull, prior, steps=20_000):
    """The highest P_D on a fine walk along the hull with B_FA <= 1/2."""
    way = np.linspace(0, len(hull.fpr) - 1, steps)
    fpr, tpr = (np.interp(way, np.arange(len(hull.fpr)), values) for values in (hull.fpr, hull.tpr))
    return float(tpr[(1 - prior) * fpr <= prior * tpr].max())


def test_traffic_that_is_not_here_is_said_to_be_missing_and_is_no_error(tmp_path):
    for folder in (None, str(tmp_path), str(tmp_path / "nowhere")):
        for read, file in ((traffic.nsl_kdd, traffic.TRAIN), (traffic.smtp, traffic.SMTP)):
            seen = read(folder)
            assert seen.reason == f"needs {file}, which is not here (--data FOLDER)"
            found = list(detections.claims(seen))
            assert [claim.verdict for claim in found] == ["not_reproducible"] * len(
                detections.ASKED
            )
            assert not list(detections.pictures(seen))


@pytest.mark.parametrize(
    "content", [b"a,b,c,class\n1,2,3,1\n1,2,3,0\n", b"a,b\n1,2\n", b"", b"a,class\n1\n"]
)
def test_a_file_that_is_another_is_not_taken_for_the_traffic(tmp_path, content):
    folder = tmp_path / "imbalanced"
    folder.mkdir()
    (folder / traffic.SMTP).write_bytes(gzip.compress(content))
    assert "kdd_smtp.csv.gz" in traffic.smtp(str(tmp_path)).reason
    (folder / traffic.SMTP).write_bytes(b"no gzip at all")
    assert "kdd_smtp.csv.gz cannot be read" in traffic.smtp(str(folder)).reason


def test_values_that_were_not_seen_in_training_have_no_column():
    header = ["duration", *traffic.NOMINAL, *traffic.LABELS]
    train = traffic.Table(
        header,
        [["1", "tcp", "http", "SF", "", "", "", "0"], ["2", "udp", "dns", "SF", "", "", "", "1"]],
    )
    test = traffic.Table(header, [["3", "icmp", "http", "REJ", "", "", "", "0"]])
    seen, unseen = traffic.encoded(train, test)
    # duration, then tcp, udp; dns, http; SF
    assert seen.tolist() == [[1, 1, 0, 0, 1, 1], [2, 0, 1, 1, 0, 1]]
    assert unseen.tolist() == [[3, 0, 0, 0, 1, 0]]


def test_C3_C9_C19_C22_C23_C24_on_mail_traffic_and_honestly_so(shared):
    """KDD SMTP: the same claims as without the file, judged; where logistic regression raises no
    false alarm, there is no flood.
    """
    seen = traffic.smtp(str(shared))
    assert {
        name: (model.total_positives, model.total_negatives) for name, model in seen.models.items()
    } == {
        "logistic": (30, 95126),
        "Bayes": (30, 95126),
    }
    found = {claim.id: claim for claim in detections.claims(seen)}
    assert list(found) == [
        claim.id for claim in detections.claims(traffic.Missing("KDD SMTP", "none"))
    ]
    assert found["kdd-smtp-order"].verdict == "erratum"
    assert (
        found["kdd-smtp-hulls"].verdict
        == found["kdd-smtp-within-b-fa"].verdict
        == found["kdd-smtp-range"].verdict
        == "sentence_holds"
    )
    assert found["kdd-smtp-flood"].verdict == "differs"
    assert (
        "no false alarm among 95,126 leaves a P_FA of 3.9e-05 open" in found["kdd-smtp-flood"].note
    )  # 1 − .025^(1/95126)
    assert [figure.name for figure in detections.pictures(seen)] == [
        "kdd-smtp-curves",
        "kdd-smtp-comparison",
    ]


def test_C3_C9_C19_C22_C23_C24_on_nsl_kdd_where_the_papers_claims_hold(shared, monkeypatch):
    """NSL-KDD, U2R, with small forests: 67 attacks of 22,544."""
    monkeypatch.setattr(traffic, "TREES", 30)
    seen = traffic.nsl_kdd(str(shared))
    assert {(model.total_positives, model.total_negatives) for model in seen.models.values()} == {
        (67, 22477)
    }
    assert all(br.auc(model) > 0.7 for model in seen.models.values())
    found = {claim.id: claim.verdict for claim in detections.claims(seen)}
    assert (
        found["nsl-kdd-flood"]
        == found["nsl-kdd-hulls"]
        == found["nsl-kdd-range"]
        == "sentence_holds"
    )
    assert found["nsl-kdd-order"] == "erratum"
