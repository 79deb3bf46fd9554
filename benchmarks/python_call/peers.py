"""The C++ code of the peers, compiled once per source into the build folder."""

import importlib.util
import subprocess
import sysconfig
from pathlib import Path

from harness import build_torch_library, release_build

SOURCES = Path(__file__).parent


def package_folder(name):
    """Return the folder of a package without importing it; None if it is not installed."""
    spec = importlib.util.find_spec(name)
    return Path(spec.origin).parent if spec else None


def build_shared(source, *flags, suffix=".so"):
    """Build a shared library from a source in this folder; `flags` end with its libraries."""
    source = SOURCES / source
    library = release_build() / "peers" / f"{source.stem}{suffix}"
    if not library.exists() or library.stat().st_mtime < source.stat().st_mtime:
        library.parent.mkdir(parents=True, exist_ok=True)
        command = ["g++", "-std=c++20", "-O2", "-fPIC", "-fvisibility=hidden", "-shared"]
        subprocess.run([*command, source, "-o", library, *flags], check=True)
    return library


def load_floor():
    """Return the extension module of floor.cpp."""
    nanobind = package_folder("nanobind")
    flags = [f"-I{sysconfig.get_paths()['include']}", f"-I{nanobind / 'include'}"]
    flags += [f"-I{nanobind / 'ext/robin_map/include'}", "-fno-strict-aliasing", "-DNDEBUG"]
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    path = build_shared("floor.cpp", *flags, nanobind / "src/nb_combined.cpp", suffix=suffix)
    spec = importlib.util.spec_from_file_location("floor", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load_torch():
    """Return torch with the operators of torch_operators.cpp; None without torch."""
    path = build_torch_library(__file__, "torch_operators.cpp")
    if path is None:
        return None
    import torch

    torch.ops.load_library(str(path))
    torch.set_num_threads(1)
    return torch


def load_tvm_ffi():
    """Return tvm_ffi and the module of tvm_ffi_functions.cpp; None without tvm_ffi."""
    folder = package_folder("tvm_ffi")
    if folder is None:
        return None
    path = build_shared("tvm_ffi_functions.cpp", f"-I{folder / 'include'}")
    import tvm_ffi

    return tvm_ffi, tvm_ffi.load_module(str(path))
