"""The modules under opwright.compat: real ones, with names and no logic."""

import importlib
import sys
from types import ModuleType

import numpy as np
import opwright
import opwright.compat.torch as torch
import pytest
from opwright import library

MODULES = [
    "torch",
    "torch._dynamo",
    "torch._dynamo.exc",
    "torch._dynamo.testing",
    "torch._higher_order_ops",
    "torch._subclasses",
    "torch._subclasses.fake_tensor",
    "torch._utils",
    "torch.compiler",
    "torch.distributed",
    "torch.export",
    "torch.export.dynamic_shapes",
    "torch.export.exported_program",
    "torch.export.graph_signature",
    "torch.func",
    "torch.fx",
    "torch.fx._pytree",
    "torch.fx._symbolic_trace",
    "torch.fx.annotate",
    "torch.fx.experimental",
    "torch.fx.experimental.const_fold",
    "torch.fx.experimental.proxy_tensor",
    "torch.fx.experimental.rewriter",
    "torch.fx.experimental.symbolic_shapes",
    "torch.fx.graph",
    "torch.fx.graph_module",
    "torch.fx.interpreter",
    "torch.fx.node",
    "torch.fx.operator_schemas",
    "torch.fx.passes",
    "torch.fx.passes.dialect.common.cse_pass",
    "torch.fx.passes.fake_tensor_prop",
    "torch.fx.passes.infra.pass_base",
    "torch.fx.passes.infra.pass_manager",
    "torch.fx.passes.shape_prop",
    "torch.fx.passes.utils.matcher_utils",
    "torch.fx.passes.utils.matcher_with_name_node_map_utils",
    "torch.fx.passes.utils.source_matcher_utils",
    "torch.fx.proxy",
    "torch.fx.subgraph_rewriter",
    "torch.fx.tensor_type",
    "torch.fx.traceback",
    "torch.jit",
    "torch.library",
    "torch.nn",
    "torch.nn.functional",
    "torch.nn.init",
    "torch.nn.modules.lazy",
    "torch.nn.parameter",
    "torch.nn.utils",
    "torch.nn.utils.parametrizations",
    "torch.nn.utils.parametrize",
    "torch.nn.utils.rnn",
    "torch.nn.utils.stateless",
    "torch.onnx",
    "torch.special",
    "torch.onnx._type_utils",
    "torch.onnx.symbolic_helper",
    "torch.onnx.utils",
    "torch.profiler",
    "torch.testing",
    "torch.types",
    "torch.utils",
    "torch.utils._pytree",
    "torch.utils._python_dispatch",
    "torch.utils.cpp_extension",
    "torch.utils.deterministic",
    "torch.utils.dlpack",
    "torchair",
    "torchair.ge",
    "torch_npu",
    "torch_npu.meta",
    "torch_npu.meta._meta_registrations",
    "torchvision",
    "torchvision.transforms",
    "torchvision.transforms.functional",
]


@pytest.mark.parametrize("name", MODULES)
def test_every_path_is_a_real_module(name):
    module = importlib.import_module(f"opwright.compat.{name}")

    assert isinstance(module, ModuleType)
    assert sys.modules[f"opwright.compat.{name}"] is module


@pytest.mark.parametrize("name", sorted({*MODULES} - {"torch.distributed", "torch.jit"}))
def test_a_name_that_is_not_there_yet_says_so(name):
    module = importlib.import_module(f"opwright.compat.{name}")

    with pytest.raises(AttributeError) as failure:
        module.something_to_come  # noqa: B018

    assert str(failure.value) == (
        f"{name}.something_to_come is not available yet in opwright.compat"
    )
    assert not hasattr(module, "something_to_come")


def test_what_has_no_engine_yet_is_absent_and_not_a_stub():
    for name in ("compile", "vmap", "export", "nn", "onnx"):
        assert hasattr(torch, name) == hasattr(opwright, name), name
    assert hasattr(torch.library, "opcheck") == hasattr(opwright.library, "opcheck")


@pytest.mark.parametrize(
    "name",
    ["float32", "int64", "bool", "Tensor", "tensor", "from_numpy", "ones", "zeros", "device"],
)
def test_the_names_of_torch_are_those_of_the_package(name):
    assert getattr(torch, name) is getattr(opwright, name)


@pytest.mark.parametrize("name", ["no_grad", "enable_grad", "inference_mode", "autocast"])
def test_the_modes_of_torch_are_those_of_the_package(name):
    assert getattr(torch, name) is getattr(opwright, name)


def test_optimizers_are_those_of_the_package():
    from opwright.compat.torch import amp, optim

    assert optim.AdamW is opwright.optim.AdamW
    assert amp.autocast is opwright.autocast
    assert amp.custom_fwd is opwright.autograd.custom_fwd
    assert amp.custom_bwd is opwright.autograd.custom_bwd


def test_the_second_names_of_dtypes_are_there():
    assert torch.float is opwright.float32
    assert torch.double is opwright.float64
    assert torch.long is opwright.int64
    assert torch.half is opwright.float16


@pytest.mark.parametrize(
    "name",
    [
        "Library",
        "custom_op",
        "define",
        "get_ctx",
        "get_kernel",
        "impl",
        "infer_schema",
        "register_autocast",
        "register_autograd",
        "register_kernel",
        "register_vmap",
    ],
)
def test_torch_library_has_the_names_of_our_library(name):
    assert getattr(torch.library, name) is getattr(library, name)


def test_torch_ops_are_our_operators():
    assert torch.ops is opwright.ops
    assert torch.ops.aten.neg(torch.tensor([1.0])).tolist() == [-1.0]


