"""Runs the code of a guide: its blocks in order, in one set of names.

python guide_blocks.py GUIDE FOLDER    all runs in FOLDER; prints what differs from the guide

A block of Python or shell that a `text` block follows at once prints just that, but for blank lines
at the end; `...` stands for any text. An exception that ends a block counts as printed, without the
traceback.
"""

import contextlib
import doctest
import io
import os
import re
import subprocess
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    language: str
    code: str
    line: int  # of its first line in the guide
    output: str | None  # None: whatever it prints is not shown


def read_blocks(guide: Path) -> list[Block]:
    text = guide.read_text()
    found = list(BLOCK.finditer(text))
    blocks = []
    for block, following in zip(found, [*found[1:], None], strict=True):
        if block[1] == "text":
            continue
        shown = following is not None and following[1] == "text"
        is_near = shown and not text[block.end() : following.start()].strip()
        line = text.count("\n", 0, block.start(2)) + 1
        blocks.append(Block(block[1], block[2], line, following[2] if is_near else None))
    return blocks


def run_python(block: Block, guide: Path, names: dict[str, object]) -> str:
    code = compile("\n" * (block.line - 1) + block.code, guide.name, "exec")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            exec(code, names)
        except Exception as error:
            if block.output is None:
                raise
            return printed.getvalue() + "".join(traceback.format_exception_only(error))
    return printed.getvalue()


def run_shell(block: Block, folder: Path) -> str:
    done = subprocess.run(
        ["bash", "-c", block.code], cwd=folder, capture_output=True, text=True, timeout=120
    )
    assert block.output is not None or done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def run_guide(guide: Path, folder: Path) -> list[str]:
    """Run all blocks; return the differences from what the guide shows."""
    names: dict[str, object] = {"__name__": guide.stem}
    checker = doctest.OutputChecker()
    different = []
    for block in read_blocks(guide):
        if block.language == "python":
            printed = run_python(block, guide, names)
        elif block.language == "sh":
            printed = run_shell(block, folder)
        else:
            continue
        if block.output is None:
            continue
        printed = re.sub(r"\n+\Z", "\n", printed)
        if checker.check_output(block.output, printed, doctest.ELLIPSIS):
            continue
        different.append(f"{guide.name}:{block.line} shows\n{block.output}\nbut prints\n{printed}")
    return different


if __name__ == "__main__":
    os.chdir(sys.argv[2])
    differences = run_guide(Path(sys.argv[1]), Path(sys.argv[2]))
    print("\n".join(differences), end="")
    sys.exit(bool(differences))
