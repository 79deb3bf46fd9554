"""Inferred fake kernels: run the operator on zeros of two sizes and infer from the results."""

import itertools
import warnings
from collections.abc import Callable, Iterator, Sequence

from .. import _C

_MOST_FACTORS = 16  # factors tried for a size that is a quotient of another
_warned: set[str] = set()


def inferred_fake(operator: _C.Operator, *args: object, **kwargs: object) -> object:
    """Return results for fake arguments, as a fake kernel does."""
    if operator.name not in _warned:
        _warned.add(operator.name)
        warnings.warn(
            f"{operator.name} has no fake kernel: the shapes of its results are inferred by "
            "running it on zeros; register one with opwright.library.register_fake",
            stacklevel=3,
        )
    return _Inference(operator, args, kwargs).run()


def _refuse(name: str, why: str) -> RuntimeError:
    return RuntimeError(
        f"{name}: its fake kernel cannot be inferred: {why}\n"
        f'  Register one with opwright.library.register_fake("{name}").'
    )


class _Inference:
    def __init__(self, operator: _C.Operator, args: tuple, kwargs: dict[str, object]) -> None:
        self.operator = operator
        self.args, self.kwargs = args, kwargs
        self.device = next((t.device for t in self._tensors()), None)
        self.sizes = list(dict.fromkeys(self._symbols()))
        self.env = self.sizes[0].shape_env if self.sizes else None

    def run(self) -> object:
        first, second = self._assignments()
        runs = [self._run_at(first, 0), self._run_at(second, 0)]
        if _shapes(runs[0]) != _shapes(self._run_at(first, 1)):
            raise _refuse(
                self.operator.name,
                "the sizes of its results depend on data, for which a fake kernel has "
                "get_ctx().new_dynamic_size()",
            )
        self.trials = [(e, self._value(e, first), self._value(e, second)) for e in self.sizes]
        schema = self.operator.schema
        if len(schema.returns) == 1:
            return self._join(*runs)
        if not schema.returns:
            return None
        return tuple(self._join(a, b) for a, b in zip(*runs, strict=True))

    # ---- The two runs ----

    def _tensors(self) -> Iterator[_C.Tensor]:
        for value in (*self.args, *self.kwargs.values()):
            items = value if isinstance(value, list | tuple) else [value]
            yield from (item for item in items if isinstance(item, _C.Tensor))

    def _symbols(self) -> Iterator[_C.SymInt]:
        for tensor in self._tensors():
            yield from (n for n in (*tensor.shape, *tensor.stride()) if _C.is_symbolic(n))
        for value in (*self.args, *self.kwargs.values()):
            items = value if isinstance(value, list | tuple) else [value]
            yield from (item for item in items if isinstance(item, _C.SymInt))

    def _assignments(self) -> tuple[dict[str, int], dict[str, int]]:
        """Choose two values for each symbol that satisfy all guards."""
        if self.env is None:
            return {}, {}
        names = list(dict.fromkeys(n for e in self.sizes for n in self.env.free_symbols(e)))
        known = {symbol.name: symbol for symbol in self.env.symbols}
        start = {n: known[n].hint or _inside(known[n].range, 8 + i) for i, n in enumerate(names)}
        for step in (13, 7, 12, 24, 6, 2, 1, -1):  # odd ones first: they reveal rounding
            other = {n: start[n] + step * (i + 1) for i, n in enumerate(names)}
            if self._is_admitted(known, other):
                return start, other
        raise _refuse(self.operator.name, "no second value of its sizes is admitted by the guards")

    def _is_admitted(self, known: dict[str, _C.Symbol], values: dict[str, int]) -> bool:
        if any(_inside(known[name].range, value) != value for name, value in values.items()):
            return False
        conditions = [*self.env.guards, *self.env.runtime_asserts]
        return all(
            self._value(each.condition, values)
            for each in conditions
            if set(self.env.free_symbols(each.condition)) <= values.keys()
        )

    def _value(self, size: object, values: dict[str, int]) -> int:
        return self.env.evaluate(size, values) if _C.is_symbolic(size) else size

    def _run_at(self, values: dict[str, int], filling: int) -> object:
        def real(value: object) -> object:
            if isinstance(value, _C.Tensor):
                shape = [self._value(n, values) for n in value.shape]
                strides = [self._value(n, values) for n in value.stride()]
                return _filled(shape, strides, value.dtype, filling)
            if isinstance(value, list | tuple):
                return [real(item) for item in value]
            return self._value(value, values) if isinstance(value, _C.SymInt) else value

        def call() -> object:
            kwargs = {name: real(value) for name, value in self.kwargs.items()}
            return self.operator(*(real(value) for value in self.args), **kwargs)

        try:
            return _C.run_eagerly(call)
        except Exception as error:
            raise _refuse(self.operator.name, f"it fails on zeros: {error}") from error

    # ---- Inference from the runs ----

    def _join(self, first: object, second: object) -> object:
        if isinstance(first, list | tuple):
            if len(first) != len(second):
                raise _refuse(self.operator.name, "two runs returned lists of different lengths")
            return [self._join(a, b) for a, b in zip(first, second, strict=True)]
        if isinstance(first, _C.Tensor):
            return self._join_tensors(first, second)
        if first != second:
            raise _refuse(self.operator.name, f"two runs returned the results {first} and {second}")
        return first

    def _join_tensors(self, first: _C.Tensor, second: _C.Tensor) -> _C.Tensor:
        if (first.dtype, first.dim()) != (second.dtype, second.dim()):
            raise _refuse(self.operator.name, "two runs returned results of different kinds")
        shape = [self._join_sizes(a, b) for a, b in zip(first.shape, second.shape, strict=True)]
        order = _dense_order(first)
        if order is None or order != _dense_order(second):
            raise _refuse(
                self.operator.name, "the strides of a result are not those of dense memory"
            )
        made = _C.require_packet("aten::empty")(
            [shape[dim] for dim in order], dtype=first.dtype, device=self.device or first.device
        )
        return made.permute([order.index(dim) for dim in range(len(order))])

    def _join_sizes(self, first: int, second: int) -> int | _C.SymInt:
        if first == second:
            return first
        for candidates in (self._equal, self._shifted, self._scaled, self._combined):
            found = list(dict.fromkeys(candidates(first, second)))
            if len(found) == 1:
                return found[0]
            if found:
                break
        raise _refuse(
            self.operator.name,
            f"a size of a result was {first} and {second} for sizes "
            f"{_listed([(str(e), a, b) for e, a, b in self.trials])}, which does not determine it",
        )

    def _equal(self, first: int, second: int) -> Iterator[_C.SymInt]:
        yield from (e for e, a, b in self.trials if (a, b) == (first, second))

    def _shifted(self, first: int, second: int) -> Iterator[_C.SymInt]:
        yield from (e + (first - a) for e, a, b in self.trials if first - a == second - b)

    def _scaled(self, first: int, second: int) -> Iterator[_C.SymInt]:
        for e, a, b in self.trials:
            if a and first % a == 0 and b * (first // a) == second:
                yield e * (first // a)
            for factor in range(2, _MOST_FACTORS + 1):
                for extra in (0, factor - 1):
                    if ((a + extra) // factor, (b + extra) // factor) == (first, second):
                        yield (e + extra) // factor

    def _combined(self, first: int, second: int) -> Iterator[_C.SymInt]:
        for (e, a, b), (f, c, d) in itertools.combinations_with_replacement(self.trials, 2):
            if (a + c, b + d) == (first, second):
                yield e + f
            if (a * c, b * d) == (first, second):
                yield e * f


def _inside(bounds: tuple[int | None, int | None], value: int) -> int:
    least, greatest = bounds
    if least is not None:
        value = max(value, least)
    return value if greatest is None else min(value, greatest)


def _listed(trials: Sequence[tuple[str, int, int]]) -> str:
    return ", ".join(f"{text} = {a} and {b}" for text, a, b in trials) or "that did not change"


def _shapes(value: object) -> object:
    if isinstance(value, list | tuple):
        return [_shapes(item) for item in value]
    return value.shape if isinstance(value, _C.Tensor) else value


def _filled(shape: list[int], strides: list[int], dtype: _C.dtype, filling: int) -> _C.Tensor:
    made = _C.require_packet("aten::empty_strided")(shape, strides, dtype=dtype)
    return made.fill_(filling)


def _dense_order(tensor: _C.Tensor) -> list[int] | None:
    """Return the dimensions ordered from the outermost in memory; None if memory has gaps."""
    if tensor.numel() == 0:
        return [*range(tensor.dim())]
    order = sorted(range(tensor.dim()), key=lambda d: (-tensor.stride(d), d))
    expected = 1
    for dim in reversed(order):
        if tensor.shape[dim] != 1 and tensor.stride(dim) != expected:
            return None
        expected *= max(tensor.shape[dim], 1)
    return order


class Switch:
    """The operators that have inferred fake kernels."""

    def __init__(self) -> None:
        self._scope = _C.Scope()
        self._tokens: dict[str | None, list[int]] = {}

    def is_on(self, name: str | None) -> bool:
        return name in self._tokens

    def set(self, name: str | None, enabled: bool) -> None:
        """Change it for one operator, or for all without a fake kernel (None)."""
        if enabled == self.is_on(name):
            return
        if not enabled:
            for token in self._tokens.pop(name):
                self._scope.remove(token)
            return
        if name is None:
            self._tokens[name] = [self._scope.set_fallback("Fake", inferred_fake)]
        elif _C.has_own_function(name, "Fake"):
            self._tokens[name] = []
        else:
            self._tokens[name] = [self._scope.implement(name, "Fake", _bound(name))]


def _bound(name: str) -> Callable:
    operator = _C.require_operator(name)

    def fake(*args: object, **kwargs: object) -> object:
        return inferred_fake(operator, *args, **kwargs)

    return fake


switch = Switch()
