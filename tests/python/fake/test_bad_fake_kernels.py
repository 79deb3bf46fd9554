"""Fake kernels that are missing or wrong: each has its own message, with operator and line."""

import os
import traceback
from pathlib import Path

import opwright as ow
import pytest
from opwright import FakeTensorMode, library

BUILD = Path(os.environ.get("OPWRIGHT_BUILD", Path(__file__).parents[3] / "build" / "release"))


@pytest.fixture
def mode() -> FakeTensorMode:
    return FakeTensorMode()


@pytest.fixture
def op() -> ow.Operator:
    @library.custom_op("trial_k::op", mutates_args=(), device_types="cpu")
    def op(x: ow.Tensor) -> ow.Tensor: ...

    return op


def failure_of(mode: FakeTensorMode, op: ow.Operator) -> Exception:
    with mode:
        try:
            op(ow.zeros(3))  # called
        except Exception as failure:
            return failure
    raise AssertionError("the call went well")


# ---- In Python ----


def test_a_missing_one_names_register_fake_and_the_definition(mode):
    library.define("trial_k::bare", "(Tensor x) -> Tensor")

    failure = failure_of(mode, ow.ops.trial_k.bare)

    assert isinstance(failure, NotImplementedError)
    assert str(failure).startswith(
        f"trial_k::bare has no fake kernel (x is float32[3] on cpu); it was defined at {__file__}:"
    )
    assert 'opwright.library.register_fake("trial_k::bare")' in str(failure)


def test_one_that_reads_data_names_its_line(mode, op, here):
    @op.register_fake
    def _(x):
        return x.new_empty([x.item()])  # reads

    failure = failure_of(mode, op)

    assert str(failure).startswith(
        f"item: a fake tensor has no data to read (float32[3]), at {here('reads')}"
    )
    assert failure.__notes__ == [
        f"in the fake kernel of trial_k::op at {here('reads')}",
        "in trial_k::op(x=float32[3])",
    ]


def test_one_that_returns_a_real_tensor_names_both_lines(mode, op, here):
    real = ow.ones(3)

    @op.register_fake  # kernel that returns a real tensor
    def _(x):
        return real

    failure = failure_of(mode, op)

    assert str(failure) == (
        "trial_k::op: the fake kernel returned a real tensor as result 1 (float32[3])\n"
        "  Create it from a fake argument, e.g. x.new_empty(sizes).\n"
        "  in the fake kernel of trial_k::op, registered at "
        f"{here('kernel that returns a real tensor')}, called at {here('called')}"
    )


def test_one_that_mixes_fake_and_real_names_the_argument(mode, op, here):
    real = ow.ones(3)

    @op.register_fake
    def _(x):
        return x + real  # mixes

    failure = failure_of(mode, op)

    assert str(failure).startswith(
        "aten::add.Tensor: argument 'other' is a real tensor (float32[3]), but others are fake at "
        f"{here('mixes')}"
    )
    assert failure.__notes__[0] == f"in the fake kernel of trial_k::op at {here('mixes')}"


def test_one_that_returns_too_many_results_is_told_so(mode, op, here):
    @op.register_fake  # kernel of two
    def _(x):
        return x, x

    assert str(failure_of(mode, op)) == (
        "trial_k::op: the Python function must return 1 result, but it returned a tuple of 2 "
        "results\n"
        "  the schema is trial_k::op(Tensor x) -> Tensor\n"
        "  in trial_k::op(x=float32[3])\n"
        f"  in the fake kernel of trial_k::op, registered at {here('kernel of two')}, called at "
        f"{here('called')}"
    )


def test_one_that_returns_too_few_results_is_told_so(mode):
    library.define("trial_k::pair", "(Tensor x) -> (Tensor, Tensor)")
    library.register_fake("trial_k::pair", lambda x: x)

    assert str(failure_of(mode, ow.ops.trial_k.pair)).startswith(
        "trial_k::pair: the Python function must return a tuple of 2 results, but it returned "
        "opwright.Tensor\n"
    )


def test_one_that_returns_no_tensor_is_told_so(mode, op):
    @op.register_fake
    def _(x):
        return 3

    assert str(failure_of(mode, op)).startswith(
        "trial_k::op: result 1 of the Python function must be Tensor, but it returned int\n"
    )


def test_a_negative_size_names_its_line(mode, op, here):
    @op.register_fake
    def _(x):
        return x.new_empty([-1])  # negative

    failure = failure_of(mode, op)

    assert str(failure).startswith("fake tensor: size -1 of dimension 0 is negative in [-1]\n")
    assert failure.__notes__[0] == f"in the fake kernel of trial_k::op at {here('negative')}"


def test_get_ctx_outside_of_a_fake_kernel_is_an_error_under_a_mode_too(mode):
    with (
        mode,
        pytest.raises(RuntimeError, match="get_ctx\\(\\) was called outside of a fake kernel"),
    ):
        library.get_ctx()


def test_the_function_of_a_custom_op_does_not_stand_in(mode):
    @library.custom_op("trial_k::opaque", mutates_args=())
    def opaque(x: ow.Tensor) -> ow.Tensor:
        raise AssertionError("the kernel ran")

    failure = failure_of(mode, opaque)

    assert isinstance(failure, NotImplementedError)
    assert str(failure).startswith("trial_k::opaque has no fake kernel (x is float32[3] on cpu)")


