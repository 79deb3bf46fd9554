"""What a profile recorded: events, their averages, and tables of them."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

__all__ = ["EventList", "FunctionEvent", "FunctionEventAvg", "Interval"]


class Interval:
    """A time range in microseconds.

    >>> Interval(1.0, 3.5).elapsed_us()
    2.5
    """

    def __init__(self, start: float, end: float):
        self.start = start
        self.end = end

    def elapsed_us(self) -> float:
        """Return its length."""
        return self.end - self.start


class FunctionEvent:
    """One call of an operator, or one range of `record_function`.

    >>> event = FunctionEvent(0, "aten::sin", 0, 10, 15)
    >>> event.cpu_time_total, event.count
    (5, 1)
    """

    def __init__(
        self,
        id: int,
        name: str,
        thread: int,
        start_us: float,
        end_us: float,
        *,
        fwd_thread: int | None = None,
        input_shapes: Sequence[Sequence[int]] | None = None,
        sequence_nr: int = -1,
        node_id: int = -1,
    ):
        self.id = id
        self.name = name
        self.thread = thread
        self.time_range = Interval(start_us, end_us)
        self.fwd_thread = fwd_thread
        self.input_shapes = input_shapes
        self.sequence_nr = sequence_nr
        self.node_id = node_id
        self.count = 1
        self.cpu_children: list[FunctionEvent] = []
        self.cpu_parent: FunctionEvent | None = None

    @property
    def key(self) -> str:
        """Return the name by which averages group events."""
        return self.name

    @property
    def cpu_time_total(self) -> float:
        """Return its time with that of its children, in microseconds."""
        return self.time_range.elapsed_us()

    @property
    def cpu_time(self) -> float:
        """Return the time per call."""
        return self.cpu_time_total / self.count

    @property
    def self_cpu_time_total(self) -> float:
        """Return its time without that of its children."""
        return self.cpu_time_total - sum(child.cpu_time_total for child in self.cpu_children)

    @property
    def device_time_total(self) -> float:
        """Return 0: only the CPU's time is recorded."""
        return 0

    self_device_time_total = device_time_total

    def append_cpu_child(self, child: "FunctionEvent") -> None:
        """Add an event that ran within this one."""
        self.cpu_children.append(child)
        child.cpu_parent = self

    def __repr__(self) -> str:
        return (
            f"<FunctionEvent id={self.id} name={self.name} cpu_time={_format_time(self.cpu_time)} "
            f"thread={self.thread} input_shapes={self.input_shapes}>"
        )


class FunctionEventAvg:
    """The sum of events of one name, and their average.

    >>> total = FunctionEventAvg()
    >>> for start in (0, 10):
    ...     _ = total.add(FunctionEvent(0, "aten::sin", 0, start, start + 4))
    >>> total.count, total.cpu_time
    (2, 4.0)
    """

    def __init__(self) -> None:
        self.key: str | None = None
        self.count = 0
        self.cpu_time_total: float = 0
        self.self_cpu_time_total: float = 0
        self.device_time_total: float = 0
        self.self_device_time_total: float = 0
        self.input_shapes: Sequence[Sequence[int]] | None = None

    @property
    def cpu_time(self) -> float:
        """Return the time per call, in microseconds."""
        return self.cpu_time_total / self.count if self.count else 0.0

    def add(self, other: "FunctionEvent | FunctionEventAvg") -> "FunctionEventAvg":
        """Add an event, or another sum of the same name."""
        if self.key is None:
            self.key = other.key
            self.input_shapes = other.input_shapes
        elif other.key != self.key:
            raise ValueError(f"an average of {self.key!r} cannot take one of {other.key!r}")
        self.cpu_time_total += other.cpu_time_total
        self.self_cpu_time_total += other.self_cpu_time_total
        self.count += other.count
        return self

    __iadd__ = add

    def __repr__(self) -> str:
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time="
            f"{_format_time(self.self_cpu_time_total)} cpu_time={_format_time(self.cpu_time)} "
            f"count={self.count}>"
        )


