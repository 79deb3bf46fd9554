"""Calls of the package as users write them, for mypy --strict and for the module at run time.

A line of `refused` must be an error: a comment that no error needs is an error itself. The other
functions also run.
"""

# ruff: noqa: B015, B018, F841
import copy
from types import ModuleType
from typing import Any, assert_type

import numpy as np
import opwright as ow
from numpy.typing import NDArray
from opwright import cpp_extension, nn
from opwright.library import Library, Tag, custom_op


@custom_op("typed::gain", mutates_args=(), tags=Tag.pointwise)
def gain(x: ow.Tensor, factor: float = 2.0) -> ow.Tensor:
    return x * factor


@gain.register_fake
def _(x: ow.Tensor, factor: float = 2.0) -> ow.Tensor:
    return ow.empty_like(x)


@gain.register_kernel("cpu")
def gain_cpu(x: ow.Tensor, factor: float = 2.0) -> ow.Tensor:
    return x.mul(factor)


@custom_op("typed::fill", mutates_args=["x"])
def fill(x: ow.Tensor, *, value: int) -> None:
    x.fill_(value)


def call_custom_operators() -> None:
    x = ow.tensor([1.0, 2.0])
    assert_type(gain(x), ow.Tensor)
    assert_type(gain(x, factor=3.0), ow.Tensor)
    assert_type(gain_cpu(x), ow.Tensor)
    fill(x, value=1)
    assert_type(gain.name(), str)
    assert_type(gain.schema.arguments[0].name, str)
    assert_type(gain.tags, list[ow.library.Tag])
    with gain.set_kernel_enabled("cpu", False):
        gain(x)

    def backward(ctx: Any, grad: ow.Tensor) -> tuple[ow.Tensor, None]:
        return grad * ctx.factor, None

    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: ow.Tensor) -> None:
        _, ctx.factor = inputs

    gain.register_autograd(backward, setup_context=setup_context)
    ow.library.register_autocast(gain, "cpu", ow.float16)


def use_a_library() -> None:
    with Library("typed_library", "FRAGMENT") as lib:
        assert_type(lib.define("twice(Tensor x) -> Tensor", tags=[Tag.core, "pointwise"]), str)
        lib.impl("twice", lambda x: x + x, "CPU")

        @ow.library.impl("typed_library::twice", "meta", lib=lib)
        def twice_meta(x: ow.Tensor) -> ow.Tensor:
            return ow.empty_like(x)

        @ow.library.define(lib, "thrice(Tensor x) -> Tensor")
        def thrice(x: ow.Tensor) -> ow.Tensor:
            return x + x + x

        assert_type(thrice(ow.ones(2)), ow.Tensor)
        assert_type(ow.library.define("typed::later(Tensor x) -> Tensor").name(), str)
        assert_type(ow.library.get_kernel("typed_library::twice", "cpu").slot, str)


def call_operators_by_name() -> None:
    x = ow.ones(2)
    assert_type(ow.ops.aten.add.Tensor.name(), str)
    assert_type(ow.ops.aten.add.overloads(), list[str])
    ow.ops.aten.add(x, x)
    ow.ops.aten.add.Tensor(x, x, alpha=2)


def make_tensors() -> None:
    assert_type(ow.zeros(2, 3), ow.Tensor)
    ow.zeros([2, 3], dtype=ow.float64, device="cpu", requires_grad=True)
    ow.zeros((2, 3), device=ow.device("cpu"))
    ow.empty(2, memory_format=ow.contiguous_format)
    ow.full([2], 1.5, dtype=ow.float)
    ow.arange(3)
    ow.arange(0, 3, 0.5)
    ow.tensor([[1, 2], [3, 4]], dtype="float32")
    ow.tensor((1.0, 2j))
    ow.tensor(range(3))
    ow.as_tensor(np.ones(3))
    ow.frombuffer(bytearray(8), ow.uint8, offset=4)


def compute() -> None:
    x = ow.ones(2, 3)
    assert_type(x + 1, ow.Tensor)
    assert_type(1 - x, ow.Tensor)
    assert_type(x * np.float32(2), ow.Tensor)
    assert_type(x @ x.T, ow.Tensor)
    assert_type(x == 1, ow.Tensor)
    assert_type(x < x, ow.Tensor)
    assert_type(x.add(1, alpha=2).sub_(x).mul(2j), ow.Tensor)
    assert_type(ow.sin(x).sum(0, keepdim=True), ow.Tensor)
    assert_type(ow.sum(x, [0, 1]), ow.Tensor)
    assert_type(x.allclose(x), bool)
    assert_type(ow.equal(x, x), bool)
    assert_type(x.view(3, 2).permute(1, 0).reshape([6]), ow.Tensor)
    assert_type(x.new_zeros(2, 3, dtype=ow.int64), ow.Tensor)
    x += 1
    x.requires_grad = False


