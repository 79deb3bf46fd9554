"""C++ operators from source text, compiled at run time.

Names and semantics follow torch.utils.cpp_extension. The system's compiler compiles the sources
against our headers only; the result is cached by content and loaded as an operator binary.
"""

import os
from collections.abc import Mapping, Sequence
from types import ModuleType

from . import _cache, _modules, _sources
from ._build import Build, is_current
from ._compile_error import CompileError
from ._compiler import CompilerNotFoundError
from ._paths import include_paths, library_paths

__all__ = [
    "CompileError",
    "CompilerNotFoundError",
    "include_paths",
    "library_paths",
    "load",
    "load_inline",
]


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
    is_python_module: bool = True,
    with_pytorch_error_handling: bool = True,
    keep_intermediates: bool = True,
    use_pch: bool | None = None,
    no_implicit_headers: bool = False,
    opencl_sources: Mapping[str, str] | None = None,
) -> ModuleType | str:
    """Compile C++ source text, load it, and return a module with the `functions`.

    >>> module = load_inline(
    ...     "doubling",
    ...     "torch::Tensor twice(torch::Tensor x) { return x + x; }",
    ...     functions={"twice": "Return x + x."},
    ... )
    >>> module.twice.name.endswith("::twice")
    True

    `functions` names C++ functions of `cpp_sources`: a string, a list, or a dict with their
    documentation. Each becomes an operator whose schema is inferred from its C++ type, and an
    attribute of the module. Operators that the source registers itself (TORCH_LIBRARY,
    RegisterOperators, OPWRIGHT_LIBRARY) are under `opwright.ops`.

    The strings of a list form one file. It starts with torch/extension.h, unless it includes one of
    our own headers (opwright/...) or `no_implicit_headers` is set. The compiler's messages name
    `<name>.cpp` (`<name>_2.cpp` for the second string) with the line numbers of the string.

    Builds are cached (see `python -m opwright cache`) by the content of sources, own headers,
    flags, compiler and our headers, or in `build_directory`. Changed sources under the same name
    replace the operators of that name, while modules returned earlier keep their functions.

    `opencl_sources` are kernels in OpenCL C, {name: text}: in C++ each is the SourceKernel
    `opencl::<name>` (opwright/source_kernel.h), compiled by the device when it is first launched.
    `cuda_sources` are compiled by nvcc; `with_cuda=True` gives the C++ sources CUDA's headers and
    library. `use_pch` controls precompiled headers: None precompiles our headers in the background
    after the second build, True before this one. With `is_python_module=False` the path of the
    library is returned. `with_pytorch_error_handling` and `keep_intermediates` have no effect.

    Raises CompileError for a source that does not compile, CompilerNotFoundError without a
    compiler, ValueError for a function that is not in the source.
    """
    _refuse_sycl("load_inline", sycl_sources, extra_sycl_cflags, with_sycl)
    _check_name("load_inline", name)
    cuda = _sources.texts_of("cuda_sources", name, ".cu", cuda_sources or [])
    documented = _sources.functions_of(functions)
    build = Build(
        name,
        function="load_inline",
        cpp=_sources.texts_of("cpp_sources", name, ".cpp", cpp_sources),
        cuda=cuda,
        opencl=_sources.opencl_kernels_of(name, opencl_sources),
        files=[],
        functions=documented,
        cflags=_flags("load_inline", "extra_cflags", extra_cflags),
        cuda_cflags=_flags("load_inline", "extra_cuda_cflags", extra_cuda_cflags),
        ldflags=_flags("load_inline", "extra_ldflags", extra_ldflags),
        include_folders=_folders(extra_include_paths),
        with_cuda=bool(cuda) if with_cuda is None else with_cuda,
        no_implicit_headers=no_implicit_headers,
        use_pch=use_pch,
        verbose=verbose,
    )
    return _load(build, documented, build_directory, is_python_module)


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
    is_python_module: bool = True,
    is_standalone: bool = False,
    keep_intermediates: bool = True,
) -> ModuleType | str:
    """Compile source files (.cpp, .cu) into one library, load it, and return its module.

    >>> import os, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "tripling.cpp")
    >>> with open(path, "w") as file:
    ...     _ = file.write('''#include <torch/extension.h>
    ... at::Tensor triple(at::Tensor x) { return x + x + x; }
    ... PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("triple", &triple); }
    ... ''')
    >>> load("tripling", path).triple.name.endswith("::triple")
    True

    The module has the functions of PYBIND11_MODULE(TORCH_EXTENSION_NAME, m); operators that the
    sources register themselves are under `opwright.ops`. The other arguments, the cache, and the
    replacement of changed sources are as in `load_inline`.
    """
    _refuse_sycl("load", None, extra_sycl_cflags, with_sycl)
    _check_name("load", name)
    if is_standalone:
        raise NotImplementedError(
            "load: is_standalone makes a program, but Opwright builds only operator binaries; "
            "build programs with CMake and the target opwright::opwright"
        )
    files = [os.fspath(path) for path in _listed(sources)]
    for path in files:
        if not os.path.isfile(path):
            raise FileNotFoundError(f"load({name!r}): there is no source file {path}")
    has_cuda = any(path.endswith((".cu", ".cuh")) for path in files)
    build = Build(
        name,
        function="load",
        cpp=[],
        cuda=[],
        opencl="",
        files=files,
        functions={},
        cflags=_flags("load", "extra_cflags", extra_cflags),
        cuda_cflags=_flags("load", "extra_cuda_cflags", extra_cuda_cflags),
        ldflags=_flags("load", "extra_ldflags", extra_ldflags),
        include_folders=_folders(extra_include_paths),
        with_cuda=has_cuda if with_cuda is None else with_cuda,
        no_implicit_headers=True,
        use_pch=False,
        verbose=verbose,
    )
    return _load(build, {}, build_directory, is_python_module)


