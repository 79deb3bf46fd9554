"""The workflow of the public forge runs what .ci/run runs."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_workflow_runs_the_commands_of_the_local_ci():
    local = re.findall(r"^make (.+)$", (ROOT / ".ci/run").read_text(), re.MULTILINE)
    workflow = (ROOT / ".github/workflows/ci.yml").read_text()
    listed = re.search(r"command: \[(.+)\]", workflow)[1].split(", ")

    assert listed == local
    assert "- run: make ${{ matrix.command }}" in workflow
