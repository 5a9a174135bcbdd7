"""What tests of refusals share."""

import pytest

import baserate as br


def assert_refused(code, match, call):
    with pytest.raises(br.InputError, match=match) as caught:
        call()
    assert caught.value.code == code
