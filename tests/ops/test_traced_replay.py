"""Traces calls of torch's operator database with symbolic sizes: a seeded share of them, with
OPWRIGHT_ALL=1 all. The graphs must return the operators' results, at other sizes too."""

import pytest

from .replay_run import check_replay

pytest.importorskip("torch", reason="torch is not installed: no call was traced")

SHARE = ["--share", "0.025", "--samples", "3", "--seed", "7"]


def test_graphs_of_calls_give_what_eager_gives_at_every_admitted_size():
    check_replay("--traced", share=SHARE)
