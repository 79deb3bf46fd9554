"""PyTorch's exported programs (.pt2), read without PyTorch; a child process writes them."""
# Covers: src/pt2/archive/archive_tensors, src/pt2/archive/call_tree, src/pt2/pt2_file,
# src/pt2/replay/recorded_result, src/pt2/replay/replay, src/pt2/saved_program.

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import opwright as ow
import pytest
from opwright import pytree
from opwright.export import load

from tests.shared_folder import make_once

CASES = ("branch", "structures", "modes", "attention", "convolution")


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    pytest.importorskip("torch")

    def make(folder):
        script = Path(__file__).with_name("torch_models.py")
        subprocess.run([sys.executable, script, folder], check=True)

    return make_once(tmp_path_factory, "pt2_archives", make)


def calls_of(folder, name):
    """The flat inputs and results of the calls that torch made."""
    arrays = np.load(folder / f"{name}.npz")
    for call in range(2):
        kinds = {}
        for kind in ("input", "result"):
            names = [each for each in arrays.files if each.startswith(f"{kind}{call}_")]
            kinds[kind] = [ow.from_numpy(arrays[each]) for each in names]
        yield kinds["input"], kinds["result"]


def run(module, spec, inputs):
    """Call a program's module with flat inputs in the order of its arguments."""
    args, kwargs = pytree.tree_unflatten(inputs, spec)
    return pytree.tree_leaves(module(*args, **kwargs))


def assert_same(found, wanted):
    assert len(found) == len(wanted)
    for ours, theirs in zip(found, wanted, strict=True):
        ours = np.asarray(ours if isinstance(ours, int) else ours.detach().numpy())
        assert ours.shape == theirs.shape
        scale = np.abs(theirs.numpy()).max(initial=1.0)
        assert np.abs(ours - theirs.numpy()).max(initial=0) <= 1e-5 * scale


@pytest.mark.parametrize("form", ["", "_decomposed"])
@pytest.mark.parametrize("name", CASES)
def test_a_program_gives_torchs_results_at_both_sizes(folder, name, form):
    program = load(folder / f"{name}{form}.pt2")
    module, spec = program.module(), program.call_spec.in_spec
    for inputs, results in calls_of(folder, name):
        assert_same(run(module, spec, inputs), results)


def test_torch_is_not_imported(folder):
    code = f"import sys, opwright.export as e; e.load({str(folder / 'attention.pt2')!r}); "
    code += "sys.exit('torch' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_loaded_program_becomes_an_opw_file(folder, tmp_path):
    program = load(folder / "convolution.pt2")
    ow.export.save(program, tmp_path / "net.opw")
    inputs, results = next(calls_of(folder, "convolution"))
    assert_same([ow.load_program(tmp_path / "net.opw")(*inputs)], results)


def test_sizes_outside_of_the_range_are_refused(folder):
    program = load(folder / "convolution.pt2")
    with pytest.raises(ValueError, match="images"):
        program(ow.ones(65, 3, 8, 8))


def changed_copy(path, target, entry, change):
    """Write a copy of an archive with the JSON of an entry changed."""
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(target, "w") as copy:
        for info in source.infolist():
            data = source.read(info)
            if info.filename.endswith(entry):
                document = json.loads(data)
                change(document)
                data = json.dumps(document).encode()
            copy.writestr(zipfile.ZipInfo(info.filename), data)


def changed_error(folder, tmp_path, entry, change):
    target = tmp_path / "changed.pt2"
    changed_copy(folder / "convolution.pt2", target, entry, change)
    with pytest.raises((ValueError, NotImplementedError)) as caught:
        load(target)
    return str(caught.value).replace(str(tmp_path) + "/", "")


def test_a_missing_operator_is_named_with_its_node(folder, tmp_path):
    def change(program):
        program["graph_module"]["graph"]["nodes"][0]["target"] = "torch.ops.nowhere.clip.default"

    text = changed_error(folder, tmp_path, "models/model.json", change)
    assert text.startswith(
        "there is no operator nowhere::clip\n  If it comes from an operator binary, load it first: "
        'opwright.load_library("libnowhere.so").'
    )
    assert "in conv2d = torch.ops.nowhere.clip.default" in text


def test_a_result_of_another_size_than_recorded_is_refused(folder, tmp_path):
    def change(program):
        recorded = program["graph_module"]["graph"]["tensor_values"]["relu"]
        recorded["sizes"][1] = {"as_int": 9}

    text = changed_error(folder, tmp_path, "models/model.json", change)
    assert text.startswith(
        "the archive records float32[2, 9, 8, 8] for 'relu', "
        "but the operator gives float32[2, 8, 8, 8]\n  in relu = torch.ops.aten.relu.default"
    )


def test_another_major_version_is_refused(folder, tmp_path):
    def change(program):
        program["schema_version"] = {"major": 9, "minor": 1}

    text = changed_error(folder, tmp_path, "models/model.json", change)
    assert "the archive has schema version 9.1, supported is 8" in text


def test_pickled_weights_are_refused_by_name(folder, tmp_path):
    def change(config):
        config["config"]["head.weight"]["use_pickle"] = True

    text = changed_error(folder, tmp_path, "model_weights_config.json", change)
    assert "'head.weight' is pickled" in text
    assert "pickles are never read" in text


def test_a_weight_that_its_entry_cannot_hold_is_refused(folder, tmp_path):
    def change(config):
        config["config"]["head.weight"]["tensor_meta"]["sizes"][0] = {"as_int": 10**6}

    text = changed_error(folder, tmp_path, "model_weights_config.json", change)
    assert "'head.weight', float32[1000000, 8], needs 32000000 bytes" in text


def test_a_compressed_archive_is_refused(folder, tmp_path):
    with (
        zipfile.ZipFile(folder / "convolution.pt2") as source,
        zipfile.ZipFile(tmp_path / "small.pt2", "w", zipfile.ZIP_DEFLATED) as copy,
    ):
        for info in source.infolist():
            copy.writestr(info.filename, source.read(info), zipfile.ZIP_DEFLATED)
    with pytest.raises(ValueError, match=r"is compressed; store it, as torch\.export\.save does"):
        load(tmp_path / "small.pt2")


def test_truncated_and_changed_files_are_errors(folder, tmp_path):
    content = (folder / "structures.pt2").read_bytes()
    path = tmp_path / "damaged.pt2"
    for at in range(0, len(content), 97):
        path.write_bytes(content[:at])
        with pytest.raises((ValueError, OSError, NotImplementedError)):
            load(path)
    rng = np.random.default_rng(0)
    for at in rng.integers(0, len(content), 200):
        damaged = bytearray(content)
        damaged[at] ^= 0x41
        path.write_bytes(damaged)
        try:
            load(path)
        except (ValueError, OSError, NotImplementedError, TypeError, RuntimeError):
            continue
