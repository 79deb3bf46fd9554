# What type checkers know of opwright.cuda, and of other devices, which have the same names.

from ._device.module import DeviceModule
from ._device.module import DeviceProperties as DeviceProperties

_module: DeviceModule

Event = _module.Event
Stream = _module.Stream
current_device = _module.current_device
current_stream = _module.current_stream
default_generator = _module.default_generator
device = _module.device
device_count = _module.device_count
empty_cache = _module.empty_cache
get_device_capability = _module.get_device_capability
get_device_name = _module.get_device_name
get_device_properties = _module.get_device_properties
get_rng_state = _module.get_rng_state
initial_seed = _module.initial_seed
is_available = _module.is_available
manual_seed = _module.manual_seed
manual_seed_all = _module.manual_seed_all
max_memory_allocated = _module.max_memory_allocated
max_memory_reserved = _module.max_memory_reserved
mem_get_info = _module.mem_get_info
memory_allocated = _module.memory_allocated
memory_reserved = _module.memory_reserved
memory_stats = _module.memory_stats
reset_peak_memory_stats = _module.reset_peak_memory_stats
set_device = _module.set_device
set_rng_state = _module.set_rng_state
set_stream = _module.set_stream
stream = _module.stream
synchronize = _module.synchronize

__all__ = [
    "DeviceProperties",
    "Event",
    "Stream",
    "current_device",
    "current_stream",
    "default_generator",
    "device",
    "device_count",
    "empty_cache",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "get_rng_state",
    "initial_seed",
    "is_available",
    "manual_seed",
    "manual_seed_all",
    "max_memory_allocated",
    "max_memory_reserved",
    "mem_get_info",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "reset_peak_memory_stats",
    "set_device",
    "set_rng_state",
    "set_stream",
    "stream",
    "synchronize",
]
