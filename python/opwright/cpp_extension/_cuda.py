"""nvcc: where it is, and how a CUDA source becomes an object file."""

import functools
import os
import re

from ._compiler import CompilerNotFoundError, find_program

# The newest GPU that is tested as machine code, and PTX for later ones.
ARCHITECTURES = ["-gencode", "arch=compute_90,code=[sm_90,compute_90]"]
FLAGS = ["-std=c++20", "-O2", "-Xcompiler", "-fPIC,-fvisibility=hidden"]
QUIET = ["-diag-suppress", "186"]  # a comparison in a template of our headers
IMPLICIT_HEADERS = "#include <torch/types.h>\n#include <cuda.h>\n#include <cuda_runtime.h>\n"
LIBRARIES = ["-lcudart_static", "-ldl", "-lrt", "-lpthread"]

_MISSING = """\
CUDA sources need nvcc, and there is none (looked in CUDA_HOME, CUDA_PATH and PATH).
  Install the CUDA toolkit, 12.4 or newer: https://developer.nvidia.com/cuda-downloads
  If it is installed, set CUDA_HOME to its folder."""


def find_nvcc() -> list[str]:
    """The command of nvcc, or CompilerNotFoundError with what to do."""
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        home = os.environ.get(variable)
        if home and os.access(nvcc := os.path.join(home, "bin", "nvcc"), os.X_OK):
            return [nvcc]
    if nvcc := find_program("nvcc"):
        return [nvcc]
    raise CompilerNotFoundError(_MISSING)


def toolkit_folder() -> str:
    """The folder with the toolkit's `include` and `lib64`; nvcc may be a script elsewhere."""
    return _toolkit_of(find_nvcc()[0])


@functools.cache
def _toolkit_of(nvcc: str) -> str:
    import subprocess

    command = [nvcc, "-dryrun", "-E", "-x", "cu", os.devnull]
    answer = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    top = re.search(r"^#\$ TOP=(.+)$", answer.stderr, re.MULTILINE)
    return os.path.realpath(top[1] if top else os.path.join(os.path.dirname(nvcc), ".."))


def architecture_flags(flags: list[str]) -> list[str]:
    """Ours, unless the author's flags choose."""
    chosen = ("-arch", "-gencode", "--gpu-architecture", "--generate-code")
    return [] if any(flag.startswith(chosen) for flag in flags) else ARCHITECTURES
