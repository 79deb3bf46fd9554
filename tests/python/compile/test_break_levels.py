"""Graph breaks inside transforms and calls, and what is rejected."""

import contextlib
import inspect

import opwright as ow
import pytest

from .eager_meaning import check_equals_eager, compiled, ramp

pytestmark = pytest.mark.filterwarnings("ignore")


# ---- Levels and calls inside ----


def test_a_break_inside_grad_leaves_it_active():
    def f(x):
        def loss(y):
            scale = y.detach().sum().item()
            return (y * y * scale).sum()

        return ow.func.grad(loss)(x * 2)

    check_equals_eager(f, ramp)


def test_a_read_inside_vmap_is_refused_as_eagerly():
    def f(x):
        return ow.vmap(lambda row: row * row.sum().item())(x)

    with pytest.raises(RuntimeError, match="all samples of the batch at once") as eager:
        f(ramp())
    with pytest.raises(RuntimeError, match="all samples of the batch at once") as error:
        compiled(f)(ramp())
    assert type(error.value) is type(eager.value)


def test_a_tensor_outside_of_vmap_may_be_read_inside():
    def f(x):
        total = x.sum()
        return ow.vmap(lambda row: row * total.item())(x * 2)

    check_equals_eager(f, ramp)


def test_a_read_in_a_branch_of_cond_is_refused():
    def f(x):
        return ow.cond(x.sum() > 0, lambda y: y * y.sum().item(), lambda y: y, (x,))

    with pytest.raises(RuntimeError, match="a recorded program cannot depend on data"):
        compiled(f)(ramp())


def test_vmap_works_on_both_sides():
    def f(x):
        y = ow.vmap(lambda row: row * row.sum())(x)
        y.sum().item()
        return ow.vmap(lambda row: row - row.max())(y)

    check_equals_eager(f, ramp)


def test_a_compiled_function_inside_breaks_with_its_caller():
    inner = compiled(lambda x: x * x.sum().item())

    def f(x):
        y = inner(x + 1)
        return inner(y) * 2

    check_equals_eager(f, ramp)


def test_a_compiled_function_after_a_break_is_compiled():
    inner = compiled(lambda x: x * 2 + 1)

    def f(x):
        (x * 1).sum().item()
        return inner(x)

    check_equals_eager(f, ramp)


def test_autocast_is_not_applied_twice():
    def f(x):
        with ow.autocast("cpu", dtype=ow.bfloat16):
            y = x @ x.t()
            with ow.autocast("cpu", enabled=False):
                z = x @ x.t()
            y.sum().item()
            return y, z, x @ x.t()

    check_equals_eager(f, ramp)


# ---- Errors ----


class UnusualError(Exception):
    pass


def test_an_exception_after_the_break_is_the_functions_own():
    def f(x):
        x.add_(1)
        raise UnusualError(x.sum().item())

    x = ow.ones(2)

    with pytest.raises(UnusualError, match=r"^4\.0$"):
        compiled(f)(x)
    assert x.tolist() == [2, 2]


def test_a_call_that_fails_gives_the_eager_error_after_the_writes():
    def f(x, y):
        x.add_(1)
        try:
            return x + y
        except ValueError as error:
            return str(error), x * 2

    check_equals_eager(f, ramp, lambda: ow.ones(7))


def test_a_recorded_call_that_fails_on_data_is_not_hidden():
    def f(x, places):
        y = x.index_select(0, places)
        with contextlib.suppress(Exception):
            y.sum().item()
        return y

    with pytest.raises(IndexError):
        compiled(f)(ramp(), ow.tensor([7]))


def line_of(function, text):
    lines, first = inspect.getsourcelines(function)
    return first + next(i for i, line in enumerate(lines) if text in line)


@pytest.mark.parametrize(
    ("read", "cause"),
    [
        (lambda y: y.sum().item(), r"item\(\) reads the data of a tensor \(float32\[\]\)"),
        (lambda y: bool(y.sum() > 0), r"bool\(\) reads the data of a tensor \(bool\[\]\)"),
        (lambda y: y.numpy(), r"numpy\(\) reads the data of a tensor \(float32\[2, 3\]\)"),
        (lambda y: y.tolist(), r"tolist\(\) reads the data"),
        (lambda y: str(y), r"print\(\) reads the data"),
        (lambda y: int((y > 0).sum()), r"Python needs the value of a number"),
    ],
)
def test_fullgraph_refuses_with_line_cause_and_ways_out(read, cause):
    def f(x):
        y = x * 2
        value = read(y)
        return y, value

    x = ramp()
    with pytest.raises(ow.GraphBreakError, match=cause) as error:
        compiled(f, fullgraph=True)(x)

    assert "test_break_levels.py:" in str(error.value)
    assert "custom_op" in str(error.value)
    assert "fullgraph=False" in str(error.value)


def test_fullgraph_names_the_line_of_a_branch():
    def f(x):
        if x.sum() > 0:  # here
            return x
        return -x

    with pytest.raises(ow.GraphBreakError, match=rf"test_break_levels.py:{line_of(f, '# here')}\b"):
        compiled(f, fullgraph=True)(ramp())


def test_fullgraph_names_the_operator_without_a_fake_kernel():
    @ow.library.custom_op("breaks_c::opaque", mutates_args=())
    def opaque(x: ow.Tensor) -> ow.Tensor:
        return ow.from_numpy(x.numpy() * 2)

    with pytest.raises(ow.GraphBreakError, match="breaks_c::opaque has no fake kernel"):
        compiled(lambda x: opaque(x), fullgraph=True)(ramp())


def test_fullgraph_is_not_fooled_by_a_caught_error():
    def f(x):
        try:
            return x * x.sum().item()
        except RuntimeError:
            return x

    with pytest.raises(ow.GraphBreakError):
        compiled(f, fullgraph=True)(ramp())


def test_an_error_of_the_function_stays_its_own_under_fullgraph():
    with pytest.raises(ValueError, match="add") as error:
        compiled(lambda x: x + ow.ones(7), fullgraph=True)(ramp())
    assert not isinstance(error.value, ow.GraphBreakError)


def test_fullgraph_writes_nothing():
    def f(x):
        x.add_(1)
        return x.sum().item()

    x = ow.ones(2)
    with pytest.raises(ow.GraphBreakError):
        compiled(f, fullgraph=True)(x)
    assert x.tolist() == [1, 1]
