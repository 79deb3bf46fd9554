"""Streams and events of any device; `opwright.cuda` and similar modules have their own classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from .. import _C

if TYPE_CHECKING:
    from types import TracebackType

    from .._C import device as _device


class Stream:
    """A sequence of work on one device; work of different streams may run concurrently.

    `Stream()` of a class like `opwright.cuda.Stream` creates a stream on the current device. In a
    `with` statement it is the current stream.

    >>> cpu = ow.device_module("cpu")
    >>> with cpu.Stream() as stream:
    ...     assert cpu.current_stream() == stream
    """

    _device_name: ClassVar[str]

    def __init__(self, device: _device | str | int | None = None, priority: int = 0) -> None:
        self._stream = _C.DeviceStream(self._read_device(device), priority)
        self._before: list[_C.DeviceStream] = []

    @classmethod
    def _wrap(cls, stream: _C.DeviceStream) -> Stream:
        made = cls.__new__(cls)
        made._stream = stream
        made._before = []
        return made

    @classmethod
    def _read_device(cls, device: _device | str | int | None) -> _device | str:
        return read_device(cls._device_name, device)

    @property
    def device(self) -> _device:
        """The device of the stream."""
        return self._stream.device

    @property
    def priority(self) -> int:
        """The priority it was created with; lower numbers come first."""
        return self._stream.priority

    @property
    def address(self) -> int:
        """The device's native stream, e.g. a cudaStream_t; 0 is the default stream."""
        return self._stream.address

    def synchronize(self) -> None:
        """Wait for all work submitted so far."""
        self._stream.synchronize()

    def record_event(self, event: Event | None = None) -> Event:
        """Record `event`, or a new event if None, after the work so far; return it."""
        marked = Event() if event is None else event
        marked.record(self)
        return marked

    def wait_event(self, event: Event) -> None:
        """Make later work on this stream wait for the event."""
        event.wait(self)

    def wait_stream(self, stream: Stream) -> None:
        """Make later work on this stream wait for the work submitted to `stream` so far."""
        self.wait_event(stream.record_event())

    def query(self) -> bool:
        """Return whether all work submitted so far has finished."""
        return self.record_event().query()

    def __enter__(self) -> Stream:
        self._before.append(_C.set_current_device_stream(self._stream))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        _C.set_current_device_stream(self._before.pop())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and self._stream.is_same(other._stream)

    def __hash__(self) -> int:
        return hash((str(self.device), self.address))

    def __repr__(self) -> str:
        return f"Stream(device='{self.device}', address={self.address:#x})"


class Event:
    """A marker in the work of a stream.

    >>> cpu = ow.device_module("cpu")
    >>> event = cpu.Event(enable_timing=True)
    >>> event.record()
    >>> event.query()
    True
    """

    _device_name: ClassVar[str] = "cpu"

    def __init__(
        self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False
    ) -> None:
        if interprocess:
            raise NotImplementedError("Event: events shared between processes are not supported")
        del enable_timing, blocking  # every event records its time, and waiting releases the GIL
        self._event = _C.DeviceEvent()

    def record(self, stream: Stream | None = None) -> None:
        """Record the event after the work so far of `stream`, or of the current stream."""
        self._event.record(self._stream_or_current(stream))

    def wait(self, stream: Stream | None = None) -> None:
        """Make later work on `stream`, or on the current stream, wait for the event."""
        self._event.make_wait(self._stream_or_current(stream))

    def query(self) -> bool:
        """Return whether the event has completed; True if it was never recorded."""
        return self._event.has_come()

    def synchronize(self) -> None:
        """Wait for the event."""
        self._event.synchronize()

    def elapsed_time(self, end_event: Event) -> float:
        """Return the milliseconds between this event and `end_event`; both must have completed."""
        return self._event.milliseconds_to(end_event._event)

    def _stream_or_current(self, stream: Stream | None) -> _C.DeviceStream:
        return _C.current_device_stream(self._device_name) if stream is None else stream._stream

    def __repr__(self) -> str:
        return f"Event({'recorded' if self._event.is_recorded else 'not recorded'})"


def read_device(name: str, given: _device | str | int | None) -> _device | str:
    """Return the device passed to a function of the module `name`: a device, an index, or None.

    Raises ValueError for a device of another kind.
    """
    if given is None:
        return name
    if isinstance(given, int):
        return name if given < 0 else f"{name}:{given}"
    device = _C.device(given)
    if device.type != name:
        raise ValueError(f"opwright.{name} is about {name} devices, got '{device}'")
    return device
