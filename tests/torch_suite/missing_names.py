"""What a test file gets for a name of torch that the package does not have.

While a test file is imported, a missing name is a Placeholder, so one missing import does not lose
the whole file. Any use of it in a test raises MissingNameError, which tells the name.
"""

import contextlib
import importlib
import types
from collections.abc import Callable, Iterator


class MissingNameError(AttributeError):
    """A test used `path`, a name of torch that the package does not have."""

    def __init__(self, path: str) -> None:
        super().__init__(f"missing name {path}")
        self.path = path


class Phase:
    """Whether a test file is being imported."""

    importing = False


def fail_with(path: str, function: Callable) -> Callable:
    """Return a function with the name and the source of `function` that raises MissingNameError."""

    def missing(*args: object, **keywords: object) -> None:
        raise MissingNameError(path)

    missing.__name__ = function.__name__
    missing.__qualname__ = function.__qualname__
    missing.__wrapped__ = function
    return missing


class Placeholder:
    """Stands for the name `path`; usable while a file is imported, an error afterwards."""

    def __init__(self, path: str) -> None:
        self.__dict__["path"] = path

    def __getattr__(self, name: str) -> object:
        if name in ("__name__", "__qualname__"):
            return self.path.rpartition(".")[2]
        if name.startswith("__"):
            raise AttributeError(name)
        return self._derive(f"{self.path}.{name}")

    def __call__(self, *args: object, **keywords: object) -> object:
        if Phase.importing and len(args) == 1 and not keywords:
            (argument,) = args
            if isinstance(argument, types.FunctionType):  # as a decorator
                is_test = argument.__name__.startswith("test")
                return fail_with(self.path, argument) if is_test else argument
            if isinstance(argument, type):
                return argument
        return self._derive(self.path)

    def __getitem__(self, key: object) -> "Placeholder":
        return self._derive(self.path)

    def __or__(self, other: object) -> "Placeholder":
        return self._derive(self.path)

    __ror__ = __add__ = __radd__ = __or__

    def _derive(self, path: str) -> "Placeholder":
        if not Phase.importing:
            raise MissingNameError(path)
        return Placeholder(path)

    def __mro_entries__(self, bases: tuple) -> tuple:
        path = self.path

        def refuse(cls: type, *args: object, **keywords: object) -> "Placeholder":
            if not Phase.importing:
                raise MissingNameError(path)
            return Placeholder(path)

        name = path.rpartition(".")[2]
        return (type(name, (), {"__new__": refuse, "missing_path": path}),)

    def __instancecheck__(self, instance: object) -> bool:
        raise MissingNameError(self.path)

    def __setattr__(self, name: str, value: object) -> None:
        if not Phase.importing:
            raise MissingNameError(f"{self.path}.{name}")

    def __enter__(self) -> None:
        raise MissingNameError(self.path)

    def __exit__(self, *error: object) -> None:
        """Exist, so that `with` reaches __enter__."""

    def __iter__(self) -> Iterator:
        if not Phase.importing:
            raise MissingNameError(self.path)
        return iter(())

    def __len__(self) -> int:
        return 0

    def __bool__(self) -> bool:
        return False

    def __lt__(self, other: object) -> bool:
        return False

    __gt__ = __le__ = __ge__ = __lt__


class MissingModule(types.ModuleType):
    """A module of torch that the package does not have; `path` may also be a function's."""

    def __call__(self, *args: object, **keywords: object) -> object:
        return Placeholder(self.missing_path)(*args, **keywords)


def placeholder_module(path: str) -> types.ModuleType:
    """Return a module whose every name is missing."""
    module = MissingModule(path)
    module.__path__ = []
    module.missing_path = path
    give_missing_names(module, path)
    return module


def give_missing_names(module: types.ModuleType, path: str) -> None:
    """Let `module` answer a name that it does not have with a Placeholder or MissingNameError."""
    if "gives_missing_names" in module.__dict__:
        return
    known = module.__dict__.get("__getattr__")

    def find(name: str) -> object:
        if known is not None:
            try:
                value = known(name)
            except AttributeError:
                pass
            else:
                if isinstance(value, types.ModuleType) and is_of_torch(value):
                    give_missing_names(value, f"{path}.{name}")
                return value
        if name.startswith("__"):
            raise AttributeError(name)
        if has_module(f"{path}.{name}"):
            return importlib.import_module(f"{path}.{name}")
        if Phase.importing:
            return Placeholder(f"{path}.{name}")
        raise MissingNameError(f"{path}.{name}")

    module.gives_missing_names = True
    module.__getattr__ = find


def is_of_torch(module: types.ModuleType) -> bool:
    return module.__name__.startswith("opwright.compat.torch")


def has_module(path: str) -> bool:
    """Return whether `path` is a module of the test support or of the package."""
    support = importlib.import_module(".support", __package__)
    if path in support.SHARED or path in support.OWN or path in support.PACKAGES:
        return True
    return support.in_package(path)


def find_operator(self: object, name: str) -> Placeholder:
    """Stand for an operator or an overload that the package does not have."""
    is_arithmetic = hasattr(int, name) or hasattr(set, name)  # __and__, __iand__
    if name.startswith("__") and not is_arithmetic:
        raise AttributeError(name)
    return Placeholder(f"torch.ops.{name}")


@contextlib.contextmanager
def import_phase(*operator_classes: type) -> Iterator[None]:
    """Give placeholders for missing names, and for missing attributes of these classes."""
    Phase.importing = True
    for each in operator_classes:
        each.__getattr__ = find_operator
    try:
        yield
    finally:
        Phase.importing = False
        for each in operator_classes:
            del each.__getattr__
