# C++ operators from source text. The result of `load` and `load_inline` follows from an argument.

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Literal, overload

from ._compile_error import CompileError as CompileError
from ._compiler import CompilerNotFoundError as CompilerNotFoundError
from ._paths import include_paths as include_paths
from ._paths import library_paths as library_paths

__all__ = [
    "CompileError",
    "CompilerNotFoundError",
    "include_paths",
    "library_paths",
    "load",
    "load_inline",
]

@overload
def load_inline(
    name: str,
    cpp_sources: str | Sequence[str],
    cuda_sources: str | Sequence[str] | None = None,
    sycl_sources: None = None,
    functions: str | Sequence[str] | dict[str, str] | None = None,
    extra_cflags: Sequence[str] | None = None,
    extra_cuda_cflags: Sequence[str] | None = None,
    extra_sycl_cflags: None = None,
    extra_ldflags: Sequence[str] | None = None,
    extra_include_paths: str | Sequence[str] | None = None,
    build_directory: str | None = None,
    verbose: bool = False,
    with_cuda: bool | None = None,
    with_sycl: None = None,
    is_python_module: Literal[True] = True,
    with_pytorch_error_handling: bool = True,
    keep_intermediates: bool = True,
    use_pch: bool | None = None,
    no_implicit_headers: bool = False,
    opencl_sources: Mapping[str, str] | None = None,
) -> ModuleType: ...
@overload
def load_inline(
    name: str,
    cpp_sources: str | Sequence[str],
    cuda_sources: str | Sequence[str] | None = None,
    sycl_sources: None = None,
    functions: str | Sequence[str] | dict[str, str] | None = None,
    extra_cflags: Sequence[str] | None = None,
    extra_cuda_cflags: Sequence[str] | None = None,
    extra_sycl_cflags: None = None,
    extra_ldflags: Sequence[str] | None = None,
    extra_include_paths: str | Sequence[str] | None = None,
    build_directory: str | None = None,
    verbose: bool = False,
    with_cuda: bool | None = None,
    with_sycl: None = None,
    *,
    is_python_module: Literal[False],
    with_pytorch_error_handling: bool = True,
    keep_intermediates: bool = True,
    use_pch: bool | None = None,
    no_implicit_headers: bool = False,
    opencl_sources: Mapping[str, str] | None = None,
) -> str: ...
@overload
def load(
    name: str,
    sources: str | Sequence[str],
    extra_cflags: Sequence[str] | None = None,
    extra_cuda_cflags: Sequence[str] | None = None,
    extra_sycl_cflags: None = None,
    extra_ldflags: Sequence[str] | None = None,
    extra_include_paths: str | Sequence[str] | None = None,
    build_directory: str | None = None,
    verbose: bool = False,
    with_cuda: bool | None = None,
    with_sycl: None = None,
    is_python_module: Literal[True] = True,
    is_standalone: bool = False,
    keep_intermediates: bool = True,
) -> ModuleType: ...
@overload
def load(
    name: str,
    sources: str | Sequence[str],
    extra_cflags: Sequence[str] | None = None,
    extra_cuda_cflags: Sequence[str] | None = None,
    extra_sycl_cflags: None = None,
    extra_ldflags: Sequence[str] | None = None,
    extra_include_paths: str | Sequence[str] | None = None,
    build_directory: str | None = None,
    verbose: bool = False,
    with_cuda: bool | None = None,
    with_sycl: None = None,
    *,
    is_python_module: Literal[False],
    is_standalone: bool = False,
    keep_intermediates: bool = True,
) -> str: ...
