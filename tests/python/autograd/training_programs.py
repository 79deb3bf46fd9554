"""Random programs that train: their parts, and how one runs on ours and on torch.

A program is a list of instructions, numbers as in the programs of functionalize, whose vocabulary
of views and writes it shares. `plan` makes steps of them that fit by their sizes: with tensors of
zeros it finds out on which values of the pool an operation can work. A step that raises adds
nothing; steps on what is not there are left out. So each outcome can be compared, step by step.
"""

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

import torch
from hypothesis import strategies as st

from tests.python.functionalize.programs import READS, VIEWS, WRITES, assign

from .libraries import Library, Torch, layout

Instruction = tuple[int, int, int, int, int]


class Step(NamedTuple):
    name: str
    x: int
    y: int
    a: int
    b: int
    is_recorded: bool  # not under no_grad

    def __str__(self) -> str:
        return f"{'' if self.is_recorded else 'no_grad '}{self[:-1]}"


class Operation(NamedTuple):
    run: Callable  # gets the library, the tensor, two numbers, and another tensor
    gives_value: bool = True
    writes: Callable | None = None  # the tensor, a: what is written; must not overlap the other
    is_backward: bool = False
    is_view: bool = False


def _shared(table: dict[str, Callable], *names: str, **fields: object) -> dict[str, Operation]:
    def ignoring_library(function: Callable) -> Callable:
        return lambda library, x, a, b, y: function(x, a, b, y)

    return {name: Operation(ignoring_library(table[name]), **fields) for name in names}


def _whole(x: object, a: int) -> object:
    return x


def _gradient(library: Library, x: object, y: object, **options: bool) -> object:
    (found,) = library.grad([(x * x).sum()], [y], allow_unused=True, **options)
    return found


def _second_gradient(library: Library, x: object, a: int, b: int, y: object) -> object:
    first = _gradient(library, x, y, create_graph=True)
    if first is None or not first.requires_grad:
        return first
    return _gradient(library, first, y, create_graph=a % 2 == 0, retain_graph=True)


def _backward_twice(library: Library, x: object, a: int, b: int, y: object) -> None:
    loss = (x * x).sum()
    library.backward(loss, retain_graph=True)
    library.backward(loss, retain_graph=a % 3 != 0)


def _double_backward(library: Library, x: object, a: int, b: int, y: object) -> None:
    first = _gradient(library, x, y, create_graph=True)
    if first is not None:
        library.backward((first * first).sum(), retain_graph=True)


def _forget_gradient(library: Library, x: object, a: int, b: int, y: object) -> None:
    if x.is_leaf:
        x.grad = None


# Only of elements that the tensor has: for others torch's gradient depends on whether their memory
# is written later.
def _as_strided(library: Library, x: object, a: int, b: int, y: object) -> object:
    reaches = 2 * (a % 2) + 2
    return VIEWS["as_strided" if x.is_contiguous() and x.numel() >= reaches else "alias"](
        x, a, b, y
    )


