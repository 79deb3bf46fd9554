"""Runs texts of nests with llvmlite's own loader: emit_nest, LLVM, a function on arrays."""

import ctypes
import os
import subprocess
import tempfile
from pathlib import Path

import llvmlite.binding as llvm
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release")).resolve()
TOOL = BUILD / "emit_nest"
END = "----\n"

llvm.initialize_native_target()
llvm.initialize_native_asmprinter()


def vector_sizes() -> list[int]:
    """The register sizes of this machine, in bytes."""
    features = llvm.get_host_cpu_features()
    return [64, 32] if features.get("avx512bw") else [32]


def emit(texts: list[str], vector_bytes: int) -> list[tuple[str, int]]:
    """Each text's IR and the scratch bytes of one point."""
    done = subprocess.run(
        [TOOL, str(vector_bytes)],
        input="".join(text.rstrip("\n") + "\n" + END for text in texts),
        capture_output=True,
        text=True,
        check=True,
    )
    modules = done.stdout.split(END)[:-1]
    heads = [module.split("\n", 1) for module in modules]
    return [(ir, int(head.split()[-1])) for head, ir in heads]


def target_machine() -> llvm.TargetMachine:
    return llvm.Target.from_triple(llvm.get_default_triple()).create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=2,
        reloc="pic",
        codemodel="small",
    )


def outside_names(ir: str) -> set[str]:
    """The undefined symbols of a module's object."""
    machine = target_machine()
    module = llvm.parse_assembly(ir)
    with tempfile.NamedTemporaryFile(suffix=".o") as file:
        file.write(machine.emit_object(module))
        file.flush()
        command = ["nm", "--undefined-only", file.name]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    return {line.split()[-1] for line in done.stdout.splitlines()}


class EmittedNest:
    """The function of one nest."""

    def __init__(self, text: str, vector_bytes: int) -> None:
        ((self.ir, self.scratch_bytes),) = emit([text], vector_bytes)
        module = llvm.parse_assembly(self.ir)
        module.verify()
        self.engine = llvm.create_mcjit_compiler(module, target_machine())
        self.engine.finalize_object()
        address = self.engine.get_function_address("nest")
        self.function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(address)

    def __call__(
        self,
        operands: list[np.ndarray],
        numbers: tuple[int, ...] = (),
        rows: tuple[int, int] = (0, 1),
        columns: tuple[int, int] = (0, 0),
        strides: tuple[int, ...] = (),
        points: int = 0,
    ) -> None:
        scratch = np.zeros(self.scratch_bytes * points + 256, np.uint8)
        pointers = [operand.ctypes.data for operand in operands]
        words = [*rows, *columns, scratch.ctypes.data, *numbers, *pointers, *strides]
        context = (ctypes.c_int64 * len(words))(*words)
        self.function(ctypes.addressof(context))
