"""Exporting a function: its inputs, its outputs, and its description."""
# Covers: python/bindings/export/*.

import dataclasses
import gc
from typing import NamedTuple

import opwright as ow
import pytest
from opwright import _C
from opwright.export import (
    ConstantArgument,
    Dim,
    ExportedProgram,
    InputKind,
    OutputKind,
    SymIntArgument,
    TensorArgument,
    export,
)


@dataclasses.dataclass
class Pair:
    left: ow.Tensor
    right: ow.Tensor | None


class Point(NamedTuple):
    x: ow.Tensor
    y: ow.Tensor


def scale(x, factor=2.0, *, shift=None):
    return x * factor if shift is None else x * factor + shift


def test_a_program_computes_what_the_function_computes():
    x = ow.randn(4, 3)

    program = export(lambda x: ow.relu(x).sum(0), (x,))

    assert isinstance(program, ExportedProgram)
    assert ow.equal(program(x), ow.relu(x).sum(0))


def test_sizes_without_a_dim_are_fixed():
    program = export(lambda x: x + 1, (ow.ones(4, 3),))

    with pytest.raises(ValueError, match="dimension 0 of the argument 'x' must be 4, got 5"):
        program(ow.ones(5, 3))


def test_a_size_with_a_dim_may_vary_within_its_bounds():
    shapes = {"x": {0: Dim("batch", min=2, max=64)}}
    program = export(lambda x: x + 1, (ow.ones(4, 3),), dynamic_shapes=shapes)

    assert program.range_constraints == {"batch": (2, 64)}
    assert repr(program.range_constraints) == "{'batch': [2, 64]}"
    for size in (2, 3, 64):
        assert program(ow.ones(size, 3)).shape == (size, 3)


def test_the_graph_has_the_names_of_the_dims():
    shapes = {"x": {0: Dim("batch"), 1: Dim("length")}}
    program = export(lambda x: x.sum(0), (ow.ones(4, 3),), dynamic_shapes=shapes)

    assert "%x: float32[batch, length]" in str(program.graph)


def test_containers_go_in_and_out():
    def f(batch, rest):
        return [batch["x"] + rest[0], {"z": (rest[1].left, None)}]

    arguments = ({"x": ow.ones(2)}, (ow.ones(2), Pair(ow.zeros(2), None)))
    program = export(f, arguments)

    result = program(*arguments)

    assert ow.equal(result[0], ow.full([2], 2.0))
    assert ow.equal(result[1]["z"][0], ow.zeros(2))
    assert result[1]["z"][1] is None


def test_named_tuples_go_in_and_out():
    program = export(lambda p: Point(p.y, p.x), (Point(ow.ones(1), ow.zeros(1)),))

    result = program(Point(ow.ones(1), ow.zeros(1)))

    assert isinstance(result, Point)
    assert ow.equal(result.x, ow.zeros(1))


def test_user_inputs_are_called_by_where_they_stand():
    def f(x, pair, batch, *rest, mask, **more):
        return x + pair[0] + pair[1].left + batch["m"] + rest[0] + mask + more["z"]

    one = ow.ones(2)
    program = export(
        f, (one, (one, Pair(one, None)), {"m": one}, one), {"mask": one, "z": one, "n": 3}
    )

    specs = program.graph_signature.input_specs
    assert [spec.target for spec in specs] == [
        "x",
        "pair[0]",
        "pair[1].left",
        'batch["m"]',
        "rest[0]",
        "mask",
        "z",
        "n",
    ]
    assert [spec.arg.name for spec in specs[:5]] == [
        "x",
        "pair_0",
        "pair_1_left",
        "batch_m",
        "rest_0",
    ]


def test_keyword_arguments_are_inputs():
    program = export(scale, (ow.ones(2),), {"shift": ow.ones(2)})

    assert program(ow.ones(2), shift=ow.zeros(2)).tolist() == [2.0, 2.0]


def test_arguments_may_be_given_by_position_or_by_name():
    def f(x, y, z):
        return x - y * z

    x, y, z = ow.full([1], 5.0), ow.full([1], 2.0), ow.full([1], 3.0)
    for program in (export(f, (x, y, z)), export(f, (x,), {"z": z, "y": y})):
        for result in (program(x, y, z), program(x, z=z, y=y), program(z=z, y=y, x=x)):
            assert result.tolist() == [-1.0]


def test_an_argument_after_one_that_was_left_out_has_no_place():
    def f(x, y=None, z=None):
        return x if z is None else x + z

    program = export(f, (ow.ones(1),), {"z": ow.ones(1)})

    assert program(ow.ones(1), z=ow.ones(1)).tolist() == [2.0]
    with pytest.raises(TypeError, match=r"it takes 1 by position \(x\), got 2"):
        program(ow.ones(1), ow.ones(1))


def test_plain_values_are_part_of_the_program():
    program = export(scale, (ow.ones(2), 3.0))

    assert program(ow.ones(2), 3.0).tolist() == [3.0, 3.0]
    specs = program.graph_signature.input_specs
    assert specs[1].arg == ConstantArgument("factor", 3.0)
    assert program.graph_signature.user_inputs == ("x", 3.0)


def test_plain_results_are_part_of_the_program():
    program = export(lambda x: (x, 3, "text", None, 2.5, True), (ow.ones(2),))

    assert program(ow.ones(2))[1:] == (3, "text", None, 2.5, True)
    assert program.graph_signature.user_outputs == ("x", 3, "text", 2.5, True)


def test_sizes_can_be_results():
    shapes = {"x": {0: Dim("n")}}
    program = export(lambda x: (2 * x.shape[0], x), (ow.ones(3),), dynamic_shapes=shapes)

    assert program(ow.ones(5))[0] == 10
    assert program.graph_signature.output_specs[0].arg == SymIntArgument("2*n")


def test_an_int_with_a_dim_is_an_input():
    shapes = {"x": None, "count": Dim.DYNAMIC}
    program = export(lambda x, count: x * count, (ow.ones(2), 3), dynamic_shapes=shapes)

    assert program(ow.ones(2), 7).tolist() == [7.0, 7.0]
    assert isinstance(program.graph_signature.input_specs[1].arg, SymIntArgument)


def test_the_same_tensor_given_twice_stays_two_inputs():
    x = ow.ones(3)

    program = export(lambda a, b: a + 10 * b, (x, x))

    assert program(ow.full([3], 1.0), ow.full([3], 2.0)).tolist() == [21.0, 21.0, 21.0]
    assert program.graph_signature.user_inputs == ("a", "b")


def test_a_written_argument_is_written_by_the_program():
    def f(x, y):
        x.add_(y)
        return x.sum()

    program = export(f, (ow.zeros(3), ow.ones(3)))
    given = ow.full([3], 2.0)

    assert program(given, ow.ones(3)).item() == 9.0
    assert given.tolist() == [3.0, 3.0, 3.0]
    assert list(program.graph_signature.user_inputs_to_mutate.values()) == ["x"]
    kinds = [spec.kind for spec in program.graph_signature.output_specs]
    assert kinds == [OutputKind.USER_INPUT_MUTATION, OutputKind.USER_OUTPUT]


def test_the_examples_are_not_written():
    given = ow.zeros(3)

    export(lambda x: x.add_(1), (given,))

    assert given.tolist() == [0.0, 0.0, 0.0]


def test_tensors_of_closures_are_constants():
    table = ow.tensor([1.0, 2.0])

    program = export(lambda x: x * table, (ow.ones(2),))

    assert program(ow.ones(2)).tolist() == [1.0, 2.0]
    (constant,) = program.constants.values()
    assert constant is table
    kinds = [spec.kind for spec in program.graph_signature.input_specs]
    assert kinds == [InputKind.CONSTANT_TENSOR, InputKind.USER_INPUT]


def test_a_written_closure_is_written_in_the_program_alone():
    count = ow.zeros(1)

    def f(x):
        count.add_(1)
        return x * count

    program = export(f, (ow.ones(1),))
    results = [program(ow.ones(1)).item() for _ in range(3)]

    assert results == [1.0, 2.0, 3.0]
    assert count.item() == 0.0
    assert program.graph_signature.non_persistent_buffers == program.graph_signature.buffers


