"""nvcc: how it is found, and how it compiles a CUDA source to an object file."""

import functools
import os
import re

from ._compiler import CompilerNotFoundError, find_program

# Machine code for the newest tested GPU, and PTX for later ones.
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
    """Return the command of nvcc, or raise CompilerNotFoundError with advice."""
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        home = os.environ.get(variable)
        if home and os.access(nvcc := os.path.join(home, "bin", "nvcc"), os.X_OK):
            return [nvcc]
    if nvcc := find_program("nvcc"):
        return [nvcc]
    raise CompilerNotFoundError(_MISSING)


def toolkit_folder() -> str:
    """Return the folder of the toolkit's `include` and `lib64`; nvcc may be a script elsewhere."""
    return _toolkit_of(find_nvcc()[0])


@functools.cache
def _toolkit_of(nvcc: str) -> str:
    import subprocess

    command = [nvcc, "-dryrun", "-E", "-x", "cu", os.devnull]
    answer = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    top = re.search(r"^#\$ TOP=(.+)$", answer.stderr, re.MULTILINE)
    return os.path.realpath(top[1] if top else os.path.join(os.path.dirname(nvcc), ".."))


def architecture_flags(flags: list[str]) -> list[str]:
    """Return our flags, unless the author's flags choose."""
    chosen = ("-arch", "-gencode", "--gpu-architecture", "--generate-code")
    return [] if any(flag.startswith(chosen) for flag in flags) else ARCHITECTURES
