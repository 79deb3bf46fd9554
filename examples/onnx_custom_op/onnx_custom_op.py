"""Export a model with a custom operator, and run it in ONNX Runtime from the same binary.

python onnx_custom_op.py dual_residual.onnx
"""

import argparse
from pathlib import Path

import numpy as np
import onnxruntime
import opwright as ow
from opwright import nn, onnx


class Model(nn.Module):
    """Applies the operator to the output of a layer."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x: ow.Tensor, y: ow.Tensor) -> tuple[ow.Tensor, ow.Tensor]:
        return ow.ops.cst.dual_residual(self.layer(x), y, 0.5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", nargs="?", default="dual_residual.onnx")
    path = parser.parse_args().path

    # Compiled here; a vendor would ship the binary.
    source = Path(__file__).with_name("dual_residual.cpp")
    binary = ow.cpp_extension.load(name="dual_residual", sources=[source], is_python_module=False)

    ow.manual_seed(0)
    model = Model()
    exported = onnx.export(
        model,
        (ow.randn(2, 4), ow.randn(2, 4)),
        path,
        dynamic_axes={"x": {0: "batch"}, "y": {0: "batch"}},
    )
    print(exported.text())

    options = onnxruntime.SessionOptions()
    print("nodes:", ow.onnxruntime.register(options, binary))
    session = onnxruntime.InferenceSession(path, options)
    for batch in (2, 7):
        x, y = ow.randn(batch, 4), ow.randn(batch, 4)
        expected = [each.detach().numpy() for each in model(x, y)]
        results = session.run(None, {"x": x.numpy(), "y": y.numpy()})
        same = all(np.allclose(a, b, atol=1e-6) for a, b in zip(results, expected, strict=True))
        print(f"batch {batch}, same: {same}")

    # Export an entire submodule as one node, for an engine that has such a node.
    model.layer = onnx.as_custom_op(model.layer, "vendor::Layer", parameters=False)
    whole = onnx.export(model, (ow.randn(2, 4), ow.randn(2, 4)))
    print("whole:", [line.strip() for line in whole.text().splitlines() if "vendor::" in line][-1])


if __name__ == "__main__":
    main()
