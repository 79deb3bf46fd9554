"""What `Tensor.storage()` returns: the memory of a tensor, counted in elements of its dtype."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from . import _C

__all__ = ["TypedStorage"]


class TypedStorage:
    """The memory that a tensor and its views share, as elements of one dtype.

    Reads and writes are immediate: no transform, mode or trace sees them.

    >>> import opwright as ow
    >>> x = ow.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> storage = x[1].storage()
    >>> len(storage), storage[0], storage.tolist()
    (4, 1.0, [1.0, 2.0, 3.0, 4.0])
    >>> storage[3] = 9.0
    >>> x
    tensor([[1., 2.],
            [3., 9.]])
    """

    def __init__(self, untyped: _C.UntypedStorage, dtype: _C.dtype, is_fake: bool) -> None:
        self._untyped = untyped
        self._is_fake = is_fake
        self.dtype = dtype

    # ---- The memory ----

    def untyped(self) -> _C.UntypedStorage:
        """Return the same memory in bytes."""
        return self._untyped

    def data_ptr(self) -> int:
        """Return the address of the first element; 0 of a fake."""
        return self._untyped.data_ptr()

    def nbytes(self) -> int:
        """Return the number of bytes."""
        return self._untyped.nbytes()

    def element_size(self) -> int:
        """Return the number of bytes of an element."""
        return self.dtype.itemsize

    def size(self) -> int:
        """Return the number of elements."""
        return self.nbytes() // self.element_size()

    @property
    def device(self) -> _C.device:
        """The device of the memory; meta for a fake tensor, which has none."""
        return _C.device("meta") if self._is_fake else self._untyped.device

    # ---- The elements ----

    def __len__(self) -> int:
        return self.size()

    def __getitem__(self, index: int) -> Any:
        return _C.run_eagerly(lambda: self._elements(index)[index].item())

    def __setitem__(self, index: int | slice, value: Any) -> None:
        def write() -> None:
            self._elements(0 if isinstance(index, slice) else index)[index] = value

        _C.run_eagerly(write)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def tolist(self) -> list[Any]:
        """Return the elements as a list."""
        return _C.run_eagerly(lambda: self._elements(0).tolist())

    def fill_(self, value: Any) -> TypedStorage:
        """Set every element; return the storage."""
        _C.run_eagerly(lambda: self._elements(0).fill_(value))
        return self

    def _elements(self, index: Any) -> _C.Tensor:
        """Return all elements as a tensor; `index` must be an int in range."""
        if not isinstance(index, int):
            raise TypeError(f"TypedStorage: an index must be an int, got {type(index).__name__}")
        size = self.size()
        if not -size <= index < max(size, 1):
            raise IndexError(f"TypedStorage: index {index} is out of range for {size} elements")
        if self._is_fake or self._untyped.device.type == "meta":
            raise NotImplementedError("TypedStorage: the memory of a fake tensor has no elements")
        return self._untyped._tensor(self.dtype)

    # ---- Comparison, text ----

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TypedStorage) and self._untyped == other._untyped

    def __hash__(self) -> int:
        return hash(self._untyped)

    def __repr__(self) -> str:
        is_meta = self.device.type == "meta"
        lines = ["..."] if is_meta else [f" {each}" for each in self.tolist()]
        kind = f"[opwright.TypedStorage(dtype={self.dtype}, device={self.device})"
        return "\n".join([*lines, f"{kind} of size {self.size()}]"])
