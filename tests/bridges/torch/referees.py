"""What torch itself says of an operator: each referee is called with a sample and raises."""

import io
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch._dynamo.testing import CompileCounterWithBackend

from .samples import Sample

# Even, since one sample halves its rows; no other dimension of a sample has one of them.
SIZES = (6, 8, 10, 16)
SIZE = SIZES[0]


@dataclass(frozen=True)
class Referee:
    judge: Callable[[Sample], None]
    applies_to: Callable[[Sample], bool]


def find_operator(name: str):
    namespace, base = name.split("::")
    return getattr(getattr(torch.ops, namespace), base)


def flatten(value: object) -> list[torch.Tensor]:
    """List the tensors of a result."""
    if isinstance(value, torch.Tensor):
        return [value]
    return [each for element in value or () for each in flatten(element)]


def call(sample: Sample, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Call the operator on copies; return its results, and the copies, which it may write."""
    copies = [tensor.clone() for tensor in tensors]
    results = flatten(sample.run(find_operator(sample.name), *copies))
    return (*results, *copies)


def expect(sample: Sample, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
    copies = [tensor.clone() for tensor in tensors]
    return (*flatten(sample.reference(*copies)), *copies)


def judge_values(sample: Sample) -> None:
    for size in SIZES:
        tensors = sample.tensors(size)
        torch.testing.assert_close(call(sample, *tensors), expect(sample, *tensors))


def judge_by_opcheck(sample: Sample) -> None:
    op = find_operator(sample.name).default
    tensors = sample.tensors(SIZE)
    if sample.trains:
        tensors = [needing_gradient(each) for each in tensors]
    if op._schema.is_mutable:
        tensors = [each * 1 for each in tensors]  # no leaf may be written
    calls = []
    sample.run(lambda *args, **kwargs: calls.append((args, kwargs)), *tensors)
    ((args, kwargs),) = calls
    torch.library.opcheck(op, args, kwargs)


def judge_compiled(sample: Sample) -> None:
    counter = CompileCounterWithBackend("aot_eager")
    compiled = torch.compile(
        lambda *tensors: call(sample, *tensors), fullgraph=True, dynamic=True, backend=counter
    )
    for size in SIZES:
        tensors = sample.tensors(size)
        torch.testing.assert_close(compiled(*tensors), expect(sample, *tensors))
    assert counter.frame_count == 1, f"{counter.frame_count} graphs for {len(SIZES)} sizes"


class Model(torch.nn.Module):
    def __init__(self, sample: Sample) -> None:
        super().__init__()
        self.sample = sample

    def forward(self, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return call(self.sample, *tensors)


def judge_exported(sample: Sample) -> None:
    tensors = sample.tensors(SIZE)
    dims = [
        dict.fromkeys(dims, torch.export.Dim.DYNAMIC) or None
        for dims in sample.dynamic_dims(tensors)
    ]
    program = torch.export.export(Model(sample), tensors, dynamic_shapes=(tuple(dims),))
    file = io.BytesIO()
    torch.export.save(program, file)
    file.seek(0)
    loaded = torch.export.load(file).module()
    for size in SIZES:
        tensors = sample.tensors(size)
        torch.testing.assert_close(tuple(loaded(*tensors)), expect(sample, *tensors))


def needing_gradient(tensor: torch.Tensor) -> torch.Tensor:
    if not (tensor.is_floating_point() or tensor.is_complex()):
        return tensor
    return tensor.detach().clone().requires_grad_()


def in_double(tensor: torch.Tensor) -> torch.Tensor:
    if tensor.is_complex():
        return tensor.to(torch.complex128)
    return tensor.double() if tensor.is_floating_point() else tensor


def judge_gradients(sample: Sample) -> None:
    tensors = [needing_gradient(in_double(each)) for each in sample.tensors(SIZE)]

    def differentiable(*tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return tuple([each for each in call(sample, *tensors) if each.requires_grad])

    torch.autograd.gradcheck(differentiable, tensors)


def sum_of(results: tuple[torch.Tensor, ...]) -> torch.Tensor:
    real = [each.abs() if each.is_complex() else each for each in results]
    return sum((each * each).sum() for each in real if each.is_floating_point())


def judge_func_grad(sample: Sample) -> None:
    tensors = sample.tensors(SIZE)
    places = tuple(range(len(tensors)))
    given = torch.func.grad(lambda *t: sum_of(call(sample, *t)), argnums=places)(*tensors)
    wanted = torch.func.grad(lambda *t: sum_of(expect(sample, *t)), argnums=places)(*tensors)
    torch.testing.assert_close(given, wanted)


def judge_vmapped(sample: Sample) -> None:
    first, second = sample.tensors(SIZE), [each.flip(0) for each in sample.tensors(SIZE)]
    stacked = [torch.stack(pair) for pair in zip(first, second, strict=True)]
    given = torch.vmap(lambda *tensors: call(sample, *tensors))(*stacked)
    samples = (expect(sample, *first), expect(sample, *second))
    wanted = tuple(torch.stack(pair) for pair in zip(*samples, strict=True))
    torch.testing.assert_close(given, wanted)


REFEREES = {
    "values": Referee(judge_values, lambda sample: True),
    "opcheck": Referee(judge_by_opcheck, lambda sample: sample.applies("opcheck")),
    "compile": Referee(judge_compiled, lambda sample: sample.applies("compile")),
    "export": Referee(judge_exported, lambda sample: sample.applies("export")),
    "gradients": Referee(judge_gradients, lambda sample: sample.trains),
    "func.grad": Referee(judge_func_grad, lambda sample: sample.trains),
    "vmap": Referee(judge_vmapped, lambda sample: sample.applies("vmap")),
}
