"""The folder of our build, and programs built against PyTorch."""

import os
import subprocess
from pathlib import Path

from .smoke import find_peer

ROOT = Path(__file__).resolve().parents[2]


def release_build():
    """Return the folder of the release build, which `make bench` creates."""
    return Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release"))


def build_torch_library(beside, source):
    """Build a library of torch operators from `source`, next to `beside`; None without torch."""
    spec = find_peer("torch")
    if spec is None:
        return None
    torch = Path(spec.origin).parent
    source = Path(beside).parent / source
    library = release_build() / "peers" / f"{source.parent.name}_{source.stem}.so"
    if not library.exists() or library.stat().st_mtime < source.stat().st_mtime:
        library.parent.mkdir(parents=True, exist_ok=True)
        command = ["g++", "-std=c++20", "-O2", "-fPIC", "-fvisibility=hidden", "-shared"]
        libraries = [f"-L{torch / 'lib'}", "-ltorch", "-ltorch_cpu", "-lc10"]
        command += [f"-I{torch / 'include'}", source, "-o", library, *libraries]
        subprocess.run(command, check=True)
    return library


def build_torch_program(source):
    """Compile a C++ program against the installed torch if it changed; None without torch."""
    spec = find_peer("torch")
    if spec is None:
        return None
    torch = Path(spec.origin).parent
    program = release_build() / "peers" / Path(source).stem
    if program.exists() and program.stat().st_mtime > Path(source).stat().st_mtime:
        return program
    program.parent.mkdir(parents=True, exist_ok=True)
    includes = [f"-I{torch / 'include'}", f"-I{torch / 'include/torch/csrc/api/include'}"]
    libraries = [f"-L{torch / 'lib'}", f"-Wl,-rpath,{torch / 'lib'}", "-Wl,--no-as-needed"]
    libraries += ["-ltorch", "-ltorch_cpu", "-lc10"]
    command = ["g++", "-std=c++20", "-O2", *includes, str(source), "-o", str(program), *libraries]
    subprocess.run(command, check=True)
    return program
