"""netron opens the models: its own parser, run by node without a page, shows their contents."""

import importlib.util
import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import onnx
import pytest

from tests.python.export.models.cases import Case

from .onnx_models.cases import CASES, node_values, write_model

OPEN = Path(__file__).parent / "open_in_netron.mjs"

if importlib.util.find_spec("netron") is None or shutil.which("node") is None:
    pytest.skip("netron or node is not installed: no model was opened", allow_module_level=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """netron's files, said to be modules: the wheel leaves its package.json away."""
    folder = tmp_path_factory.mktemp("netron")
    source = importlib.util.find_spec("netron").origin
    for file in Path(source).parent.iterdir():
        (folder / file.name).symlink_to(file)
    (folder / "package.json").write_text('{"type": "module"}')
    return folder


def open_in_netron(folder: Path, *models: Path) -> list[dict[str, Any]]:
    """What netron shows of each."""
    run = subprocess.run(
        ["node", "--preserve-symlinks", "--preserve-symlinks-main", OPEN, folder, *models],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def short_name(domain: str) -> str:
    return domain or "ai.onnx"  # as netron calls it


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("opset", [12, 20, 26])
def test_netron_shows_the_graph_its_nodes_domains_and_types(
    case: Case, opset: int, folder: Path, tmp_path: Path
) -> None:
    ours, _ = case.make_twins()
    path = write_model(case, ours, tmp_path / "model.onnx", opset, from_program=False)
    model = onnx.load(path)

    (shown,) = open_in_netron(folder, path)

    assert shown["format"] == f"ONNX v{model.ir_version}"
    assert shown["producer"].startswith("opwright")
    assert sorted(shown["imports"]) == sorted(
        f"{short_name(each.domain)} v{each.version}" for each in model.opset_import
    )
    assert [each["name"] for each in shown["inputs"]] == [each.name for each in model.graph.input]
    assert [(each["domain"], each["type"]) for each in shown["nodes"]] == [
        (short_name(node.domain), node.op_type) for node in model.graph.node
    ]
    values = [value for node in shown["nodes"] for value in node["outputs"]]
    assert [value["name"] for value in values] == node_values(model)
    untyped = [value["name"] for value in values if value["type"] is None]
    assert [name for name in untyped if "/" not in name] == []  # results of calls


def test_netron_shows_free_sizes_by_their_names_and_attributes_of_own_nodes(
    folder: Path, tmp_path: Path
) -> None:
    case = next(each for each in CASES if each.name == "conv_net")
    ours, _ = case.make_twins()
    path = write_model(case, ours, tmp_path / "model.onnx", 20, from_program=False)

    (shown,) = open_in_netron(folder, path)

    assert shown["inputs"] == [
        {"name": "image", "type": "float32[batch,3,rows,columns]", "is_initializer": False}
    ]
    assert [each["type"] for each in shown["outputs"]] == ["float32[batch,4]"]
    (own,) = (each for each in shown["nodes"] if each["domain"] == "audio")
    assert own["type"] == "soft_clip"
    assert own["attributes"] == {"limit": "float32: 0.5"}


def test_netron_reads_weights_of_a_file_beside_the_model(folder: Path, tmp_path: Path) -> None:
    import opwright as ow

    model = ow.nn.Linear(64, 64)
    path = tmp_path / "model.onnx"
    ow.onnx.export(model, (ow.ones(2, 64),), path, external_data=True)

    (shown,) = open_in_netron(folder, path)

    weights = [v["type"] for node in shown["nodes"] for v in node["inputs"] if v["is_initializer"]]
    assert "float32[64,64]" in weights or "float32[64]" in weights
