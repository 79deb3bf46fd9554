"""Maps calls of torch's operator database: a seeded share of them, with OPWRIGHT_ALL=1 all. vmap
must return the per-sample results; no operator of the core set may run once per sample."""
# Covers: src/ops/*/*_batching.

import pytest

from .replay_run import check_replay

pytest.importorskip("torch", reason="torch is not installed: no call was mapped")

SHARE = ["--share", "0.025", "--samples", "4", "--seed", "8"]


def test_vmap_over_each_tensor_and_dimension_equals_the_loop_over_samples():
    check_replay("--vmapped", share=SHARE)
