"""The blocks of a document, and processes that run them."""

import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release")).resolve()
BINARY = BUILD / "operators/libsoft_clip.so"
README = ROOT / "README.md"
TOUR_OF_MODES = ROOT / "docs/tour_of_modes.md"


def block_with(document: Path, words: str, language: str = "python") -> str:
    """Return the block of the document that contains these words."""
    blocks = re.findall(rf"```{language}\n(.*?)```", document.read_text(), re.DOTALL)
    return next(block for block in blocks if words in block)


def run(command: list[str | Path], folder: Path) -> str:
    """Run a command with the package of the build; return what it prints."""
    environment = {**os.environ, "PYTHONPATH": str(BUILD / "python")}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout
