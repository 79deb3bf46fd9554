"""Graph mode: map npu_add_custom to the vendor's engine, and run a model there."""

import unittest
from typing import Any

import numpy as np
import opwright.compat.torch as torch
import opwright.compat.torchair as torchair
from device import DEVICE
from opwright.compat.torch.library import impl
from opwright.compat.torch_npu.meta._meta_registrations import m
from opwright.compat.torchair import register_fx_node_ge_converter
from opwright.compat.torchair.ge import Tensor


# Computes the sizes and the dtype of the result, without data.
@impl(m, "npu_add_custom")
def npu_add_custom_meta(x, y):
    return torch.empty_like(x)


# A call becomes a node AddCustom; its prototype is in op_plugin_patch/add_custom_prototype.cpp.
@register_fx_node_ge_converter(torch.ops.npu.npu_add_custom.default)
def convert_npu_add_custom(x: Tensor, y: Tensor, z: Tensor = None, meta_outputs: Any = None):
    return torchair.ge.custom_op(
        "AddCustom",
        inputs={
            "x": x,
            "y": y,
        },
        outputs=["z"],
    )


class Model(torch.nn.Module):
    def forward(self, x, y):
        return torch.ops.npu.npu_add_custom(x, y)


class TestCustomAdd(unittest.TestCase):
    def setUp(self):
        config = torchair.CompilerConfig()
        npu_backend = torchair.get_npu_backend(compiler_config=config)
        self.model = torch.compile(Model(), backend=npu_backend, dynamic=True)

    def test_add_custom_in_graph(self):
        x = torch.from_numpy(np.fromfile("data/x.bin", np.float32).reshape(8, 2048))
        y = torch.from_numpy(np.fromfile("data/y.bin", np.float32).reshape(8, 2048))

        output = self.model(x.to(DEVICE), y.to(DEVICE))

        assert output.device.type == DEVICE
        output.cpu().numpy().tofile("data/output_graph.bin")
        eager = torch.ops.npu.npu_add_custom(x.to(DEVICE), y.to(DEVICE))
        np.testing.assert_array_equal(output.cpu().numpy(), eager.cpu().numpy())

    def test_one_graph_serves_all_sizes(self):
        for rows in (4, 7, 9):
            x = torch.rand(rows, 5).to(DEVICE)
            np.testing.assert_array_equal(self.model(x, x).cpu().numpy(), (x + x).cpu().numpy())
        assert self.model.num_compiles == 1


if __name__ == "__main__":
    print(f"graph mode on {DEVICE}")
    unittest.main()
