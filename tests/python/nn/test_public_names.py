"""The names of opwright.nn: arguments as in PyTorch, and an example in each docstring."""

import inspect

import opwright as ow
import pytest
import torch
from opwright import nn
from opwright.nn import functional, init

MODULES = ("functional", "init")
LAYERS = [name for name in nn.__all__ if name not in MODULES]
OF_FUNCTIONAL = functional.__all__
OF_INIT = init.__all__


def arguments(function):
    """Return names and defaults; `...` for a missing one and for one of another type."""
    old = {"min_value", "max_value"}  # of Hardtanh, which warns of them
    return [
        (name, each.default if isinstance(each.default, int | float | str | None) else ...)
        for name, each in inspect.signature(function).parameters.items()
        if name not in old
    ]


def has_signature(function):
    try:
        names = inspect.signature(function).parameters
    except ValueError:
        return False
    return function.__name__ == "Identity" or "args" not in names


def with_signature(names, torch_module):
    return [name for name in names if has_signature(getattr(torch_module, name))]


@pytest.mark.parametrize("name", with_signature(LAYERS, torch.nn))
def test_the_constructor_takes_the_arguments_of_torch(name):
    assert arguments(getattr(nn, name)) == arguments(getattr(torch.nn, name))


@pytest.mark.parametrize("name", with_signature(OF_FUNCTIONAL, torch.nn.functional))
def test_the_function_takes_the_arguments_of_torch(name):
    assert arguments(getattr(functional, name)) == arguments(getattr(torch.nn.functional, name))


@pytest.mark.parametrize("name", OF_INIT)
def test_the_initialiser_takes_the_arguments_of_torch(name):
    assert arguments(getattr(init, name)) == arguments(getattr(torch.nn.init, name))


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        *((nn, name) for name in LAYERS),
        *((functional, name) for name in OF_FUNCTIONAL),
        *((init, name) for name in OF_INIT),
        *((ow.safetensors, name) for name in ow.safetensors.__all__),
    ],
)
def test_the_docstring_has_an_example(owner, name):
    assert ">>> " in inspect.getdoc(getattr(owner, name))


def test_a_name_of_nn_is_found_without_an_import():
    assert ow.nn.Linear is nn.Linear
    assert ow.nn.functional is functional
