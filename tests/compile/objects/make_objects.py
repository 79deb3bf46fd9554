"""Regenerates the stored objects from the .ll texts next to it.

The bytes depend on the version of LLVM; the loader's tests read the stored ones and need no LLVM.
"""

from pathlib import Path

import llvmlite.binding as llvm

HERE = Path(__file__).parent


def make_object(text: str) -> bytes:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_triple("x86_64-unknown-linux-gnu")
    machine = target.create_target_machine(
        cpu="x86-64", features="", opt=2, reloc="pic", codemodel="small"
    )
    return machine.emit_object(llvm.parse_assembly(text, llvm.create_context()))


if __name__ == "__main__":
    for text in sorted(HERE.glob("*.ll")):
        text.with_suffix(".elf").write_bytes(make_object(text.read_text()))
