"""One ONNX model: checked, run in ONNX Runtime, or with onnx's own reference.

ONNX Runtime may have no kernel for a node that is valid by the specification. It reports this when
it loads or runs the model; NoKernelError keeps its text.
"""

import os
import re

os.environ["ALLOW_RELEASED_ONNX_OPSET_ONLY"] = "0"  # opset 27, which it has but does not guarantee

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
import opwright as ow
import torch
from onnx.reference import ReferenceEvaluator

NEWEST_OPSET = 27  # for which ONNX Runtime has schemas
ONNX_BFLOAT16 = onnx.TensorProto.BFLOAT16

# Parts of its errors for missing kernels, besides the status "not implemented".
NO_KERNEL = re.compile(
    r"NOT_IMPLEMENTED|No Op registered for|is under development|not implemented for|"
    r"not supported|not currently registered or supported|unsupported|does not support double yet",
    re.IGNORECASE,
)


class NoKernelError(Exception):
    """ONNX Runtime has no kernel for a node; the text is its own."""


class OnnxError(Exception):
    """The model is rejected; `kind` is a column of the table."""

    def __init__(self, kind: str, text: str):
        super().__init__(text)
        self.kind = kind


def told(error: Exception) -> str:
    """Return ONNX Runtime's text without source paths, node names and status numbers."""
    text = re.sub(r"/onnxruntime_src/\S+ ", "", str(error))
    text = re.sub(r"^\[ONNXRuntimeError\] : \d+ : \w+ : ", "", text)
    text = re.sub(r"(with name|Name:) ?'[^']*'", "", text)
    return " ".join(text.split())[:200]


class OnnxModel:
    """`data` is the file, `program` its origin: its guards say which sizes it accepts."""

    def __init__(self, data: bytes, program: ow.export.ExportedProgram):
        self.data = data
        self.program = program
        self.proto = onnx.load_from_string(data)
        self.session = None

    @property
    def opset(self) -> int:
        return next(each.version for each in self.proto.opset_import if each.domain == "")

    @property
    def written(self) -> tuple[int, ...]:
        """Return the indices of inputs that the program writes: their new values are outputs."""
        inputs = [f"{each.name.replace('.', '_')}_out" for each in self.proto.graph.input]
        outputs = [each.name.replace(".", "_") for each in self.proto.graph.output]
        return tuple(inputs.index(name) for name in outputs if name in inputs)

    def check(self) -> None:
        """Raise OnnxError if it violates the specification, or its types are not those stated."""
        try:
            onnx.checker.check_model(self.data, full_check=True)
        except Exception as error:
            raise OnnxError("checker", f"{error}\n{self.text()}") from error

    def text(self) -> str:
        return onnx.printer.to_text(self.proto)[:3000]

    def run(self, tensors: list[torch.Tensor]) -> list[torch.Tensor]:
        """Run it in ONNX Runtime. Raises NoKernelError, OnnxError."""
        try:
            if self.session is None:
                self.session = make_session(self.loadable())
            return run_session(self.session, tensors)
        except Exception as error:
            if NO_KERNEL.search(str(error)):
                raise NoKernelError(told(error)) from error
            raise OnnxError("ort", f"{error}\n{self.text()}") from error

    def run_reference(self, tensors: list[torch.Tensor]) -> list[torch.Tensor] | None:
        """Run it with onnx's reference; None if that cannot."""
        names = [each.name for each in self.proto.graph.input]
        try:
            feeds = dict(zip(names, map(to_array, tensors), strict=True))
            results = ReferenceEvaluator(self.proto).run(None, feeds)
            return [to_tensor(np.asarray(each)) for each in results]
        except Exception:
            return None

    def loadable(self) -> bytes:
        """Return the model, with an older opset if each of its nodes means the same there."""
        if self.opset <= NEWEST_OPSET:
            return self.data
        for node in self.proto.graph.node:
            if node.domain == "":
                schema = onnx.defs.get_schema(node.op_type, self.opset)
                if schema.since_version > NEWEST_OPSET:
                    raise NoKernelError(f"No Op registered for {node.op_type} of {self.opset}")
        older = onnx.ModelProto()
        older.CopyFrom(self.proto)
        for each in older.opset_import:
            if each.domain == "":
                each.version = NEWEST_OPSET
        return older.SerializeToString()


def make_session(data: bytes | str) -> onnxruntime.InferenceSession:
    """Make a session without threads: a process that forks or is timed has its own."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])


def run_session(session, tensors: list[torch.Tensor]) -> list[torch.Tensor]:
    binding = session.io_binding()
    for place, tensor in zip(session.get_inputs(), tensors, strict=True):
        binding.bind_ortvalue_input(place.name, to_ort(tensor))
    for place in session.get_outputs():
        binding.bind_output(place.name)
    session.run_with_iobinding(binding)
    return [from_ort(each) for each in binding.get_outputs()]


def to_ort(tensor: torch.Tensor) -> onnxruntime.OrtValue:
    """A copy of the elements."""
    tensor = tensor.detach().clone(memory_format=torch.contiguous_format)
    if tensor.dtype == torch.bfloat16:
        bits = tensor.view(torch.uint16).numpy()
        return onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(bits, ONNX_BFLOAT16)
    return onnxruntime.OrtValue.ortvalue_from_numpy(tensor.numpy())


def from_ort(value: onnxruntime.OrtValue) -> torch.Tensor:
    if value.element_type() == ONNX_BFLOAT16:
        return torch.from_dlpack(value._ortvalue).clone()
    return to_tensor(value.numpy())


def to_array(tensor: torch.Tensor) -> np.ndarray:
    tensor = tensor.detach().clone(memory_format=torch.contiguous_format)
    if tensor.dtype == torch.bfloat16:
        return tensor.view(torch.uint16).numpy().view(ml_dtypes.bfloat16)
    return tensor.numpy()


def to_tensor(array: np.ndarray) -> torch.Tensor:
    array = np.array(array, order="C")
    if array.dtype == ml_dtypes.bfloat16:
        return torch.from_numpy(array.view(np.uint16)).view(torch.bfloat16)
    return torch.from_numpy(array)
