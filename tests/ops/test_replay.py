"""Replays calls of torch's operator database: a seeded share of them, with OPWRIGHT_ALL=1 all."""
# Covers: src/ops/activation/*.

import pytest

from .replay_run import check_replay

pytest.importorskip("torch", reason="torch is not installed: no call was replayed")

SHARE = ["--share", "0.04", "--samples", "5", "--seed", "6"]
AT_LEAST = ["--at-least", "98"]  # percentage of calls that must pass; none may crash the process


def test_calls_of_torchs_operator_database_give_torchs_results():
    check_replay(*AT_LEAST, share=SHARE)
