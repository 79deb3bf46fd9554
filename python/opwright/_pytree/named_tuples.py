"""Which tuples have named items."""

from typing import Any


def is_namedtuple(obj: object) -> bool:
    """Return whether it is a named tuple or a class of them."""
    return is_namedtuple_class(obj if isinstance(obj, type) else type(obj))


def is_namedtuple_class(cls: object) -> bool:
    """Return whether it is a subclass of tuple with `_fields`."""
    fields: Any = getattr(cls, "_fields", None)
    return (
        isinstance(cls, type)
        and issubclass(cls, tuple)
        and isinstance(fields, tuple)
        and all(type(field) is str for field in fields)
        and callable(getattr(cls, "_make", None))
        and callable(getattr(cls, "_asdict", None))
    )


def is_namedtuple_instance(obj: object) -> bool:
    """Return whether it is a named tuple."""
    return is_namedtuple_class(type(obj))


def is_structseq(obj: object) -> bool:
    """Return whether it is a struct sequence, such as `time.struct_time`, or a class of them."""
    return is_structseq_class(obj if isinstance(obj, type) else type(obj))


def is_structseq_class(cls: object) -> bool:
    """Return whether it is a class of struct sequences."""
    return (
        isinstance(cls, type)
        and cls.__bases__ == (tuple,)
        and all(
            isinstance(cls.__dict__.get(name), int)
            for name in ("n_fields", "n_sequence_fields", "n_unnamed_fields")
        )
    )


def is_structseq_instance(obj: object) -> bool:
    """Return whether it is a struct sequence."""
    return is_structseq_class(type(obj))
