"""Files that earlier versions saved: `saved/VERSION/*.counts` stay as they are, and stay readable.

A release adds a folder of its own here, and none is ever changed.
"""

from pathlib import Path

import pytest

import baserate as br

SAVED = Path(__file__).parent / "saved"
# What the version that wrote a file said of it.
DIGESTS = {
    "0.1/coarse": "16713828618dbc0bcf7570bb99f58ff828a38c2cd4c80aea408d0a697a16635b",
    "0.1/condensed": "90f9626a8e849ceca018b0eb609e58ba5f0e1407dfd7baa329772ab03219a9db",
    "0.1/counts": "11c170dabd294c5a3b4328f273f30202c938bdd6c65a3fbdc4401b56f5605e57",
    "0.1/days": "ecbf960337686c95b4214523627b90c5cd9f49e0eb38fa392b5b958665edd4a5",
    "0.1/grouped": "b35a418c97869fa9936ca246c5ca759e5da4d68c32ef649d058d881ac8f69b0a",
    "0.1/infinite": "5931f4c9333009415b57447ff069f2e2caa79a8af68c552ad7584ae8aef72235",
    "0.1/joint": "91b5fd88a0d2e2f6573b2d38f8d4f3335d2ca2f48bdbd59a875ff26325bbaba2",
    "0.1/weighted": "230a60044ba4058510a69bc32e817b6347ea320ba2a9b44ce212a30ff74361b5",
    "0.1/whole": "6266f5a98dc8547800917eaeb011ed2604678181e68289c0c3716edea0ac1fcc",
}


@pytest.mark.parametrize("name", DIGESTS)
def test_a_saved_file_is_read_as_it_was_counted(name):
    assert br.load(SAVED / f"{name}.counts").digest == DIGESTS[name]


def test_every_file_has_its_digest_here():
    found = {str(path.relative_to(SAVED).with_suffix("")) for path in SAVED.glob("*/*.counts")}
    assert found == set(DIGESTS)


def test_what_was_counted_is_all_there():
    counts = br.load(SAVED / "0.1/counts.counts")
    assert counts.total_positives + counts.total_negatives == 200
    assert len(br.load(SAVED / "0.1/joint.counts").models) == 2
    assert set(br.load(SAVED / "0.1/grouped.counts")) == {"north", "south", "é 🙂"}
    whole = br.load(SAVED / "0.1/whole.counts")
    assert min(abs(int(score) - 2**60) for score in whole.scores) < 100


def test_coarse_counts_are_read_as_counts_of_rounded_scores(tmp_path):
    """Each bin is one score, its lowest: AUC is what 0.1 said it is."""
    counts = br.load(SAVED / "0.1/coarse.counts")
    assert repr(counts).startswith("Counts: 104 positives, 396 negatives, 7 distinct scores")
    assert float(br.auc(counts)) == 0.7688422688422688
    notes = [note.text for note in counts.notes if note.code == "BR946"]
    assert notes == ["scores are rounded down to 7 bins: cases within a bin count as tied"]
    counts.save(tmp_path / "again.counts")
    again = br.load(tmp_path / "again.counts")
    assert (again, again.notes) == (counts, counts.notes)
