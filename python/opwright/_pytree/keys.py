"""The places of children in containers: the steps of a path."""

import dataclasses
from collections import deque
from typing import Any

from .registration import KEYED


@dataclasses.dataclass(frozen=True)
class SequenceKey:
    """The place of a child in a list or tuple."""

    idx: int

    def __str__(self) -> str:
        return f"[{self.idx!r}]"

    def get(self, sequence: Any) -> Any:
        """Return the child."""
        return sequence[self.idx]


@dataclasses.dataclass(frozen=True)
class MappingKey:
    """The key of a child in a dict."""

    key: Any

    def __str__(self) -> str:
        return f"[{self.key!r}]"

    def get(self, mapping: Any) -> Any:
        """Return the child."""
        return mapping[self.key]


@dataclasses.dataclass(frozen=True)
class GetAttrKey:
    """The name of a field."""

    name: str

    def __str__(self) -> str:
        return f".{self.name}"

    def get(self, instance: Any) -> Any:
        """Return the value of the field."""
        return getattr(instance, self.name)


KEYED[deque] = lambda items: ([(SequenceKey(i), each) for i, each in enumerate(items)], None)
