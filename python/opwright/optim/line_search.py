"""A line search for the strong Wolfe conditions, with cubic interpolation."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from .._C import Tensor

# The strong Wolfe conditions: how much the loss must fall, and how flat the slope must become.
_SUFFICIENT_DECREASE = 1e-4
_CURVATURE = 0.9


@dataclass(frozen=True)
class Point:
    """A point on the line: its distance, and the loss, gradient and slope there."""

    length: float
    loss: float
    grad: Tensor
    slope: float


Probe = Callable[[float, Tensor], Point]


def search(
    probe: Probe, start: Point, direction: Tensor, length: float, tolerance: float, limit: int
) -> Point:
    """Return a point along `direction` that meets the conditions, or the best one found.

    `limit` bounds the number of probes after the first.
    """
    line = _Line(probe, start, direction, tolerance, limit)
    bracket = line.find_bracket(length)
    if len(bracket) == 1:
        return bracket[0]
    return line.narrow(bracket)


class _Line:
    def __init__(self, probe: Probe, start: Point, direction: Tensor, tolerance: float, limit: int):
        self.probe = probe
        self.start = start
        self.direction = direction
        self.tolerance = tolerance
        self.limit = limit
        self.count = 0

    def is_too_high(self, point: Point) -> bool:
        allowed = _SUFFICIENT_DECREASE * point.length * self.start.slope
        return point.loss > self.start.loss + allowed

    def is_flat(self, point: Point) -> bool:
        return abs(point.slope) <= -_CURVATURE * self.start.slope

    def find_bracket(self, length: float) -> list[Point]:
        """Return two points around a solution, or one point that is a solution."""
        previous, here = self.start, self.probe(length, self.direction)
        while self.count < self.limit:
            if self.is_too_high(here) or (self.count > 1 and here.loss >= previous.loss):
                return [previous, here]
            if self.is_flat(here):
                return [here]
            if here.slope >= 0:
                return [previous, here]
            bounds = here.length + 0.01 * (here.length - previous.length), here.length * 10
            following = interpolate(previous, here, bounds)
            previous, here = here, self.probe(following, self.direction)
            self.count += 1
        return [self.start, here]

    def narrow(self, bracket: list[Point]) -> Point:
        """Return the lowest point after shrinking the bracket around a solution."""
        low, high = sorted(bracket, key=lambda point: point.loss)
        largest = self.direction.abs().max().item()
        is_stuck = False
        while self.count < self.limit:
            width = abs(high.length - low.length)
            if width * largest < self.tolerance:
                break
            length = interpolate(low, high, None)
            length, is_stuck = _keep_off_the_ends(length, low.length, high.length, is_stuck)
            here = self.probe(length, self.direction)
            self.count += 1
            if self.is_too_high(here) or here.loss >= low.loss:
                high = here
                if high.loss < low.loss:
                    low, high = high, low
                continue
            if self.is_flat(here):
                return here
            if here.slope * (high.length - low.length) >= 0:
                high = low
            low = here
        return low


def _keep_off_the_ends(
    length: float, first: float, second: float, is_stuck: bool
) -> tuple[float, bool]:
    """Return a length at least a tenth of the bracket from its ends, if it came close twice."""
    lowest, highest = min(first, second), max(first, second)
    margin = 0.1 * (highest - lowest)
    if min(highest - length, length - lowest) >= margin:
        return length, False
    if not is_stuck and lowest < length < highest:
        return length, True
    if abs(length - highest) < abs(length - lowest):
        return highest - margin, False
    return lowest + margin, False


def interpolate(first: Point, second: Point, bounds: tuple[float, float] | None) -> float:
    """Return the minimum of the cubic through two points and their slopes, within the bounds.

    The bounds are the two points by default; their middle is returned if there is no minimum.
    """
    if first.length > second.length:
        first, second = second, first
    lowest, highest = bounds or (first.length, second.length)
    width = second.length - first.length
    mean = first.slope + second.slope - 3 * (first.loss - second.loss) / -width
    square = mean * mean - first.slope * second.slope
    if not square >= 0:
        return (lowest + highest) / 2
    root = math.sqrt(square)
    found = second.length - width * (
        (second.slope + root - mean) / (second.slope - first.slope + 2 * root)
    )
    return min(max(found, lowest), highest)
