"""Paths of headers and libraries, in an installed package or in its source tree."""

import os

from ._cuda import toolkit_folder

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def include_paths(device_type: str = "cpu") -> list[str]:
    """Return the include folders of operator sources, as torch.utils.cpp_extension does.

    One has `opwright/opwright.h`, another the same under PyTorch's names; with "cuda" the toolkit's
    folder comes last.

    >>> import os
    >>> any(os.path.exists(os.path.join(path, "torch/library.h")) for path in include_paths())
    True
    """
    paths = _own_include_paths()
    if _is_cuda(device_type, "include_paths"):
        paths = [*paths, os.path.join(toolkit_folder(), "include")]
    return paths


def library_paths(device_type: str = "cpu") -> list[str]:
    """Return the folders with libraries: `libopwright.so`, with "cuda" the toolkit's.

    Programs that load operators link the first. Operator binaries link none of ours.

    >>> library_paths()  # doctest: +ELLIPSIS
    [...]
    """
    paths = [path for path in (os.path.join(_PACKAGE, "lib"),) if os.path.isdir(path)]
    if _is_cuda(device_type, "library_paths"):
        paths.append(os.path.join(toolkit_folder(), "lib64"))
    return paths


def _is_cuda(device_type: str, function: str) -> bool:
    if device_type not in ("cpu", "cuda"):
        raise ValueError(f"{function}: device_type must be 'cpu' or 'cuda', got {device_type!r}")
    return device_type == "cuda"


def _own_include_paths() -> list[str]:
    installed = os.path.join(_PACKAGE, "include")
    if os.path.isdir(installed):
        roots = [installed]
    else:
        # <source>/python/opwright/cpp_extension/_paths.py; <build>/python/opwright links to it.
        source = os.path.realpath(__file__)
        for _ in range(4):
            source = os.path.dirname(source)
        roots = [os.path.join(source, "include"), os.path.join(_build_folder(source), "generated")]
    for root, file in zip(roots, ("library.h", "functions.h"), strict=False):
        if not os.path.exists(os.path.join(root, "opwright", file)):
            raise FileNotFoundError(
                f"Opwright's header opwright/{file} is not in {root}: the installation is "
                "incomplete; install it again, or in its source tree run tools/build release"
            )
    return [roots[0], os.path.join(roots[0], "opwright", "compat"), *roots[1:]]


def _build_folder(source: str) -> str:
    build = os.path.dirname(os.path.dirname(_PACKAGE))
    if os.path.isdir(os.path.join(build, "generated")):
        return build
    return os.path.join(source, os.environ.get("OPWRIGHT_BUILD", "build/release"))