def test_an_operator_that_only_writes_needs_none(mode):
    @library.custom_op("trial_k::only_writes", mutates_args={"x"})
    def only_writes(x: ow.Tensor) -> None:
        raise AssertionError("the kernel ran")

    with mode:
        x = ow.empty(3)
        only_writes(x)

    assert x._version == 1


def test_a_kernel_that_stands_in_for_a_fake_one_names_register_fake(mode):
    library.define("trial_k::through_numpy", "(Tensor x) -> Tensor")
    library.impl(
        "trial_k::through_numpy", "CompositeExplicitAutograd", lambda x: ow.from_numpy(x.numpy())
    )

    failure = failure_of(mode, ow.ops.trial_k.through_numpy)

    assert "numpy: a fake tensor has no data to read" in str(failure)
    assert any(
        "trial_k::through_numpy has no fake kernel, so its own function ran on fake tensors" in note
        and 'opwright.library.register_fake("trial_k::through_numpy")' in note
        for note in failure.__notes__
    )


# ---- Replacing ----


def test_a_later_fake_kernel_replaces_an_earlier_one(mode, op):
    op.register_fake(lambda x: x.new_empty([1]))
    op.register_fake(lambda x: x.new_empty([2]))

    with mode:
        assert op(ow.zeros(3)).shape == (2,)


def test_impl_under_meta_is_a_fake_kernel(mode, op):
    lib = library.Library("trial_k", "IMPL")
    lib.impl("op", lambda x: x.new_empty([7]), "Meta")

    with mode:
        assert op(ow.zeros(3, device="cuda")).shape == (7,)


def test_the_body_of_a_composite_runs_on_fakes(mode):
    library.define("trial_k::twice", "(Tensor x) -> Tensor")
    library.impl("trial_k::twice", "CompositeImplicitAutograd", lambda x: x + x)

    with mode:
        assert ow.ops.trial_k.twice(ow.zeros(3, device="cuda")).device.type == "cuda"


def test_a_composite_with_a_fake_kernel_runs_that(mode):
    library.define("trial_k::thrice", "(Tensor x) -> Tensor")
    library.impl("trial_k::thrice", "CompositeImplicitAutograd", lambda x: x.numpy())
    library.register_fake("trial_k::thrice", lambda x: x.new_empty([3]))

    with mode:
        assert ow.ops.trial_k.thrice(ow.zeros(1)).shape == (3,)


# ---- In C++ ----


@pytest.fixture(scope="session")
def shapes():
    ow.load_library(BUILD / "operators" / "libshapes.so")
    return ow.ops.shapes


def test_a_cpp_kernel_guards_sizes_with_the_users_line(mode, shapes, here):
    x = mode.from_tensor(ow.zeros(8), dynamic=True)

    result = shapes.halves(x)  # halves

    assert str(result.shape) == "(s0//2, 2)"
    (guard,) = mode.shape_env.guards
    assert (guard.text, guard.line) == ("s0 % 2 == 0", here("halves"))
    assert guard.asked.endswith("shapes.cpp:16")


def test_a_cpp_kernel_makes_dynamic_sizes(mode, shapes):
    with mode:
        result = shapes.rows(ow.zeros(5))

    assert str(result.shape) == "(u0, 5)"
    assert mode.shape_env.range(result.shape[0]) == (1, 64)


def test_a_cpp_kernel_cannot_make_one_for_meta_tensors(shapes):
    with pytest.raises(RuntimeError, match="new_dynamic_size: no symbols can be made here"):
        shapes.rows(ow.zeros(5, device="meta"))


def test_a_cpp_kernel_that_reads_data_names_operator_and_line(mode, shapes, here):
    with mode, pytest.raises(RuntimeError) as failure:
        shapes.reads_data(ow.zeros(1))  # reads in C++

    first, call, place = str(failure.value).split("\n")
    assert first == (
        "the data of a fake tensor was read; a fake kernel may look at sizes, strides, dtype and "
        "device only"
    )
    assert call == "  in shapes::reads_data(x=float32[1])"
    assert place.startswith("  in the fake kernel of shapes::reads_data, registered at ")
    assert place.endswith(f", called at {here('reads in C++')}")


def test_a_negative_size_of_a_cpp_kernel_names_operator_and_line(mode, shapes, here):
    x = mode.from_tensor(ow.zeros(8), dynamic=True)

    with pytest.raises(ValueError, match="is negative") as failure:
        shapes.negative_size(x)  # negative in C++

    text = str(failure.value)
    assert text.startswith("fake tensor: the size s0 - 100 is negative in [s0 - 100]\n")
    assert f"called at {here('negative in C++')}" in text


def test_the_traceback_shows_the_notes(mode, op, here):
    @op.register_fake
    def _(x):
        return x.tolist()  # shown

    shown = "".join(traceback.format_exception(failure_of(mode, op)))

    assert f"in the fake kernel of trial_k::op at {here('shown')}" in shown
