"""Random fused programs: pointwise operators, views, reductions, casts and writes.

A program is a list of steps over a growing list of values. A step that eager execution refuses is
left out, so every program that is drawn runs. Steps that jump (comparisons, rounding, casts to
ints) take only values without rounding errors, so that two right results are close to each other.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import opwright as ow
from hypothesis import strategies as st

from .same_results import TOLERANCES

FLOATS = (ow.float32, ow.float64, ow.float16, ow.bfloat16)
INTS = (ow.int64, ow.int32, ow.int16, ow.int8, ow.uint8)
DTYPES = (*FLOATS, ow.float32, ow.float32, *INTS, ow.bool)


def is_float(x: ow.Tensor) -> bool:
    return x.dtype in FLOATS


def as_float(x: ow.Tensor) -> ow.Tensor:
    return x if is_float(x) else x.to(ow.float32)


def as_number(x: ow.Tensor) -> ow.Tensor:
    return x.to(ow.int64) if x.dtype == ow.bool else x


def small(x: ow.Tensor) -> ow.Tensor:
    """Of a size that exponentials and products bear."""
    return as_float(x).clamp(-3.0, 3.0)


# Each gives the same bits however it is computed.
EXACT: dict[str, Callable] = {
    "neg": lambda x: -as_number(x) if x.dtype != ow.uint8 else x,
    "abs": lambda x: as_number(x).abs() if x.dtype != ow.uint8 else x,
    "relu": lambda x: ow.relu(as_number(x)),
    "twice": lambda x: as_number(x) * 2,
    "half": lambda x: as_float(x) * 0.5,
    "next": lambda x: as_number(x) + 1,
    "from one": lambda x: 1 - as_number(x),
    "third": lambda x: as_float(x) / 3,
    "clamp": lambda x: as_number(x).clamp(0, 2),
    "contiguous": lambda x: x.contiguous(),
    "clone": lambda x: x.clone(),
    "transposed": lambda x: x.transpose(0, -1),
    "reversed": lambda x: x.permute(*reversed(range(x.dim()))),
    "first added": lambda x: x.unsqueeze(0),
    "last added": lambda x: x.unsqueeze(-1),
    "squeezed": lambda x: x.squeeze(),
    "flat": lambda x: x.reshape(-1),
    "rest": lambda x: x[1:],
    "every other": lambda x: x[..., ::2],
    "last": lambda x: x[..., -1:],
    "row": lambda x: x[0],
    "first half": lambda x: x.chunk(2, -1)[0],
    "doubled": lambda x: ow.cat([x, x], 0),
    "stacked": lambda x: ow.stack([x, x], -1),
    "expanded": lambda x: x.unsqueeze(0).expand(2, *x.shape),
    "most": lambda x: x.amax(-1),
    "least of rows": lambda x: x.amin(0, keepdim=True),
    "whole most": lambda x: x.max(),
    "any": lambda x: (x != 0).any(-1, keepdim=True),
    "all": lambda x: (x != 0).all(0),
    "float32": lambda x: x.to(ow.float32),
    "float64": lambda x: x.to(ow.float64),
    "written": lambda x: x.clone().add_(1) if x.dtype != ow.bool else x.clone(),
    "written part": lambda x: written_part(x),
    "filled": lambda x: x.clone().fill_(1),
}
# Each is discontinuous: for exact values only.
JUMPING: dict[str, Callable] = {
    "positive": lambda x: x > 0,
    "is two": lambda x: x == 2,
    "at most one": lambda x: x <= 1,
    "floor": lambda x: ow.floor(as_float(x)),
    "round": lambda x: ow.round(as_float(x)),
    "sign": lambda x: ow.sign(x),
    "int32": lambda x: as_number(x).clamp(0, 100).to(ow.int32),
    "int64": lambda x: (
        as_number(x).clamp(-100, 100).to(ow.int64) if x.dtype != ow.uint8 else x.to(ow.int64)
    ),
    "bool": lambda x: x.to(ow.bool),
    "not": lambda x: ow.logical_not(x),
    "float16": lambda x: x.to(ow.float16),
    "bfloat16": lambda x: x.to(ow.bfloat16),
    "third floor": lambda x: as_number(x) // 3,
    "remainder": lambda x: as_number(x) % 3,
    "where": lambda x: ow.where(x > 0, x, ow.zeros_like(x)),
    "masked": lambda x: as_number(x).masked_fill(x > 1, 1),
    "place of most": lambda x: as_number(x).argmax(-1),
}
# Each rounds in its own way.
ROUNDING: dict[str, Callable] = {
    "sin": lambda x: ow.sin(as_float(x)),
    "cos": lambda x: ow.cos(as_float(x)),
    "tanh": lambda x: ow.tanh(as_float(x)),
    "sigmoid": lambda x: ow.sigmoid(as_float(x)),
    "erf": lambda x: ow.erf(as_float(x)),
    "exp": lambda x: ow.exp(small(x)),
    "log": lambda x: ow.log(as_float(x).abs() + 1),
    "log1p": lambda x: ow.log1p(as_float(x).abs()),
    "sqrt": lambda x: ow.sqrt(as_float(x).abs() + 0.5),
    "rsqrt": lambda x: ow.rsqrt(as_float(x).abs() + 1),
    "square": lambda x: small(x) ** 2,
    "reciprocal": lambda x: 1 / (as_float(x).abs() + 1),
    "gelu": lambda x: ow.nn.functional.gelu(as_float(x)),
    "silu": lambda x: ow.nn.functional.silu(as_float(x)),
    "softplus": lambda x: ow.nn.functional.softplus(as_float(x)),
    "sum": lambda x: as_float(x).sum(-1),
    "sum of rows": lambda x: as_float(x).sum(0, keepdim=True),
    "whole sum": lambda x: as_float(x).sum(),
    "mean": lambda x: as_float(x).mean(-1, keepdim=True),
    "mean of two": lambda x: as_float(x).mean((0, -1)),
    "var": lambda x: as_float(x).var(-1, correction=0),
    "softmax": lambda x: ow.softmax(small(x), -1),
    "softmax of rows": lambda x: ow.softmax(small(x), 0),
    "log softmax": lambda x: ow.log_softmax(small(x), -1),
    "norm": lambda x: ow.nn.functional.layer_norm(small(x), (x.shape[-1],)),
    "product": lambda x: small(x) @ small(x).transpose(-1, -2),
    "running sum": lambda x: small(x).cumsum(0),
}
BINARY: dict[str, Callable] = {
    "add": lambda x, y: as_number(x) + as_number(y),
    "sub": lambda x, y: as_number(x) - as_number(y),
    "mul": lambda x, y: small(x) * small(y),
    "div": lambda x, y: small(x) / (as_float(y).abs() + 1),
    "maximum": lambda x, y: ow.maximum(x, y),
    "minimum": lambda x, y: ow.minimum(x, y),
    "added to a copy": lambda x, y: (x + y).clone().add_(y),
}
STEPS = {**EXACT, **JUMPING, **ROUNDING, **BINARY}


def written_part(x: ow.Tensor) -> ow.Tensor:
    copy = x.clone()
    copy[..., :1].fill_(0)
    return copy


@dataclass
class Program:
    """The program: (name of a step, indices of its operands); a value is exact or not."""

    steps: list[tuple[str, tuple[int, ...]]] = field(default_factory=list)
    outputs: tuple[int, ...] = ()
    writes: int | None = None  # an input that is written at the end
    tolerance: float = 0.0  # of the coarsest dtype on the way

    def __call__(self, *inputs: ow.Tensor) -> list[ow.Tensor]:
        values = list(inputs)
        for name, places in self.steps:
            values.append(STEPS[name](*(values[place] for place in places)))
        results = [values[place] for place in self.outputs]
        if self.writes is not None:
            inputs[self.writes].add_(1)
        return results


def run_step(name: str, operands: list[ow.Tensor]) -> ow.Tensor | None:
    """None where eager execution refuses it, or it grows too large."""
    try:
        result = STEPS[name](*operands)
    except Exception:  # whatever it is: the step is not part of the program
        return None
    return result if result.numel() <= 4096 else None


@st.composite
def programs(draw: st.DrawFn, inputs: list[ow.Tensor], most_steps: int = 8) -> Program:
    """Programs that run on these inputs."""
    program = Program()
    values, exact = list(inputs), [True] * len(inputs)
    for _ in range(draw(st.integers(1, most_steps))):
        place = draw(st.integers(0, len(values) - 1))
        names = [*EXACT, *ROUNDING, *BINARY, *(JUMPING if exact[place] else ())]
        name = draw(st.sampled_from(names))
        places = (place,)
        if name in BINARY:
            places = (place, draw(st.integers(0, len(values) - 1)))
        result = run_step(name, [values[each] for each in places])
        if result is None:
            continue
        is_exact = name not in ROUNDING and all(exact[each] for each in places)
        program.steps.append((name, places))
        values.append(result)
        exact.append(is_exact)
        program.tolerance = max(program.tolerance, TOLERANCES.get(result.dtype, 0.0))
    count = draw(st.integers(1, 3))
    last = len(values) - 1
    program.outputs = tuple(max(len(inputs), last - each) for each in range(count))
    if last < len(inputs):
        program.outputs = (0,)
    return program


SIZES = st.sampled_from([0, 1, 1, 2, 3, 4, 5, 8, 16, 17, 33])


@st.composite
def tensors(draw: st.DrawFn, dtype: ow.dtype | None = None) -> ow.Tensor:
    """Small numbers of any dtype and layout: dense, transposed, with gaps, expanded."""
    dtype = dtype or draw(st.sampled_from(DTYPES))
    shape = draw(st.lists(SIZES, min_size=0, max_size=3))
    return make_tensor(dtype, shape, draw(st.sampled_from(LAYOUTS)), draw(st.integers(0, 9)))


LAYOUTS = ("dense", "dense", "dense", "transposed", "gaps", "expanded", "offset")


def make_tensor(dtype: ow.dtype, shape: list[int], layout: str, seed: int) -> ow.Tensor:
    numel = 1
    for size in shape:
        numel *= size
    # Multiples of 1/4 from -3 to 3, in no order: exact in every dtype of fractions.
    numbers = (ow.arange(numel) * 7 + seed) % 25
    values = (numbers.to(ow.float64) - 12) / 4
    if dtype == ow.bool:
        values = values > 0
    elif dtype == ow.uint8:
        values = values.abs()
    return laid_out(values.to(dtype).reshape(shape), layout)


def laid_out(x: ow.Tensor, layout: str) -> ow.Tensor:
    if layout == "transposed" and x.dim() > 1:
        return x.transpose(0, -1).contiguous().transpose(0, -1)
    if layout == "gaps" and x.dim() > 0:
        return ow.stack([x, x], -1)[..., 0]
    if layout == "expanded" and x.dim() > 0 and x.shape[0] > 0:
        return x[:1].expand(*x.shape)
    if layout == "offset":
        return ow.cat([ow.zeros(3, dtype=x.dtype), x.reshape(-1)])[3:].reshape(x.shape)
    return x
