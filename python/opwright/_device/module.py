"""The functions that every kind of device has: `opwright.cuda`, `opwright.opencl`, ..."""

from __future__ import annotations

from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING

from .. import _C
from .stream import Event, Stream, read_device

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._C import Generator, Tensor
    from .._C import device as _device

_PROPERTIES = (
    "name",
    "total_memory",
    "vendor",
    "platform",
    "version",
    "driver_version",
    "runtime_version",
    "capability",
    "multiprocessors",
    "compute_units",
    "matmul",
)
_STATISTICS = (
    "allocated",
    "reserved",
    "peak_allocated",
    "peak_reserved",
    "allocations",
    "device_allocations",
    "cache_hits",
    "retries",
    "segments",
    "pinned_allocated",
    "pinned_reserved",
)


class DeviceProperties:
    """The properties of a device, as attributes; `name` and `total_memory` always exist.

    >>> ow.device_module("cpu").get_device_properties().name
    'cpu'
    """

    name: str
    total_memory: int

    def __init__(self, device: _device) -> None:
        self.name = device.type
        self.total_memory = 0
        for key in _PROPERTIES:
            text = _C.device_property(device, key)
            if text is not None:
                setattr(self, key, int(text) if text.isdecimal() else text)

    @property
    def major(self) -> int:
        """The major compute capability, or 0 if there is none."""
        return self._capability()[0]

    @property
    def minor(self) -> int:
        """The minor compute capability, or 0 if there is none."""
        return self._capability()[1]

    @property
    def multi_processor_count(self) -> int:
        """The number of multiprocessors, or 0 if unknown."""
        return getattr(self, "multiprocessors", getattr(self, "compute_units", 0))

    def _capability(self) -> tuple[int, int]:
        major, _, minor = str(getattr(self, "capability", "0.0")).partition(".")
        return int(major), int(minor or 0)

    def __repr__(self) -> str:
        return f"DeviceProperties({', '.join(f'{k}={v!r}' for k, v in vars(self).items())})"


