"""The README shows what the tree has."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_example_is_the_file_that_it_names():
    source = (ROOT / "examples/first_operator/soft_clip.cpp").read_text()

    assert f"```cpp\n{source}```" in (ROOT / "README.md").read_text()


def test_every_linked_file_exists():
    for document in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\[[^\]]+\]\(([\w./-]+)\)", document.read_text()):
            assert (document.parent / target).exists(), f"{document.name} links {target}"