def ask_tensors() -> None:
    x = ow.ones(2, 3)
    assert_type(x.shape, ow.Size)
    assert_type(x.size(0), int)
    assert_type(x.stride(), tuple[int, ...])
    assert_type(x.dtype, ow.dtype)
    assert_type(x.device.index, int | None)
    assert_type(float(x[0, 0]), float)
    assert_type(bool(x[0, 0]), bool)
    assert_type(len(x), int)
    assert_type(copy.deepcopy(x), ow.Tensor)
    for row in x:
        assert_type(row, ow.Tensor)


def index() -> None:
    x = ow.ones(2, 3)
    assert_type(x[0], ow.Tensor)
    assert_type(x[..., None, 1:], ow.Tensor)
    x[0, ::2] = 5
    x[1] = ow.zeros(3)
    x[1] = [1, 2, 3]


def convert() -> None:
    x = ow.ones(2)
    assert_type(x.to(ow.float64), ow.Tensor)
    x.to(float)
    x.to("cpu", ow.int64, copy=True)
    x.to(x)
    x.to(device="cpu", dtype="int64")
    assert_type(x.int().bool(), ow.Tensor)


def exchange() -> None:
    x = ow.ones(2)
    assert_type(x.numpy(), NDArray[Any])
    assert_type(ow.from_numpy(x.numpy()), ow.Tensor)
    assert_type(ow.from_dlpack(x), ow.Tensor)
    ow.from_dlpack(np.ones(2))
    np.from_dlpack(x)
    memoryview(x)


