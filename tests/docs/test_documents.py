"""Documents link and name what the tree has."""

import re
from pathlib import Path

from .document_blocks import ROOT

DOCUMENTS = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
ARCHITECTURE = ROOT / "ARCHITECTURE.md"
DESIGN = [ARCHITECTURE, ROOT / "docs/glossary.md", *(ROOT / "docs/design").rglob("*.md")]
FOLDERS = "benchmarks|bridges|cmake|command|devices|docs|examples|include|python|src|tests|tools"
NAMED_PATH = re.compile(rf"`((?:{FOLDERS})/[\w./]*[\w/])`")


def missing_links(document: Path, pattern: str) -> list[str]:
    targets = re.findall(pattern, document.read_text())
    return [target for target in targets if not (document.parent / target).exists()]


def test_every_linked_file_exists():
    for document in DOCUMENTS:
        missing = missing_links(document, r"\[[^\]]+\]\(([\w./-]+)(?:#[\w-]+)?\)")
        assert missing == [], f"{document.name} links {missing}"


def test_the_quickstart_shows_the_whole_operator():
    source = (ROOT / "examples/first_operator/soft_clip.cpp").read_text()

    assert f"```cpp\n{source}```" in (ROOT / "docs/quickstart.md").read_text()


def test_every_path_that_the_design_names_exists():
    for document in DESIGN:
        named = NAMED_PATH.findall(document.read_text())
        missing = [path for path in named if not (ROOT / path).exists()]
        assert missing == [], f"{document.name} names {missing}"


def test_the_architecture_is_one_page_and_names_every_layer():
    text = ARCHITECTURE.read_text()
    layers = sorted(folder.name for folder in (ROOT / "src").iterdir() if folder.is_dir())

    assert len(text.splitlines()) <= 160
    assert [layer for layer in layers if f"  {layer}/ " not in text] == []


def test_every_walk_and_decision_is_linked_from_the_architecture():
    linked = set(re.findall(r"\]\((docs/design/[\w./-]+)\)", ARCHITECTURE.read_text()))
    pages = {str(page.relative_to(ROOT)) for page in (ROOT / "docs/design").rglob("*.md")}

    assert pages - linked == set()


def test_the_index_lists_every_document():
    folder = ROOT / "docs"
    index = (folder / "README.md").read_text()
    pages = {str(page.relative_to(folder)) for page in folder.rglob("*.md")}
    linked = set(re.findall(r"\]\(([\w./-]+)\)", index))

    unlisted = {page for page in pages if not page.startswith("design/")} - linked
    assert unlisted == {"README.md"}
