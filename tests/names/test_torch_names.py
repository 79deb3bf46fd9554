"""The comparison of public names: what counts as public, as there, and as not wanted."""

import types

import pytest
import torch

from .page import write_page
from .public_names import compare, public_names
from .unwanted import DEPRECATED, JIT, QUANTIZATION, SPARSE, reason_against


def module(**names) -> types.ModuleType:
    made = types.ModuleType("torch.made")
    vars(made).update(names)
    return made


def test_a_module_with_a_list_has_the_names_of_its_list():
    made = module(__all__=["relu", "_private"], relu=torch.relu, tanh=torch.tanh)

    assert public_names(made) == ["relu"]


def test_a_module_without_a_list_has_what_torch_defines_and_not_what_it_imports():
    names = public_names(torch.nn.functional)

    assert {"relu", "pad", "interpolate"} <= set(names)
    assert not {"math", "Optional", "TYPE_CHECKING"} & set(names)


def test_a_class_of_another_place_is_counted_there_only():
    made = module(__all__=["Tensor", "relu"], Tensor=torch.Tensor, relu=torch.relu)

    assert public_names(made) == ["relu"]
    assert "Tensor" in public_names(torch)


def test_names_are_there_missing_or_unwanted_for_a_reason():
    theirs = module(__all__=["relu", "newaxis", "tanh", "to_sparse"], relu=1, newaxis=None)

    found = compare("torch.made", theirs, module(relu=1, newaxis=None))

    assert found.there == ["newaxis", "relu"]
    assert found.missing == ["tanh"]
    assert found.unwanted == {SPARSE: ["to_sparse"]}


def test_modules_are_no_names():
    assert compare("torch.made", module(__all__=["nn"], nn=torch.nn), module()).missing == []


@pytest.mark.parametrize(
    ("place", "name", "reason"),
    [
        ("torch", "quantize_per_tensor", QUANTIZATION),
        ("torch.Tensor", "lstsq", DEPRECATED),
        ("torch.linalg", "lstsq", None),
        ("torch", "CallStack", JIT),
        ("torch.Tensor", "sparse_mask", SPARSE),
        ("torch", "einsum", None),
        ("torch.nn", "Linear", None),
    ],
)
def test_a_reason_belongs_to_the_name_or_its_kind(place, name, reason):
    assert reason_against(place, name, getattr(torch, name, None)) == reason


def test_the_page_counts_wanted_names_and_lists_the_others():
    theirs = module(__all__=["relu", "tanh", "to_sparse"], relu=1)
    page = write_page([compare("torch.made", theirs, module(relu=1))], "2.13.0")

    assert "| torch.made | 3 | 1 | 1 | 1 | 50.0 % |" in page
    assert "- torch.made: `tanh`" in page
    assert f"- {SPARSE}: `to_sparse`" in page
