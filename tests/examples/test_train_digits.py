"""The example that trains: its accuracy, and the same steps as torch's."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import opwright as ow
import pytest
import torch

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release"))
SCRIPT = ROOT / "examples/train_digits/train_digits.py"
OPERATORS = BUILD / "operators/libsoft_limit.so"


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("train_digits", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.load_operators(str(OPERATORS))
    return module


class TorchSoftLimit(torch.nn.Module):
    """The operator of the example, of torch's own operators."""

    def __init__(self, limit):
        super().__init__()
        self.limit = torch.nn.Parameter(limit)

    def forward(self, x):
        limit = self.limit[:, None, None]
        return limit * torch.tanh(x / limit)


def torch_twin(net):
    """Give torch's net with the weights of ours."""
    twin = torch.nn.Sequential(
        torch.nn.Conv2d(1, 16, 3, padding=1),
        TorchSoftLimit(torch.ones(16)),
        torch.nn.Conv2d(16, 32, 3, padding=1),
        TorchSoftLimit(torch.ones(32)),
        torch.nn.MaxPool2d(2),
        torch.nn.Dropout(0.5),
        torch.nn.Flatten(),
        torch.nn.Linear(32 * 4 * 4, 10),
    )
    twin.load_state_dict(
        {name: torch.from_dlpack(value).clone() for name, value in net.state_dict().items()}
    )
    return twin


def train(package, net, optimizer, batches):
    losses = []
    for images, classes in batches:
        optimizer.zero_grad()
        loss = package.nn.functional.cross_entropy(net(images), classes)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


@pytest.mark.parametrize(
    ("name", "settings"), [("SGD", {"lr": 0.05, "momentum": 0.9}), ("AdamW", {"lr": 3e-3})]
)
def test_fifty_steps_have_the_losses_of_torch(example, name, settings):
    images, classes = example.read_digits(0)
    places = [np.arange(i, i + 32) % len(images) for i in range(0, 50 * 32, 32)]
    ow.manual_seed(0)
    net = example.make_net().eval()  # dropout is random: it differs
    twin = torch_twin(net).eval()

    ours = train(
        ow,
        net,
        getattr(ow.optim, name)(net.parameters(), **settings),
        [(ow.from_numpy(images[at]), ow.from_numpy(classes[at])) for at in places],
    )
    theirs = train(
        torch,
        twin,
        getattr(torch.optim, name)(twin.parameters(), **settings),
        [(torch.from_numpy(images[at]), torch.from_numpy(classes[at])) for at in places],
    )

    assert ours == pytest.approx(theirs, rel=1e-3, abs=1e-4)
    assert ours[-1] < 0.5 * ours[0]


def test_the_gradients_of_the_operator_are_those_of_torch(example):
    x = torch.randn(2, 3, 4, 5, requires_grad=True)
    limit = torch.tensor([0.5, 1.0, 3.0], requires_grad=True)
    weights = torch.randn(2, 3, 4, 5)
    (torch.tanh(x / limit[:, None, None]) * limit[:, None, None] * weights).sum().backward()

    our_x = ow.from_dlpack(x.detach()).clone().requires_grad_()
    our_limit = ow.from_dlpack(limit.detach()).clone().requires_grad_()
    (ow.ops.digits.soft_limit(our_x, our_limit) * ow.from_dlpack(weights)).sum().backward()

    torch.testing.assert_close(torch.from_dlpack(our_x.grad), x.grad)
    torch.testing.assert_close(torch.from_dlpack(our_limit.grad), limit.grad)


def test_the_operator_refuses_limits_that_do_not_fit(example):
    with pytest.raises(RuntimeError, match="limit must have one number for each of the 3 channels"):
        ow.ops.digits.soft_limit(ow.ones(1, 3, 2, 2), ow.ones(2))


def test_the_example_gets_over_97_percent_right():
    command = [sys.executable, SCRIPT, "--operators", OPERATORS]

    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout

    accuracy = float(re.search(r"test accuracy ([\d.]+) %", output)[1])
    assert accuracy > 97
    assert "epoch  1/15 [##" in output
