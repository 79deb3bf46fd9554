"""Symbolic sizes of fake tensors: wherever a size is returned, and wherever one is accepted."""

import opwright as ow
import pytest
from opwright import FakeTensorMode


@pytest.fixture
def mode() -> FakeTensorMode:
    return FakeTensorMode()


@pytest.fixture
def x(mode) -> ow.Tensor:
    return mode.from_tensor(ow.zeros(8, 5), dynamic=True, source="x")


def guards(mode: FakeTensorMode) -> list[str]:
    return [guard.text for guard in mode.shape_env.guards]


def test_attributes_give_symbols(x):
    assert str(x.shape) == "(s0, s1)"
    assert str(x.size()) == "(s0, s1)"
    assert (str(x.size(1)), str(x.stride()), str(x.stride(0))) == ("s1", "(s1, 1)", "s1")
    assert (str(x.numel()), str(x.nbytes)) == ("s0*s1", "4*s0*s1")
    assert str(x[1:].storage_offset()) == "s1"
    assert repr(x) == "tensor(..., size=(s0, s1))"


def test_factories_take_symbols(mode, x):
    n, m = x.shape

    with mode:
        assert str(ow.zeros(n).shape) == "(s0,)"
        assert str(ow.zeros(n, 2).shape) == "(s0, 2)"
        assert str(ow.full((n, m), 1.0).shape) == "(s0, s1)"
        assert str(x.new_empty([2 * n, 3]).shape) == "(2*s0, 3)"
        assert str(ow.empty_strided((n, m), (m, 1)).stride()) == "(s1, 1)"
    assert guards(mode) == []


def test_views_take_symbols(mode, x):
    n, m = x.shape

    assert str(x.view(n, -1).shape) == "(s0, s1)"
    assert str(x.view(-1).shape) == "(s0*s1,)"
    assert str(x.reshape(n * m).shape) == "(s0*s1,)"
    assert str(x[None].expand(3, n, m).shape) == "(3, s0, s1)"
    assert str(x.t().shape) == "(s1, s0)"
    assert guards(mode) == []


def test_indices_take_symbols(mode, x):
    n, m = x.shape

    assert str(x[: n - 1].shape) == "(s0 - 1, s1)"
    assert str(x[::2].shape) == "((s0 + 1)//2, s1)"
    assert str(x[:, m - 1].shape) == "(s0,)"
    assert str(x[n - 1].shape) == "(s1,)"


def test_a_symbol_is_a_number_for_operators(mode, x):
    n = x.shape[0]

    assert str((x * n + n).shape) == "(s0, s1)"
    assert str((n * x).shape) == "(s0, s1)"
    assert str((n - x).shape) == "(s0, s1)"
    assert guards(mode) == []


def test_len_and_iteration_fix_the_size(mode, x, here):
    assert len(x) == 8  # len
    assert len(list(x)) == 8

    assert guards(mode) == ["s0 == 8"]
    assert mode.shape_env.guards[0].line == here("len")


def test_an_int_argument_fixes_the_size_with_the_line(mode, x, here):
    ow.library.define("trial_s::repeat", "(Tensor x, int count, int[] more) -> Tensor")
    ow.library.register_fake("trial_s::repeat", lambda x, count, more: x.new_empty([count, *more]))

    result = ow.ops.trial_s.repeat(x, x.shape[1], [x.shape[1], 2])  # fixed

    assert [type(size) for size in result.shape] == [int, int, int]
    assert result.shape == (5, 5, 2)
    assert guards(mode) == ["s1 == 5"]
    assert mode.shape_env.guards[0].line == here("fixed")


def test_a_float_argument_fixes_it_too(mode, x):
    @ow.library.custom_op("trial_s::scale", mutates_args=())
    def scale(x: ow.Tensor, factor: float) -> ow.Tensor:
        return x * factor

    @scale.register_fake
    def _(x, factor):
        assert factor == 8.0
        return ow.empty_like(x)

    scale(x, x.shape[0])

    assert guards(mode) == ["s0 == 8"]


def test_a_symint_argument_stays_symbolic(mode, x):
    ow.library.define("trial_s::grow", "(Tensor x, SymInt n, SymInt[] more) -> Tensor")
    ow.library.register_fake("trial_s::grow", lambda x, n, more: x.new_empty([n, *more]))

    result = ow.ops.trial_s.grow(x, x.shape[0] + 1, [x.shape[1], 2])

    assert str(result.shape) == "(s0 + 1, s1, 2)"
    assert guards(mode) == []


