"""Traces one call with symbolic sizes and runs its graph: on the sample, and at other sizes.

The graph must match a call of the operator (values, dtype, sizes, strides, shared memory, written
inputs), and the sizes and strides that the trace predicted must be those of the results. Other
sizes are those that the graph's guards admit; sizes that the operator rejects the graph must
reject. The columns:

    calls     distinct calls traced
    trace     the call works, but tracing it raised
    guards    the guards reject the sample's own sizes
    graph     on the sample the graph's results differ, or it raised
    form      the trace predicted other sizes, strides or another dtype than the result has
    other     at other admitted sizes the graph's results differ, or one of both raised
    sizes     other sizes that were run, three per call if that many are admitted
    fixed     calls without a symbol: all sizes are 0 or 1
    specialised  calls whose guards admit none of the other sizes that were tried
    narrower  calls whose guards reject other sizes that the operator accepts
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import opwright as ow
import torch

from . import differences
from .call import Copier, NotReplayableError, list_of, map_values, tensors_of
from .comparison import DifferenceError, shared_offset, significant_strides, torch_range
from .conversion import Conversion
from .other_sizes import Form, evaluate, proposals, resize_all, symbols_of
from .replayer import Replayer, our_form

OTHER_SIZES = 3

# What a graph cannot contain: bools and non-integer numbers read from data.
NOT_TRACED = {
    "item": "a number",
    "_local_scalar_dense": "a number",
    "equal": "a truth value",
    "allclose": "a truth value",
    "is_nonzero": "a truth value",
}


class RefusalError(Exception):
    """A call raised."""


@dataclass(frozen=True)
class Place:
    """Where a call takes the tensor of this index."""

    index: int


class TracedCall:
    """A call as a function of its tensors; its other arguments are fixed."""

    def __init__(self, operator, arguments: tuple[tuple, dict], *, values: Callable | None):
        self.operator = operator
        self.arguments = arguments
        self.values = values  # compares two values; None: they are meaningless
        self.tensors = list({id(each): each for each in tensors_of(arguments)}.values())
        places = {id(each): Place(index) for index, each in enumerate(self.tensors)}
        convert = Conversion()
        self.form = map_values(
            lambda leaf: places[id(leaf)] if id(leaf) in places else convert(leaf), arguments
        )
        self.given: list[Form] = []
        self.returned: list[Form | None] = []

    def __call__(self, *tensors):
        args, kwargs = map_values(
            lambda leaf: tensors[leaf.index] if isinstance(leaf, Place) else leaf, self.form
        )
        return self.operator(*args, **kwargs)

    def trace(self):
        def traced(*tensors):
            self.given = [Form.of(each) for each in tensors]
            result = self(*tensors)
            self.returned = [
                Form.of(each) if isinstance(each, ow.Tensor) else None for each in list_of(result)
            ]
            return result

        inputs = map_values(Conversion(), self.copies(self.tensors))
        return ow.make_fx(traced, tracing_mode="symbolic")(*inputs)

    @staticmethod
    def copies(tensors: list[torch.Tensor]) -> list[torch.Tensor]:
        return map_values(Copier(), tensors)

    def run(self, function, tensors: list[torch.Tensor]) -> "Run":
        return Run(function, self.copies(tensors))

    def run_at_other_sizes(
        self, name: str, most: int, run: Callable[[list[torch.Tensor]], "Run"]
    ) -> Iterator[tuple[dict[str, int], list[torch.Tensor], "Run"]]:
        """Return sizes, tensors of them and the results of `run`; rejected sizes do not count."""
        try:
            self.trace()
        except Exception:
            return
        symbols = symbols_of(self.given, self.tensors)
        done = 0
        for values in proposals(symbols, name) if symbols else ():
            if done == most:
                return
            try:
                tensors = resize_all(self.given, self.tensors, values)
                result = tensors and run(tensors)
            except (NotReplayableError, RefusalError):
                continue
            if tensors:
                done += 1
                yield values, tensors, result


class Run:
    """The results of a function on its own inputs."""

    def __init__(self, function, memory: list[torch.Tensor]):
        self.memory = memory
        self.inputs = map_values(Conversion(), memory)
        try:
            self.results = list_of(function(*self.inputs))
        except Exception as error:
            raise RefusalError(f"{type(error).__name__}: {error}") from error

    def sharing(self, result: ow.Tensor) -> list[int | None]:
        """Return the offset of a result in the memory of each input, in bytes."""
        return [
            shared_offset(result, each, result.data_ptr(), torch_range(memory))
            for each, memory in zip(self.inputs, self.memory, strict=True)
        ]


def compare_tensors(
    graph: ow.Tensor, eager: ow.Tensor, what: str, kind: str, values: Callable | None
) -> None:
    if graph.dtype != eager.dtype or graph.shape != eager.shape:
        raise DifferenceError(kind, f"{what}: {form_text(graph)}, eager: {form_text(eager)}")
    if graph.stride() != eager.stride():
        raise DifferenceError(kind, f"{what}: strides {graph.stride()}, eager: {eager.stride()}")
    if values and not values(torch.from_dlpack(graph), torch.from_dlpack(eager)):
        raise DifferenceError(kind, f"{what}: other values")


def have_same_values(a: torch.Tensor, b: torch.Tensor) -> bool:
    if a.numel() == 0:
        return True
    a, b = (torch.empty(each.numel(), dtype=each.dtype).copy_(each.flatten()) for each in (a, b))
    if a.is_complex():
        a, b = torch.view_as_real(a), torch.view_as_real(b)
    if bool((a.view(torch.uint8) == b.view(torch.uint8)).all()):
        return True
    return bool(torch.isclose(a, b, rtol=0, atol=0, equal_nan=True).all())


def form_text(tensor: ow.Tensor) -> str:
    return f"{tensor.dtype}{list(tensor.shape)}"


def compare_runs(graph: Run, eager: Run, kind: str, values: Callable | None) -> None:
    if len(graph.results) != len(eager.results):
        raise DifferenceError(kind, f"{len(graph.results)} results, eager: {len(eager.results)}")
    for index, (ours, expected) in enumerate(zip(graph.results, eager.results, strict=True)):
        if not isinstance(expected, ow.Tensor):
            if values and ours != expected and expected == expected:
                raise DifferenceError(kind, f"result {index}: {ours!r}, eager: {expected!r}")
            continue
        compare_tensors(ours, expected, f"result {index}", kind, values)
        if expected.numel() and graph.sharing(ours) != eager.sharing(expected):
            raise DifferenceError(kind, f"result {index} shares other memory")
    for index, (ours, expected) in enumerate(zip(graph.inputs, eager.inputs, strict=True)):
        compare_tensors(ours, expected, f"input {index} after it", kind, values)


def compare_forms(call: TracedCall, symbols: dict[str, int], results: list) -> None:
    """Raise DifferenceError if the trace predicted another form of a result."""
    values = dict(symbols)
    for form, result in zip(call.returned, results, strict=True):
        if form is None or not isinstance(result, ow.Tensor):
            continue
        if form.dtype != result.dtype or len(form.sizes) != len(result.shape):
            raise DifferenceError("form", f"predicted {form}, got {form_text(result)}")
        for text, size in zip(form.sizes, result.shape, strict=True):
            if text.startswith("u"):
                values.setdefault(text, size)
        sizes = [evaluate(text, values) for text in form.sizes]
        strides = [evaluate(text, values) for text in form.strides]
        if None in sizes or None in strides:
            continue
        if tuple(sizes) != tuple(result.shape):
            raise DifferenceError(
                "form", f"predicted sizes {form.sizes} at {values}, got {list(result.shape)}"
            )
        if significant_strides(sizes, strides) != significant_strides(sizes, result.stride()):
            raise DifferenceError(
                "form",
                f"predicted strides {form.strides} of {form.sizes} at {values}, "
                f"got {result.stride()}",
            )


def is_refused_by_guards(refusal: RefusalError) -> bool:
    return str(refusal).startswith("ValueError: graph: it was traced ")


def refusing_guard(refusal: RefusalError) -> str:
    return re.match(r".*?it was traced \w+ (.*?), (?:which|but) ", str(refusal)).group(1)


class TracedReplayer(Replayer):
    """Replays calls with their graphs; the counts are the columns above."""

    variants = 1
    traced_call = TracedCall
    same_values = staticmethod(have_same_values)

    def check_refusal(self, overload, ours, refusal, key, text, spare) -> None:
        self.outcome.left_out["torch refuses"] += 1

    def compare(self, overload, torchs, copies, ours, result, exact) -> None:
        self.name = name = str(overload)
        if differences.find(NOT_TRACED, name) and type(result) is not int:
            raise NotReplayableError("no tensor as a result")
        operator = our_form(self.ours(overload), overload, ours)
        is_random = differences.is_random(name, *torchs)
        call = self.traced_call(operator, copies, values=None if is_random else self.same_values)
        if not call.tensors:
            raise NotReplayableError("no tensor among the arguments")
        try:
            eager = call.run(call, call.tensors)
        except RefusalError as refusal:
            raise NotReplayableError("refused by ours") from refusal
        try:
            graph = call.trace()
        except Exception as error:
            raise DifferenceError("trace", f"{type(error).__name__}: {error}") from error
        try:
            run = call.run(graph, call.tensors)
        except RefusalError as refusal:
            kind = "guards" if is_refused_by_guards(refusal) else "graph"
            raise DifferenceError(kind, f"{refusal}\n{graph.graph}") from refusal
        compare_runs(run, eager, "graph", call.values)
        symbols = symbols_of(call.given, call.tensors)
        compare_forms(call, symbols, eager.results)
        self.run_at_other_sizes(name, call, graph, symbols)

    def run_at_other_sizes(self, name: str, call: TracedCall, graph, symbols: dict) -> None:
        counts = self.outcome.counts[name]
        if not symbols:
            counts["fixed"] += 1
            return
        done, is_narrower = [symbols], False
        for values in proposals(symbols, name):
            if values in done or len(done) > OTHER_SIZES:
                continue
            try:
                tensors = resize_all(call.given, call.tensors, values)
            except NotReplayableError as problem:
                self.outcome.left_out[str(problem)] += 1
                return
            if tensors is None:
                continue
            admitted = self.run_at(call, graph, tensors, values)
            if admitted:
                done.append(values)
            elif admitted is None:
                is_narrower = True
        counts["sizes"] += len(done) - 1
        if len(done) == 1:
            counts["specialised"] += 1
            counts["needlessly"] += is_narrower
        counts["narrower"] += is_narrower

    def run_at(self, call: TracedCall, graph, tensors, values: dict) -> bool | None:
        """Return whether the guards admit these sizes; None if only the operator does."""
        eager = refusal = None
        try:
            eager = call.run(call, tensors)
        except RefusalError as problem:
            refusal = problem
        try:
            run = call.run(graph, tensors)
        except RefusalError as problem:
            if is_refused_by_guards(problem):
                if eager is not None:
                    sizes = ", ".join(f"{name} = {value}" for name, value in values.items())
                    self.outcome.narrower.setdefault(
                        self.name, f"{sizes}, by {refusing_guard(problem)}"
                    )
                return False if eager is None else None
            if eager is None:
                return True
            raise DifferenceError("other", f"at {values}: {problem}\n{graph.graph}") from problem
        if eager is None:
            raise DifferenceError(
                "other", f"at {values} the graph runs, eager: {refusal}\n{graph.graph}"
            )
        try:
            compare_runs(run, eager, "other", call.values)
            compare_forms(call, values, eager.results)
        except DifferenceError as difference:
            raise DifferenceError(
                difference.kind, f"at {values}: {difference}\n{graph.graph}"
            ) from difference
        return True
