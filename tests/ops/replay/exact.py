"""The result in float64, to decide who is wrong where our result and torch's differ.

torch rounds intermediate values to half in some loops and not in others, and sums in another order.
Our value passes if it is no further from the float64 result than torch's.
"""

import torch

from .call import copy_arguments, leaves_of, map_values

WIDER = {
    torch.float16: torch.float64,
    torch.bfloat16: torch.float64,
    torch.float32: torch.float64,
    torch.complex64: torch.complex128,
}


class Exact:
    """Runs the call on wider copies on first use."""

    def __init__(self, overload, arguments):
        self.overload = overload
        self.arguments = arguments  # as they were before the call
        self.ran = False
        self.results: list | None = None
        self.wide: tuple = ((), {})

    def result(self, index: int) -> torch.Tensor | None:
        self.run()
        return self.results[index] if self.results is not None else None

    def argument(self, index: int, name: str):
        self.run()
        args, kwargs = self.wide
        return kwargs.get(name) if index >= len(args) else args[index]

    def run(self) -> None:
        if self.ran:
            return
        self.ran = True
        self.wide = map_values(widen, copy_arguments(*self.arguments))
        try:
            with torch.no_grad():
                self.results = leaves_of(self.overload(*self.wide[0], **self.wide[1]))
        except (RuntimeError, TypeError, ValueError, IndexError):
            self.wide = ((), {})


def widen(leaf):
    if isinstance(leaf, torch.Tensor) and leaf.dtype in WIDER:
        return leaf.to(WIDER[leaf.dtype])
    return WIDER.get(leaf, leaf) if isinstance(leaf, torch.dtype) else leaf


def no_worse(ours: torch.Tensor, torchs: torch.Tensor, exact, relative: float, absolute: float):
    """Return where our value agrees with the exact one, or is no further from it than torch's."""
    if not isinstance(exact, torch.Tensor) or exact.shape != ours.shape or ours.dtype not in WIDER:
        return torch.zeros(ours.shape, dtype=torch.bool)
    rounded = exact.to(ours.dtype)
    agrees = torch.isclose(ours, rounded, rtol=relative, atol=absolute, equal_nan=True)
    wide = exact.dtype
    nearer = (ours.to(wide) - exact).abs() <= (torchs.to(wide) - exact).abs()
    return agrees | nearer
