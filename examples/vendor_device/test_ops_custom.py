"""Eager mode: call npu_add_custom like any other operator."""

import unittest

import numpy as np
import opwright.compat.torch as torch
from device import DEVICE


class TestCustomAdd(unittest.TestCase):
    def test_add_custom(self):
        x = torch.from_numpy(np.fromfile("data/x.bin", np.float32).reshape(8, 2048))
        y = torch.from_numpy(np.fromfile("data/y.bin", np.float32).reshape(8, 2048))

        output = torch.ops.npu.npu_add_custom(x.to(DEVICE), y.to(DEVICE))

        assert output.device.type == DEVICE
        output.cpu().numpy().tofile("data/output_eager.bin")
        np.testing.assert_allclose(output.cpu().numpy(), x.numpy() + y.numpy(), rtol=1e-6)


if __name__ == "__main__":
    print(f"eager mode on {DEVICE}")
    unittest.main()