def test_a_program_for_torch_runs_with_its_import_line_changed():
    source = """
import opwright.compat.torch as torch
from opwright.compat.torch import Tensor
from opwright.compat.torch.library import custom_op

@custom_op("trial_compat::add_one", mutates_args=())
def add_one(x: Tensor, scale: torch.types.Number = 1) -> Tensor:
    return x + torch.ones(x.shape[0], dtype=torch.float32) * scale

result = torch.ops.trial_compat.add_one(torch.from_numpy(array))
"""
    names = {"array": np.zeros(2, np.float32)}
    exec(source, names)

    assert names["result"].tolist() == [1.0, 1.0]


def test_the_vendors_library_registers_fake_kernels():
    from opwright.compat.torch_npu.meta._meta_registrations import m

    with library.Library("npu", "FRAGMENT") as lib:
        lib.define("npu_add_trial(Tensor x, Tensor y) -> Tensor")

        @torch.library.impl(m, "npu_add_trial")
        def npu_add_trial_meta(x, y):
            return x.new_empty(x.shape)

        x = opwright.empty([2, 3], device="meta")
        assert tuple(torch.ops.npu.npu_add_trial(x, x).shape) == (2, 3)


@pytest.mark.parametrize("shape", [(1, 4, 5), (3, 4, 5), (4, 4, 5)])
def test_an_image_becomes_a_tensor_and_back(shape):
    pytest.importorskip("PIL")
    from opwright.compat.torchvision.transforms.functional import pil_to_tensor, to_pil_image

    array = np.arange(np.prod(shape), dtype=np.uint8).reshape(shape)

    image = to_pil_image(opwright.from_numpy(array))

    assert image.size == (5, 4)
    np.testing.assert_array_equal(pil_to_tensor(image).numpy(), array)


def test_a_floating_image_is_scaled():
    pytest.importorskip("PIL")
    from opwright.compat.torchvision.transforms.functional import pil_to_tensor, to_pil_image

    image = to_pil_image(opwright.tensor([[0.0, 0.5, 1.0]]))

    assert pil_to_tensor(image).tolist() == [[[0, 127, 255]]]


def test_what_is_no_image_is_refused():
    pytest.importorskip("PIL")
    from opwright.compat.torchvision.transforms.functional import to_pil_image

    with pytest.raises(ValueError, match=r"got shape \(7, 2, 2\)"):
        to_pil_image(opwright.zeros(7, 2, 2))
    with pytest.raises(TypeError, match="expected a floating or uint8 tensor"):
        to_pil_image(opwright.zeros(1, 2, 2, dtype=opwright.int64))


def test_symbols_and_fakes_have_torchs_paths():
    from opwright.compat.torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
    from opwright.compat.torch.fx.experimental.symbolic_shapes import ShapeEnv

    assert FakeTensor is opwright.FakeTensor
    assert issubclass(FakeTensorMode, opwright.FakeTensorMode)
    assert isinstance(ShapeEnv(tracked_fakes=[], duck_shape=False), opwright.ShapeEnv)
    assert (torch.SymInt, torch.SymBool) == (opwright.SymInt, opwright.SymBool)
    assert (torch.sym_max(1, 2), torch.sym_min(1, 2), torch.sym_not(True)) == (2, 1, False)


def test_torch_check_takes_a_function_as_message():
    with pytest.raises(ValueError, match="too small"):
        torch._check(2 > 3, lambda: "too small")


def test_torch_check_is_size_refuses_a_negative_one():
    with pytest.raises(ValueError, match="the size -1 must be at least 0"):
        torch._check_is_size(-1)


def test_graphs_and_tracing_have_torchs_paths():
    from opwright.compat.torch import fx

    assert fx.Graph is fx.graph.Graph
    assert fx.Node is fx.node.Node
    assert fx.GraphModule is fx.graph_module.GraphModule
    assert issubclass(fx.GraphModule, opwright.nn.Module)


def test_transforms_control_flow_and_trees_have_torchs_paths():
    from opwright.compat.torch._higher_order_ops import cond, while_loop
    from opwright.compat.torch.func import functionalize, vmap
    from opwright.compat.torch.utils import _pytree

    assert functionalize is opwright.func.functionalize
    assert torch.vmap is vmap is opwright.vmap
    assert torch.cond is cond
    assert while_loop is opwright.while_loop
    assert _pytree.tree_map(str, {"a": [1, None]}) == {"a": ["1", "None"]}


def test_a_traced_program_for_torch_runs_with_its_import_lines_changed():
    source = """
import opwright.compat.torch as torch
from opwright.compat.torch.func import functionalize
from opwright.compat.torch.fx.experimental.proxy_tensor import make_fx

def f(x):
    x = x.clone()
    x[0].mul_(2)
    return torch.cond(x.sum() > 3, lambda x: x.sin(), lambda x: x.cos(), (x,))

traced = make_fx(functionalize(f), tracing_mode="symbolic")(torch.ones(3, 2))
targets = [node.target for node in traced.graph.nodes if node.op == "call_function"]
other = torch.zeros(5, 2)
same = torch.allclose(traced(other), f(other))
"""
    names = {}
    exec(source, names)

    assert torch.ops.aten.mul_.Tensor not in names["targets"]
    assert torch.ops.aten.mul.Tensor in names["targets"]  # with the number, as in PyTorch
    assert names["same"]


def test_modules_of_the_package_that_are_loaded_hide_none_of_compat():
    names = ("compiler", "export", "library", "nn", "onnx")
    for name in names:
        importlib.import_module(f"opwright.{name}")

    for name in names:
        assert getattr(torch, name).__name__ == f"opwright.compat.torch.{name}"
