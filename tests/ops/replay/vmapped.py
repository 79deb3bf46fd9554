"""Maps one call over each of its tensors, at each position of the batch dimension.

The batch is the sample and a second one with the same numbers in another order. vmap must match the
operator called for one sample after the other: values, dtype, sizes, written arguments. Every
tensor is batched alone, with the batch at each position, then all of them together; an argument
that the operator writes is always batched. The columns:

    calls     distinct calls mapped
    maps      ways in which they were mapped
    vmap      the operator accepts every sample, but vmap raised
    values    vmap's results differ
    written   a written argument holds something else
    counted   calls whose trace was counted, for two samples and for three
    slices    of these, calls that made more operator calls for three: one per sample
"""

import warnings
from dataclasses import dataclass

import opwright as ow
import torch

from . import differences
from .call import Copier, NotReplayableError, list_of, map_values, tensors_of
from .comparison import DifferenceError
from .conversion import Conversion
from .replayer import Replayer, argument_of, our_form

BATCH = 2
LARGER_BATCH = 3
COUNTED = 2  # calls of each overload and job

# Operators without a tensor result.
NOT_MAPPED = {
    "item": "a number",
    "_local_scalar_dense": "a number",
    "equal": "a truth value",
    "allclose": "a truth value",
    "is_nonzero": "a truth value",
    "result_type": "a dtype",
}
UNINITIALISED = ("empty*", "new_empty*", "resize_")

# Results that depend on the strides of an argument: a fast path leaves one empty.
NOT_COMPARED = {"_embedding_bag*": (1,), "embedding_bag*": (1,)}

# What vmap rejects: a composite that writes a tensor without a batch, like running statistics.
SHARED = "is written with values that differ between the samples of vmap"

# Halves are rounded once more if a rule consists of two operators.
HALVES = {torch.float16: 4, torch.bfloat16: 4}

# Strides and offsets refer to memory: a sample is a tensor with its own memory.
OWN_MEMORY = {"as_strided*": "strides of the argument's memory"}


class RefusalError(Exception):
    """A call raised."""


@dataclass(frozen=True)
class Way:
    """The position of each tensor's batch dimension, or None."""

    dims: tuple[int | None, ...]
    batch: int = BATCH

    def __str__(self) -> str:
        return f"in_dims={self.dims}"


def turned(tensor: torch.Tensor, index: int) -> torch.Tensor:
    """Return the tensor of one sample: every second one has its elements reversed."""
    return tensor if index % 2 == 0 else tensor.reshape(-1).flip(0).reshape(tensor.shape)


class MappedCall:
    """A call as a function of its tensors."""

    def __init__(self, operator, overload, arguments: tuple[tuple, dict]):
        self.operator = operator
        self.arguments = arguments
        self.has_own_memory = differences.find(OWN_MEMORY, str(overload)) is not None
        self.tensors = list({id(each): each for each in tensors_of(arguments)}.values())
        written = [id(each) for each in written_tensors(overload, arguments)]
        self.written = [id(tensor) in written for tensor in self.tensors]

    def __call__(self, *tensors):
        ours = {id(old): new for old, new in zip(self.tensors, tensors, strict=True)}
        convert = Conversion()
        args, kwargs = map_values(
            lambda leaf: ours[id(leaf)] if id(leaf) in ours else convert(leaf), self.arguments
        )
        return self.operator(*args, **kwargs)

    def ways(self) -> list[Way]:
        """Return each tensor alone, with the batch at each position; then all of them."""
        base = tuple(0 if is_written else None for is_written in self.written)
        ways = [
            (*base[:index], dim, *base[index + 1 :])
            for index, tensor in enumerate(self.tensors)
            for dim in range(1 if self.has_own_memory else tensor.dim() + 1)
        ]
        ways.append(tuple(0 for _ in self.tensors))
        if not self.has_own_memory:
            ways.append(tuple(tensor.dim() for tensor in self.tensors))
        return [Way(dims) for dims in dict.fromkeys(ways)]

    def inputs(self, way: Way, *, is_varied: bool) -> list[ow.Tensor]:
        """Return the tensors, each with its batch; created for each run."""
        made = []
        for tensor, dim in zip(self.tensors, way.dims, strict=True):
            if dim is None:
                made.append(Copier()(tensor))
                continue
            samples = [turned(tensor, index if is_varied else 0) for index in range(way.batch)]
            made.append(torch.stack(samples, dim))
        return map_values(Conversion(), made)

    def sample(self, inputs: list[ow.Tensor], way: Way, index: int) -> list[ow.Tensor]:
        def take(each: ow.Tensor, dim: int | None) -> ow.Tensor:
            if dim is None:
                return each
            view = each.select(dim, index)
            return view.clone() if self.has_own_memory else view

        return [take(each, dim) for each, dim in zip(inputs, way.dims, strict=True)]

    def run_each(self, way: Way, *, is_varied: bool) -> tuple[list, list]:
        """Return the results of each sample, and the inputs afterwards."""
        inputs = self.inputs(way, is_varied=is_varied)
        results = []
        for index in range(way.batch):
            sample = self.sample(inputs, way, index)
            shapes = [each.shape for each in sample]
            try:
                results.append(list_of(self(*sample)))
            except Exception as error:
                raise RefusalError(f"{type(error).__name__}: {error}") from error
            if [each.shape for each in sample] != shapes:
                raise NotReplayableError("it resizes an argument")
        if len({tuple(shape_of(each) for each in one) for one in results}) > 1:
            raise RefusalError("samples have results of several sizes")
        return results, inputs

    def run_mapped(self, way: Way, *, is_varied: bool) -> tuple[list, list]:
        inputs = self.inputs(way, is_varied=is_varied)
        return list_of(ow.vmap(self, in_dims=way.dims)(*inputs)), inputs

    def count_calls(self, way: Way) -> int:
        """Return how many operators are called, as seen by a trace."""
        inputs = self.inputs(way, is_varied=False)
        if inputs:
            mapped = ow.vmap(self, in_dims=way.dims, randomness="different")
        else:  # a factory
            inputs = [ow.zeros(way.batch)]
            mapped = ow.vmap(lambda _: self(), randomness="different")
        return len(list(ow.make_fx(mapped)(*inputs).graph.nodes))


