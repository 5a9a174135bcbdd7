"""What the tests of bad inputs share."""

import pytest

import baserate as br

S = [0.1, 0.4, 0.35, 0.8]


def codes(counts):
    return [note.code for note in counts.notes]


def text_of(counts, code):
    return next(note.text for note in counts.notes if note.code == code)


def assert_refused(match, *arguments, code, **named):
    with pytest.raises(br.InputError, match=match) as caught:
        br.count(*arguments, **named)
    assert caught.value.code == code
    assert "Fix: " in str(caught.value)
    return caught.value
