"""Decomposes operators in calls of torch's operator database, traced with symbolic sizes: a seeded
share of them, with OPWRIGHT_ALL=1 all. The decompositions must return the operators' results."""
# Covers: src/ops/*/*_decomposition.

import pytest

from .replay_run import check_replay

pytest.importorskip("torch", reason="torch is not installed: no call was decomposed")

OPERATORS = ["*softmax*", "*norm*", "mean*", "var*", "std*", "*loss*", "logsumexp*", "*add*m*"]
SHARE = ["--op", *OPERATORS, "--share", "0.3", "--samples", "2", "--seed", "7"]


def test_operators_that_are_taken_apart_give_what_they_give_whole():
    check_replay("--decomposed", share=SHARE)
