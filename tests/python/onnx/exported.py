"""Functions as ONNX models: exported, checked, run in ONNX Runtime, compared with eager."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import onnx
import onnxruntime
import opwright as ow
from opwright import _C, pytree
from opwright.export.exporter import trace_program

OPSETS = (12, 13, 17, 18, 20, 26)  # ONNX Runtime 1.31 does not support later ones

# Operators that move elements support all of them; bfloat16 goes through `through_bfloat16`.
DTYPES = [
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float64",
]

# How far a result may be from eager's, for each dtype of a result: (rtol, atol).
TOLERANCES = {"float16": (2e-3, 2e-3), "float32": (3e-6, 3e-6), "float64": (1e-11, 1e-11)}

onnxruntime.set_default_logger_severity(3)


class Exported:
    """A function as a model, and a session that runs it."""

    def __init__(
        self, fn: Callable, args: tuple, opset: int = 20, dynamic_shapes: Any = None
    ) -> None:
        """Export `fn` for `args`; the model must pass the checker."""
        program = trace_program(fn, args, None, dynamic_shapes, opset)
        self.written = _C.onnx_model(program._program, opset, [], [], [], [], [], None, "")
        self.bytes = self.written.bytes()
        self.model = onnx.load_from_string(self.bytes)
        onnx.checker.check_model(self.model, full_check=True)
        self._session: onnxruntime.InferenceSession | None = None

    @property
    def node_types(self) -> list[str]:
        """Names of the nodes' types, in their order."""
        return [node.op_type for node in self.model.graph.node]

    @property
    def session(self) -> onnxruntime.InferenceSession:
        """Made on first use: a model may be looked at only."""
        if self._session is None:
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = 1
            self._session = onnxruntime.InferenceSession(self.bytes, options)
        return self._session

    def __call__(self, *args: Any) -> list[np.ndarray]:
        """Run it in ONNX Runtime; arguments that the model does not read are left out."""
        given = [leaf for leaf in pytree.tree_flatten(args)[0] if leaf is not None]
        names = [each.name for each in self.session.get_inputs()]
        assert len(names) == len(given), f"the model takes {names}, {len(given)} were given"
        feeds = {name: _array(leaf) for name, leaf in zip(names, given, strict=True)}
        return self.session.run(None, feeds)


def check_export(
    fn: Callable,
    *args: Any,
    opsets: Sequence[int] = OPSETS,
    dynamic_shapes: Any = None,
    at: Sequence[tuple] = (),
    rtol: float | None = None,
    atol: float | None = None,
) -> None:
    """Export `fn` at each opset, and compare with eager for `args` and for each tuple of `at`."""
    for opset in opsets:
        exported = Exported(fn, args, opset, dynamic_shapes)
        for inputs in (args, *at):
            with ow.no_grad():
                expected = pytree.tree_flatten(fn(*inputs))[0]
            given = exported(*inputs)
            assert len(given) == len(expected)
            for mine, theirs in zip(given, expected, strict=True):
                try:
                    assert_same(mine, _array(theirs), rtol, atol)
                except AssertionError as error:
                    error.add_note(f"opset {opset}\n{exported.written}")
                    raise


def assert_same(
    given: np.ndarray, expected: np.ndarray, rtol: float | None = None, atol: float | None = None
) -> None:
    """Of one dtype and shape; floats near each other, all else equal."""
    assert given.dtype == expected.dtype
    assert given.shape == expected.shape
    if expected.dtype.name not in TOLERANCES:
        np.testing.assert_array_equal(given, expected)
        return
    usual = TOLERANCES[expected.dtype.name]
    np.testing.assert_allclose(
        given,
        expected,
        rtol=usual[0] if rtol is None else rtol,
        atol=usual[1] if atol is None else atol,
    )


def node_types(fn: Callable, *args: Any, opset: int = 20) -> list[str]:
    """Types of the nodes that a function becomes."""
    return Exported(fn, args, opset).node_types


def through_bfloat16(fn: Callable) -> Callable:
    """Wrap `fn` with its tensors as bfloat16 inside; NumPy has no such dtype."""

    def call(*args: Any) -> Any:
        inner = (
            x.to(ow.bfloat16) if isinstance(x, ow.Tensor) and x.is_floating_point() else x
            for x in args
        )
        result = fn(*inner)
        return result.to(ow.float32) if result.dtype == ow.bfloat16 else result

    return call


def _array(value: Any) -> np.ndarray:
    if isinstance(value, ow.Tensor):
        return value.detach().numpy()
    return np.asarray(value)
