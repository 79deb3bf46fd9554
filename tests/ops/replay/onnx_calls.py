"""Exports one call as an ONNX model and runs it in ONNX Runtime, also at other sizes.

Calls of operators that have a rule for ONNX are exported, each at an opset chosen by the seed and
with dynamic sizes every other time. The model must pass onnx.checker with types and shapes
inferred, and match the call: values within the tolerance of their dtype, dtype, sizes. If ONNX
Runtime has no kernel for a node, onnx's own reference runs the model instead; its result does not
decide, because it has bugs in windows and resizing. The columns:

    calls      distinct calls exported
    opset      the lowest one that supports a call
    equal      ONNX Runtime matches eager
    free       calls exported with dynamic sizes
    sizes      other sizes that were run
    no kernel  ONNX Runtime has no kernel for one of its nodes
    reference  of these, onnx's reference matches eager
    refused    calls that the exporter rejects, with the reason
    export     exporting raised something else
    checker    onnx.checker rejects the model
    ort        ONNX Runtime rejects the model or its inputs
    model      the model's results differ
    other      at other sizes its results differ
"""

import functools
import random
import re
import zlib
from typing import ClassVar

import opwright as ow
import torch
from opwright import _C

from . import differences
from .call import NotReplayableError, call_text, map_values
from .comparison import DifferenceError, compare_ties
from .compiled import SUMS, are_close, sizes_of
from .conversion import DTYPES, Conversion
from .exact import no_worse
from .onnx_session import NoKernelError, OnnxError, OnnxModel
from .replayer import Replayer, our_form
from .traced import RefusalError, Run, TracedCall

OPSETS = range(12, 29)
OTHER_SIZES = 2
# ONNX Runtime also sums products in its own order.
PRODUCTS = ("*conv*", "*mm*", "mv", "dot", "*matmul*", "linear*", "lstm*", "gru*", "rnn*")
LEAST_UNITS = 4.0  # of the dtype at 1; always allowed


class ExportedCall(TracedCall):
    """A call as a model."""

    gives_first = False  # of the results that its rule returns
    written: tuple[int, ...] = ()  # tensors whose new values the model returns after the results

    def __call__(self, *tensors):
        result = super().__call__(*tensors)
        return result[0] if self.gives_first else result

    def export(self, opset: int, num_free: int) -> OnnxModel:
        """Export with dynamic sizes for the given number of its tensors."""
        inputs = map_values(Conversion(), self.copies(self.tensors))
        shapes = [free_dims(each) if at < num_free else None for at, each in enumerate(inputs)]
        model = ow.onnx.export(self, tuple(inputs), opset_version=opset, dynamic_shapes=shapes)
        made = OnnxModel(model.bytes(), model.exported_program)
        self.written = made.written
        return made


def free_dims(tensor: ow.Tensor) -> dict[int, ow.export.Dim]:
    return {dim: ow.export.Dim.AUTO for dim, size in enumerate(tensor.shape) if size > 1}


@functools.cache
def register_rules() -> None:
    """Export something: the core registers its rules before the first export."""
    ow.onnx.export(lambda x: x, (ow.ones(1),))


def has_rule(operator) -> bool:
    register_rules()
    return _C.has_own_function(operator.name, "Convert")


def lowest_opset(call: ExportedCall) -> int:
    """Return the lowest opset that supports a call which some opset supports."""
    for opset in OPSETS:
        try:
            call.export(opset, 0)
        except NotImplementedError:
            continue
        return opset
    raise AssertionError("no opset takes the call")


def reason_of(refusal: Exception) -> str:
    """Return why the exporter rejects the call, without its location and numbers."""
    text = str(refusal).splitlines()[0]
    text = re.sub(r"^aten::\S+?( \([^()]*:\d+\))?: ", "", text)
    return text[:160]