class DeviceModule(ModuleType):
    """The functions of one kind of device, with the names they have in torch.cuda.

    A `device` argument is a device of this kind, its index, or None for the current one.

    >>> cpu = ow.device_module("cpu")
    >>> cpu.is_available(), cpu.device_count(), cpu.current_device()
    (True, 1, 0)
    """

    def __init__(self, name: str) -> None:
        super().__init__(f"opwright.{name}", type(self).__doc__)
        self._name = name
        names = {"_device_name": name, "__module__": __name__}
        self.Stream: type[Stream] = type("Stream", (Stream,), {**names, "__doc__": Stream.__doc__})
        self.Event: type[Event] = type("Event", (Event,), {**names, "__doc__": Event.__doc__})

    def __repr__(self) -> str:
        return f"opwright.device_module('{self._name}')"

    def __dir__(self) -> list[str]:
        return list(object.__dir__(self))  # that of a module leaves its class out

    def _read(self, device: _device | str | int | None) -> _device:
        return _C.resolve_device(read_device(self._name, device))

    def _read_there(self, device: _device | str | int | None) -> _device:
        target = self._read(device)
        if not self.is_available():
            _C.synchronize_device(target)  # its error says why
        return target

    def _check_stream(self, stream: Stream) -> Stream:
        if not isinstance(stream, Stream):
            raise TypeError(f"opwright.{self._name}: expected a Stream, got {stream!r}")
        if stream.device.type != self._name:
            raise ValueError(
                f"opwright.{self._name} is about {self._name} devices, got a stream of "
                f"'{stream.device}'"
            )
        return stream

    # ---- Which one ----

    def is_available(self) -> bool:
        """Return whether a device of this kind is available."""
        return self.device_count() > 0

    def device_count(self) -> int:
        """Return the number of devices."""
        return _C.device_count(self._name)

    def current_device(self) -> int:
        """Return the index of this thread's current device."""
        return _C.current_device(self._name)

    def set_device(self, device: _device | str | int) -> None:
        """Set this thread's current device."""
        _C.set_current_device(self._read(device))

    @contextmanager
    def device(self, device: _device | str | int | None) -> Iterator[None]:
        """Return a context manager that sets this thread's current device."""
        before = self.current_device()
        self.set_device(self._read(device))
        try:
            yield
        finally:
            self.set_device(before)

    def synchronize(self, device: _device | str | int | None = None) -> None:
        """Wait for all work on the device."""
        _C.synchronize_device(self._read(device))

    def get_device_name(self, device: _device | str | int | None = None) -> str:
        """Return the name of the device."""
        return self.get_device_properties(device).name

    def get_device_properties(self, device: _device | str | int | None = None) -> DeviceProperties:
        """Return the properties of the device."""
        return DeviceProperties(self._read_there(device))

    def get_device_capability(self, device: _device | str | int | None = None) -> tuple[int, int]:
        """Return the compute capability, or (0, 0) if there is none."""
        properties = self.get_device_properties(device)
        return properties.major, properties.minor

    # ---- Streams ----

    def current_stream(self, device: _device | str | int | None = None) -> Stream:
        """Return this thread's current stream."""
        return self.Stream._wrap(_C.current_device_stream(self._read(device)))

    def set_stream(self, stream: Stream) -> None:
        """Set this thread's current stream."""
        _C.set_current_device_stream(self._check_stream(stream)._stream)

    def stream(self, stream: Stream | None) -> AbstractContextManager[object]:
        """Return a context manager that sets this thread's current stream; None changes nothing."""
        return nullcontext() if stream is None else self._check_stream(stream)

    # ---- Memory ----

    def memory_allocated(self, device: _device | str | int | None = None) -> int:
        """Return the bytes in use by tensors."""
        return self._count(device, "allocated")

    def memory_reserved(self, device: _device | str | int | None = None) -> int:
        """Return the bytes reserved: in use, or cached for later allocations."""
        return self._count(device, "reserved")

    def max_memory_allocated(self, device: _device | str | int | None = None) -> int:
        """Return the peak of memory_allocated since the last reset_peak_memory_stats."""
        return self._count(device, "peak_allocated")

    def max_memory_reserved(self, device: _device | str | int | None = None) -> int:
        """Return the peak of memory_reserved since the last reset_peak_memory_stats."""
        return self._count(device, "peak_reserved")

    def memory_stats(self, device: _device | str | int | None = None) -> dict[str, int]:
        """Return all memory counters of the device, by name."""
        target = self._read(device)
        counts = {key: _C.device_statistic(target, key) for key in _STATISTICS}
        return {key: count for key, count in counts.items() if count is not None}

    def reset_peak_memory_stats(self, device: _device | str | int | None = None) -> None:
        """Reset the peak-memory counters."""
        _C.reset_device_peaks(self._read(device))

    def empty_cache(self, device: _device | str | int | None = None) -> None:
        """Release cached memory."""
        _C.empty_device_cache(self._read(device))

    def mem_get_info(self, device: _device | str | int | None = None) -> tuple[int, int]:
        """Return the free and the total bytes of the device's memory; 0 if unknown."""
        target = self._read_there(device)
        free, total = (_C.device_property(target, key) for key in ("free_memory", "total_memory"))
        return int(free or 0), int(total or 0)

    def _count(self, device: _device | str | int | None, key: str) -> int:
        return _C.device_statistic(self._read(device), key) or 0

    # ---- Random numbers ----

    def default_generator(self, device: _device | str | int | None = None) -> Generator:
        """Return the default generator of the device."""
        return _C.default_generator_of(self._read(device))

    def manual_seed(self, seed: int) -> None:
        """Seed the generator of the current device."""
        self.default_generator().manual_seed(seed)

    def manual_seed_all(self, seed: int) -> None:
        """Seed the generators of all devices of this kind."""
        for index in range(self.device_count()):
            self.default_generator(index).manual_seed(seed)

    def initial_seed(self) -> int:
        """Return the seed last set on the current device."""
        return self.default_generator().initial_seed()

    def get_rng_state(self, device: _device | str | int | None = None) -> Tensor:
        """Return the state of the device's generator as a uint8 tensor."""
        return self.default_generator(device).get_state()

    def set_rng_state(self, new_state: Tensor, device: _device | str | int | None = None) -> None:
        """Restore a state that get_rng_state returned."""
        self.default_generator(device).set_state(new_state)


@cache
def device_module(name: str) -> DeviceModule:
    """Return the functions of a kind of device: streams, events, memory, properties, seeds.

    `opwright.cuda` and `opwright.opencl` are the modules of those devices.

    >>> cpu = ow.device_module("cpu")
    >>> with cpu.device(0):
    ...     cpu.synchronize()
    """
    return DeviceModule(name)


def functions_of(name: str) -> dict[str, object]:
    """Return the contents of `opwright.<name>`: functions and classes of that kind of device."""
    module = device_module(name)
    names = [each for each in dir(module) if not each.startswith("_")]
    return {"DeviceProperties": DeviceProperties} | {each: getattr(module, each) for each in names}