def test_random_numbers_are_drawn_anew_in_each_run():
    program = export(lambda x: ow.nn.functional.dropout(x, 0.5), (ow.ones(64),))

    ow.manual_seed(3)
    first, second = program(ow.ones(64)), program(ow.ones(64))
    ow.manual_seed(3)

    assert not ow.equal(first, second)
    assert ow.equal(program(ow.ones(64)), first)


def test_the_mode_around_an_export_does_not_matter():
    weight = ow.nn.Linear(3, 2)
    with ow.no_grad():
        program = export(weight, (ow.ones(1, 3),))

    program(ow.ones(1, 3)).sum().backward()

    assert weight.weight.grad is not None


def test_no_grad_inside_the_function_is_kept():
    layer = ow.nn.Linear(3, 2)

    def f(x):
        with ow.no_grad():
            y = layer(x)
        return y * x.sum()

    x = ow.ones(1, 3, requires_grad=True)
    export(f, (ow.ones(1, 3, requires_grad=True),))(x).sum().backward()

    assert layer.weight.grad is None
    assert x.grad is not None


def test_inference_mode_around_an_export_does_not_matter():
    with ow.inference_mode():
        program = export(lambda x: x * 2, (ow.ones(2),))
    x = ow.ones(2, requires_grad=True)

    program(x).sum().backward()

    assert x.grad.tolist() == [2.0, 2.0]


def test_an_export_inside_a_transform_names_it():
    with pytest.raises(TypeError) as error:
        ow.vmap(lambda x: export(lambda a: a + 1, (x,))(x))(ow.ones(3, 2))
    assert str(error.value) == (
        "export: the argument 'a' is a tensor of vmap; export the function outside, and call the "
        "program inside"
    )


def test_a_fake_tensor_gives_its_sizes():
    with ow.FakeTensorMode() as mode:
        fake = mode.from_tensor(ow.ones(2))

    program = export(lambda x: x + 1, (fake,))

    assert program(ow.ones(2)).tolist() == [2.0, 2.0]
    assert program.example_inputs is None


def test_a_tensor_with_symbolic_sizes_is_no_argument():
    fake = ow.FakeTensorMode(ow.ShapeEnv()).from_tensor(ow.ones(4), dynamic=True)

    with pytest.raises(TypeError, match=r"export: the argument 'x' has symbolic sizes, got"):
        export(lambda x: x, (fake,))


def test_a_program_can_be_called_inside_a_transform():
    program = export(lambda x: x.sin().sum(), (ow.ones(3),))
    x = ow.randn(5, 3)

    assert ow.allclose(ow.vmap(program)(x), x.sin().sum(1))
    assert ow.allclose(ow.func.grad(program)(x[0]), x[0].cos())


def test_what_is_not_callable_is_refused():
    with pytest.raises(TypeError, match="export: expected a module or a function, got int"):
        export(3, (ow.ones(2),))


def test_arguments_are_a_tuple():
    with pytest.raises(TypeError, match="export: args must be a tuple of arguments, got Tensor"):
        export(lambda x: x, ow.ones(2))


def test_an_array_is_no_argument():
    numpy = pytest.importorskip("numpy")

    with pytest.raises(TypeError) as error:
        export(lambda x, rest: x, (ow.ones(2), [numpy.ones(2)]))
    assert str(error.value) == (
        "export: the argument 'rest[0]' is a numpy.ndarray; give a tensor, opwright.as_tensor(...)"
    )


def test_an_int_that_does_not_fit_is_refused():
    with pytest.raises(OverflowError, match="64 bits"):
        export(lambda x, n: x, (ow.ones(2), 2**70))


def test_keyword_arguments_are_a_dict():
    with pytest.raises(TypeError, match="export: kwargs must be a dict of arguments, got list"):
        export(lambda x: x, (ow.ones(2),), [1])


