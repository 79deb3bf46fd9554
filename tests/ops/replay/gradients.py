"""Differentiates one call in torch and in ours, and compares the gradients.

Every floating or complex tensor among the arguments needs a gradient (one that is written is a
clone of such a tensor), and every differentiable result gets a random gradient. In float64 the
gradients are differentiated again, with respect to the arguments and the random gradients. The
columns:

    calls     distinct calls differentiated
    recorded  a result is differentiable in only one of both
    raised    torch computes a gradient, and we raise
    gradient  a gradient differs by more than torch.testing allows, and is further from the one in
              float64 than torch's; a missing one counts as zeros
    second    the same for a second-order gradient
    twice     calls that were differentiated twice
"""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial

import opwright as ow
import torch

from . import differences
from .call import NotReplayableError, copy_arguments, list_of, map_values, tensors_of
from .comparison import DifferenceError, compare_form, compare_values, ratios
from .conversion import Conversion
from .exact import widen
from .replayer import Replayer, our_form

LARGEST_TWICE = 600  # elements of the arguments together

# Overloads whose gradients differ from torch's, and why.
NOT_COMPARED = {
    "as_strided_scatter": "torch's gradient of self is that of the part which src replaces",
    "logical_not_": "torch lets the gradient through to the values that are overwritten",
}
NOT_COMPARED_COMPLEX = {
    "silu_": "torch refuses to differentiate silu of complex numbers; of silu_ it forgets the conj",
}


class TorchSide:
    """The torch side's names."""

    tensor = torch.Tensor

    @staticmethod
    def grad(outputs, inputs, gradients, create_graph: bool):
        return torch.autograd.grad(
            outputs, inputs, gradients, create_graph=create_graph, allow_unused=True
        )


class OurSide:
    tensor = ow.Tensor

    @staticmethod
    def grad(outputs, inputs, gradients, create_graph: bool):
        return ow.autograd.grad(
            outputs, inputs, gradients, create_graph=create_graph, allow_unused=True
        )


class Leaves:
    """A function for `map_values`: turns tensors that need gradients into leaves."""

    def __init__(self, side, wanted: set[int], written: set[int], convert):
        self.side, self.wanted, self.written, self.convert = side, wanted, written, convert
        self.leaves: dict[int, object] = {}

    def __call__(self, value):
        converted = self.convert(value)
        if id(value) not in self.wanted:
            return converted
        if id(value) not in self.leaves:
            self.leaves[id(value)] = converted.requires_grad_(True)
        return converted.clone() if id(value) in self.written else converted


class GradientsOf:
    """The gradients of one call on one side: first order, and second order if requested."""

    def __init__(self, side, operator, arguments, leaves: Leaves):
        args, kwargs = map_values(leaves, arguments)
        self.side = side
        self.inputs = list(leaves.leaves.values())
        self.results = [
            each for each in list_of(operator(*args, **kwargs)) for each in list_of(each)
        ]
        self.carrying = [
            index
            for index, each in enumerate(self.results)
            if isinstance(each, side.tensor) and each.requires_grad
        ]
        self.outputs = [self.results[index] for index in self.carrying]

    def first(self, gradients: list, twice: bool) -> list:
        self.gradients = gradients
        if twice:
            for each in gradients:
                each.requires_grad_(True)
        self.found = list(self.side.grad(self.outputs, self.inputs, gradients, twice))
        return self.found

    def second(self, gradients: list) -> list:
        """Differentiate the gradients that can be differentiated; None if none can."""
        pairs = [
            (each, gradient)
            for each, gradient in zip(self.found, gradients, strict=True)
            if each is not None and each.requires_grad
        ]
        inputs = [*self.inputs, *self.gradients]
        if not pairs:
            return [None] * len(inputs)
        found, weights = zip(*pairs, strict=True)
        return list(self.side.grad(found, inputs, weights, False))


def can_carry(value) -> bool:
    return isinstance(value, torch.Tensor) and (value.is_floating_point() or value.is_complex())


def random_like(tensors: list, seed: int) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return [
        torch.randn(
            each.shape,
            dtype=torch.complex128 if each.is_complex() else torch.float64,
            generator=generator,
        ).to(each.dtype)
        for each in tensors
    ]


class GradientCall:
    """A call whose arguments are `copies`, which stay unchanged."""

    def __init__(self, overload, copies):
        self.overload, self.copies = overload, copies
        self.wanted = {id(each) for each in tensors_of(copies) if can_carry(each)}
        if not self.wanted:
            raise NotReplayableError("no floating tensor among the arguments")
        storages = Counter(each.untyped_storage()._cdata for each in unique(tensors_of(copies)))
        if max(storages.values()) > 1:
            raise NotReplayableError("inputs that share memory")
        args, kwargs = copies
        schema = overload._schema.arguments
        values = [
            args[index] if index < len(args) else kwargs.get(each.name)
            for index, each in enumerate(schema)
        ]
        if any(each.is_out for each in schema):
            raise NotReplayableError("an out form")
        self.written = {
            id(tensor)
            for each, value in zip(schema, values, strict=True)
            if each.alias_info is not None and each.alias_info.is_write
            for tensor in tensors_of(value)
        }
        self.numel = sum(each.numel() for each in tensors_of(copies))

    def in_torch(self, function=lambda leaf: leaf) -> GradientsOf:
        """Apply `function` to every argument first."""
        cloned = {}

        def fresh(value):
            if not isinstance(value, torch.Tensor):
                return function(value)
            if id(value) not in cloned:
                cloned[id(value)] = function(copy_arguments((value,), {})[0][0]).detach()
            return cloned[id(value)]

        leaves = Leaves(TorchSide, self.wanted, self.written, fresh)
        return GradientsOf(TorchSide, self.overload, self.copies, leaves)

    def in_ours(self, operator) -> GradientsOf:
        # The conversion keeps copies, so that their memory stays alive.
        copies: dict[int, torch.Tensor] = {}
        convert = Conversion()

        def fresh(value):
            if not isinstance(value, torch.Tensor):
                return convert(value)
            if id(value) not in copies:
                copies[id(value)] = copy_arguments((value,), {})[0][0]
            return convert(copies[id(value)])

        leaves = Leaves(OurSide, self.wanted, self.written, fresh)
        return GradientsOf(OurSide, operator, self.copies, leaves)


