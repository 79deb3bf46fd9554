"""The hosts that opcheck compares with: each runs a call on Opwright's values."""

import importlib.util
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np

from .. import _C

OWN = "opwright"
RUNTIME = "onnxruntime"


def is_installed(package: str) -> bool:
    """Return whether a package can be imported, without importing it."""
    return importlib.util.find_spec(package) is not None


def split_keywords(op: _C.Operator, values: Sequence[Any]) -> tuple[list, dict[str, Any]]:
    """Return the values of all arguments as positional and keyword arguments."""
    pairs = list(zip(op.schema.arguments, values, strict=True))
    return (
        [value for argument, value in pairs if not argument.kwarg_only],
        {argument.name: value for argument, value in pairs if argument.kwarg_only},
    )


def as_list(op: _C.Operator, given: Any) -> list:
    """Return the results of a call as one value for each result of the schema."""
    count = len(op.schema.returns)
    if count == 0:
        return []
    return [given] if count == 1 else list(given)


def in_lists(value: Any, convert: Callable) -> Any:
    """Return a value with its elements converted if it is a list."""
    if isinstance(value, list | tuple):
        return [in_lists(each, convert) for each in value]
    return convert(value)


def first_line(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0]


class TorchHost:
    """Calls in PyTorch; tensors share their memory with ours."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack

    def find_reason_to_skip(self, op: _C.Operator) -> str | None:
        from .. import torch as bridge
        from ..torch._foreign import overload_of

        try:
            overload_of(op.name)
            return None
        except AttributeError:
            if op.name.startswith("aten::"):
                return f"this torch has no operator {op.name}"
        self._stack.enter_context(bridge.register(op.name))
        return None

    def run(self, op: _C.Operator, values: list) -> list:
        import torch

        from ..torch._foreign import overload_of, to_torch

        args, kwargs = split_keywords(op, to_torch(values))
        with torch.no_grad():
            given = overload_of(op.name)(*args, **kwargs)
        return as_list(op, in_lists(given, self._from_torch))

    @staticmethod
    def _from_torch(value: Any) -> Any:
        import torch

        if not isinstance(value, torch.Tensor):
            return value
        return _C.from_dlpack(value.detach().resolve_conj().resolve_neg())


class JaxHost:
    """Calls in JAX, under jit: tensors are copied, and written ones are copied back."""

    def __init__(self, _stack: ExitStack) -> None:
        pass

    def find_reason_to_skip(self, op: _C.Operator) -> str | None:
        from .. import jax as bridge

        try:
            bridge.register(op.name)
        except (NotImplementedError, TypeError, ValueError) as error:
            return first_line(error)
        return None

    def run(self, op: _C.Operator, values: list) -> list | str:
        import jax

        from .. import jax as bridge

        with jax.enable_x64(True):
            try:
                args, kwargs = split_keywords(op, in_lists(values, self._to_jax))
            except (TypeError, ValueError, RuntimeError, BufferError) as error:
                return first_line(error)
            given = bridge.register(op.name)(*args, **kwargs)
            written = [
                value
                for argument, value in zip(op.schema.arguments, values, strict=True)
                if argument.is_write
            ]
            flat = list(given) if isinstance(given, list | tuple) else [given]
            if len(op.schema.returns) == 1 and not written:
                flat = [given]
            return self._take_back(op, in_lists(flat, self._from_jax), written)

    @staticmethod
    def _take_back(op: _C.Operator, flat: list, written: list) -> list:
        results = flat[: len(op.schema.returns)]
        behind = iter(flat[len(results) :])
        named = iter(
            value
            for described, value in zip(op.schema.returns, results, strict=True)
            if described.is_write
        )
        for target in written:
            target.copy_(next(named, None) or next(behind))
        return results

    @staticmethod
    def _to_jax(value: Any) -> Any:
        import jax

        if not isinstance(value, _C.Tensor):
            return value
        return jax.dlpack.from_dlpack(value.detach().contiguous().clone(), copy=True)

    @staticmethod
    def _from_jax(value: Any) -> Any:
        return value if value is None else _C.from_dlpack(value).clone()


class OnnxRuntimeReferee:
    """Runs models in ONNX Runtime, with the operator as a node; the onnx package checks them."""

    def __init__(self) -> None:
        self._known: tuple[bytes, Any] = (b"", None)  # the last model and its session

    def find_reason_to_skip(self, op: _C.Operator) -> str | None:
        try:
            import onnxruntime

            bridge = importlib.import_module("opwright.onnxruntime")
            if not op.name.startswith("aten::"):
                bridge.register(onnxruntime.SessionOptions(), op.name)
        except (ImportError, OSError, TypeError, NotImplementedError) as error:
            return first_line(error)
        return None

    def run_model(self, op: _C.Operator, model: _C.OnnxModel, inputs: list) -> list | str:
        import onnxruntime

        if any(each.is_complex() for each in inputs):
            return "ONNX Runtime has no complex numbers"
        try:
            arrays = [each.detach().contiguous().numpy() for each in inputs]
        except (TypeError, NotImplementedError) as error:
            return first_line(error)
        try:
            session = self._session(op, model.bytes())
            feeds = dict(zip(model.input_names, arrays, strict=True))
            outputs = session.run(model.output_names, feeds)
        except onnxruntime.capi.onnxruntime_pybind11_state.NotImplemented as error:
            return first_line(error)  # no kernel for a dtype
        return [_C.from_numpy(np.array(each)) for each in outputs]

    def _session(self, op: _C.Operator, model: bytes) -> Any:
        import onnxruntime

        from .. import onnxruntime as bridge

        if self._known[0] != model:
            if is_installed("onnx"):
                importlib.import_module("onnx").checker.check_model(model)
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = 1
            options.log_severity_level = 4
            if not op.name.startswith("aten::"):
                bridge.register(options, op.name, model=model)
            providers = ["CPUExecutionProvider"]
            self._known = (model, onnxruntime.InferenceSession(model, options, providers=providers))
        return self._known[1]


HOSTS: dict[str, Callable[[ExitStack], Any]] = {"torch": TorchHost, "jax": JaxHost}


class MissingHost:
    """A host whose package is not installed."""

    def __init__(self, name: str) -> None:
        self._name = name

    def find_reason_to_skip(self, _op: _C.Operator) -> str:
        return f"{self._name} is not installed; pip install {self._name}"


@contextmanager
def hosts_set(names: Sequence[str]) -> Iterator[list[str]]:
    """Provide the named hosts to checks that run in the block."""
    known = [OWN, *_C.foreign_host_names()]
    for name in names:
        if name not in known:
            raise ValueError(
                f"opcheck: hosts has {name!r}, which is not a host; there are {', '.join(known)}"
            )
    with ExitStack() as stack:
        for name in (each for each in HOSTS if each in names):
            host = HOSTS[name](stack) if is_installed(name) else MissingHost(name)
            stack.callback(_C.set_foreign_host, name, None)
            _C.set_foreign_host(name, host)
        # The check "onnx" uses it too, unless it is missing.
        runs_models = is_installed(RUNTIME)
        if runs_models or RUNTIME in names:
            referee = OnnxRuntimeReferee() if runs_models else MissingHost(RUNTIME)
            stack.callback(_C.set_onnx_referee, None)
            _C.set_onnx_referee(referee)
        yield [name for name in known if name in names and name != OWN]
