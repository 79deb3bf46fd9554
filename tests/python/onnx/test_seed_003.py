"""Seed 003, unchanged except for imports, continued in ONNX Runtime and torch.

The model `m` and its inputs `x`, `y`, which the seed does not show, come before its last line.
"""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import onnx
import onnxruntime
import opwright as ow
import opwright.compat.torch.utils.cpp_extension as cpp_extension
import pytest

SEED = (Path(__file__).parents[2] / "seeds/register_pytorch_op.py.txt").read_text()
# A binary of other tests has the seed's operator too.
pytestmark = pytest.mark.own_process

NOT_SHOWN = "m = Model()\nx = torch.randn(2, 3)\ny = torch.randn(2, 3)\n"


@pytest.fixture(scope="module")
def seed(tmp_path_factory) -> Iterator[SimpleNamespace]:
    """Run the seed; return its names and the path of the model that it writes."""
    source = SEED.replace("import torch\n", "import opwright.compat.torch as torch\n", 1)
    source = source.replace("import torch.utils.cpp_extension\n", "")
    source = source.replace("from torch.", "from opwright.compat.torch.")
    source = source.replace("torch.onnx.export(m", f"{NOT_SHOWN}torch.onnx.export(m")
    names: dict[str, object] = {"__name__": "seed"}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("seed_003"))
        exec(compile(source, "<seed>", "exec"), names)
        path = Path("dual_residual.onnx").resolve()
    yield SimpleNamespace(**names, path=path)
    ow.onnx.unregister_custom_op_symbolic("cst::dual_residual", 12)


@pytest.fixture(scope="module")
def binary(seed) -> str:
    """The file that the seed's load_inline made; the same source is built once."""
    return cpp_extension.load_inline(
        name="test",
        cpp_sources=seed.cpp_source,
        functions="dual_residual",
        is_python_module=False,
    )


def run(path: Path, binary: str, x: ow.Tensor, y: ow.Tensor) -> list[np.ndarray]:
    options = onnxruntime.SessionOptions()
    ow.onnxruntime.register(options, binary, model=path)
    session = onnxruntime.InferenceSession(path, options)
    return session.run(None, {"x": x.numpy(), "y": y.numpy()})


def check_equal(results: list[np.ndarray], expected: tuple[ow.Tensor, ...]) -> None:
    for result, wanted in zip(results, expected, strict=True):
        np.testing.assert_array_equal(result, wanted.numpy())


def test_the_model_is_what_the_symbolic_says(seed):
    model = onnx.load(seed.path)

    onnx.checker.check_model(model, full_check=True)
    (node,) = model.graph.node
    assert (node.domain, node.op_type) == ("rknn_cst", "cstDualResidual")
    assert {each.name: each.f for each in node.attribute} == {"alpha": 0.5}
    assert {each.domain: each.version for each in model.opset_import} == {"": 12, "rknn_cst": 1}


def test_the_model_runs_in_onnx_runtime(seed, binary):
    check_equal(run(seed.path, binary, seed.x, seed.y), seed.m(seed.x, seed.y))


@pytest.mark.parametrize("batch", [0, 1, 5, 64])
def test_the_model_runs_at_other_batch_sizes(seed, binary, tmp_path, batch):
    path = tmp_path / "dynamic.onnx"
    ow.onnx.export(
        seed.m,
        (seed.x, seed.y),
        path,
        opset_version=12,
        dynamic_axes={"x": {0: "batch"}, "y": {0: "batch"}},
    )
    x, y = ow.randn(batch, 3), ow.randn(batch, 3)

    check_equal(run(path, binary, x, y), seed.m(x, y))


def test_the_same_binary_serves_torch_in_the_same_process(seed, binary):
    torch = pytest.importorskip("torch")
    ow.torch.load(binary)
    x, y = torch.from_numpy(seed.x.numpy()), torch.from_numpy(seed.y.numpy())

    results = [each.numpy() for each in torch.ops.cst.dual_residual(x, y, 0.5)]

    check_equal(results, seed.m(seed.x, seed.y))
    check_equal(run(seed.path, binary, seed.x, seed.y), seed.m(seed.x, seed.y))


def test_the_binary_alone_tells_its_operator_as_a_node_of_its_own(seed, binary):
    assert "cst::dual_residual" in ow.onnxruntime.register(onnxruntime.SessionOptions(), binary)