def test_choosing_an_overload_fixes_nothing(mode, x):
    ow.library.define("trial_s::over.real", "(Tensor x, float n) -> Tensor")
    ow.library.define("trial_s::over.whole", "(Tensor x, SymInt n) -> Tensor")
    for name in ("real", "whole"):
        ow.library.register_fake(f"trial_s::over.{name}", lambda x, n: x.new_empty([n]))

    assert str(ow.ops.trial_s.over(x, x.shape[0]).shape) == "(s0,)"
    assert guards(mode) == []


def test_a_condition_for_a_bool_argument_is_decided(mode, x, here):
    result = x.sum(0, x.shape[0] > 4)  # decided

    assert str(result.shape) == "(1, s1)"
    assert guards(mode) == ["s0 >= 5"]
    assert mode.shape_env.guards[0].line == here("decided")


def test_a_mismatch_of_sizes_is_an_error_of_the_operator(mode, x):
    y = mode.from_tensor(ow.zeros(8, 6), dynamic=True, source="y")

    with pytest.raises(ValueError, match="do not broadcast"):
        x + y


def test_a_size_that_is_negative_in_this_run_is_refused(mode, x):
    with mode, pytest.raises(ValueError, match="the size s0 - 100 is negative in"):
        ow.zeros(x.shape[0] - 100)


def test_a_size_that_may_be_negative_is_checked_at_run_time(mode):
    u = mode.shape_env.make_unbacked()

    with mode:
        ow.zeros(u - 3)

    assert [demand.text for demand in mode.shape_env.runtime_asserts] == ["u0 >= 3"]


def test_unbacked_sizes_pass_through_operators(mode):
    u = mode.shape_env.make_unbacked()

    with mode:
        x = ow.zeros(u, 4)
        y = (x.relu() + 1) @ ow.ones(4, 3)

    assert (str(y.shape), str(x.view(-1).shape), str(x[:2].shape)) == (
        "(u0, 3)",
        "(4*u0,)",
        "(min(u0, 2), 4)",
    )
    assert mode.shape_env.guards == []


def test_data_with_symbols_fixes_none_of_them(mode, x):
    n, m = x.shape

    with mode:
        made = ow.tensor([[n, m], [1, 2]])
        x[0, 0] = n

    assert (made.shape, made.dtype) == ((2, 2), ow.int64)
    assert guards(mode) == []


def test_data_of_real_tensors_fixes_them(mode, x):
    n, m = x.shape

    assert ow.tensor([n, m + 1]).tolist() == [8, 6]
    assert guards(mode) == ["s0 == 8", "s1 == 5"]


def test_a_condition_as_index_is_a_bool(mode, x):
    assert str(x[x.shape[0] > 4].shape) == "(1, s0, s1)"


def test_operators_give_and_take_symbols(mode, x):
    ow.library.define("trial_s::rows", "(Tensor x) -> SymInt")
    ow.library.define("trial_s::count", "(Tensor x) -> int")
    for name in ("rows", "count"):
        ow.library.register_fake(f"trial_s::{name}", lambda x: x.shape[0])

    assert str(ow.ops.trial_s.rows(x)) == "s0"
    assert guards(mode) == []
    assert ow.ops.trial_s.count(x) == 8
    assert guards(mode) == ["s0 == 8"]


def test_a_python_kernel_of_symbols_gets_them(mode, x):
    seen = []
    ow.library.define("trial_s::see", "(Tensor x, SymInt[] sizes, Scalar factor) -> Tensor")

    @ow.library.register_fake("trial_s::see")
    def _(x, sizes, factor):
        seen.extend([*sizes, factor])
        return x.new_empty(sizes)

    ow.ops.trial_s.see(x, x.shape, x.shape[0])

    assert [str(each) for each in seen] == ["s0", "s1", "s0"]


def test_an_author_may_hint_symbols():
    @ow.library.custom_op("trial_s::hinted", mutates_args=())
    def hinted(x: ow.Tensor, n: ow.SymInt) -> ow.Tensor: ...

    assert str(hinted.schema) == "trial_s::hinted(Tensor x, SymInt n) -> Tensor"
