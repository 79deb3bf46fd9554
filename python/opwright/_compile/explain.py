"""Explains a compiled function: graphs, breaks, guards, fused groups, code, bytes moved."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

Sections = Iterable[tuple[str, str]]

# Passes over fewer bytes measure the time of a call, not the speed of memory.
LEAST_MEASURED, MOST_MEASURED = 1 << 16, 1 << 24


@dataclass(frozen=True)
class Break:
    """Where and why a graph ends early; `file` is empty and `line` is 0 if unknown.

    >>> print(Break("model.py", 12, "item() reads the data of a tensor"))
    model.py:12: item() reads the data of a tensor
    """

    file: str
    line: int
    cause: str

    @classmethod
    def parse(cls, text: str) -> "Break":
        cause, at, place = text.rpartition(", at ")
        file, colon, line = place.rpartition(":")
        return (
            cls(file, int(line), cause) if at and colon and line.isdecimal() else cls("", 0, text)
        )

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.cause}" if self.file else self.cause


class Explanation:
    """The result of `opwright.explain` for one call of a function.

    >>> explanation = ow.explain(lambda x: ow.sin(x) * 2 + 1)(ow.ones(1024))
    >>> explanation.num_nests, explanation.breaks
    (1, [])
    >>> explanation.bytes_moved == explanation.least_bytes == 2 * 4 * 1024
    True

    `str` of it is the full report.
    """

    def __init__(self, descriptions: Iterable[Sections], guards: Iterable[str]):
        # For a training call "forward: graph" and "backward: graph".
        self._sections = [
            (*title.rpartition(": ")[::2], text) for entry in descriptions for title, text in entry
        ]

        def texts(title: str) -> list[str]:
            return [text for _, name, text in self._sections if name == title]

        self.graphs: list[str] = texts("graph")
        """The captured graphs, as text."""
        self.breaks: list[Break] = [Break.parse(text) for text in texts("break")]
        """Where the graph ends and Python continues eagerly."""
        self.guards: list[str] = [line for text in guards for line in text.splitlines()]
        """The conditions checked before a later call runs the same code."""
        self.plans: list[str] = texts("fused graph")
        """The graphs as they run: calls of nests and of operators."""
        self.groups: list[str] = texts("nest")
        """The fused groups: the operators of each, then its loop nest."""
        self.code: str = "\n".join(dict.fromkeys(texts("ir")))
        """The LLVM IR of all nests, each once."""
        self.assembly: str = "\n".join(dict.fromkeys(texts("assembly")))
        """The machine code of all nests, as text."""
        self.num_nests: int = len(set(texts("ir")))
        """The number of distinct nests that were compiled."""
        self.traffic: list[str] = texts("bytes")
        """The bytes that each call of each plan reads and writes."""
        self.bytes_moved: int = self._sum("moved")
        """The bytes that all calls of the plans read and write."""
        self.least_bytes: int = self._sum("least")
        """The least that any plan moves: inputs read once, results written once."""
        self._bandwidth: float | None = None

    def _sum(self, word: str) -> int:
        lines = (line.split() for text in self.traffic for line in text.splitlines())
        return sum(int(parts[1]) for parts in lines if parts[0] == word)

    @property
    def bandwidth(self) -> float:
        """Bytes per second of one multiplication over about as many bytes, measured now."""
        if self._bandwidth is None:
            self._bandwidth = measure_bandwidth(self.bytes_moved)
        return self._bandwidth

    @property
    def bound(self) -> float:
        """The seconds to move `bytes_moved` at `bandwidth`: no plan of these bytes is faster.

        Compute-heavy code takes longer.
        """
        return self.bytes_moved / self.bandwidth

    def __str__(self) -> str:
        parts = [self._summary()]
        for wanted in ("graph", "fused graph", "nest", "bytes", "saved for backward"):
            found = [(which, text) for which, name, text in self._sections if name == wanted]
            for number, (which, text) in enumerate(found, 1):
                place = f" {number} of {len(found)}" if len(found) > 1 else ""
                parts.append(_section(f"{which} {wanted}".lstrip() + place, text))
        parts += [
            _section(title, text)
            for title, text in (("LLVM IR", self.code), ("assembly", self.assembly))
            if text
        ]
        return "\n".join(parts)

    def _summary(self) -> str:
        lines = [
            f"{_count(len(self.graphs), 'graph')}, {_count(len(self.breaks), 'break')}, "
            f"{_count(len(self.guards), 'guard')}, {_count(self.num_nests, 'nest')}",
            *(f"break at {each}" for each in self.breaks),
            *(f"guard {each}" for each in self.guards),
        ]
        if self.bytes_moved:
            times = self.bytes_moved / self.least_bytes if self.least_bytes else float("inf")
            lines.append(
                f"moves {self.bytes_moved:,} bytes, {times:.2f}x of inputs and results: at least "
                f"{self.bound * 1e3:.3g} ms at the {self.bandwidth / 1e9:.3g} GB/s of one multiply"
            )
        return "\n".join(lines) + "\n"

    def __repr__(self) -> str:
        return f"<Explanation: {self._summary().splitlines()[0]}>"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _section(title: str, text: str) -> str:
    return f"---- {title} ----\n{text.rstrip()}\n"


def measure_bandwidth(num_bytes: int) -> float:
    """Bytes per second of `x * y` into a third tensor, over about `num_bytes`; the best of 7."""
    import opwright as ow

    with ow.no_grad():
        count = min(max(num_bytes // 12, LEAST_MEASURED), MOST_MEASURED)
        x, y, result = ow.ones(count), ow.ones(count), ow.ones(count)
        best = float("inf")
        for _ in range(7):
            begin = time.perf_counter()
            ow.mul(x, y, out=result)
            best = min(best, time.perf_counter() - begin)
    return 12 * count / best


def explain(f: Callable[..., Any], /, **options: Any) -> Callable[..., Explanation]:
    """Explain what `compile(f, **options)` does with a call: `explain(f)(*args)` calls it once.

    >>> def smooth(x):
    ...     return ow.softmax(x * 2, -1)
    >>> explanation = ow.explain(smooth)(ow.ones(8, 16))
    >>> explanation
    <Explanation: 1 graph, 0 breaks, 1 guard, 1 nest>

    `print(explanation)` shows everything: graphs, breaks with their lines, guards, fused groups,
    the bytes moved with a lower bound of their time, the LLVM IR and the assembly.
    """
    from .. import _C
    from ..compiler import compile

    function = f.__wrapped__ if type(f) is _C.CompiledFunction else f

    def run(*args: Any, **kwargs: Any) -> Explanation:
        compiled = compile(function, **options)
        compiled(*args, **kwargs)
        return Explanation(compiled.descriptions, compiled.guards)

    return run
