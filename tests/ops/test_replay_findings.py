"""The replay detects wrong operators: each test replaces one of ours."""

import os
from collections import Counter
from contextlib import suppress

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: nothing is replayed")
ow = pytest.importorskip("opwright", reason="the Python package is not built")

from .replay.replayer import Replayer  # noqa: E402
from .replay.workers import run_jobs  # noqa: E402

ATEN = ow.ops.aten


def replay_with(operator, overload, *args, **kwargs) -> Counter:
    """Return the counts after one call in which `operator` replaces ours."""
    replayer = Replayer(lambda _: True, Counter(), set(), lambda *_: None)
    replayer.known[str(overload)] = operator
    replayer.run(overload, args, kwargs)
    return replayer.outcome.counts[str(overload)]


def test_an_equal_call_passes():
    counts = replay_with(ATEN.sin.default, torch.ops.aten.sin.default, torch.rand(3, 4).t())

    assert counts == {"calls": 1, "passed": 1}


def test_another_value_is_found():
    counts = replay_with(ATEN.cos.default, torch.ops.aten.sin.default, torch.rand(3))

    assert counts == {"calls": 1, "values": 1}


def test_another_dtype_is_found():
    counts = replay_with(ATEN.isnan.default, torch.ops.aten.sin.default, torch.rand(3))

    assert counts == {"calls": 1, "dtype": 1}


def test_other_sizes_are_found():
    counts = replay_with(ATEN.t.default, torch.ops.aten.sin.default, torch.rand(3, 4))

    assert counts == {"calls": 1, "shape": 1}


def test_other_strides_are_found():
    def contiguous_sin(x):
        return ATEN.sin.default(x).contiguous()

    counts = replay_with(contiguous_sin, torch.ops.aten.sin.default, torch.rand(3, 4).t())

    assert counts == {"calls": 1, "strides": 1}


def test_a_copy_for_a_view_is_found():
    def copied(x, size):
        return ATEN.view.default(x, size).clone()

    counts = replay_with(copied, torch.ops.aten.view.default, torch.rand(3, 4), [12])

    assert counts == {"calls": 1, "alias": 1}


def test_an_argument_that_was_not_written_is_found():
    counts = replay_with(ATEN.sin.default, torch.ops.aten.sin_.default, torch.rand(3))

    assert counts["passed"] == 0


def test_a_fake_kernel_that_refuses_is_found():
    def sin_of_data(x):
        if x.is_meta:
            raise NotImplementedError("no fake kernel")
        return ATEN.sin.default(x)

    counts = replay_with(sin_of_data, torch.ops.aten.sin.default, torch.rand(3))

    assert counts == {"calls": 1, "fake": 1}


def test_what_torch_refuses_and_we_take_is_found():
    def first(x, _):
        return x

    replayer = Replayer(lambda _: True, Counter(), set(), lambda *_: None)
    replayer.known["aten.mm.default"] = first
    with pytest.raises(RuntimeError):
        replayer.run(torch.ops.aten.mm.default, (torch.rand(2, 3), torch.rand(2, 3)), {})

    assert replayer.outcome.counts["aten.mm.default"]["accepted"] == 1


def test_a_call_that_ends_the_process_is_named_and_the_rest_runs():
    def run_job(replayer, job):
        replayer.entry = job
        replayer.known["aten.cos.default"] = lambda x: os.abort()
        replayer.run(torch.ops.aten.cos.default, (torch.rand(3),), {})
        replayer.run(torch.ops.aten.sin.default, (torch.rand(3),), {})

    outcome = run_jobs(["one", "two"], run_job, lambda _: True, count=1)

    assert outcome.counts["aten.cos.default"]["crash"] == 1
    assert "aten.cos.default(f32[3])" in outcome.failures["aten.cos.default"][0].call
    assert outcome.counts["aten.sin.default"]["passed"] == 2


def test_a_crash_of_torch_is_left_out():
    def run_job(replayer, job):
        replayer.run(torch.ops.aten.sin.default, (torch.ones(3),), {})
        with suppress(RuntimeError):  # the second attempt of the job does not repeat it
            replayer.run(torch.ops.aten.cos.default, (torch.ones(3),), {}, os.abort)

    outcome = run_jobs(["one"], run_job, lambda _: True, count=1)

    assert outcome.left_out["torch crashed"] == 1
    assert outcome.counts["aten.cos.default"]["crash"] == 0
    assert outcome.counts["aten.sin.default"] == {"calls": 1, "passed": 1}
    assert outcome.faults == []


def test_other_forms_of_a_call_are_replayed():
    def no_cosine(x, *, out):
        return out.copy_(ATEN.sin.default(x))

    replayer = Replayer(lambda _: True, Counter(), set(), lambda *_: None)
    replayer.known["aten.cos.out"] = no_cosine
    replayer.run(torch.ops.aten.cos.default, (torch.ones(3),), {})

    assert replayer.outcome.counts["aten.cos.default"] == {"calls": 1, "passed": 1}
    assert replayer.outcome.counts["aten.cos_.default"] == {"calls": 1, "passed": 1}
    assert replayer.outcome.counts["aten.cos.out"] == {"calls": 1, "values": 1}


def test_factors_may_differ_by_signs_of_their_columns():
    def negated(x, full_matrices, *, driver=None):
        u, s, vh = ATEN.linalg_svd.default(x, full_matrices, driver=driver)
        return u.neg(), s, vh.neg()

    svd = torch.ops.aten.linalg_svd.default

    assert replay_with(negated, svd, torch.rand(4, 3), False) == {"calls": 1, "passed": 1}
