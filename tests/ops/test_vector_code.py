"""The loops of pointwise kernels are vectorized at every level for which they are compiled."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FUNCTION = re.compile(r"[0-9a-f]+ <(_ZN8opwright6Kernel\w*?(?P<level>run\w*avx\w+?)ESt4span\w*)>:")


@pytest.fixture(scope="module")
def kernels():
    """Return the instructions of each kernel by mangled name, with its level."""
    if shutil.which("objdump") is None:
        pytest.skip("objdump is not installed: no code was looked at")
    library = ROOT / os.environ.get("OPWRIGHT_BUILD", "build/release") / "libopwright.so"
    if not library.exists():
        pytest.fail(f"{library} is not built; set OPWRIGHT_BUILD")
    command = ["objdump", "-d", "--no-show-raw-insn", "-j", ".text", library]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = {}
    for block in text.split("\n\n"):
        head = FUNCTION.match(block.lstrip("\n"))
        if head:
            found[head[1]] = (head["level"], block.splitlines()[1:])
    return found


def computes_with(register: str, lines: list[str]) -> bool:
    """Return whether an instruction does more than move or clear such registers."""
    moves = re.compile(r"vp?(mov|broadcast|xor\w* (%\w+),\2,)")
    words = (re.sub(r"\s+", " ", line.split("\t")[-1]) for line in lines)
    return any(register in word and not moves.match(word) for word in words)


def test_there_are_kernels_of_both_levels(kernels):
    levels = [level for level, _ in kernels.values()]

    assert sum("avx512" in level for level in levels) > 100
    assert sum("avx2" in level for level in levels) > 300


def test_every_kernel_of_a_level_computes_with_its_registers(kernels):
    scalar = [
        name
        for name, (level, lines) in kernels.items()
        if not computes_with("zmm" if "avx512" in level else "ymm", lines)
    ]

    demangled = subprocess.run(["c++filt", *scalar], capture_output=True, text=True).stdout
    assert not scalar, f"{len(scalar)} of {len(kernels)} are no vector code:\n{demangled}"
