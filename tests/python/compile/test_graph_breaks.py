"""What no graph can represent: rejected under fullgraph, run eagerly otherwise."""

import warnings

import opwright as ow
import pytest


def _numpy(x):
    return x + float(x.numpy().sum())


def _item(x):
    return x * (x * 2).sum().item()


def _branch(x):
    if x.sum() > 0:
        return x + 1
    return x - 1


def _tolist(x):
    return x + len((x * 2).tolist())


CASES = {"numpy": _numpy, "item": _item, "branch": _branch, "tolist": _tolist}


@pytest.mark.parametrize("name", CASES)
def test_fullgraph_refuses_with_line_cause_and_both_ways_out(name):
    f = CASES[name]

    with pytest.raises(ow.GraphBreakError) as error:
        ow.compile(f, fullgraph=True)(ow.ones(3))

    text = str(error.value)
    line = f.__code__.co_firstlineno + 1
    assert text.startswith("compile: with fullgraph=True the function must be one graph, but ")
    assert f"{__file__}:{line}" in text
    assert "opwright.library.custom_op, register_fake" in text
    assert "fullgraph=False" in text
    assert isinstance(error.value, RuntimeError)


@pytest.mark.parametrize("name", CASES)
def test_otherwise_the_call_keeps_eager_meaning_and_says_so_once(name):
    f = CASES[name]
    compiled = ow.compile(f)

    with pytest.warns(ow.PerformanceWarning, match="runs eagerly for such arguments"):
        assert ow.equal(compiled(ow.ones(3)), f(ow.ones(3)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ow.equal(compiled(ow.ones(3) * -1), f(ow.ones(3) * -1))

    assert compiled.num_compiles == 0
    assert len(compiled.breaks) == 1
    assert f"{__file__}:{f.__code__.co_firstlineno + 1}" in compiled.breaks[0]


def test_a_break_for_some_tensors_leaves_others_compiled():
    def f(x):
        return x * x.sum().item() if x.dtype is ow.float64 else x * 2

    compiled = ow.compile(f)
    with pytest.warns(ow.PerformanceWarning):
        compiled(ow.ones(2).double())
    assert compiled(ow.ones(2)).tolist() == [2.0, 2.0]
    assert compiled.num_compiles == 1


def test_each_side_effect_happens_once():
    seen = []

    def f(x):
        seen.append("before")
        x.add_(1)
        total = x.sum().item()
        seen.append(total)
        x.mul_(total)
        return x

    compiled = ow.compile(f)
    x = ow.zeros(2)
    with pytest.warns(ow.PerformanceWarning):
        assert compiled(x) is x

    assert seen == ["before", 2.0]
    assert x.tolist() == [2.0, 2.0]


def test_an_operator_without_a_fake_kernel_is_named():
    @ow.library.custom_op("compile_test::no_fake", mutates_args=())
    def no_fake(x: ow.Tensor) -> ow.Tensor:
        return x * 2

    def f(x):
        return no_fake(x) + 1

    with pytest.raises(ow.GraphBreakError, match="compile_test::no_fake"):
        ow.compile(f, fullgraph=True)(ow.ones(2))
    with pytest.warns(ow.PerformanceWarning, match="compile_test::no_fake"):
        assert ow.compile(f)(ow.ones(2)).tolist() == [3.0, 3.0]


def test_a_custom_operator_with_a_fake_kernel_is_part_of_the_graph():
    @ow.library.custom_op("compile_test::with_fake", mutates_args=())
    def with_fake(x: ow.Tensor, factor: float) -> ow.Tensor:
        return ow.from_numpy(x.numpy() * factor)

    @with_fake.register_fake
    def _(x, factor):
        return ow.empty_like(x)

    @ow.compile(fullgraph=True)
    def f(x):
        return with_fake(x + 1, 2.0) * 3

    for _ in range(2):
        assert f(ow.ones(2)).tolist() == [12.0, 12.0]
    assert f.num_compiles == 1


def test_a_mutable_custom_operator_is_part_of_the_graph():
    @ow.library.custom_op("compile_test::fill_twice", mutates_args=("x",))
    def fill_twice(x: ow.Tensor, y: ow.Tensor) -> None:
        x.copy_(y * 2)

    @fill_twice.register_fake
    def _(x, y):
        return None

    @ow.compile(fullgraph=True)
    def f(x, y):
        scratch = ow.empty_like(y)
        fill_twice(scratch, y)
        fill_twice(x, scratch)
        return scratch + 1

    for _ in range(2):
        x = ow.zeros(2)
        assert f(x, ow.ones(2)).tolist() == [3.0, 3.0]
        assert x.tolist() == [4.0, 4.0]


def test_pil_breaks_a_graph():
    image = pytest.importorskip("PIL.Image")

    def f(x):
        return ow.tensor(list(image.fromarray(x.numpy()).size)) + 1

    with pytest.raises(ow.GraphBreakError, match="numpy"):
        ow.compile(f, fullgraph=True)(ow.zeros(2, 3).to(ow.uint8))


class _Opaque:
    pass


def test_an_unknown_object_given_to_an_operator_is_the_functions_own_error():
    def f(x):
        return ow.add(x, _Opaque())

    with pytest.raises(TypeError, match="_Opaque"):
        ow.compile(f, fullgraph=True)(ow.ones(1))


def test_an_array_as_an_argument_is_not_frozen_into_the_graph():
    numpy = pytest.importorskip("numpy")

    def f(x, array):
        return x + ow.from_numpy(array)

    compiled = ow.compile(f)
    array = numpy.ones(2, dtype=numpy.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert compiled(ow.ones(2), array).tolist() == [2.0, 2.0]
        array[:] = 5
        assert compiled(ow.ones(2), array).tolist() == [6.0, 6.0]
