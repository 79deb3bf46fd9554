"""torchair: the vendor's graph engine for PyTorch.

>>> import opwright.compat.torch as torch
>>> import opwright.compat.torchair as torchair
>>> backend = torchair.get_npu_backend(compiler_config=torchair.CompilerConfig())
>>> torch.compile(lambda x: x + x, backend=backend)(torch.ones(2))
tensor([2., 2.])
"""

from collections.abc import Callable
from typing import Any

from opwright.compat._absent import absent
from opwright.ge import CompilerConfig, get_compiler, register_fx_node_ge_converter

from . import ge

__all__ = ["CompilerConfig", "ge", "get_npu_backend", "register_fx_node_ge_converter"]


def get_npu_backend(*, compiler_config: CompilerConfig | None = None) -> Callable[..., Any]:
    """Return a backend for `torch.compile`, like `opwright.ge.get_compiler`.

    >>> import opwright.compat.torchair as torchair
    >>> torchair.get_npu_backend().__name__
    'ge'
    """
    return get_compiler(compiler_config)


__getattr__ = absent(__name__)