def _load(
    build: Build, documented: dict[str, str], build_directory: str | None, is_python_module: bool
) -> ModuleType | str:
    extension = _modules.current(build.name)
    is_loaded = extension is not None and extension.entry.key == build.key
    if not (is_loaded and is_current(extension.entry)):
        store = _cache.default_store()
        if build_directory is not None:
            store = _cache.Store(os.path.abspath(build_directory))
        docs = {_sources.attribute_of(function): text for function, text in documented.items()}
        entry = build.run(store)
        try:
            extension = _modules.activate(build.name, entry, docs)
        except OSError:
            if os.path.exists(entry.folder):
                raise
            # Another process evicted the entry at this moment.
            extension = _modules.activate(build.name, build.run(store), docs)
    return extension.module if is_python_module else extension.path


def _check_name(function: str, name: str) -> None:
    if not isinstance(name, str) or not name.isidentifier() or not name.isascii():
        raise ValueError(
            f"{function}: name must be an identifier such as 'my_ops', got {name!r}; it becomes "
            "part of a C++ namespace"
        )


def _refuse_sycl(function: str, *given: object) -> None:
    if any(given):
        raise NotImplementedError(f"{function}: Opwright compiles C++ and CUDA sources, not SYCL")


def _listed(given: str | os.PathLike | Sequence[str] | None) -> list:
    if given is None:
        return []
    return [given] if isinstance(given, str | os.PathLike) else list(given)


def _flags(function: str, argument: str, given: Sequence[str] | None) -> list[str]:
    if isinstance(given, str):
        raise TypeError(f"{function}: {argument} must be a list of flags, got the string {given!r}")
    flags = _listed(given)
    for flag in flags:
        if not isinstance(flag, str):
            raise TypeError(f"{function}: {argument} must be a list of strings, got {flag!r} in it")
    return flags


def _folders(given: str | os.PathLike | Sequence[str] | None) -> list[str]:
    return [os.path.abspath(path) for path in _listed(given)]
