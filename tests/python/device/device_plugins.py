"""Where the plug-ins of tests/operators are."""

import os
from pathlib import Path

BUILD = Path(os.environ.get("OPWRIGHT_BUILD", Path(__file__).parents[3] / "build" / "release"))


def plugin(name: str) -> Path:
    """Return the path of an operator binary of the tests."""
    return BUILD / "operators" / f"lib{name}.so"
