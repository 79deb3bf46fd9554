"""Archives that Opwright writes for torch.export.load; a child process runs them in torch."""
# Covers: src/pt2/archive/archive_layout, src/pt2/archive/archive_program,
# src/pt2/archive/constant_element, src/pt2/archive/graph_writer, src/pt2/archive/size_nodes,
# src/pt2/archive/sub_graph_writer.

import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import opwright as ow
import pytest
from opwright import pytree
from opwright.export import Dim, export, load, save

from tests.shared_folder import make_once

from . import own_control_flow, own_models
from .test_higher_order import CONTROL_FLOW
from .test_pt2 import CASES, calls_of

HERE = Path(__file__).parent
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", HERE.parents[2] / "build" / "release"))
SOFT_CLIP = BUILD / "operators" / "libsoft_clip.so"
OWN_CASES = [name for made in (own_models, own_control_flow) for name, *_ in made.cases()]
BOTH_FORMS = (*CASES, *CONTROL_FLOW)
FORMS = [*(name + form for name in BOTH_FORMS for form in ("", "_decomposed")), "loop"]


def read(path):
    """Load an archive: always from this line, which the program's text shows."""
    return load(path)


def array_of(leaf):
    if not isinstance(leaf, ow.Tensor):
        return np.asarray(leaf), "number"
    dtype = str(leaf.dtype).split(".")[-1]
    leaf = leaf.detach()
    return (leaf.float() if leaf.dtype == ow.bfloat16 else leaf).numpy(), dtype


def leaves_of(tree):
    return [leaf for leaf in pytree.tree_leaves(tree) if leaf is not None]


def write_calls(path, program_path, calls):
    """Write the flat inputs of calls, and Opwright's results of the archive."""
    arrays = {"calls": np.asarray(len(calls))}
    program = read(program_path).module()
    for call, (args, kwargs) in enumerate(calls):
        for number, leaf in enumerate(leaves_of((args, kwargs))):
            array, dtype = array_of(leaf)
            if dtype != "number" or array.dtype.kind != "U":
                arrays[f"input{call}_{number}_{dtype}"] = array.copy()
            else:
                arrays[f"input{call}_{number}_{dtype}"] = array
        for number, leaf in enumerate(leaves_of(program(*args, **kwargs))):
            arrays[f"own{call}_{number}"] = array_of(leaf)[0].copy()
    np.savez(path, **arrays)


def write_archives(folder, torch_archives):
    ow.manual_seed(0)
    for name, function, calls, kwargs, shapes in (*own_models.cases(), *own_control_flow.cases()):
        copies = [
            pytree.tree_map(lambda x: x.clone() if isinstance(x, ow.Tensor) else x, args)
            for args in calls
        ]
        program = export(function, copies[0], kwargs, dynamic_shapes=shapes)
        save(program, folder / f"{name}.pt2")
        write_calls(folder / f"{name}.npz", folder / f"{name}.pt2", [(a, kwargs) for a in calls])
    for form in FORMS:
        save(read(torch_archives / f"{form}.pt2"), folder / f"torch_{form}.pt2")
        write_again(folder, torch_archives, form)
    ow.load_library(SOFT_CLIP)
    clip = export(lambda x: ow.ops.audio.soft_clip(x, limit=2.0) + 1, (ow.ones(3),))
    save(clip, folder / "custom.pt2")
    write_calls(folder / "custom.npz", folder / "custom.pt2", [((ow.arange(3.0),), {})])


def write_again(folder, torch_archives, form):
    path = folder / f"torch_{form}.pt2"
    spec = read(path).call_spec.in_spec
    name = form.removesuffix("_decomposed")
    calls = [pytree.tree_unflatten(inputs, spec) for inputs, _ in calls_of(torch_archives, name)]
    write_calls(path.with_suffix(".npz"), path, calls)


@pytest.fixture(scope="session")
def torch_archives(tmp_path_factory):
    pytest.importorskip("torch")

    def make(folder):
        for script in ("torch_models.py", "torch_higher_order.py"):
            subprocess.run([sys.executable, HERE / script, folder], check=True)

    return make_once(tmp_path_factory, "pt2_all_archives", make)


@pytest.fixture(scope="session")
def written(tmp_path_factory, torch_archives):
    """Give the folder with the archives, and what torch computed with them."""

    def make(folder):
        write_archives(folder, torch_archives)
        command = [sys.executable, HERE / "torch_calls.py", folder, SOFT_CLIP]
        subprocess.run(command, check=True)

    return make_once(tmp_path_factory, "pt2_written", make)


