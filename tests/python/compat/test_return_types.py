"""Functions with several named results return PyTorch's named tuples: x.max(0).values."""

import copy
import pickle

import opwright as ow
import opwright.compat.torch as compat
import pytest

CALLS = {
    "max": lambda lib, x: x.max(0),
    "min function": lambda lib, x: lib.min(x, dim=1, keepdim=True),
    "sort": lambda lib, x: x.sort(1, descending=True),
    "stable sort": lambda lib, x: lib.sort(x, stable=True),
    "topk": lambda lib, x: lib.topk(x, 2),
    "median": lambda lib, x: x.median(1),
    "nanmedian": lambda lib, x: x.nanmedian(1),
    "mode": lambda lib, x: x.mode(1),
    "kthvalue": lambda lib, x: x.kthvalue(2),
    "cummax": lambda lib, x: x.cummax(0),
    "cummin": lambda lib, x: lib.cummin(x, 0),
    "aminmax": lambda lib, x: lib.aminmax(x),
    "frexp": lambda lib, x: x.frexp(),
    "slogdet": lambda lib, x: x[:, :2].slogdet(),
    "linalg.qr": lambda lib, x: lib.linalg.qr(x),
    "linalg.svd": lambda lib, x: lib.linalg.svd(x),
    "histogram": lambda lib, x: lib.histogram(x, 3),
}


def fields_of(result):
    skipped = {"count", "index"}
    return {name for name in dir(result) if not name.startswith(("_", "n_"))} - skipped


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_results_have_the_class_and_the_names_of_pytorch(call):
    import torch

    values = [[3.0, 1.0, 2.0], [5.0, 9.0, 7.0]]
    theirs = call(torch, torch.tensor(values))
    ours = call(compat, compat.tensor(values))

    assert type(ours).__name__ == type(theirs).__name__
    assert isinstance(ours, tuple)
    assert type(ours) is getattr(compat.return_types, type(theirs).__name__)
    assert set(ours._fields) == fields_of(theirs)
    for place, field in enumerate(ours._fields):
        assert getattr(ours, field) is ours[place]
        assert getattr(theirs, field) is theirs[place]


def test_operators_return_plain_tuples():
    import torch

    assert type(compat.ops.aten.max.dim(compat.ones(2), 0)) is tuple
    assert type(torch.ops.aten.max.dim(torch.ones(2), 0)) is tuple
    assert type(ow.var_mean(ow.ones(2))) is tuple
    assert type(torch.var_mean(torch.ones(2))) is tuple


def test_the_classes_are_named_tuples():
    largest = ow.return_types.max(3, 1)

    assert repr(largest) == "max(values=3, indices=1)"
    assert largest._asdict() == {"values": 3, "indices": 1}
    assert pickle.loads(pickle.dumps(ow.return_types.max)) is ow.return_types.max


def test_results_are_copied_and_pickled():
    largest = ow.tensor([1.0, 3.0]).max(0)

    for other in (copy.deepcopy(largest), pickle.loads(pickle.dumps(largest))):
        assert type(other) is ow.return_types.max
        assert other.values.item() == 3.0


def test_transforms_keep_the_names():
    x = ow.tensor([[1.0, 3.0], [4.0, 2.0]])

    assert ow.vmap(lambda row: row.max(0))(x).values.tolist() == [3.0, 4.0]
    assert ow.vmap(lambda row: row.max(0), out_dims=(0, 0))(x).indices.tolist() == [1, 0]
    assert ow.compile(lambda x: x.max(0))(x).values.tolist() == [4.0, 3.0]
    assert ow.compile(lambda x: x.max(0).values * 2)(x).tolist() == [8.0, 6.0]
    assert ow.func.grad(lambda x: x.sort().values[0, 1])(x).tolist() == [[0.0, 1.0], [0.0, 0.0]]


def test_an_exported_program_returns_the_names(tmp_path):
    class Largest(compat.nn.Module):
        def forward(self, x):
            return x.max(0)

    x = compat.tensor([[1.0, 3.0], [4.0, 2.0]])
    program = compat.export.export(Largest(), (x,))
    compat.export.save(program, tmp_path / "largest.opw")
    loaded = compat.export.load(tmp_path / "largest.opw")

    assert program.module()(x).values.tolist() == [4.0, 3.0]
    assert loaded.module()(x).indices.tolist() == [1, 0]


def test_the_names_are_those_of_pytorch():
    import torch

    for name in ow.return_types.__all__:
        theirs = getattr(torch.return_types, name, None)
        if theirs is not None:  # PyTorch has no functions for the others, only operators
            fields = getattr(ow.return_types, name)._fields
            assert all(hasattr(theirs, field) for field in fields), name