def unique(tensors: list) -> list:
    return list({id(each): each for each in tensors}.values())


def to_ours(tensors: list[torch.Tensor]) -> list[ow.Tensor]:
    clones = [each.clone() for each in tensors]  # the conversion identifies them by address
    return map_values(Conversion(), clones)


def turned_weights(name: str, weights: list, mine: GradientsOf, theirs: GradientsOf) -> list:
    """Return the weights of our outputs: where those may be torch's times numbers of magnitude 1
    (differences.FACTORS), times the same numbers."""
    factors = differences.find(differences.FACTORS, name) or {}
    found = list(weights)
    for place, index in enumerate(theirs.carrying):
        if index in factors:
            numbers = ratios(theirs.outputs[place].detach(), mine.outputs[place], factors[index])
            found[place] = numbers.conj() * weights[place]
    return found


def compare_gradients(kind: str, ours: list, torchs: list, tolerances: dict, exact) -> None:
    for index, (mine, theirs) in enumerate(zip(ours, torchs, strict=True)):
        if mine is None and theirs is None:
            continue
        try:
            if mine is None or theirs is None:
                there = torch.from_dlpack(mine.detach()) if theirs is None else theirs.detach()
                if there.numel() and bool((there != 0).any()):
                    who = "ours" if mine is None else "torch's"
                    raise DifferenceError(kind, f"{who} is not there, the other is {there}")
                continue
            compare_form(mine, theirs, strides=False)
            compare_values(
                torch.from_dlpack(mine.detach()),
                theirs.detach(),
                tolerances,
                partial(lambda index: (exact() or [None] * (index + 1))[index], index),
            )
        except DifferenceError as difference:
            raise DifferenceError(kind, f"of input {index}: {difference}") from difference


class GradientReplayer(Replayer):
    """The counts are the columns above."""

    variants = 1

    def check_refusal(self, overload, ours, refusal, key, text, spare) -> None:
        self.outcome.left_out["torch refuses"] += 1

    def compare(self, overload, torchs, copies, ours, result, exact) -> None:
        name = str(overload)
        if differences.is_random(name, *torchs):
            raise NotReplayableError("random")
        if differences.find(NOT_COMPARED, name):
            raise NotReplayableError("on purpose")
        is_complex = any(each.is_complex() for each in tensors_of(copies))
        if is_complex and differences.find(NOT_COMPARED_COMPLEX, name):
            raise NotReplayableError("on purpose")
        call = GradientCall(overload, copies)
        operator = our_form(self.ours(overload), overload, ours)
        self.thread.submit(self.compare_call, name, call, operator).result()

    @cached_property
    def thread(self) -> ThreadPoolExecutor:
        """Return a thread without any torch mode: the replayer runs below torch's autograd."""
        return ThreadPoolExecutor(1)

    def compare_call(self, name: str, call: GradientCall, operator) -> None:
        twice = call.numel <= LARGEST_TWICE and all(
            each.dtype in (torch.float64, torch.complex128)
            for each in tensors_of(call.copies)
            if can_carry(each)
        )
        try:
            theirs = call.in_torch()
            weights = random_like(theirs.outputs, 1)
            first = theirs.first([each.clone() for each in weights], twice) if weights else []
        except RuntimeError as error:
            raise NotReplayableError(f"torch: {type(error).__name__}") from error
        try:
            mine = call.in_ours(operator)
            if mine.carrying == theirs.carrying and weights:
                found = mine.first(to_ours(turned_weights(name, weights, mine, theirs)), twice)
        except Exception as error:
            if differences.is_refused(name, str(error)):
                raise NotReplayableError("refused on purpose") from error
            raise DifferenceError("raised", f"{type(error).__name__}: {error}") from error
        if mine.carrying != theirs.carrying:
            raise DifferenceError(
                "recorded",
                f"results {mine.carrying} of {len(mine.results)} carry a gradient, "
                f"torch: {theirs.carrying}",
            )
        if not weights:
            raise NotReplayableError("no result carries a gradient")
        tolerances = differences.tolerances(name, self.tolerances)

        def exact():
            wide = call.in_torch(widen)
            return wide.first([widen(each) for each in weights], False)

        compare_gradients("gradient", found, first, tolerances, exact)
        if twice:
            self.compare_second(name, mine, theirs, tolerances)

    def compare_second(self, name, mine, theirs, tolerances) -> None:
        # Where only torch's gradient is missing, ours is zero, and so is its weight.
        shapes = [
            torch.zeros(() if ours is None else tuple(ours.shape))
            if each is None
            else each.detach()
            for each, ours in zip(theirs.found, mine.found, strict=True)
        ]
        weights = [
            weight.zero_() if each is None else weight
            for each, weight in zip(theirs.found, random_like(shapes, 2), strict=True)
        ]
        try:
            expected = theirs.second(weights)
        except RuntimeError:
            return
        self.outcome.counts[name]["twice"] += 1
        try:
            found = mine.second(to_ours(weights))
        except Exception as error:
            raise DifferenceError("second", f"{type(error).__name__}: {error}") from error
        compare_gradients("second", found, expected, tolerances, lambda: None)