# ---- Round trips ----


@pytest.mark.parametrize("name", FORMS)
def test_an_archive_of_torch_stays_the_same_program(torch_archives, tmp_path, name):
    program = read(torch_archives / f"{name}.pt2")

    save(program, tmp_path / f"{name}.pt2")

    assert str(read(tmp_path / f"{name}.pt2")) == str(program)


@pytest.mark.parametrize("name", OWN_CASES)
def test_an_archive_of_opwright_stays_the_same_program(written, tmp_path, name):
    program = read(written / f"{name}.pt2")

    save(program, tmp_path / f"{name}.pt2")

    assert str(read(tmp_path / f"{name}.pt2")) == str(program)


@pytest.mark.parametrize("name", [*OWN_CASES, *(f"torch_{form}" for form in FORMS), "custom"])
def test_torch_gives_the_same_results(written, name):
    error = written / f"{name}.error"
    assert not error.exists(), error.read_text()
    own, torchs = np.load(written / f"{name}.npz"), np.load(written / f"{name}.torch.npz")
    wanted = [own[key] for key in own.files if key.startswith("own")]
    found = [torchs[key] for key in torchs.files]
    assert len(wanted) == len(found) > 0
    for ours, theirs in zip(wanted, found, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-5, strict=True)


def test_a_bytes_file_named_so_becomes_an_archive(tmp_path):
    program = export(lambda x: x + 1, (ow.ones(2),))
    with open(tmp_path / "net.pt2", "wb") as file:
        save(program, file)
    assert ow.equal(read(tmp_path / "net.pt2")(ow.ones(2)), ow.full([2], 2.0))


def test_a_stream_without_a_name_becomes_a_program_file():
    file = io.BytesIO()
    save(export(lambda x: x + 1, (ow.ones(2),)), file)
    assert file.getvalue()[:2] != b"PK"


# ---- The container ----


def test_entries_are_stored_and_aligned(tmp_path):
    program = export(ow.nn.Linear(3, 5), (ow.ones(1, 3),))
    save(program, tmp_path / "net.pt2")
    content = (tmp_path / "net.pt2").read_bytes()
    with zipfile.ZipFile(tmp_path / "net.pt2") as archive:
        assert archive.testzip() is None
        infos = archive.infolist()
    assert {info.compress_type for info in infos} == {zipfile.ZIP_STORED}
    for info in infos:
        assert info.filename.startswith("net/")
        name, extra = (int.from_bytes(content[info.header_offset + at :][:2], "little")
                       for at in (26, 28))  # fmt: skip
        assert (info.header_offset + 30 + name + extra) % 64 == 0


def test_tied_parameters_are_stored_once(tmp_path):
    model = ow.nn.Sequential(ow.nn.Linear(4, 4, bias=False), ow.nn.Linear(4, 4, bias=False))
    model[1].weight = model[0].weight
    save(export(model, (ow.ones(1, 4),)), tmp_path / "net.pt2")
    with zipfile.ZipFile(tmp_path / "net.pt2") as archive:
        assert [name for name in archive.namelist() if "/weight_" in name] == [
            "net/data/weights/weight_0"
        ]


# ---- Calls that draw numbers or write arguments ----


def test_random_numbers_come_from_torchs_generator(tmp_path):
    torch = pytest.importorskip("torch")
    program = export(lambda x: (x + ow.rand(100), ow.nn.functional.dropout(x)), (ow.ones(100),))
    save(program, tmp_path / "net.pt2")
    module = torch.export.load(tmp_path / "net.pt2").module()

    torch.manual_seed(0)
    added, dropped = module(torch.ones(100))
    torch.manual_seed(0)
    again, _ = module(torch.ones(100))

    assert torch.equal(added, again)
    assert 1 <= added.min() < 1.2
    assert 1.8 < added.max() < 2
    assert set(dropped.tolist()) == {0.0, 2.0}
    assert read(tmp_path / "net.pt2")(ow.ones(100))[0].shape == (100,)