class OnnxReplayer(Replayer):
    """Replays calls with their models; the counts are the columns above."""

    variants = 1
    seed = 0
    opset: int | None = None  # for all calls; None: chosen by the seed
    lowest: ClassVar[dict[str, int]] = {}  # for the first call of each overload

    def takes(self, overload, args, kwargs) -> str | None:
        operator = self.ours(overload)
        if operator is not None and not has_rule(operator):
            self.outcome.reached[str(overload)].add(self.entry)
            return None
        return super().takes(overload, args, kwargs)

    def check_refusal(self, overload, ours, refusal, key, text, spare) -> None:
        self.outcome.left_out["torch refuses"] += 1

    def compare(self, overload, torchs, copies, ours, result, exact) -> None:
        name = str(overload)
        operator = our_form(self.ours(overload), overload, ours)
        is_random = differences.is_random(name, *torchs)
        call = ExportedCall(operator, copies, values=None if is_random else are_close)
        if not call.tensors:
            raise NotReplayableError("no tensor among the arguments")
        if name.startswith("aten.as_strided") and not all(map(is_whole, call.tensors)):
            raise NotReplayableError("memory around the elements of an input")
        try:
            eager = call.run(call, call.tensors)
        except RefusalError as refusal:
            raise NotReplayableError("refused by ours") from refusal
        if not all(isinstance(each, ow.Tensor) for each in eager.results):
            raise NotReplayableError("no tensor as a result")
        chosen = random.Random(zlib.crc32(f"{self.seed} {call_text(overload, *copies)}".encode()))
        opset = chosen.choice(OPSETS) if self.opset is None else self.opset
        num_free = chosen.choice([0, len(call.tensors)])
        model, is_free = self.export(name, call, opset, num_free)
        if call.gives_first:
            del eager.results[1:]
        counts = self.outcome.counts[name]
        counts["free"] += is_free
        if name not in self.lowest:
            self.lowest[name] = lowest_opset(call)
            counts[f"since {self.lowest[name]}"] += 1
        compare = Comparison(overload, name, call, copies)
        try:
            model.check()
            given = model.run(call.tensors)
            compare(given, eager, "model", exact)
            counts["equal"] += 1
            if is_free:
                self.run_at_other_sizes(name, call, model, compare)
        except NoKernelError as gap:
            counts["no kernel"] += 1
            self.outcome.told[name][f"no kernel: {gap}"] += 1
            counts["reference"] += self.proves(compare, model, call, eager, exact)
        except OnnxError as error:
            raise DifferenceError(error.kind, f"opset {model.opset}: {error}") from error
        except DifferenceError as error:
            text = f"opset {model.opset}: {error}\n{model.text()}"
            raise DifferenceError(error.kind, text) from error

    @staticmethod
    def proves(compare, model: OnnxModel, call: ExportedCall, eager: Run, exact) -> bool:
        """Return whether onnx's reference agrees with eager; it is wrong for some calls."""
        given = model.run_reference(call.tensors)
        try:
            if given is not None:
                compare(given, eager, "model", exact)
        except DifferenceError:
            return False
        return given is not None

    def export(
        self, name: str, call: ExportedCall, opset: int, num_free: int
    ) -> tuple[OnnxModel, bool]:
        """Return the model, and whether it has dynamic sizes.

        If that is rejected, tries with only its first tensor dynamic, the newest opset, and static.
        """
        counts = self.outcome.counts[name]
        newest = OPSETS[-1]
        ways = [(opset, num_free), (opset, min(num_free, 1)), (newest, min(num_free, 1))]
        refusals = []
        for chosen, free in dict.fromkeys([*ways, (opset, 0), (newest, 0)]):
            try:
                model = call.export(chosen, free)
            except NotImplementedError as error:
                if "rule does not return" in str(error) and not call.gives_first:
                    call.gives_first = True
                    return self.export(name, call, opset, num_free)
                refusals.append(reason_of(error))
                continue
            except Exception as error:
                text = f"opset {chosen}: {type(error).__name__}: {error}"
                raise DifferenceError("export", text) from error
            counts[f"opset {chosen}"] += 1
            if refusals:
                counts["elsewhere"] += 1
                self.outcome.told[name][f"at first: {refusals[0]}"] += 1
            return model, free > 0
        counts["refused"] += 1
        self.outcome.told[name][f"refused: {refusals[-1]}"] += 1
        raise NotReplayableError("the exporter refuses")

    def run_at_other_sizes(self, name: str, call: ExportedCall, model: OnnxModel, compare) -> None:
        def run(tensors: list[torch.Tensor]) -> Run:
            eager = call.run(call, tensors)
            call.run(model.program, tensors)  # its guards admit the sizes
            return eager

        for values, tensors, eager in call.run_at_other_sizes(name, OTHER_SIZES, run):
            self.outcome.counts[name]["sizes"] += 1
            try:
                compare(model.run(tensors), eager, "other", None)
            except (OnnxError, DifferenceError) as error:
                raise DifferenceError("other", f"at {values}: {error}") from error


class Comparison:
    """Raises DifferenceError if results differ from eager's."""

    def __init__(self, overload, name: str, call: ExportedCall, copies):
        self.overload, self.name, self.call, self.copies = overload, name, call, copies

    def __call__(self, given: list[torch.Tensor], eager: Run, kind: str, exact) -> None:
        results = [*eager.results, *(eager.inputs[place] for place in self.call.written)]
        if len(given) != len(results):
            raise DifferenceError(kind, f"{len(given)} results, eager: {len(results)}")
        expected = [torch.from_dlpack(each) for each in results]
        least = LEAST_UNITS + sizes_of(self.name, eager.memory, SUMS + PRODUCTS)
        has_ties = differences.find(differences.TIES, self.name)
        for index, (mine, theirs) in enumerate(zip(given, expected, strict=True)):
            if DTYPES.get(mine.dtype) != results[index].dtype or mine.shape != theirs.shape:
                raise DifferenceError(
                    kind,
                    f"result {index}: {mine.dtype}{list(mine.shape)}, "
                    f"eager: {theirs.dtype}{list(theirs.shape)}",
                )
            if not self.call.values or (has_ties and index == 1) or are_close(mine, theirs, least):
                continue
            if exact is None or not is_no_worse(mine, theirs, exact.result(index)):
                raise DifferenceError(kind, f"result {index}: {different_text(mine, theirs)}")
        if has_ties and exact is not None:
            ours = [ow.from_dlpack(each) for each in given]
            compare_ties(self.overload, self.copies, ours, expected)


def different_text(mine: torch.Tensor, theirs: torch.Tensor) -> str:
    """Return the values that differ most, with their positions."""
    wide = torch.complex128 if mine.is_complex() else torch.float64
    distance = (mine.to(wide) - theirs.to(wide)).abs().nan_to_num(torch.inf).flatten()
    places = distance.sort(descending=True, stable=True).indices[:4]
    return (
        f"{mine.flatten()[places].tolist()} at {places.tolist()} of {list(mine.shape)}, "
        f"eager: {theirs.flatten()[places].tolist()}"
    )


def is_whole(tensor: torch.Tensor) -> bool:
    """Return whether the tensor covers all of its memory, in order."""
    count = tensor.untyped_storage().nbytes() // tensor.element_size()
    return tensor.is_contiguous() and tensor.numel() == count


def is_no_worse(mine: torch.Tensor, theirs: torch.Tensor, exact) -> bool:
    return bool(no_worse(mine, theirs, exact, 1e-5, 1e-6).all())
