"""vmap inside and outside of the other transforms."""

import opwright as ow
import pytest
from opwright import Tensor, library, make_fx, vmap
from opwright.func import functionalize

from .samples import assert_same, counted


@pytest.fixture
def normalize() -> ow.Operator:
    """Divide a sample by its largest element."""

    @library.custom_op("trial_vmap_with::normalize", mutates_args=())
    def normalize(x: Tensor, dim: int) -> Tensor:
        return x / x.amax(dim, keepdim=True)

    @normalize.register_fake
    def _(x, dim):
        return ow.empty_like(x)

    @normalize.register_vmap
    def _(info, in_dims, x, dim):
        return normalize(x.movedim(in_dims[0], 0), dim if dim < 0 else dim + 1), 0

    return normalize


def calls_in(graph: ow.Graph) -> list[str]:
    return [node.target.name for node in graph.nodes if node.op == "call_function"]


# ---- make_fx ----


def test_a_mapped_function_is_traced_as_a_plain_graph(normalize):
    x = counted(3, 2) + 1

    traced = make_fx(vmap(lambda x: normalize(x.sin(), 0)))(x)

    assert calls_in(traced.graph) == ["aten::sin", "aten::permute", "trial_vmap_with::normalize"]
    assert_same(traced(x), normalize(x.sin(), 1))


@pytest.mark.parametrize("tracing_mode", ["real", "fake", "symbolic"])
def test_the_graph_computes_what_the_mapped_function_does(normalize, tracing_mode):
    y = counted(2)
    mapped = vmap(lambda x: normalize(x * y + 1, 0) - x, in_dims=1, out_dims=1)
    x = counted(2, 3)

    traced = make_fx(mapped, tracing_mode=tracing_mode)(x)

    assert_same(traced(x), mapped(x))


def test_the_size_of_the_batch_stays_dynamic(normalize):
    sizes = []

    @normalize.register_vmap
    def _(info, in_dims, x, dim):
        sizes.append(info.batch_size)
        return normalize(x, dim + 1), in_dims[0]

    mapped = vmap(lambda x, y: normalize(x, 0) * y)
    traced = make_fx(mapped, tracing_mode="symbolic")(counted(3, 4) + 1, counted(3))

    assert str(sizes[0]) == "s0"
    assert "guard" not in str(traced.graph)
    x, y = counted(7, 5) + 1, counted(7)
    assert_same(traced(x, y), mapped(x, y))


def test_batches_that_must_be_equal_share_a_symbol():
    traced = make_fx(vmap(ow.mul), tracing_mode="symbolic")(counted(3, 2), counted(3, 2))

    with pytest.raises(ValueError, match="s0"):
        traced(counted(3, 2), counted(4, 2))


def test_an_output_that_is_the_same_for_all_samples_is_repeated_by_the_dynamic_size():
    y = counted(2)

    traced = make_fx(vmap(lambda x: y + 1), tracing_mode="symbolic")(counted(3, 4))

    assert tuple(traced(counted(9, 4)).shape) == (9, 2)


def test_a_sample_that_is_written_writes_the_batch_when_the_graph_runs():
    traced = make_fx(vmap(lambda x, y: x.add_(y)))(counted(3, 2), counted(3, 2))

    x = counted(3, 2)
    traced(x, counted(3, 2))

    assert_same(x, counted(3, 2) * 2)


def test_a_function_is_traced_inside_of_a_mapped_one():
    graphs = []

    def f(x):
        traced = make_fx(lambda x: x.sin() + 1)(x)
        graphs.append(traced.graph)
        return traced(x)

    x = counted(3, 2)

    assert_same(vmap(f)(x), x.sin() + 1)
    assert "%x: float32[2]" in str(graphs[0])
    assert calls_in(graphs[0]) == ["aten::sin", "aten::add.Scalar"]


def test_a_graph_is_mapped_as_a_function_is(normalize):
    traced = make_fx(lambda x: normalize(x + 1, 0), tracing_mode="fake")(counted(2))
    x = counted(3, 2)

    assert_same(vmap(traced)(x), normalize(x + 1, 1))


def test_random_numbers_are_drawn_anew_by_the_graph():
    traced = make_fx(vmap(lambda x: x + ow.rand(3), randomness="different"))(ow.zeros(2, 3))

    first, second = traced(ow.zeros(2, 3)), traced(ow.zeros(2, 3))

    assert len({*first.flatten().tolist(), *second.flatten().tolist()}) == 12


def test_the_same_numbers_are_drawn_for_all_samples_of_a_graph():
    def f(x):
        return ow.bernoulli(x)

    traced = make_fx(vmap(f, randomness="same"))(ow.full((4, 32), 0.5))

    assert len({tuple(row.tolist()) for row in traced(ow.full((4, 32), 0.5))}) == 1


# ---- functionalize ----


def test_functionalize_around_vmap_writes_the_batch_at_the_end():
    y = ow.ones(2)

    def f(x):
        x.mul_(2)
        return x + y

    x = counted(3, 2)
    returned = functionalize(vmap(f))(x)

    assert_same(x, counted(3, 2) * 2)
    assert_same(returned, counted(3, 2) * 2 + 1)


def test_functionalize_inside_vmap_writes_the_sample_at_the_end():
    def f(x, y):
        x.mul_(y)
        return x + 1

    x = counted(3, 2)
    returned = vmap(functionalize(f))(x, counted(3))

    assert_same(x, counted(3, 2) * counted(3).unsqueeze(1))
    assert_same(returned, x + 1)


def test_a_traced_functional_mapped_function_writes_nothing_on_the_way():
    def f(x):
        x.mul_(2)
        return x + 1

    traced = make_fx(functionalize(vmap(f)))(counted(3, 2))

    assert calls_in(traced.graph) == ["aten::mul.Scalar", "aten::add.Scalar", "aten::copy_"]


# ---- Fake tensors and grad mode ----


def test_fake_tensors_are_mapped(normalize):
    mode = ow.FakeTensorMode()
    x = mode.from_tensor(counted(3, 2))
    with mode:
        given = vmap(lambda x: normalize(x, 0) + ow.ones(2), out_dims=1)(x)

    assert isinstance(given, ow.FakeTensor)
    assert tuple(given.shape) == (2, 3)


def test_requires_grad_of_a_sample_is_its_own():
    flags = []

    def f(x):
        x.requires_grad_()
        flags.append(x.requires_grad)
        return x.detach() * 2

    x = counted(3, 2)
    vmap(f)(x)

    assert flags == [True]
    assert not x.requires_grad