def test_a_custom_operator_that_writes_works_on_a_clone(tmp_path):
    torch = pytest.importorskip("torch")

    @ow.library.custom_op("pt2_writer::scale_", mutates_args=("x",))
    def scale_(x: ow.Tensor, factor: float) -> None:
        x.mul_(factor)

    @torch.library.custom_op("pt2_writer::scale_", mutates_args=("x",))
    def torch_scale_(x: torch.Tensor, factor: float) -> None:
        x.mul_(factor)

    def function(x):
        y = x + 1
        scale_(y, 3.0)
        return y * 2

    save(export(function, (ow.ones(2),)), tmp_path / "net.pt2")

    assert torch.export.load(tmp_path / "net.pt2").module()(torch.ones(2)).tolist() == [12, 12]
    assert read(tmp_path / "net.pt2")(ow.ones(2)).tolist() == [12, 12]


def tensor_values(path):
    with zipfile.ZipFile(path) as archive:
        document = json.loads(archive.read("net/models/model.json"))
    return document["graph_module"]["graph"]["tensor_values"]


def test_a_written_result_is_described_as_its_argument(tmp_path):
    library = ow.library.Library("pt2_results", "DEF")
    library.define(
        "double_(Tensor y, Tensor z, Tensor(a!) w, Tensor(b!) x) -> (Tensor, Tensor(b!))"
    )
    name = "pt2_results::double_"
    ow.library.impl(name, "CPU", lambda y, z, w, x: (y * 2, (w.mul_(2), x.mul_(2))[1]), lib=library)
    ow.library.register_fake(name, lambda y, z, w, x: (ow.empty_like(y), x), lib=library)

    def function(y, x):
        x = x + 1
        doubled, _ = ow.ops.pt2_results.double_(y, y, y + 1, x)
        return doubled, x * 3

    save(export(function, (ow.ones(5, 5), ow.ones(2))), tmp_path / "net.pt2")

    values = tensor_values(tmp_path / "net.pt2")
    (written,) = (value for name, value in values.items() if name.endswith("_written"))
    assert written["sizes"] == [{"as_int": 2}]
    doubled, x = read(tmp_path / "net.pt2")(ow.ones(5, 5), ow.ones(2))
    assert doubled.tolist() == [[2.0] * 5] * 5
    assert x.tolist() == [12.0, 12.0]


# ---- What torch has no form for ----


def save_error(tmp_path, function, *args, **options):
    program = export(function, args, **options)
    with pytest.raises((NotImplementedError, ValueError)) as caught:
        save(program, tmp_path / "net.pt2")
    assert not (tmp_path / "net.pt2").exists()
    return str(caught.value)


class WriteUnseen(ow.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = ow.nn.Linear(2, 2)

    def forward(self, x):
        y = self.layer(x)
        with ow.no_grad():
            y.clamp_(min=0)
        return y * 2


def test_an_operator_of_opwright_alone_is_refused_by_name(tmp_path):
    text = save_error(tmp_path, WriteUnseen(), ow.ones(3, 2))
    assert text.startswith(
        "save: the operator opwright::graft is Opwright's own, PyTorch does not have it; in %graft "
    )
    assert text.endswith("Save the program as .opw, or export it without that operator.")


def test_random_numbers_of_a_branch_are_refused(tmp_path):
    def function(x):
        return ow.cond(x.sum() > 0, lambda x: x + ow.rand(3), lambda x: x - ow.rand(3), (x,))

    assert save_error(tmp_path, function, ow.ones(3)) == (
        "save: a branch or a loop draws random numbers, which archives of PyTorch cannot hold\n"
        "  Draw them before it, or save the program as .opw."
    )


def test_a_constant_that_torch_does_not_have_is_refused(tmp_path):
    assert save_error(tmp_path, lambda x, dtype: x.to(dtype), ow.ones(3), ow.float64) == (
        "save: the input 'dtype' is float64; PyTorch's archives have only numbers, strings and "
        "None as constants of the call"
    )


def test_a_condition_on_sizes_is_checked_by_torch(tmp_path):
    """torch runs conditions that Opwright finds only when it runs the graph again."""
    torch = pytest.importorskip("torch")
    program = export(
        lambda x: x.reshape(2, x.shape[0] // 2), (ow.ones(4),), dynamic_shapes=[{0: Dim.DYNAMIC}]
    )
    save(program, tmp_path / "net.pt2")
    module = torch.export.load(tmp_path / "net.pt2").module()
    assert module(torch.ones(6)).shape == (2, 3)
    with pytest.raises(RuntimeError, match="the sizes must satisfy"):
        module(torch.ones(5))
