"""A loaded program does not depend on the modes and transforms of the thread that loads it."""
# Covers: src/pt2/pt2_file.

import opwright as ow
import pytest
from opwright import nn
from opwright.export import export, load, save


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.register_buffer("calls", ow.zeros(1))

    def forward(self, x):
        self.calls += 1
        return self.layer(x).relu() + self.calls


@pytest.fixture
def path(tmp_path):
    save(export(Model(), (ow.ones(2, 4),)), tmp_path / "net.pt2")
    return tmp_path / "net.pt2"


def read(path):
    """Load an archive: always from this line, which the program's text shows."""
    return load(path)


def assert_same_program(found, wanted):
    assert str(found) == str(wanted)
    for name, tensor in found.state_dict.items():
        assert not tensor.is_inference()
        assert tensor.requires_grad == wanted.state_dict[name].requires_grad
    module = found.module()
    module(ow.ones(2, 4)).sum().backward()
    assert module.get_parameter("layer.weight").grad.shape == (4, 4)


@pytest.mark.parametrize(
    "mode",
    [ow.no_grad, ow.inference_mode, lambda: ow.autocast("cpu")],
    ids=["no_grad", "inference_mode", "autocast"],
)
def test_a_mode_does_not_change_the_program(path, mode):
    wanted = read(path)
    with mode():
        found = read(path)
    assert_same_program(found, wanted)


def test_a_transform_does_not_change_the_program(path):
    loaded = []

    def f(x):
        loaded.append(read(path))
        return x.sum()

    ow.vmap(f)(ow.ones(3, 2))
    ow.func.grad(f)(ow.ones(2))

    for program in loaded:
        assert_same_program(program, read(path))
    assert len(loaded) == 2
