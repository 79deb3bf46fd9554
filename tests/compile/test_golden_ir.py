"""llvmlite's LLVM accepts the IR of the golden nests, which needs no external symbols."""

from pathlib import Path

import pytest

pytest.importorskip("llvmlite")
from .emitted_nest import llvm, outside_names

GOLDEN = sorted((Path(__file__).resolve().parents[1] / "golden" / "nest").rglob("*.txt"))


@pytest.mark.parametrize("file", GOLDEN, ids=lambda file: file.stem)
def test_golden_ir_is_compiled_without_anything_from_outside(file):
    ir = file.read_text().split("\n----\n")[1]
    module = llvm.parse_assembly(ir)
    module.verify()
    assert outside_names(ir) <= {"memcpy", "memset", "memmove"}