class Residual(nn.Module):
    def __init__(self, size: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(size)
        self.scale = nn.Parameter(ow.ones(size))

    def forward(self, x: ow.Tensor, factor: float = 1.0) -> ow.Tensor:
        changed: ow.Tensor = self.norm(x)
        return x + self.scale * changed * factor


def build_modules() -> None:
    model = nn.Sequential(Residual(2), nn.ReLU())
    assert_type(model.to(ow.float64), nn.Sequential)
    assert_type(model.to("cpu", ow.float32).eval(), nn.Sequential)
    assert_type(model[0], nn.Module)
    assert_type(model[1:], nn.Sequential)
    assert_type(Residual(2).norm.weight, nn.Parameter | None)
    assert_type(model.state_dict(), dict[str, ow.Tensor])
    assert_type(nn.functional.relu(ow.ones(2)), ow.Tensor)
    assert_type(nn.init.zeros_(nn.Parameter(ow.ones(2))), nn.Parameter)
    for name, parameter in model.named_parameters():
        assert_type(name, str)
        assert_type(parameter, nn.Parameter)
    with model.register_forward_hook(lambda module, args, output: None):
        model(ow.ones(1, 2))


def scale_in_place(x: ow.Tensor, factor: float = 2.0) -> ow.Tensor:
    return x.clone().mul_(factor)


def trace_functions() -> None:
    traced = ow.make_fx(scale_in_place, tracing_mode="symbolic")(ow.ones(2, 3))
    assert_type(traced, ow.GraphModule)
    traced(ow.ones(4, 5))
    assert_type(traced.code, str)
    assert_type(traced.print_readable(print_output=False), str)
    assert_type(traced.functionalize().decompose([ow.ops.aten.mul.Tensor]), ow.GraphModule)
    assert_type(traced.graph.guards[:1], list[ow.symbolic.Guard])
    ow.make_fx(gain, {ow.ops.aten.mul.Tensor: lambda x, y: x * y}, functional=True)


def change_a_graph() -> None:
    graph = ow.Graph.parse("graph(%x: float32[2]) -> (%y) { %y: float32[2] = aten::neg(%x) }")
    neg = graph.find_nodes(op="call_function", target=ow.ops.aten.neg.default)[0]
    assert_type(neg, ow.Node)
    assert_type(neg.users, dict[ow.Node, None])
    assert_type(neg.prev, ow.Node | None)
    assert_type(neg.location, str | None)
    with graph.inserting_after(neg):
        exp = graph.insert_call(ow.ops.aten.exp.default, (neg,), name="z")
    graph.set_outputs(exp)
    exp.name = "w"
    assert_type(graph.copy(), ow.Graph)
    assert_type(graph.eliminate_dead_code(), int)
    assert_type(graph == ow.Graph.parse(str(graph)), bool)
    graph(ow.ones(2))


def make_fake_tensors() -> None:
    with ow.FakeTensorMode() as mode:
        assert_type(mode, ow.FakeTensorMode)
        gain(ow.empty(1 << 20, 1 << 20, device="cuda"))
    x = mode.from_tensor(ow.ones(4, 3), dynamic=[0])
    assert_type(x, ow.Tensor)
    assert_type(x.is_fake, bool)
    assert_type(mode.shape_env.guards, list[ow.symbolic.Guard])
    n = mode.shape_env.make_backed(8)
    assert_type(n, ow.SymInt)
    assert_type(2 * n + 1, ow.SymInt)
    assert_type(n == 8, ow.SymBool)
    assert_type(ow.sym_max(n, 2), int | ow.SymInt)
    ow.check_size(n, min=2, max=64)


def use_trees_and_control_flow() -> None:
    leaves, spec = ow.pytree.tree_flatten({"x": [ow.ones(2), None]})
    assert_type(leaves, list[Any])
    assert_type(spec, ow.pytree.TreeSpec)
    assert_type(spec.num_leaves, int)
    ow.pytree.tree_unflatten(leaves, spec)
    x = ow.ones(2)
    ow.cond(x.sum() > 0, lambda x: x * 2, lambda x: -x, (x,))
    ow.while_loop(lambda n: n > 0, lambda n: (n - 1,), (ow.tensor(3),))
    assert_type(ow.func.functionalize(scale_in_place)(x, factor=3.0), ow.Tensor)


def compile_extensions() -> None:
    source = "torch::Tensor twice(torch::Tensor x) { return x + x; }"
    module = cpp_extension.load_inline("typed_twice", source, functions=["twice"])
    assert_type(module, ModuleType)
    module.twice(ow.ones(2))
    path = cpp_extension.load_inline("typed_path", source, is_python_module=False)
    assert_type(path, str)


def refused() -> None:
    x = ow.ones(2)
    gain("x")  # type: ignore[arg-type]
    gain(x, 2.0, 3.0)  # type: ignore[call-arg]
    fill(x, 1)  # type: ignore[call-arg]
    gain.nothing  # type: ignore[attr-defined]
    custom_op("typed::unmarked")  # type: ignore[call-overload]
    Library("typed", "DEFINE")  # type: ignore[arg-type]
    ow.zeros("2")  # type: ignore[arg-type]
    ow.zeros(2.5)  # type: ignore[call-overload]
    ow.zeros(2, dtype="float64")  # type: ignore[call-overload]
    ow.zeros(2, dtype=float)  # type: ignore[call-overload]
    ow.tensor("12")  # type: ignore[arg-type]
    ow.tensor([1], ow.float32)  # type: ignore[call-arg]
    ow.sin(1.0)  # type: ignore[arg-type]
    ow.nothing  # type: ignore[attr-defined]
    ow.add(2, x)  # type: ignore[call-overload]
    x.sum(keepdim="yes")  # type: ignore[call-overload]
    x.add("1")  # type: ignore[call-overload]
    x + "1"  # type: ignore[operator]
    x < "1"  # type: ignore[operator]
    x["a"]  # type: ignore[index]
    x[[0]]  # type: ignore[index]
    x[0] = "a"  # type: ignore[assignment]
    x.shape = (2,)  # type: ignore[misc, assignment]
    x.nothing  # type: ignore[attr-defined]
    x.to(memory_format="channels_last")  # type: ignore[call-overload]
    ow.from_numpy([1])  # type: ignore[arg-type]
    ow.from_dlpack([1])  # type: ignore[arg-type]
    ow.make_fx(gain, tracing_mode="traced")  # type: ignore[arg-type]
    ow.func.functionalize(scale_in_place)("x")  # type: ignore[arg-type]
    ow.Graph("graph()")  # type: ignore[arg-type]
    ow.Graph().insert_call(gain, [x])  # type: ignore[arg-type]
    ow.Graph().nodes[0].op = "output"  # type: ignore[misc]
    ow.FakeTensorMode(3)  # type: ignore[arg-type]
    ow.check_size("3")  # type: ignore[arg-type]
    ow.ops.aten.add.Tensor.nothing  # type: ignore[attr-defined]
    cpp_extension.load_inline("typed", 3)  # type: ignore[call-overload]
    nn.Linear("2", 3)  # type: ignore[arg-type]
    nn.Sequential(3)  # type: ignore[call-overload]
    path: str = cpp_extension.load_inline("typed", "")  # type: ignore[assignment]


RUN = (
    call_custom_operators,
    use_a_library,
    call_operators_by_name,
    make_tensors,
    compute,
    ask_tensors,
    index,
    convert,
    exchange,
    build_modules,
    trace_functions,
    change_a_graph,
    make_fake_tensors,
    use_trees_and_control_flow,
    compile_extensions,
)