OPERATIONS: dict[str, Operation] = {
    **_shared(
        VIEWS,
        *("view", "reshape", "transpose", "t", "permute", "select", "narrow", "squeeze_dim"),
        *("unsqueeze", "diagonal", "unfold", "expand", "alias", "detach"),
        is_view=True,
    ),
    "as_strided": Operation(_as_strided, is_view=True),
    "every_second": Operation(lambda library, x, a, b, y: x[a % 2 :: 2], is_view=True),
    "split": Operation(
        lambda library, x, a, b, y: library.split(x, 1 + b % 2, a % x.dim(), b), is_view=True
    ),
    "unbind": Operation(
        lambda library, x, a, b, y: library.unbind(x, a % x.dim(), b), is_view=True
    ),
    **_shared(READS, "add", "sum", "clone", "contiguous"),
    "mul": Operation(lambda library, x, a, b, y: x * y),
    "matmul": Operation(lambda library, x, a, b, y: x @ y),
    "sin": Operation(lambda library, x, a, b, y: x.sin()),
    "exp": Operation(lambda library, x, a, b, y: (x.sin()).exp()),
    "sum_dim": Operation(lambda library, x, a, b, y: x.sum(a % x.dim())),
    "ripple": Operation(lambda library, x, a, b, y: library.ripple(x)),
    **_shared(WRITES, "add_", "mul_", "sub_alpha_", "copy_", gives_value=False, writes=_whole),
    **_shared(
        WRITES,
        *("add_number_", "mul_self_", "neg_", "fill_", "fill_tensor_", "zero_", "clamp_", "tril_"),
        *("set_slice", "masked_fill_"),
        gives_value=False,
    ),
    "sin_": Operation(lambda library, x, a, b, y: x.sin_(), gives_value=False),
    "halve_": Operation(lambda library, x, a, b, y: x.mul_(0.5), gives_value=False),
    "set_item": Operation(
        lambda library, x, a, b, y: assign(x, a % x.shape[0], y),
        gives_value=False,
        writes=lambda x, a: x[a % x.shape[0]],
    ),
    "blend_": Operation(
        lambda library, x, a, b, y: library.blend_(x, y), gives_value=False, writes=_whole
    ),
    "drain_": Operation(lambda library, x, a, b, y: library.drain_(x, y), writes=_whole),
    "requires_grad_": Operation(lambda library, x, a, b, y: x.requires_grad_(), gives_value=False),
    "forget_gradient": Operation(_forget_gradient, gives_value=False),
    "gradient_of": Operation(lambda library, x, a, b, y: x.grad if x.is_leaf else None),
    "grad": Operation(
        lambda library, x, a, b, y: _gradient(
            library, x, y, create_graph=a % 2 == 0, retain_graph=a % 5 != 0
        ),
        is_backward=True,
    ),
    "second_gradient": Operation(_second_gradient, is_backward=True),
    "backward": Operation(
        lambda library, x, a, b, y: library.backward((x * x).sum(), retain_graph=a % 5 != 0),
        gives_value=False,
        is_backward=True,
    ),
    "backward_twice": Operation(_backward_twice, gives_value=False, is_backward=True),
    "double_backward": Operation(_double_backward, gives_value=False, is_backward=True),
}
NAMES = list(OPERATIONS)
_small = st.integers(0, 8)
INSTRUCTIONS = st.tuples(
    st.integers(0, len(NAMES) - 1), _small, _small, st.integers(0, 400), st.integers(0, 7)
)
# Operations that query histories, or change them manually.
OF_HISTORIES = [
    *(name for name, operation in OPERATIONS.items() if operation.is_backward),
    *("requires_grad_", "forget_gradient", "gradient_of"),
]
MOST_ELEMENTS = 60
MOST_TRIES = 12


def _first_values(inputs: Sequence) -> list:
    """Start with some values that can be written, besides leaves, which cannot."""
    return [*inputs, *(each * 0.5 for each in inputs[:2])]


