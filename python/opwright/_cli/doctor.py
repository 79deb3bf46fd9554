"""What this machine has for Opwright, and how to get what is missing.

Imports nothing heavy: versions of other packages are read from their metadata.
"""

import ctypes
import os
import platform
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path

from .. import _C


@dataclass(frozen=True)
class Finding:
    """One thing that was checked."""

    name: str
    is_found: bool
    detail: str  # version and location, or why it is missing
    advice: str = ""  # what to do if it is missing
    is_required: bool = False

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


def _first_line(command: Sequence[str]) -> str | None:
    """Return the first line that a tool prints, or None if it does not run."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=5)
    except (OSError, subprocess.SubprocessError):
        return None
    lines = done.stdout.strip().splitlines()
    return lines[0] if done.returncode == 0 and lines else None


def _find_package() -> Finding:
    import opwright

    count = len(opwright.library.list())
    folder = Path(opwright.__file__).parent
    detail = f"{opwright.__version__}, {count} operators ({folder})"
    return Finding("opwright", True, detail, is_required=True)


def _find_python() -> Finding:
    return Finding("python", True, f"{platform.python_version()}, {platform.platform()}")


def _find_compiler() -> Finding:
    named = os.environ.get("CXX")
    for candidate in [named] if named else ["g++", "c++", "clang++"]:
        if (path := shutil.which(candidate)) and (line := _first_line([path, "--version"])):
            return Finding("compiler", True, f"{line} ({path})", is_required=True)
    tried = f"CXX={named} does not run" if named else "no g++, c++ or clang++ on PATH"
    return Finding(
        "compiler",
        False,
        tried,
        "Install one (Debian: apt install g++) or set CXX; cpp_extension compiles with it.",
        is_required=True,
    )


def _find_nvcc() -> Finding:
    homes = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"]
    candidates = [str(Path(home) / "bin" / "nvcc") for home in homes if home] + ["nvcc"]
    path = next(filter(None, map(shutil.which, candidates)), None)
    if path is None:
        return Finding(
            "nvcc",
            False,
            "neither in CUDA_HOME nor on PATH",
            "Install the CUDA toolkit, or set CUDA_HOME, to compile CUDA sources.",
        )
    try:
        text = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=5).stdout
    except (OSError, subprocess.SubprocessError):
        text = ""
    release = re.search(r"release ([\d.]+)", text)
    return Finding("nvcc", True, f"{release[1] if release else 'unknown version'} ({path})")


def _find_llvm() -> Finding:
    vectors = _C.code_vector_bytes()
    if vectors == 0:
        return Finding(
            "LLVM",
            False,
            "not of use: code is made for x86-64 with AVX2, FMA, F16C and BMI2",
            "Nothing to do; compiled functions run as plans of operators here.",
        )
    if maker := _C.object_maker_name():
        return Finding("LLVM", True, f"{maker}, vectors of {vectors} bytes")
    return Finding(
        "LLVM",
        False,
        "neither llvmlite nor LLVM 19 or newer",
        "pip install 'opwright[compile]': machine code for compiled functions.",
    )


def _open_library(*names: str) -> ctypes.CDLL | None:
    for name in names:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


def _find_cuda_driver() -> Finding:
    library = _open_library("libcuda.so.1", "nvcuda.dll")
    version = ctypes.c_int()
    if library is None or library.cuDriverGetVersion(ctypes.byref(version)) != 0:
        return Finding(
            "CUDA driver",
            False,
            "no libcuda.so.1",
            "Install the NVIDIA driver to use cuda devices.",
        )
    return Finding(
        "CUDA driver", True, f"CUDA {version.value // 1000}.{version.value % 1000 // 10}"
    )


def _find_opencl() -> Finding:
    if _open_library("libOpenCL.so.1", "OpenCL.dll") is None:
        return Finding(
            "OpenCL",
            False,
            "no libOpenCL.so.1",
            "Install a loader and a driver (Debian: apt install ocl-icd-libopencl1 "
            "pocl-opencl-icd) to use opencl devices.",
        )
    folder = Path(os.environ.get("OCL_ICD_VENDORS", "/etc/OpenCL/vendors"))
    drivers = sorted(path.stem for path in folder.glob("*.icd"))
    if not drivers:
        return Finding(
            "OpenCL",
            False,
            f"the loader is there, but no driver in {folder}",
            "Install a driver (Debian: apt install pocl-opencl-icd).",
        )
    return Finding("OpenCL", True, f"drivers: {', '.join(drivers)}")


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _find_python_package(package: str, what_for: str) -> Finding:
    if version := _version(package):
        return Finding(package, True, version)
    return Finding(package, False, "not installed", f"pip install {package}: {what_for}.")


_PACKAGES = {
    "numpy": "tensors from and to arrays",
    "torch": "operator binaries in PyTorch",
    "jax": "operator binaries in JAX",
    "onnxruntime": "operator binaries in ONNX Runtime",
}
_SEARCHES: Sequence[Callable[[], Finding]] = (
    _find_package,
    _find_python,
    _find_compiler,
    _find_llvm,
    _find_nvcc,
    _find_cuda_driver,
    _find_opencl,
)


def examine() -> list[Finding]:
    """Check everything; takes under a second."""
    found = [search() for search in _SEARCHES]
    return found + [_find_python_package(name, what) for name, what in _PACKAGES.items()]


def report(findings: Iterable[Finding]) -> str:
    """Return the findings as readable lines."""
    lines = []
    for finding in findings:
        mark = "ok     " if finding.is_found else "missing"
        lines.append(f"{mark} {finding.name:<12} {finding.detail}")
        if not finding.is_found:
            lines.append(f"{'':<21}{finding.advice}")
    return "\n".join(lines)


def exit_code(findings: Iterable[Finding]) -> int:
    """Return 1 if something required is missing."""
    return int(any(finding.is_required and not finding.is_found for finding in findings))
