"""Fake kernels from Python, as far as they run without symbolic sizes."""

import opwright as ow
import pytest
from opwright import Tensor, library
from opwright.library import Library


@pytest.fixture
def op() -> ow.Operator:
    @library.custom_op("trial_b::op", mutates_args=())
    def op(x: Tensor, n: int = 2) -> Tensor:
        return ow.zeros(n, x.shape[0])

    return op


def test_b1_a_fake_kernel_runs_for_meta_tensors(op):
    @op.register_fake
    def fake(x, n):
        return x.new_empty([n, x.shape[0]])

    result = op(ow.empty([3], device="meta"), 5)

    assert tuple(result.shape) == (5, 3)
    assert result.device.type == "meta"


def test_b1_register_fake_is_a_decorator_by_name(op):
    @library.register_fake("trial_b::op")
    def _(x, n=2):
        return x.new_empty([n])

    assert tuple(op(ow.empty([3], device="meta")).shape) == (2,)


def test_b1_meta_is_another_name_of_it(op):
    lib = Library("trial_b", "IMPL")

    @library.impl(lib, "op", "Meta")
    def _(x, n):
        return x.new_empty([n, n])

    assert tuple(op(ow.empty([3], device="meta"), 4).shape) == (4, 4)


def test_b1_a_fake_kernel_may_assert(op):
    @op.register_fake
    def _(x, n):
        assert x.dim() == 1
        return x.new_empty([n])

    assert tuple(op(ow.empty([3], device="meta"), 4).shape) == (4,)
    with pytest.raises(AssertionError):
        op(ow.empty([3, 3], device="meta"), 4)


@pytest.mark.parametrize(
    "touch",
    [lambda x: x.item(), lambda x: x.numpy(), lambda x: x.data_ptr()],
    ids=["item", "numpy", "data_ptr"],
)
def test_b2_touching_data_names_the_operator_and_the_line(op, touch, here):
    @op.register_fake
    def _(x, n):
        touch(x)  # touched
        return x

    with pytest.raises((RuntimeError, NotImplementedError, TypeError, ValueError)) as failure:
        op(ow.empty([1], device="meta"))

    assert failure.value.__notes__ == [
        f"in the fake kernel of trial_b::op at {here('touched')}",
        "in trial_b::op(x=float32[1] on meta, n=2)",
    ]


def test_b5_get_ctx_outside_of_a_fake_kernel_is_an_error():
    with pytest.raises(RuntimeError) as failure:
        library.get_ctx()

    assert str(failure.value) == (
        "get_ctx() was called outside of a fake kernel; call it in a function given to "
        "register_fake"
    )


def test_b5_get_ctx_in_a_kernel_is_an_error():
    @library.custom_op("trial_b::in_kernel", mutates_args=())
    def in_kernel(x: Tensor) -> Tensor:
        library.get_ctx()
        return x

    with pytest.raises(RuntimeError, match="outside of a fake kernel"):
        in_kernel(ow.ones(1))


def test_b5_a_dynamic_size_of_meta_tensors_says_where_there_are_symbols(op):
    @op.register_fake
    def _(x, n):
        return x.new_empty([library.get_ctx().new_dynamic_size()])

    with pytest.raises(RuntimeError) as failure:
        op(ow.empty([1], device="meta"))

    assert str(failure.value) == (
        "new_dynamic_size: no symbols can be made here, so there is no size that is known only at "
        "run time\n"
        "  Call it in a fake kernel that runs under FakeTensorMode or make_fx; meta tensors alone "
        "have plain sizes.\n"
        "  in opwright::new_dynamic_size(min=0, max=None)"
    )


def test_b5_a_dynamic_size_is_an_unbacked_symbol_with_its_range(op):
    @op.register_fake
    def _(x, n):
        return x.new_empty([library.get_ctx().new_dynamic_size(min=2, max=9), n])

    with ow.FakeTensorMode() as mode:
        result = op(ow.empty([1]))

    size = result.shape[0]
    assert (str(size), size.hint, mode.shape_env.range(size)) == ("u0", None, (2, 9))


@pytest.mark.parametrize(
    ("bounds", "text"),
    [
        ({"min": -1}, "new_dynamic_size: a size is not negative, got min=-1"),
        (
            {"min": 3, "max": 2},
            "new_dynamic_size: max must be at least min, got min=3 and max=2",
        ),
    ],
)
def test_b5_bounds_of_a_dynamic_size_that_no_size_meets_are_refused(op, bounds, text):
    @op.register_fake
    def _(x, n):
        return x.new_empty([library.get_ctx().new_dynamic_size(**bounds)])

    with ow.FakeTensorMode(), pytest.raises(ValueError, match=f"^{text}\n"):
        op(ow.empty([1]))


def test_b5_a_branch_on_a_dynamic_size_names_both_lines_and_the_ways_out(op, here):
    @op.register_fake
    def _(x, n):
        return x.new_empty([library.get_ctx().new_dynamic_size()])  # made

    with ow.FakeTensorMode(), pytest.raises(RuntimeError) as failure:
        assert not op(ow.empty([1])).shape[0] > 3  # asked

    text = str(failure.value)
    assert text.startswith(f"cannot decide u0 >= 4 at {here('asked')}: u0 in [0, inf] (made at")
    assert f"(made at {here('made')})" in text
    assert "opwright.check_size(n, min=, max=)" in text
    assert "opwright.sym_max(a, b)" in text


def test_b6_a_missing_fake_kernel_names_register_fake_and_the_line(trial, here):
    trial.define("bare(Tensor x) -> Tensor")  # bare
    trial.impl("bare", lambda x: x.clone(), "CPU")

    with pytest.raises(NotImplementedError) as failure:
        ow.ops.trial.bare(ow.empty([1], device="meta"))

    assert str(failure.value) == (
        "trial::bare has no fake kernel (x is float32[1] on meta); it was defined at "
        f"{here('bare')}\n"
        '  Register one with m.register_fake("bare", ...) or '
        'opwright.library.register_fake("trial::bare").'
    )
