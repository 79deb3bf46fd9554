"""The traced replay detects wrong fake kernels and graphs that do not depend on sizes."""

from collections import Counter

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: nothing is traced")
ow = pytest.importorskip("opwright", reason="the Python package is not built")

from .replay.traced import TracedReplayer  # noqa: E402

ATEN = ow.ops.aten


def sine(x: ow.Tensor) -> ow.Tensor:
    return ATEN.sin.default(x)


def with_fake(fake):
    """Define an operator that computes sin and has the fake kernel `fake`."""
    operator = ow.library.custom_op(f"traced_replay::{fake.__name__}", sine, mutates_args=())
    operator.register_fake(fake)
    return operator


def trace_with(operator, *args) -> Counter:
    """Return the counts after one call in which `operator` replaces our sin."""
    replayer = TracedReplayer(lambda _: True, Counter(), set(), lambda *_: None)
    replayer.known["aten.sin.default"] = operator
    replayer.run(torch.ops.aten.sin.default, args, {})
    counts = replayer.outcome.counts["aten.sin.default"]
    return Counter({key: count for key, count in counts.items() if count})


def test_an_equal_call_passes_at_three_other_sizes():
    counts = trace_with(ATEN.sin.default, torch.rand(3, 4).t())

    assert counts == {"calls": 1, "passed": 1, "sizes": 3}


def test_a_fake_kernel_of_other_strides_is_found():
    def contiguous_fake(x):
        return x.new_empty(x.shape)

    counts = trace_with(with_fake(contiguous_fake), torch.rand(3, 4).t())

    assert counts == {"calls": 1, "form": 1}


def test_a_fake_kernel_that_is_right_for_the_sample_alone_is_found():
    def frozen_fake(x):
        return x.new_empty([x.shape[0], 4])

    counts = trace_with(with_fake(frozen_fake), torch.rand(3, 4))

    assert counts == {"calls": 1, "form": 1}


def test_a_fake_kernel_that_fixes_a_size_is_counted():
    def fixing_fake(x):
        return x.new_empty([int(x.shape[0]), int(x.shape[1])])

    counts = trace_with(with_fake(fixing_fake), torch.rand(3, 4))

    assert counts == {"calls": 1, "passed": 1, "specialised": 1, "needlessly": 1, "narrower": 1}


def test_a_fake_kernel_that_refuses_is_found():
    def refusing_fake(x):
        raise NotImplementedError("no fake kernel")

    counts = trace_with(with_fake(refusing_fake), torch.rand(3))

    assert counts == {"calls": 1, "trace": 1}


def test_a_size_that_became_a_number_of_the_graph_is_found():
    def sin_of_rows(x):
        rows = x.shape[0]
        return ATEN.sin.default(x) * (rows if isinstance(rows, int) else 3)

    counts = trace_with(sin_of_rows, torch.rand(3))

    assert counts == {"calls": 1, "other": 1}


def test_a_graph_that_gives_a_copy_for_a_view_is_found():
    def same(x):
        return x if type(x.shape[0]) is int else x.clone()

    counts = trace_with(same, torch.rand(3))

    assert counts == {"calls": 1, "graph": 1}