def test_changing_the_graph_does_not_change_the_program():
    program = export(lambda x: x.sin(), (ow.ones(2),))
    (sin,) = program.graph.find_nodes(op="call_function")

    program.graph.set_outputs(program.graph.insert_call(ow.ops.aten.neg.default, (sin,)))

    assert ow.equal(program(ow.ones(2)), ow.ones(2).sin())
    assert [use.name for use in program.operators] == ["aten::sin"]


def test_an_export_leaves_no_tensor_behind():
    layer = ow.nn.Linear(3, 2)
    x = ow.ones(4, 3)
    export(layer, (x,), dynamic_shapes=[{0: Dim("n")}])
    gc.collect()
    before = _C.live_counts()

    for _ in range(3):
        export(layer, (x,), dynamic_shapes=[{0: Dim("n")}])(x)
    with pytest.raises(ValueError, match="Use instead"):
        export(layer, (x,), dynamic_shapes=[{1: Dim("n")}])
    gc.collect()

    assert _C.live_counts() == before


def test_a_result_that_a_program_cannot_give_is_named():
    with pytest.raises(TypeError) as error:
        export(lambda x: {"a": x, "b": object()}, (ow.ones(2),))
    assert str(error.value) == (
        "export: test_a_result_that_a_program_cannot_give_is_named.<locals>.<lambda> returned "
        'result["b"] of type builtins.object, which a graph cannot return; return tensors, '
        "numbers, strings, None, or tuples, lists, dicts and dataclasses of them"
    )


def test_example_inputs_are_the_arguments_as_they_were_given():
    x, y = ow.ones(2), ow.zeros(2)

    program = export(lambda x, y, n: x + y, (x,), {"y": y, "n": 3})

    args, kwargs = program.example_inputs
    assert args[0] is x
    assert kwargs["y"] is y
    assert kwargs["n"] == 3
    assert ow.equal(program(*args, **kwargs), x)


def test_strict_means_the_same():
    program = export(lambda x: x + 1, (ow.ones(2),), strict=True)

    assert program(ow.ones(2)).tolist() == [2.0, 2.0]


def test_the_operators_are_listed_with_their_schemas():
    program = export(lambda x: x.sin() + 1, (ow.ones(2),))

    assert [use.name for use in program.operators] == ["aten::add.Scalar", "aten::sin"]
    assert program.operators[1].schema == "aten::sin(Tensor self) -> Tensor"


def test_the_text_of_a_program_tells_all():
    shapes = {"x": {0: Dim("n", max=9)}}
    program = export(lambda x: x + 1, (ow.ones(3),), dynamic_shapes=shapes)

    assert str(program).splitlines()[:9] == [
        "program",
        "inputs",
        "  user x: %x float32[n]",
        "outputs",
        "  user: %add",
        "sizes",
        "  symbol n in [1, 9], hint 3, from x.size(0)",
        "operators",
        "  aten::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
    ]


def test_the_code_of_the_graph_can_be_read(capsys):
    program = export(lambda x: x + 1, (ow.ones(3),))

    text = program.print_readable()

    assert capsys.readouterr().out.rstrip() == text.rstrip()
    assert "aten.add" in text
    assert program.graph_module.code.startswith("def forward(self, x):")
    assert program.graph_module.graph == program.graph


def test_a_tensor_argument_is_a_tensor_of_the_graph():
    program = export(lambda x: x + 1, (ow.ones(3),))

    assert program.graph_signature.input_specs[0].arg == TensorArgument("x")
    assert program.graph_signature.user_outputs == ("add",)


def test_a_constant_that_is_not_used_is_no_part_of_the_program():
    def f(x):
        ow.tensor(3)
        return x * 2

    assert export(f, (ow.ones(2),)).constants == {}


def test_a_constant_has_its_path_in_the_module():
    model = ow.nn.Module()
    model.inner = ow.nn.Module()
    model.inner.table = ow.ones(2)
    model.forward = lambda x: x * model.inner.table

    assert list(export(model, (ow.ones(2),)).constants) == ["inner.table"]