class EventList(list):
    """Events, or averages of them, with a table.

    >>> events = EventList([FunctionEvent(0, "aten::sin", 0, 0, 4)])
    >>> events.key_averages()[0].count
    1
    """

    @property
    def self_cpu_time_total(self) -> float:
        """Return the time of all events."""
        return sum(event.self_cpu_time_total for event in self)

    def _populate_cpu_children(self) -> None:
        """Find which event ran within which: on one thread, in time."""
        threads: dict[int, list[FunctionEvent]] = {}
        for event in self:
            threads.setdefault(event.thread, []).append(event)
        for events in threads.values():
            open_events: list[FunctionEvent] = []
            for event in sorted(events, key=lambda e: (e.time_range.start, -e.time_range.end)):
                while open_events and not _contains(open_events[-1], event):
                    open_events.pop()
                if open_events:
                    open_events[-1].append_cpu_child(event)
                open_events.append(event)

    def key_averages(self, group_by_input_shape: bool = False) -> "EventList":
        """Return the sum of the events of each name, and of each list of shapes if asked for."""
        sums: dict[tuple[Any, ...], FunctionEventAvg] = {}
        for event in self:
            shapes = str(event.input_shapes) if group_by_input_shape else ""
            sums.setdefault((event.key, shapes), FunctionEventAvg()).add(event)
        averages = EventList(sums.values())
        for average in averages:
            if not group_by_input_shape:
                average.input_shapes = None
        return averages

    def total_average(self) -> FunctionEventAvg:
        """Return the sum of all events."""
        total = FunctionEventAvg()
        for event in self:
            total.key = event.key
            total.add(event)
        total.key = "Total"
        return total

    def table(
        self, sort_by: str | None = None, row_limit: int = 100, max_name_column_width: int = 55
    ) -> str:
        """Return the events as a table; sorted by an attribute, e.g. "self_cpu_time_total"."""
        events: Iterable[Any] = self
        if sort_by is not None:
            events = sorted(self, key=lambda event: getattr(event, sort_by), reverse=True)
        kept = list(events)[: row_limit if row_limit >= 0 else None]
        total = self.self_cpu_time_total
        has_shapes = any(event.input_shapes for event in kept)
        head = ["Name", "Self CPU %", "Self CPU", "CPU total", "CPU time avg", "# of Calls"]
        rows = [[*head, "Input Shapes"] if has_shapes else head]
        for event in kept:
            share = 100 * event.self_cpu_time_total / total if total else 0.0
            row = [
                str(event.key)[:max_name_column_width],
                f"{share:.2f}%",
                _format_time(event.self_cpu_time_total),
                _format_time(event.cpu_time_total),
                _format_time(event.cpu_time),
                str(event.count),
            ]
            rows.append([*row, str(event.input_shapes or [])] if has_shapes else row)
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        line = "  ".join("-" * width for width in widths)
        texts = ["  ".join(map(str.rjust, row, widths)) for row in rows]
        end = f"Self CPU time total: {_format_time(total)}"
        return "\n".join([line, texts[0], line, *texts[1:], line, end, ""])

    def export_chrome_trace(self, path: str | Path) -> None:
        """Write the events as a file for a viewer of traces (chrome://tracing)."""
        traced = [
            {
                "name": event.name,
                "ph": "X",
                "ts": event.time_range.start,
                "dur": event.time_range.elapsed_us(),
                "tid": event.thread,
                "pid": "CPU functions",
                "args": {},
            }
            for event in self
        ]
        Path(path).write_text(json.dumps(traced))

    def __str__(self) -> str:
        return self.table()


def _contains(outer: FunctionEvent, inner: FunctionEvent) -> bool:
    a, b = outer.time_range, inner.time_range
    return b.start < a.end and b.end <= a.end


def _format_time(microseconds: float) -> str:
    """Return a time in seconds, milliseconds or microseconds, with its unit."""
    if microseconds >= 1e6:
        return f"{microseconds / 1e6:.3f}s"
    if microseconds >= 1e3:
        return f"{microseconds / 1e3:.3f}ms"
    return f"{microseconds:.3f}us"
