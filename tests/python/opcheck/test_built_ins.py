"""opcheck finds nothing in the built-in operators: a seeded share of what torch's operator database
calls, with OPWRIGHT_ALL=1 all of it."""

import pytest

from tests.ops.replay_run import check_replay

pytest.importorskip("torch", reason="torch is not installed: no operator was checked")

SHARE = ["--share", "0.01", "--samples", "1", "--seed", "9", "--dtypes", "float32", "int64"]


def test_no_built_in_operator_raises_an_alarm():
    check_replay("--checked", share=SHARE)
