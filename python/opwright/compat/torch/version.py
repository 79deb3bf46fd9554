"""torch.version: the release of PyTorch whose names and meaning these are, and our own."""

import re
from collections.abc import Iterable

from opwright import __version__ as _own_version

__all__ = ["TorchVersion", "__version__", "cuda", "git_version", "hip"]


def _release(version: object) -> tuple[int, ...]:
    """Return the numbers of a release, from "2.13.0+cpu" or (2, 13), without zeros at the end."""
    if isinstance(version, str):
        numbers = re.match(r"v?\d+(\.\d+)*", version)
        if numbers is None:
            raise ValueError(f"version: expected a release such as '2.13.0', got {version!r}")
        version = numbers.group().removeprefix("v").split(".")
    if not isinstance(version, Iterable):
        raise TypeError(f"version: expected a str or a tuple, got {type(version).__name__}")
    release = [int(number) for number in version]
    while release and release[-1] == 0:
        release.pop()
    return tuple(release)


class TorchVersion(str):
    """A version that is compared by its numbers, with text or with a tuple.

    >>> from opwright.compat import torch
    >>> torch.__version__ >= (2, 1), torch.__version__ > "2.9", torch.__version__ < "3"
    (True, True, True)
    """

    __slots__ = ()
    __hash__ = str.__hash__

    def __lt__(self, other: object) -> bool:
        return _release(str(self)) < _release(other)

    def __le__(self, other: object) -> bool:
        return _release(str(self)) <= _release(other)

    def __gt__(self, other: object) -> bool:
        return _release(str(self)) > _release(other)

    def __ge__(self, other: object) -> bool:
        return _release(str(self)) >= _release(other)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            return str.__eq__(self, other)
        return isinstance(other, tuple) and _release(str(self)) == _release(other)

    def __ne__(self, other: object) -> bool:
        return not self == other


__version__ = TorchVersion(f"2.13.0+opwright.{_own_version}")
cuda: str | None = None
hip: str | None = None
git_version = _own_version
