"""Operators that are not built in are not decomposed and keep their names."""

import opwright as ow
import pytest
from opwright import nn
from opwright.export import Dim, export


@pytest.fixture
def lib():
    with ow.library.Library("exported", "FRAGMENT") as library:
        library.define("twice(Tensor x) -> Tensor")
        library.impl("twice", lambda x: x * 2, "CPU")
        ow.library.register_fake("exported::twice", lambda x: ow.empty_like(x), lib=library)
        library.define("made_of_others(Tensor x, float factor) -> Tensor")
        library.impl(
            "made_of_others", lambda x, factor: x * factor + 1, "CompositeImplicitAutograd"
        )
        library.define("fill_(Tensor(a!) x, float value) -> Tensor(a!)")
        library.impl("fill_", lambda x, value: x.fill_(value), "CPU")
        ow.library.register_fake("exported::fill_", lambda x, value: x, lib=library)
        yield library


def names_of(program):
    return [use.name for use in program.operators]


def test_an_operator_with_a_kernel_is_one_node(lib):
    program = export(
        lambda x: ow.ops.exported.twice(x) + 1, (ow.ones(3),), dynamic_shapes=[{0: Dim("n")}]
    )

    assert names_of(program) == ["aten::add.Scalar", "exported::twice"]
    assert program(ow.ones(5)).tolist() == [3.0] * 5


@pytest.mark.parametrize("requires_grad", [False, True])
def test_an_operator_that_is_made_of_others_is_one_node(lib, requires_grad):
    x = ow.ones(3, requires_grad=requires_grad)

    program = export(lambda x: ow.ops.exported.made_of_others(x, 3.0), (x,))

    assert names_of(program) == ["exported::made_of_others"]
    assert program(ow.ones(3)).tolist() == [4.0, 4.0, 4.0]


def test_such_an_operator_trains_in_a_module(lib):
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(3, 2)

        def forward(self, x):
            return ow.ops.exported.made_of_others(self.linear(x), 3.0)

    model = Model()
    program = export(model, (ow.ones(1, 3),))
    module = program.module()

    module(ow.ones(1, 3)).sum().backward()

    assert "exported::made_of_others" in names_of(program)
    assert module.linear.bias.grad.tolist() == [3.0, 3.0]


def test_a_backward_inside_goes_through_operators_with_a_formula():
    def f(x):
        y = (x.sin() * x).sum()
        return ow.autograd.grad(y, x)[0]

    x = ow.randn(3, requires_grad=True)
    program = export(f, (x,))

    assert ow.allclose(program(x), x.cos() * x + x.sin())


def test_a_backward_inside_through_a_whole_operator_is_refused(lib):
    def f(x):
        y = ow.ops.exported.made_of_others(x, 3.0).sum()
        return ow.autograd.grad(y, x)[0]

    with pytest.raises(NotImplementedError, match="exported::made_of_others has no backward"):
        export(f, (ow.ones(3, requires_grad=True),))


def test_a_write_to_an_argument_is_made_at_the_end(lib):
    def f(x):
        ow.ops.exported.fill_(x, 7.0)
        return x + 1

    program = export(f, (ow.zeros(2),))
    given = ow.zeros(2)

    assert program(given).tolist() == [8.0, 8.0]
    assert given.tolist() == [7.0, 7.0]
    assert list(program.graph_signature.user_inputs_to_mutate.values()) == ["x"]


def test_decompositions_take_what_is_made_of_others_apart(lib):
    program = export(
        lambda x: ow.ops.exported.made_of_others(ow.ops.exported.twice(x), 3.0), (ow.ones(3),)
    )

    plain = program.run_decompositions()

    assert names_of(plain) == ["aten::add.Scalar", "aten::mul.Scalar", "exported::twice"]
    assert plain(ow.ones(3)).tolist() == program(ow.ones(3)).tolist()
    assert names_of(program) == ["exported::made_of_others", "exported::twice"]


def test_a_table_gives_the_functions_to_use(lib):
    program = export(lambda x: ow.ops.exported.twice(x), (ow.ones(3),))
    twice = ow.ops.exported.twice.default

    plain = program.run_decompositions({twice: lambda x: x + x})

    assert names_of(plain) == ["aten::add.Tensor"]
    assert plain(ow.ones(3)).tolist() == [2.0, 2.0, 2.0]


def test_core_operators_are_taken_apart_where_they_are_named():
    program = export(lambda x: x.softmax(-1).std(), (ow.ones(2, 3),))

    plain = program.run_decompositions()
    plainer = plain.run_decompositions([ow.ops.aten._softmax.default])

    assert names_of(program) == ["aten::_softmax", "aten::std.correction"]
    assert "aten::_softmax" in names_of(plain)
    assert "aten::std.correction" not in names_of(plain)
    assert {"aten::amax", "aten::exp"} < set(names_of(plainer))
    given = ow.randn(2, 3)
    assert plainer(given).item() == pytest.approx(program(given).item(), rel=1e-5)


def test_an_empty_table_changes_nothing(lib):
    program = export(lambda x: ow.ops.exported.made_of_others(x, 2.0), (ow.ones(3),))

    assert names_of(program.run_decompositions({})) == names_of(program)
    assert names_of(program.run_decompositions([])) == names_of(program)


def test_decompositions_keep_state_sizes_and_writes(lib):
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(ow.ones(3))
            self.register_buffer("count", ow.zeros(1))

        def forward(self, x):
            self.count += 1
            return ow.ops.exported.made_of_others(x * self.weight, 2.0)

    program = export(Model(), (ow.ones(4, 3),), dynamic_shapes=[{0: Dim("n")}])
    plain = program.run_decompositions()

    assert plain.graph_signature.input_specs == program.graph_signature.input_specs
    assert list(plain.graph_signature.buffers_to_mutate.values()) == ["count"]
    assert plain.range_constraints == program.range_constraints
    assert plain(ow.ones(9, 3)).shape == (9, 3)


def test_an_operator_without_a_decomposition_is_told(lib):
    program = export(lambda x: ow.ops.exported.twice(x), (ow.ones(3),))

    with pytest.raises(ValueError, match=":") as error:
        program.run_decompositions([ow.ops.exported.twice.default])
    assert str(error.value) == (
        "run_decompositions: exported::twice has no decomposition; give a function for it, "
        "{operator: function}"
    )


def test_what_is_no_operator_is_told(lib):
    program = export(lambda x: x + 1, (ow.ones(3),))

    with pytest.raises(TypeError, match="run_decompositions: expected operators such as"):
        program.run_decompositions(["aten::add"])
