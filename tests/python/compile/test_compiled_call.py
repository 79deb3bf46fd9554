"""Calls of compiled functions: results, arguments, and when they are compiled again."""
# Covers: python/bindings/compile/*.

import opwright as ow
import pytest
from opwright import nn


def test_a_compiled_function_gives_what_the_function_gives():
    def f(x, y):
        return ow.sin(x) * y + 1

    x, y = ow.randn(4), ow.randn(4)
    compiled = ow.compile(f)

    assert ow.allclose(compiled(x, y), f(x, y))
    assert ow.allclose(compiled(y, x), f(y, x))
    assert compiled.num_compiles == 1


def test_compile_is_a_decorator_with_and_without_options():
    @ow.compile
    def twice(x):
        return x + x

    @ow.compile(fullgraph=True, dynamic=False, backend="plan")
    def thrice(x):
        return x * 3

    assert twice(ow.ones(2)).tolist() == [2.0, 2.0]
    assert thrice(ow.ones(2)).tolist() == [3.0, 3.0]
    assert twice.__name__ == "twice"


def test_arguments_by_name_and_in_containers_are_taken():
    @ow.compile
    def f(pair, *, scale=1.0, flag=False):
        a, b = pair["first"], pair["rest"][0]
        return (a - b if flag else a + b) * scale

    pair = {"first": ow.ones(2), "rest": [ow.full([2], 3.0)]}

    assert f(pair).tolist() == [4.0, 4.0]
    assert f(pair, flag=True, scale=2.0).tolist() == [-4.0, -4.0]
    assert f(pair, scale=2.0, flag=True).tolist() == [-4.0, -4.0]
    assert f.num_compiles == 2


def test_results_keep_their_structure_with_none_and_constants():
    @ow.compile
    def f(x):
        return {"sum": x + 1, "parts": (x * 2, None, 7), "name": "f", "dtype": x.dtype}

    f(ow.ones(1))
    result = f(ow.zeros(1))

    assert result["sum"].tolist() == [1.0]
    assert result["parts"][0].tolist() == [0.0]
    assert result["parts"][1:] == (None, 7)
    assert result["name"] == "f"
    assert result["dtype"] is ow.float32


def test_an_input_that_is_returned_is_the_callers_own_tensor():
    @ow.compile
    def f(x, y):
        return y, x

    x, y = ow.ones(2), ow.zeros(2)

    for _ in range(2):
        first, second = f(x, y)
        assert first is y
        assert second is x


def test_a_view_that_is_returned_shares_memory_with_the_input():
    @ow.compile
    def f(x):
        return x[1:].view(-1)

    x = ow.zeros(3, 2)
    f(x)
    f(x).add_(1)

    assert x.tolist() == [[0.0, 0.0], [1.0, 1.0], [1.0, 1.0]]


def test_a_written_input_has_its_new_value_and_version():
    @ow.compile
    def f(x):
        x.mul_(2)
        y = x[0]
        y.add_(1)
        return x, y

    x = ow.ones(2, 2)
    before = x._version
    result, row = f(x)

    assert x.tolist() == [[3.0, 3.0], [2.0, 2.0]]
    assert result is x
    assert x._version > before
    row.zero_()
    assert x[0].tolist() == [0.0, 0.0]


def test_a_fused_loop_does_not_overwrite_what_it_reads_by_a_view():
    def scaled(x):
        y = ow.sort(x, dim=-1, descending=True)[0]
        return ow.where(y > y[..., :1] * 0.5, y * 2.0, 0.0)

    x = ow.randn(4, 5)

    assert ow.equal(ow.compile(scaled)(x), scaled(x))


def test_scalar_arguments_are_guarded_by_value():
    @ow.compile
    def f(x, n, name):
        return x * n if name == "mul" else x + n

    x = ow.ones(1)

    assert f(x, 2, "mul").item() == 2.0
    assert f(x, 3, "mul").item() == 3.0
    assert f(x, 3, "add").item() == 4.0
    assert f(x, 3.0, "add").item() == 4.0
    assert f(x, True, "add").item() == 2.0
    assert f.num_compiles == 5
    assert f.recompile_reasons[0] == "n is 3, it was 2"
    assert f.recompile_reasons[1] == "name is 'add', it was 'mul'"


def test_dtype_and_strides_are_guarded():
    @ow.compile
    def f(x):
        return x + 1

    x = ow.ones(2, 3)
    assert f(x).stride() == (3, 1)
    assert f(x.double()).dtype is ow.float64
    assert f(ow.ones(3, 2).t()).stride() == (1, 2)
    assert f.num_compiles == 3
    assert f.recompile_reasons == [
        "x has dtype float64, it had float32",
        "x has dtype float32, it had float64",
    ]


