"""What PyTorch has and Opwright does not want to have, with what to use instead.

Only these subjects are refused for good. Every other missing name is one that is still to come.
"""

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

__all__ = ["NOT_WANTED", "NotWantedError", "refusal_of", "refuse_imports"]

_DATA = (
    "loading data is not the work of an operator system; iterate over NumPy arrays or use the data "
    "loader of another package, and make tensors with from_numpy or from_dlpack"
)
_DISTRIBUTIONS = (
    "probability distributions are left to other packages; draw numbers with randn, rand, randint, "
    "normal, bernoulli or multinomial, and write densities with the operators"
)
_QUANTIZATION = (
    "quantized tensors and torch.ao are left out; use the dtypes int8, uint8, float8_e4m3fn and "
    "float8_e5m2, and a custom operator for a quantized product"
)
_SPARSE = (
    "all tensors are strided; use dense tensors with index_add, scatter and embedding, or a custom "
    "operator that takes indices and values as tensors"
)
_SPARSE_ADAM = "gradients of embeddings are dense tensors; use torch.optim.Adam"
_JIT = (
    "TorchScript is left out; use torch.export for programs that run without Python and "
    "torch.compile for speed"
)
_DISTRIBUTED = (
    "collectives between processes are left out; use the communication library of your machine, "
    "wrapped as custom operators"
)

# Paths of names. A path stands for all names below it too; "*" stands for the rest of a name.
NOT_WANTED: dict[str, str] = {
    "torch.utils.data": _DATA,
    "torch.distributions": _DISTRIBUTIONS,
    "torch.ao": _QUANTIZATION,
    "torch.quantization": _QUANTIZATION,
    "torch.quantize*": _QUANTIZATION,
    "torch.dequantize": _QUANTIZATION,
    "torch.quantized_*": _QUANTIZATION,
    "torch.fake_quantize_*": _QUANTIZATION,
    "torch.fused_moving_avg_obs_fake_quant": _QUANTIZATION,
    "torch.fbgemm_*": _QUANTIZATION,
    "torch.int_repr": _QUANTIZATION,
    "torch.choose_qparams_optimized": _QUANTIZATION,
    "torch.q_*": _QUANTIZATION,
    "torch.per_tensor_*": _QUANTIZATION,
    "torch.per_channel_*": _QUANTIZATION,
    "torch.qint*": _QUANTIZATION,
    "torch.quint*": _QUANTIZATION,
    "torch.qscheme": _QUANTIZATION,
    "torch.QInt*": _QUANTIZATION,
    "torch.QUInt*": _QUANTIZATION,
    "torch.nn.quantized": _QUANTIZATION,
    "torch.nn.quantizable": _QUANTIZATION,
    "torch.nn.qat": _QUANTIZATION,
    "torch.nn.intrinsic": _QUANTIZATION,
    "torch.Tensor.dequantize": _QUANTIZATION,
    "torch.Tensor.int_repr": _QUANTIZATION,
    "torch.Tensor.q_*": _QUANTIZATION,
    "torch.Tensor.qscheme": _QUANTIZATION,
    "torch.sparse": _SPARSE,
    "torch.sparse_*": _SPARSE,
    "torch.hspmm": _SPARSE,
    "torch.saddmm": _SPARSE,
    "torch.smm": _SPARSE,
    "torch.spmm": _SPARSE,
    "torch.sspaddmm": _SPARSE,
    "torch.dsmm": _SPARSE,
    "torch.hsmm": _SPARSE,
    "torch.ccol_indices_copy": _SPARSE,
    "torch.col_indices_copy": _SPARSE,
    "torch.crow_indices_copy": _SPARSE,
    "torch.row_indices_copy": _SPARSE,
    "torch.indices_copy": _SPARSE,
    "torch.values_copy": _SPARSE,
    "torch.optim.SparseAdam": _SPARSE_ADAM,
    "torch.optim.sparse_adam": _SPARSE_ADAM,
    "torch.Tensor.ccol_indices": _SPARSE,
    "torch.Tensor.col_indices": _SPARSE,
    "torch.Tensor.crow_indices": _SPARSE,
    "torch.Tensor.row_indices": _SPARSE,
    "torch.Tensor.indices": _SPARSE,
    "torch.Tensor.values": _SPARSE,
    "torch.Tensor.coalesce": _SPARSE,
    "torch.Tensor.is_coalesced": _SPARSE,
    "torch.Tensor.dense_dim": _SPARSE,
    "torch.Tensor.sparse_*": _SPARSE,
    "torch.Tensor.to_sparse*": _SPARSE,
    "torch.Tensor.smm": _SPARSE,
    "torch.Tensor.sspaddmm": _SPARSE,
    "torch.jit": _JIT,
    "torch.compiled_with_cxx11_abi": _JIT,
    "torch.import_ir_module*": _JIT,
    "torch.parse_ir": _JIT,
    "torch.parse_schema": _JIT,
    "torch.parse_type_comment": _JIT,
    "torch.merge_type_from_type_comment": _JIT,
    "torch.Script*": _JIT,
    "torch.distributed": _DISTRIBUTED,
    "torch.nn.parallel": _DISTRIBUTED,
    "torch.nn.DataParallel": _DISTRIBUTED,
}


class NotWantedError(AttributeError):
    """A name of PyTorch that Opwright leaves out for good.

    >>> import opwright.compat.torch as torch
    >>> torch.sparse_coo_tensor
    Traceback (most recent call last):
    opwright.compat._not_wanted.NotWantedError: torch.sparse_coo_tensor is not wanted in ...
    >>> hasattr(torch, "sparse_coo_tensor")
    False
    """


def _is_below(path: str, entry: str) -> bool:
    parts, wanted = path.split("."), entry.split(".")
    if len(parts) < len(wanted) or parts[: len(wanted) - 1] != wanted[:-1]:
        return False
    name, last = parts[len(wanted) - 1], wanted[-1]
    return name.startswith(last[:-1]) if last.endswith("*") else name == last


def refusal_of(path: str) -> str | None:
    """Return why a name such as `torch.jit.script` is refused; None if it is not.

    >>> refusal_of("torch.jit.script").startswith("torch.jit.script is not wanted in Opwright: ")
    True
    >>> refusal_of("torch.sin") is None
    True
    """
    for entry, reason in NOT_WANTED.items():
        if _is_below(path, entry):
            return f"{path} is not wanted in Opwright: {reason}"
    return None


class _ImportRefusal:
    """Finds no module; for one that is not wanted it raises the reason.

    `from opwright.compat.torch import sparse_coo_tensor` looks for a module too if there is no such
    attribute.
    """

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name.startswith("opwright.compat."):
            refusal = refusal_of(name.removeprefix("opwright.compat."))
            if refusal is not None:
                raise ImportError(refusal, name=name)
        return None


def refuse_imports() -> None:
    """Let imports of what is not wanted fail with the reason, as the last of the finders.

    >>> import opwright.compat.torch.utils.data
    Traceback (most recent call last):
    ImportError: torch.utils.data is not wanted in Opwright: loading data is not the work ...
    """
    if not any(isinstance(each, _ImportRefusal) for each in sys.meta_path):
        sys.meta_path.append(_ImportRefusal())
