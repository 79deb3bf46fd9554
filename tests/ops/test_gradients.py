"""Differentiates calls of torch's operator database: a seeded share of them, with OPWRIGHT_ALL=1
all. First and second derivatives must equal torch's, including those of in-place forms."""

import pytest

from .replay_run import check_replay

pytest.importorskip("torch", reason="torch is not installed: no gradient was compared")

DTYPES = ["--dtypes", "float64", "float32", "complex128"]
SHARE = ["--share", "0.07", "--samples", "4", "--seed", "8"]
AT_LEAST = ["--at-least", "98"]  # percentage of calls that must pass; none may crash the process


def test_gradients_of_calls_of_torchs_operator_database_are_torchs():
    check_replay("--gradients", *DTYPES, *AT_LEAST, share=SHARE)