def test_the_same_tensor_twice_is_another_guard_set_than_two():
    @ow.compile
    def f(x, y):
        x.add_(1)
        return y * 2

    assert f(ow.ones(1), ow.ones(1)).item() == 2.0
    x = ow.ones(1)
    assert f(x, x).item() == 4.0
    assert f(ow.ones(1), ow.ones(1)).item() == 2.0
    assert f.num_compiles == 2


def test_memory_that_inputs_share_and_a_function_writes_is_guarded():
    @ow.compile
    def f(x, y):
        x.add_(1)
        return y.sum()

    base = ow.zeros(4)
    assert f(ow.zeros(2), ow.zeros(2)).item() == 0.0
    assert f(base[:2], base[2:]).item() == 0.0
    assert f(base[:2], base[1:3]).item() == 2.0
    assert base.tolist() == [2.0, 2.0, 0.0, 0.0]


def test_grad_mode_is_guarded():
    @ow.compile
    def f(x):
        return x + 1, ow.is_grad_enabled()

    x = ow.ones(1)
    seen = [f(x)[1]]
    with ow.no_grad():
        seen += [f(x)[1], f(x)[1]]
    seen.append(f(x)[1])

    assert seen == [True, False, False, True]
    assert f.num_compiles == 2
    assert f.recompile_reasons == ["grad mode is off, it was on"]


def test_under_a_transform_it_is_the_function_itself():
    def f(x):
        return ow.sin(x) * x

    compiled = ow.compile(f)
    x = ow.randn(3)

    assert ow.equal(ow.vmap(compiled)(x), ow.vmap(f)(x))
    assert ow.equal(ow.func.grad(lambda x: compiled(x).sum())(x), ow.sin(x) + x * ow.cos(x))
    assert compiled.num_compiles == 0
    traced = ow.make_fx(compiled)(x)
    assert [node.name for node in traced.graph.nodes][1:3] == ["sin", "mul"]


def test_a_fake_argument_is_for_the_function_itself():
    compiled = ow.compile(lambda x: x + 1)
    with ow.FakeTensorMode() as mode:
        fake = mode.from_tensor(ow.ones(2))
        assert compiled(fake).shape == (2,)
    assert compiled.num_compiles == 0


def test_random_operators_draw_new_numbers_on_each_call():
    @ow.compile
    def f(x):
        return x + ow.rand(4), ow.rand_like(x)

    def plain(x):
        return x + ow.rand(4), ow.rand_like(x)

    x = ow.zeros(4)
    f(x)
    ow.manual_seed(3)
    compiled = [f(x), f(x)]
    ow.manual_seed(3)
    expected = [plain(x), plain(x)]

    for ours, theirs in zip(compiled, expected, strict=True):
        assert ow.equal(ours[0], theirs[0])
        assert ow.equal(ours[1], theirs[1])


def test_a_method_and_its_object_are_taken():
    class Holder:
        def __init__(self, scale):
            self.scale = scale

        @ow.compile
        def apply(self, x):
            return x * self.scale

    two, three = Holder(2.0), Holder(3.0)

    assert two.apply(ow.ones(1)).item() == 2.0
    assert three.apply(ow.ones(1)).item() == 3.0
    assert two.apply(ow.ones(1)).item() == 2.0
    assert ow.compile(two.apply)(ow.ones(1)).item() == 2.0


def test_what_cannot_be_compiled_is_refused_with_its_class():
    with pytest.raises(TypeError, match="compile: a function or a module must be given, got int"):
        ow.compile(3)
    with pytest.raises(TypeError, match="compile: dynamic must be None, True or False, got str"):
        ow.compile(lambda x: x, dynamic="yes")
    with pytest.raises(ValueError, match=r"there is no backend 'nothing', only .*llvm"):
        ow.compile(lambda x: x, backend="nothing")


def test_a_result_that_no_graph_can_give_is_a_break():
    def f(x):
        return {"layer": nn.Identity(), "x": x + 1}

    with pytest.raises(ow.GraphBreakError, match=r'f returns result\["layer"\] of type .*Identity'):
        ow.compile(f, fullgraph=True)(ow.ones(1))
    with pytest.warns(ow.PerformanceWarning, match="which a graph cannot return"):
        assert ow.compile(f)(ow.ones(1))["x"].item() == 2.0


def test_an_error_of_the_function_is_the_callers():
    @ow.compile
    def f(x):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        f(ow.ones(1))


def test_an_error_of_an_option_is_raised():
    class Undecided:
        def __bool__(self):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        ow.compile(lambda x: x, fullgraph=Undecided())
