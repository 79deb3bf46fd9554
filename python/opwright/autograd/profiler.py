"""profile, record_function: the times of operators, and of named ranges."""

import contextlib
import threading
from pathlib import Path
from typing import Any

from .. import _C
from .profiler_events import EventList, FunctionEvent, FunctionEventAvg

__all__ = ["profile", "record_function"]


class _Active(threading.local):
    def __init__(self) -> None:
        self.profiles: list[profile] = []
        # The open ranges, innermost last, with their numbers in each profile.
        self.ranges: list[tuple[record_function, list[tuple[_C.CallTimes, int]]]] = []


_active = _Active()


class profile:  # noqa: N801 (torch's name, used as `with profile()`)
    """Record the times of the operators that this thread calls in a `with` block.

    Operators that a backward of the block calls are recorded too; so are those inside of composite
    operators, as their children. With `record_shapes` each event has the shapes of its arguments.
    Only the CPU's time is recorded; `use_kineto` and `use_cpu` exist for compatibility with
    PyTorch.

    >>> import opwright as ow
    >>> x = ow.ones(4)
    >>> with profile() as recorded:
    ...     y = x.sin().exp()
    >>> [event.name for event in recorded.function_events]
    ['aten::sin', 'aten::exp']
    """

    def __init__(
        self,
        enabled: bool = True,
        *,
        use_device: str | None = None,
        record_shapes: bool = False,
        with_flops: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_modules: bool = False,
        use_kineto: bool = False,
        use_cpu: bool = True,
    ):
        options = {
            "use_device": use_device,
            "with_flops": with_flops,
            "profile_memory": profile_memory,
            "with_stack": with_stack,
            "with_modules": with_modules,
        }
        if asked := [name for name, value in options.items() if value]:
            raise NotImplementedError(f"profile: {asked[0]} is not supported; leave it out")
        self.enabled = enabled
        self._times = _C.CallTimes(bool(record_shapes))
        self._has_shapes = bool(record_shapes)
        self._is_entered = False
        self._events: EventList | None = None

    def __enter__(self) -> "profile":
        if self._is_entered:
            raise RuntimeError("Profiler context manager is not reentrant")
        self._is_entered = True
        if self.enabled:
            self._times.enter()
            _active.profiles.append(self)
        return self

    def __exit__(self, *error: object) -> None:
        if not self.enabled:
            return
        _active.profiles.remove(self)
        self._times.leave()
        thread = threading.get_ident()
        self._events = EventList(
            FunctionEvent(
                number,
                name.partition(".")[0] if "::" in name else name,
                thread,
                start / 1e3,
                (end or start) / 1e3,
                input_shapes=shapes if self._has_shapes else None,
            )
            for number, (name, start, end, shapes) in enumerate(self._times.calls())
        )
        self._events._populate_cpu_children()

    @property
    def function_events(self) -> EventList:
        """Return the events, in the order of their begin."""
        if self._events is None:
            raise RuntimeError("profile: the `with` block has not ended, so there are no events")
        return self._events

    def table(self, *args: Any, **options: Any) -> str:
        """Return the events as a table (`EventList.table`)."""
        return self.function_events.table(*args, **options)

    def key_averages(self, group_by_input_shape: bool = False) -> EventList:
        """Return the sum of the events of each name."""
        return self.function_events.key_averages(group_by_input_shape)

    def total_average(self) -> FunctionEventAvg:
        """Return the sum of all events."""
        return self.function_events.total_average()

    @property
    def self_cpu_time_total(self) -> float:
        """Return the time of all operators and ranges, in microseconds."""
        return self.function_events.self_cpu_time_total

    def export_chrome_trace(self, path: str | Path) -> None:
        """Write the events as a file for a viewer of traces."""
        self.function_events.export_chrome_trace(path)

    def __str__(self) -> str:
        return "<unfinished profile>" if self._events is None else str(self._events)

    def __repr__(self) -> str:
        return "<unfinished profile>" if self._events is None else repr(self._events)


class record_function(contextlib.ContextDecorator):  # noqa: N801 (torch's name)
    """A named range in a profile: a `with` block, or each call of a function that it decorates.

    It may be entered again before it is left, by recursive calls and by several threads.

    >>> import opwright as ow
    >>> with profile() as recorded, record_function("twice"):
    ...     y = ow.ones(4) * 2
    >>> recorded.function_events[0].name
    'twice'
    """

    def __init__(self, name: str, args: str | None = None):
        self.name = name
        self.args = args

    def __enter__(self) -> "record_function":
        times = [each._times for each in _active.profiles]
        _active.ranges.append((self, [(each, each.begin(self.name)) for each in times]))
        return self

    def __exit__(self, *error: object) -> None:
        ranges = _active.ranges
        own = [place for place, (owner, _) in enumerate(ranges) if owner is self]
        if not own:  # entered on another thread
            return
        for times, number in ranges.pop(own[-1])[1]:
            times.end(number)
