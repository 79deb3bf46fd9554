"""Train a small convolutional net with a custom C++ operator on scikit-learn's digits.

    python train_digits.py                                  compiles soft_limit.cpp first
    python train_digits.py --operators libsoft_limit.so     uses an existing binary
    python train_digits.py --device cuda                    on a GPU, with soft_limit_cuda.cu

It trains on 1,437 images of 8x8 pixels and reports the accuracy on 360 others.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import opwright as ow
from opwright import nn
from sklearn.datasets import load_digits

HERE = Path(__file__).resolve().parent
BATCH = 32
LEARNING_RATE = 4e-3  # decays to zero over the epochs


def load_operators(binary: str | None, device: str = "cpu") -> None:
    """Register `opwright.ops.digits` from a binary, or from its sources."""
    if binary:
        ow.load_library(binary)
    else:
        sources = [str(HERE / "soft_limit.cpp")]
        if device.startswith("cuda"):
            sources.append(str(HERE / "soft_limit_cuda.cu"))
        ow.cpp_extension.load("soft_limit", sources, is_python_module=False)


class SoftLimit(nn.Module):
    """limit * tanh(x / limit), with a limit for each channel."""

    def __init__(self, channels: int):
        super().__init__()
        self.limit = nn.Parameter(ow.full((channels,), 2.0))

    def forward(self, x: ow.Tensor) -> ow.Tensor:
        return ow.ops.digits.soft_limit(x, self.limit)


def make_net() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        SoftLimit(16),
        nn.Conv2d(16, 32, 3, padding=1),
        SoftLimit(32),
        nn.MaxPool2d(2),
        nn.Dropout(0.5),
        nn.Flatten(),
        nn.Linear(32 * 4 * 4, 10),
    )


def read_digits(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return shuffled images in [0, 1] and their classes."""
    digits = load_digits()
    order = np.random.default_rng(seed).permutation(len(digits.target))
    images = digits.images[order, None].astype(np.float32) / 16
    return images, digits.target[order].astype(np.int64)


def show_progress(epoch: int, epochs: int, done: float, loss: float) -> None:
    width = 30
    filled = round(width * done)
    bar = "#" * filled + "." * (width - filled)
    end = "\n" if done == 1 else ""
    print(f"\repoch {epoch:2}/{epochs} [{bar}] loss {loss:.4f}", end=end, flush=True)


def train_epoch(net, optimizer, images, classes, show) -> None:
    net.train()
    order = ow.randperm(len(images)).to(images.device)
    starts = range(0, len(images), BATCH)
    mean_loss = 0.0
    for number, start in enumerate(starts, start=1):
        batch = order[start : start + BATCH]
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(images[batch]), classes[batch])
        loss.backward()
        optimizer.step()
        mean_loss += (loss.item() - mean_loss) / number
        show(number / len(starts), mean_loss)


@ow.no_grad
def measure_accuracy(net, images, classes) -> float:
    net.eval()
    return (net(images).argmax(1) == classes).to(ow.float32).mean().item()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--operators", help="the binary built from soft_limit.cpp")
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cpu", help="cpu, cuda, ...")
    options = parser.parse_args()

    load_operators(options.operators, options.device)
    ow.manual_seed(options.seed)
    arrays = read_digits(options.seed)
    images, classes = (ow.from_numpy(array).to(options.device) for array in arrays)
    split = len(images) * 4 // 5
    net = make_net().to(options.device)
    optimizer = ow.optim.AdamW(net.parameters(), lr=LEARNING_RATE)

    started = time.perf_counter()
    for epoch in range(1, options.epochs + 1):
        optimizer.param_groups[0]["lr"] = LEARNING_RATE * (1 - (epoch - 1) / options.epochs)

        def show(done: float, loss: float, epoch: int = epoch) -> None:
            show_progress(epoch, options.epochs, done, loss)

        train_epoch(net, optimizer, images[:split], classes[:split], show)
    seconds = time.perf_counter() - started
    accuracy = measure_accuracy(net, images[split:], classes[split:])
    print(f"test accuracy {100 * accuracy:.2f} % after {seconds:.1f} s")


if __name__ == "__main__":
    main()
