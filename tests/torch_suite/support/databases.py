"""Stands for torch's databases of operators, which no test here runs over.

Test files look entries up while they are imported, to change their tolerances and decorators, so
the database has one entry that has every name.
"""

from collections.abc import Iterator


class EveryName(str):
    """A name that equals every other."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False


class Entry:
    """An entry that takes any decorator."""

    def __init__(self) -> None:
        self.name = self.variant_test_name = EveryName()
        self.decorators: tuple = ()
        self.dtypes: tuple = ()

    def __getattr__(self, name: str) -> None:
        if name.startswith("__"):
            raise AttributeError(name)


class EmptyDatabase:
    """A database whose sum with any list is itself."""

    def __iter__(self) -> Iterator[Entry]:
        return iter([Entry()])

    def __add__(self, other: object) -> "EmptyDatabase":
        return self

    __radd__ = __add__

    def __len__(self) -> int:
        return 1

    def __getitem__(self, index: object) -> Entry:
        return Entry()
