"""Compiles object code with llvmlite, for the core's compiler.

llvmlite is imported when the first object has to be compiled: cached code does not need it. The
core calls these functions; see src/compile/object/code_maker.h.
"""

import os
import sys
from _thread import allocate_lock  # a cheap import, to keep cache look-ups fast
from importlib.machinery import PathFinder

OLDEST = (0, 45)  # has an LLVM that accepts the emitter's dialect


def find_version() -> str | None:
    """Return llvmlite's version without importing it; None if it is missing or too old."""
    if module := sys.modules.get("llvmlite"):
        return _accepted(module.__version__)
    try:
        spec = PathFinder.find_spec("llvmlite")
    except (ImportError, ValueError):
        return None
    if spec is None or spec.origin is None:
        return None
    return _accepted(_read_version(os.path.dirname(spec.origin)))


def _read_version(folder: str) -> str:
    """Return the version in `_version.py`, or a substitute if a later release has none."""
    path = os.path.join(folder, "_version.py")
    try:
        with open(path, encoding="utf-8") as file:
            _, found, rest = file.read().partition("version_version = '")
        return rest.partition("'")[0] if found else f"of {os.stat(path).st_mtime_ns}"
    except OSError:
        return f"of {os.stat(folder).st_mtime_ns}"


def _accepted(version: str) -> str | None:
    numbers = version.split(".")[:2]
    is_old = all(n.isdecimal() for n in numbers) and tuple(map(int, numbers)) < OLDEST
    return None if is_old else version


class _Machine:
    """Return llvmlite with a target machine for this processor, created once."""

    lock = allocate_lock()
    llvm = None
    target = None

    @classmethod
    def get(cls) -> "type[_Machine] | None":
        """Return None if llvmlite cannot be imported after all."""
        with cls.lock:
            if cls.target is None:
                try:
                    import llvmlite.binding as llvm
                except (ImportError, OSError):
                    return None
                llvm.initialize_native_target()
                llvm.initialize_native_asmprinter()
                cls.llvm = llvm
                cls.target = llvm.Target.from_default_triple().create_target_machine(
                    cpu=llvm.get_host_cpu_name(),
                    features=llvm.get_host_cpu_features().flatten(),
                    opt=2,
                    reloc="pic",
                    codemodel="small",
                )
        return cls

    @classmethod
    def parse(cls, ir: str):
        # A separate context: two threads must not work on modules of the same one.
        return cls.llvm.parse_assembly(ir, cls.llvm.create_context())


def make_object(ir: str) -> bytes | None:
    """Return the object of a module; None if llvmlite cannot be imported after all."""
    machine = _Machine.get()
    if machine is None:
        return None
    with machine.parse(ir) as module:
        return machine.target.emit_object(module)


def make_assembly(ir: str) -> str:
    """Return the assembly of a module; empty if llvmlite cannot be imported after all."""
    machine = _Machine.get()
    if machine is None:
        return ""
    with machine.parse(ir) as module:
        return machine.target.emit_assembly(module)
