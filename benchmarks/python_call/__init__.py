"""Parts of python_call.py: compiled peers, cases and the timing loop."""

from .cases import floor_cases, our_cases, torch_cases, tvm_ffi_cases
from .timing import measure

__all__ = ["floor_cases", "measure", "our_cases", "torch_cases", "tvm_ffi_cases"]
