"""Seed 004, unchanged except for imports: meta kernel, converter, eager and graph mode.

What the seed leaves to other files is added: the vendor's list, a kernel, and a model.
"""

from pathlib import Path
from types import SimpleNamespace

import opwright as ow
import pytest

DECLARATION = "custom:\n  - func: npu_add_custom(Tensor x, Tensor y) -> Tensor\n"
PROTOTYPE = "AddCustom(x: ALL, y: ALL) -> (z: ALL)"

META = """
import torch
from torch_npu.meta._meta_registrations import m
from torch.library import impl
@impl(m, "npu_add_custom")
def npu_add_custom_meta(x, y):
    return torch.empty_like(x)
"""

CONVERTER = """
import torch
import torchair
from typing import Any
from torchair import register_fx_node_ge_converter
from torchair.ge import Tensor
@register_fx_node_ge_converter(torch.ops.npu.npu_add_custom.default)
def convert_npu_add_custom(x: Tensor, y: Tensor, z: Tensor = None, meta_outputs: Any = None):
    return torchair.ge.custom_op(
        "AddCustom",
        inputs={
            "x": x,
            "y": y,
        },
        outputs=['z']
    )
"""

MODEL = """
import torch
import torchair

class Model(torch.nn.Module):
    def forward(self, x, y):
        return torch.ops.npu.npu_add_custom(x, y)

npu_backend = torchair.get_npu_backend(compiler_config=torchair.CompilerConfig())
model = torch.compile(Model(), backend=npu_backend, dynamic=True)
"""


def run(source: str) -> SimpleNamespace:
    """Run a part of the seed with the vendors' names replaced in its import lines."""
    lines = []
    for line in source.splitlines():
        for name in ("torchair", "torch_npu", "torch"):
            if line == f"import {name}":
                line = f"import opwright.compat.{name} as {name}"
            elif line.startswith((f"from {name} ", f"from {name}.")):
                line = line.replace("from ", "from opwright.compat.", 1)
        lines.append(line)
    names: dict[str, object] = {"__name__": "seed"}
    exec(compile("\n".join(lines), "<seed>", "exec"), names)
    return SimpleNamespace(**names)


@pytest.fixture(scope="module")
def seed(tmp_path_factory) -> SimpleNamespace:
    path = Path(tmp_path_factory.mktemp("seed_004"), "op_plugin_functions.yaml")
    path.write_text(DECLARATION)
    lib = ow.declare.load(path, namespace="npu")
    if not any(slot == "CPU" for slot, _ in ow.ops.npu.npu_add_custom.default.implementations()):
        lib.impl("npu_add_custom", lambda x, y: x + y, "CPU")
    ow.ge.reg_op(PROTOTYPE)
    run(META)
    run(CONVERTER)
    return SimpleNamespace(**vars(run(MODEL)), lib=lib)


def test_the_meta_kernel_gives_sizes_without_data(seed):
    with ow.FakeTensorMode():
        x = ow.empty(2, 3)
        assert tuple(ow.ops.npu.npu_add_custom(x, x).shape) == (2, 3)


def test_the_operator_is_a_node_add_custom(seed):
    graph = ow.ge.convert(seed.Model(), (ow.ones(2), ow.ones(2)))

    assert [op.type for op in graph.ops] == ["Data", "Data", "AddCustom", "NetOutput"]
    assert graph.ops[2].output_descriptors[0][0] == "z"


def test_graph_mode_gives_what_eager_mode_gives(seed):
    for rows in (8, 3):
        x, y = ow.rand(rows, 64), ow.rand(rows, 64)
        assert ow.equal(seed.model(x, y), ow.ops.npu.npu_add_custom(x, y))
    assert seed.model.num_compiles == 1
