"""Compiles calls of torch's operator database, for static and for dynamic sizes: a seeded share of
them, with OPWRIGHT_ALL=1 all. Compiled calls must return the same results as uncompiled ones."""

import pytest

from .replay_run import check_replay

pytest.importorskip("torch", reason="torch is not installed: no call was compiled")

SHARE = ["--share", "0.02", "--samples", "3", "--seed", "12"]


def test_compiled_calls_give_what_eager_gives_at_every_size():
    check_replay("--compiled", share=SHARE)