def plan(
    program: Sequence[Instruction], inputs: Sequence[torch.Tensor], left_out: Collection[str] = ()
) -> list[Step]:
    """Make steps of the instructions that can fit; what fits nowhere is left out."""
    pool = _first_values([torch.zeros_like(each) for each in inputs])
    steps = []
    for operation, a, b, c, mode in program:
        name = NAMES[operation % len(NAMES)]
        if name in left_out:
            continue
        for attempt in range(MOST_TRIES):
            x = (c + attempt // 3) % len(pool)
            y = (c // 7 + attempt) % len(pool)
            if name == "requires_grad_" and _has_aliases(pool, x):
                continue  # views of before: torch asks whether their memory was written since
            if name == "set_item" and _is_item(pool[x], a, pool[y]):
                continue  # ours does nothing, torch copies the item to itself
            result = _try_on_zeros(OPERATIONS[name], pool[x], a, b, pool[y])
            if result is None:
                continue
            steps.append(Step(name, x, y, a, b, mode != 0))
            pool.extend(result)
            break
    return steps


def _has_aliases(pool: Sequence[torch.Tensor], place: int) -> bool:
    memory = pool[place].untyped_storage().data_ptr()
    return sum(each.untyped_storage().data_ptr() == memory for each in pool) > 1


def _is_item(x: torch.Tensor, a: int, y: torch.Tensor) -> bool:
    return x.dim() > 0 and x.shape[0] > 0 and layout(x[a % x.shape[0]]) == layout(y)


def _try_on_zeros(
    operation: Operation, x: torch.Tensor, a: int, b: int, y: torch.Tensor
) -> list[torch.Tensor] | None:
    if operation.is_backward:
        return [y] if operation.gives_value else []
    try:
        result = operation.run(Torch, x.detach(), a, b, y)
    except (RuntimeError, IndexError, ZeroDivisionError) as error:
        return [] if "memory location" in str(error) else None  # which ours must refuse too
    if not operation.gives_value:
        return []
    result = x if result is None else result
    return None if result.numel() > MOST_ELEMENTS else [result.detach()]


class Outcome(NamedTuple):
    """What became of each step ("" or the text of its error) and of each value of the pool."""

    errors: list[str]
    pool: list
    late_error: str = ""  # at the end of a transform, or in the run of its graph
    has_ended: bool = False  # a backward raised


def run(steps: Sequence[Step], library: Library, inputs: Sequence) -> Outcome:
    """Run a program, and then the backward of a sum of all of its values."""
    outcome = run_steps(steps, library, inputs)
    return outcome if outcome.has_ended else train(library, outcome)


def run_steps(steps: Sequence[Step], library: Library, inputs: Sequence) -> Outcome:
    """Run a program without that backward."""
    pool = _first_values(inputs)
    errors = []
    for step in steps:
        operation = OPERATIONS[step.name]
        x, y = pool[step.x], pool[step.y]
        result = None
        errors.append("")
        if x is not None and y is not None:
            try:
                library.prepare(operation, x, step.a, y)
                with library.grad_mode(step.is_recorded, operation.is_view):
                    if operation.is_view:
                        x = library.view_of(x, step.is_recorded)
                    result = operation.run(library, x, step.a, step.b, y)
            except (RuntimeError, ValueError) as error:
                errors[-1] = str(error)
                if operation.is_backward and not _was_refused_at_once(errors[-1]):
                    # Some gradients are there, and some not.
                    return Outcome(errors, pool, has_ended=True)
        if operation.gives_value:
            pool.append(result)
    return Outcome(errors, pool)


def without_refused_writes(steps: Sequence[Step], inputs: Sequence[torch.Tensor]) -> list[Step]:
    """Skip the writes that torch rejects; one that also returns a value becomes a copy."""
    errors = run_steps(steps, Torch, inputs).errors
    accepted = []
    for step, error in zip(steps, errors, strict=True):
        if not error:
            accepted.append(step)
        elif OPERATIONS[step.name].gives_value:
            accepted.append(step._replace(name="clone"))
    return accepted


def train(library: Library, outcome: Outcome) -> Outcome:
    """Run the backward of a sum of all values."""
    error = _error_of(lambda: _train(library, outcome.pool))
    return outcome._replace(errors=[*outcome.errors, error])


def _was_refused_at_once(error: str) -> bool:
    return "does not require grad" in error


def _error_of(function: Callable) -> str:
    try:
        function()
    except RuntimeError as error:
        return str(error)
    return ""


def _train(library: Library, pool: Sequence) -> None:
    total = None
    with library.grad_mode(is_recorded=True):
        for place, value in enumerate(pool):
            if value is not None and value.requires_grad:
                part = (value * (1 + place % 3)).sum()
                total = part if total is None else total + part
    if total is not None:
        library.backward(total)
