"""Counts the public names of PyTorch that Opwright has, and writes the page.

From the root of the repository, after `tools/build release python`:

    .venv/bin/python -m tests.names            # to the terminal
    .venv/bin/python -m tests.names --write    # docs/results/torch_names.md
"""

import argparse
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("OPWRIGHT_BUILD", "build/release")
sys.path[:0] = [str(BUILD / "python"), str(ROOT)]

import torch  # noqa: E402

from tests.names.page import write_page  # noqa: E402
from tests.names.public_names import compare_all  # noqa: E402

PAGE = ROOT / "docs" / "results" / "torch_names.md"


def main() -> int:
    parser = argparse.ArgumentParser(prog="names", description=__doc__)
    parser.add_argument("--write", action="store_true", help="update docs/results/torch_names.md")
    options = parser.parse_args()
    page = write_page(compare_all(), torch.__version__.partition("+")[0])
    if options.write:
        PAGE.write_text(page)
    else:
        print(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
