"""The operators for torch's referees: how each is called, what it must return, and which referees
do not apply to it and why. Their sources are tests/operators/torch_*.cpp and
python_samples.py."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch

Tensors = tuple[torch.Tensor, ...]

NO_FORMULA = "it has no formula"
NOT_FLOATING = "its tensors are not floating"
NO_BATCHES = "its results differ in size between samples"


@dataclass(frozen=True)
class Sample:
    """One operator, called through `run` with tensors made for a size."""

    name: str
    tensors: Callable[[int], Tensors]
    reference: Callable[..., Any]
    run: Callable[..., Any] = lambda op, *tensors: op(*tensors)
    # The dimensions of each tensor that change with the size.
    dynamic: tuple[tuple[int, ...], ...] | None = None
    trains: bool = False
    # Referees that do not apply, and why.
    without: dict[str, str] = field(default_factory=dict)

    @property
    def namespace(self) -> str:
        return self.name.split("::")[0]

    def dynamic_dims(self, tensors: Tensors) -> tuple[tuple[int, ...], ...]:
        if self.dynamic is not None:
            return self.dynamic
        return tuple((0,) if tensor.dim() else () for tensor in tensors)

    def applies(self, referee: str) -> bool:
        return referee not in self.without


def numbers(seed: int, *sizes: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Give the same random numbers for the same seed and sizes."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*sizes, generator=generator, dtype=torch.float64).to(dtype)


def matrix(n: int) -> Tensors:
    return (numbers(1, n, 4),)


def matrices(n: int) -> Tensors:
    return numbers(1, n, 4), numbers(2, n, 4)


def vector(n: int) -> Tensors:
    return (numbers(3, n),)


def complex_vector(n: int) -> Tensors:
    return (torch.complex(numbers(4, n), numbers(5, n)),)


def soft_limit(x: torch.Tensor) -> torch.Tensor:
    return 2.0 * torch.tanh(x / 2.0)


def affine(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    return torch.relu(x @ weight.T + bias)


def sliding_mean(x: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.pad(x, (1, 1)).unfold(1, 3, 2).mean(-1)


def halve(x: torch.Tensor) -> torch.Tensor:
    return x.mul_(0.5)


def exchange(x: torch.Tensor, y: torch.Tensor) -> None:
    old = x.clone()
    x.copy_(y)
    y.copy_(old)


def add_to(x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    return out.copy_(x + y)


def square(x: torch.Tensor) -> None:
    x.mul_(x.clone())


def track(mean: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    given = x - mean
    mean.add_(given, alpha=0.5)
    return given


def cap_all(*xs: torch.Tensor) -> None:
    for x in xs:
        x.clamp_(max=0.5)


def positives(x: torch.Tensor) -> Tensors:
    places = torch.nonzero(x > 0).squeeze(1)
    return x[places], places


def pad_with_ends(x: torch.Tensor) -> torch.Tensor:
    return torch.cat([x[:1], x, x[-1:], x[-1:]])


def digit_sums(x: torch.Tensor) -> torch.Tensor:
    return torch.tensor([sum(map(int, str(abs(i)))) for i in x.tolist()])


TRAINING = [
    Sample(
        "samples_training::soft_limit",
        matrix,
        soft_limit,
        lambda op, x: op(x, 2.0),
        trains=True,
    ),
    Sample("samples_training::cube", matrix, lambda x: x**3, trains=True),
    Sample("samples_training::cube_backward", matrices, lambda g, x: 3 * g * x * x, trains=True),
    Sample(
        "samples_training::quantize",
        matrix,
        lambda x: torch.round(x * 4) / 4,
        lambda op, x: op(x, 4),
        without={"gradients": NO_FORMULA},
    ),
    Sample("samples_training::largest_in_rows", matrix, lambda x: tuple(x.max(dim=1)), trains=True),
    Sample(
        "samples_training::from_polar",
        matrices,
        lambda r, a: (r * a.cos(), r * a.sin()),
        trains=True,
    ),
    Sample(
        "samples_training::affine",
        lambda n: (numbers(1, n, 4), numbers(2, 5, 4), numbers(3, 5)),
        affine,
        lambda op, x, weight, bias: op(x, weight, bias, relu=True),
        dynamic=((0,), (), ()),
        trains=True,
    ),
]

WRITING = [
    Sample("samples_writing::halve_", matrix, halve, trains=True),
    Sample("samples_writing::exchange", matrices, exchange, without={"gradients": NO_FORMULA}),
    Sample(
        "samples_writing::add_to",
        lambda n: (*matrices(n), torch.zeros(n, 4)),
        add_to,
        lambda op, x, y, out: op(x, y, out=out),
        without={"gradients": NO_FORMULA, "vmap": "torch maps no tensor given by keyword alone"},
    ),
    Sample("samples_writing::square_", matrix, square, trains=True),
    Sample(
        "samples_writing::track",
        matrices,
        track,
        lambda op, mean, x: op(mean, x, 0.5),
        without={"gradients": NO_FORMULA},
    ),
    Sample(
        "samples_writing::cap_all",
        lambda n: (numbers(1, n, 4), numbers(2, n)),
        cap_all,
        lambda op, *xs: op(list(xs), 0.5),
        without={"gradients": NO_FORMULA},
    ),
]

ARGUMENTS = [
    Sample(
        "samples_arguments::sum_all",
        matrices,
        lambda x, y: x + 2 * y,
        lambda op, *xs: op(list(xs)),
        trains=True,
    ),
    Sample(
        "samples_arguments::cut",
        vector,
        lambda x: [x[:2].clone(), x[2:].clone()],
        lambda op, x: op(x, [2, x.shape[0] - 2]),
        trains=True,
    ),
    Sample(
        "samples_arguments::merge",
        matrices,
        lambda x, y: x * y,
        lambda op, x, y: op(x, [None, y]),
        without={"gradients": NO_FORMULA},
    ),
    Sample(
        "samples_arguments::weigh",
        matrix,
        lambda x: x * 4.0,
        lambda op, x: op(x, [1.5, 8.0, 2.5], [True, False, True]),
        trains=True,
    ),
    Sample(
        "samples_arguments::pad_ends",
        vector,
        pad_with_ends,
        lambda op, x: op(x, [1, 2], "ends", who=None),
        without={"gradients": NO_FORMULA},
    ),
    Sample(
        "samples_arguments::convert",
        matrix,
        lambda x: x.to(torch.float64),
        lambda op, x: op(x, dtype=torch.float64, device=torch.device("cpu")),
        without={"gradients": NO_FORMULA},
    ),
    Sample(
        "samples_arguments::arrange",
        lambda n: (numbers(1, n, 3, 4, 4),),
        lambda x: x.clone(memory_format=torch.channels_last),
        lambda op, x: op(x, memory_format=torch.channels_last),
        without={"gradients": NO_FORMULA},
    ),
    Sample(
        "samples_arguments::shift",
        matrix,
        lambda x: x * 1.5 + 2,
        lambda op, x: op(x, 2, 1.5),
        trains=True,
    ),
    Sample(
        "samples_arguments::turn",
        complex_vector,
        lambda x: x * (1 + 2j),
        lambda op, x: op(x, 1 + 2j),
        trains=True,
    ),
    Sample(
        "samples_arguments::tune",
        matrix,
        lambda x: (x * x * x - 3) * 0.5,
        lambda op, x: op(x, 3, invert=False, direction="down"),
        without={"gradients": NO_FORMULA},
    ),
]

SIZES = [
    Sample(
        "samples_sizes::positives", vector, positives, trains=True, without={"vmap": NO_BATCHES}
    ),
    Sample(
        "samples_sizes::multiply_pairs",
        lambda n: (numbers(1, n), numbers(2, n)),
        lambda x, y: x * y,
        trains=True,
    ),
    Sample(
        "samples_sizes::spread_add",
        lambda n: (numbers(1, n, 4), numbers(2, 1, 4)),
        lambda x, y: x + y,
        dynamic=((0,), ()),
        trains=True,
    ),
    Sample(
        "samples_sizes::sliding_mean",
        lambda n: (numbers(1, 3, n),),
        sliding_mean,
        lambda op, x: op(x, 3, 2, 1),
        dynamic=((1,),),
        without={"gradients": NO_FORMULA},
    ),
    Sample(
        "samples_sizes::regroup",
        matrix,
        lambda x: x.reshape(2, -1).clone(),
        lambda op, x: op(x, [2, -1]),
        trains=True,
    ),
    Sample(
        "samples_sizes::join",
        lambda n: (numbers(1, n, 4), numbers(2, n + 1, 4)),
        lambda x, y: torch.cat([x, y]),
        lambda op, *xs: op(list(xs), 0),
        without={"gradients": NO_FORMULA},
    ),
    Sample(
        "samples_sizes::ramp",
        vector,
        lambda x: torch.arange(x.shape[0], dtype=torch.float64) * 0.5,
        lambda op, x: op(x.shape[0], 0.5, dtype=torch.float64, device=x.device),
        without={"gradients": "it has no tensors", "vmap": "it has no tensors"},
    ),
    Sample("samples_sizes::by_columns", matrix, lambda x: x.t().contiguous().t(), trains=True),
    Sample(
        "samples_sizes::row_energies",
        matrix,
        lambda x: (x * x).sum(1, keepdim=True),
        lambda op, x: op(x, keepdim=True),
        trains=True,
    ),
    Sample(
        "samples_sizes::digit_sums",
        lambda n: ((numbers(1, n) * 1000).to(torch.int32),),
        digit_sums,
        without={"gradients": NOT_FLOATING},
    ),
]

COMPOSITES = [
    Sample("samples_composites::gate", matrices, lambda x, by: x * torch.sigmoid(by), trains=True),
    Sample("samples_composites::center", matrix, lambda x: x - x.mean(), trains=True),
    Sample(
        "samples_composites::mix",
        lambda n: (numbers(1, n, 4), numbers(2, 4, 5), numbers(3, n, 5)),
        lambda x, y, z: x @ y + 0.5 * z,
        lambda op, x, y, z: op(x, y, z, 0.5),
        dynamic=((0,), (), (0,)),
        trains=True,
    ),
    Sample("samples_composites::rest", matrix, lambda x: x[1:], trains=True),
    Sample(
        "samples_composites::fail",
        matrix,
        lambda x: x.clone(),
        lambda op, x: op(x, 0),
        without={"gradients": NO_FORMULA},
    ),
]

BINARIES = ("training", "writing", "arguments", "sizes", "composites")
FROM_BINARIES = [*TRAINING, *WRITING, *ARGUMENTS, *SIZES, *COMPOSITES]