def shape_of(result) -> tuple | None:
    return tuple(result.shape) if isinstance(result, ow.Tensor) else None


def written_tensors(overload, arguments: tuple[tuple, dict]) -> list[torch.Tensor]:
    return [
        tensor
        for index, argument in enumerate(overload._schema.arguments)
        if argument.alias_info is not None and argument.alias_info.is_write
        for tensor in tensors_of(argument_of(arguments, index, argument.name))
    ]


def compare_tensors(
    mapped: ow.Tensor, expected: ow.Tensor, what: str, kind: str, tolerances: dict | None
) -> None:
    """Raise DifferenceError if they differ; without tolerances values do not matter."""
    if mapped.dtype != expected.dtype or mapped.shape != expected.shape:
        raise DifferenceError(
            kind,
            f"{what}: {mapped.dtype}{list(mapped.shape)}, "
            f"one by one: {expected.dtype}{list(expected.shape)}",
        )
    if tolerances is None or not mapped.numel():
        return
    a, b = torch.from_dlpack(mapped), torch.from_dlpack(expected)
    if a.dtype in (torch.uint16, torch.uint32, torch.uint64):
        a, b = a.to(torch.float64), b.to(torch.float64)
    factor = HALVES.get(a.dtype, 1)
    relative, absolute = (factor * each for each in tolerances.get(a.dtype, (0, 0)))
    agree = torch.isclose(a, b, rtol=relative, atol=absolute, equal_nan=True)
    if a.is_complex():
        agree |= ~torch.isfinite(a) & ~torch.isfinite(b)
    if not agree.all():
        places = (~agree).nonzero()[:2].tolist()
        raise DifferenceError(
            kind,
            f"{what}: {int((~agree).sum())} of {agree.numel()} values differ: "
            f"{a[~agree][:3].tolist()}, one by one: {b[~agree][:3].tolist()}, at {places}",
        )


class VmappedReplayer(Replayer):
    """Maps calls; the counts are the columns above."""

    variants = 1

    def check_refusal(self, overload, ours, refusal, key, text, spare) -> None:
        self.outcome.left_out["torch refuses"] += 1

    def compare(self, overload, torchs, copies, ours, result, exact) -> None:
        name = str(overload)
        if differences.find(NOT_MAPPED, name):
            raise NotReplayableError("no tensor as a result")
        is_uninitialised = differences.find(dict.fromkeys(UNINITIALISED, ""), name) is not None
        call = MappedCall(our_form(self.ours(overload), overload, ours), overload, copies)
        tolerances = None if is_uninitialised else differences.tolerances(name, self.tolerances)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if differences.is_random(name, *torchs) and not is_uninitialised:
                self.count(name, call)
                raise NotReplayableError("random")
            if not call.tensors:
                raise NotReplayableError("no tensor among the arguments")
            for way in call.ways():
                self.compare_way(name, call, way, tolerances)
            self.count(name, call)

    def compare_way(self, name: str, call: MappedCall, way: Way, tolerances: dict | None) -> None:
        is_varied = True
        try:
            each, inputs = call.run_each(way, is_varied=True)
        except RefusalError:
            is_varied = False
            try:
                each, inputs = call.run_each(way, is_varied=False)
            except RefusalError as refusal:
                raise NotReplayableError("refused sample by sample") from refusal
        self.outcome.counts[name]["maps"] += 1
        try:
            mapped, after = call.run_mapped(way, is_varied=is_varied)
        except Exception as error:
            if SHARED in str(error) and None in way.dims:
                self.outcome.left_out["it writes what is shared by all samples"] += 1
                return
            raise DifferenceError("vmap", f"{way}: {type(error).__name__}: {error}") from error
        if len(mapped) != len(each[0]):
            raise DifferenceError("values", f"{way}: {len(mapped)} results, not {len(each[0])}")
        for index, result in enumerate(mapped):
            samples = [one[index] for one in each]
            what = f"{way}: result {index}"
            if result is None or samples[0] is None:
                if result is not samples[0]:
                    raise DifferenceError("values", f"{what} is {result}, one by one: {samples[0]}")
                continue
            if index not in (differences.find(NOT_COMPARED, name) or ()):
                compare_tensors(result, ow.stack(samples), what, "values", tolerances)
        for index, is_written in enumerate(call.written):
            if is_written:
                what = f"{way}: tensor {index}, which it writes"
                compare_tensors(after[index], inputs[index], what, "written", tolerances)

    def count(self, name: str, call: MappedCall) -> None:
        """Count the calls that are made for two samples and for three."""
        counts = self.outcome.counts[name]
        if counts["counted"] >= COUNTED:
            return
        dims = tuple(0 for _ in call.tensors)
        try:
            small, large = (call.count_calls(Way(dims, batch)) for batch in (BATCH, LARGER_BATCH))
        except Exception:
            counts["untraced"] += 1  # data-dependent sizes
            return
        counts["counted"] += 1
        counts["slices"] += small != large
