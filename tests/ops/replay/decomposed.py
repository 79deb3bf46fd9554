"""Traces calls of operators that have a decomposition, decomposes the graphs, and runs these.

Comparisons and columns are those of traced.py; values may differ by a few ulps of the largest. A
decomposition must not add guards that the operator itself does not add.
"""

import opwright as ow
import torch

from .call import NotReplayableError
from .traced import TracedCall, TracedReplayer, have_same_values

TOLERANCES = {
    torch.float16: 2e-3,
    torch.bfloat16: 1.6e-2,
    torch.float32: 2e-6,
    torch.float64: 1e-14,
    torch.complex64: 2e-6,
    torch.complex128: 1e-14,
}


def has_rule(operator) -> bool:
    return "Decompose" in {slot for slot, _ in operator.implementations()}


def operators_with_rules() -> list:
    packets = (getattr(ow.ops.aten, name) for name in dir(ow.ops.aten))
    overloads = (getattr(packet, form) for packet in packets for form in packet.overloads())
    return [each for each in overloads if has_rule(each)]


def are_near(a: torch.Tensor, b: torch.Tensor) -> bool:
    if have_same_values(a, b):
        return True
    tolerance = TOLERANCES.get(a.dtype, 0)
    finite = b[b.isfinite()].abs()
    largest = max(8.0, float(finite.max())) if finite.numel() else 0.0  # terms may cancel out
    return bool(torch.isclose(a, b, rtol=tolerance, atol=tolerance * largest, equal_nan=True).all())


def guards_of(graph) -> set[str]:
    lines = (line.strip() for line in str(graph.graph).splitlines())
    return {line.split("#")[0] for line in lines if line.startswith("guard ")}


class DecomposedCall(TracedCall):
    operators: list = []  # noqa: RUF012

    def trace(self):
        if not self.operators:
            self.operators.extend(operators_with_rules())
        traced = super().trace()
        apart = traced.decompose(self.operators)
        names = {node.target.name for node in apart.graph.nodes if hasattr(node.target, "name")}
        left = names & {each.name for each in self.operators}
        assert not left, f"{left} were not decomposed"
        new = guards_of(apart) - guards_of(traced)
        assert not new, f"sizes were asked: {new}\n{apart.graph}"
        return apart


class DecomposedReplayer(TracedReplayer):
    traced_call = DecomposedCall
    same_values = staticmethod(are_near)

    def compare(self, overload, torchs, copies, ours, result, exact) -> None:
        if not has_rule(self.ours(overload)):
            raise NotReplayableError("no decomposition")
        super().compare(overload, torchs, copies, ours, result, exact)
