"""torch.profiler: the times of the operators of a block, and named ranges in them."""

import enum
from collections.abc import Iterable

from opwright.autograd.profiler import profile as _profile
from opwright.autograd.profiler import record_function
from opwright.autograd.profiler_events import EventList
from opwright.compat._absent import absent

__all__ = ["ProfilerActivity", "profile", "record_function"]


class ProfilerActivity(enum.Enum):
    """What a profile may record; here it is the CPU's time."""

    CPU = 0
    XPU = 1
    MTIA = 2
    CUDA = 3


class profile(_profile):  # noqa: N801 - PyTorch's name
    """`torch.autograd.profiler.profile` with the options of torch.profiler.

    >>> import opwright.compat.torch as torch
    >>> x = torch.ones(2)
    >>> with profile(activities=[ProfilerActivity.CPU]) as recorded:
    ...     with record_function("step"):
    ...         y = x.sin()
    >>> [event.name for event in recorded.events()]
    ['step', 'aten::sin']
    """

    def __init__(
        self,
        *,
        activities: Iterable[ProfilerActivity] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
    ) -> None:
        chosen = [ProfilerActivity.CPU] if activities is None else list(activities)
        for activity in chosen:
            if activity is not ProfilerActivity.CPU:
                raise NotImplementedError(
                    f"profile: only the CPU's times are recorded; leave {activity} out"
                )
        super().__init__(
            record_shapes=record_shapes,
            profile_memory=profile_memory,
            with_stack=with_stack,
            with_flops=with_flops,
            with_modules=with_modules,
        )

    def start(self) -> None:
        """Begin to record."""
        self.__enter__()

    def stop(self) -> None:
        """End the record."""
        self.__exit__(None, None, None)

    def events(self) -> EventList:
        """Return the events, in the order of their begin."""
        return self.function_events


__getattr__ = absent(__name__)
