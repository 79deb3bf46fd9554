"""torch.fx.proxy: values that record what is done with them."""

import copy
import dataclasses
import dis
import enum
import operator
import sys
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import opwright as ow
from opwright import _C
from opwright.compat._absent import absent

from . import traceback as fx_traceback
from .graph import Graph
from .node import Argument, Node, Target, map_aggregate

__all__ = [
    "Attribute",
    "GraphAppendingTracer",
    "MetaProxy",
    "ParameterProxy",
    "Proxy",
    "Scope",
    "ScopeContextManager",
    "TraceError",
    "TracerBase",
]

_METHOD = type(ow.Tensor.add)


class TraceError(ValueError):
    """The function did with a proxy what cannot be recorded."""


@dataclasses.dataclass
class Scope:
    """The module that is traced: its path and its class."""

    module_path: str
    module_type: Any


class ScopeContextManager:
    """Makes a scope the current one, in place, and restores the previous one."""

    def __init__(self, scope: Scope, current_scope: Scope) -> None:
        self._previous = copy.copy(scope)
        self._scope = scope
        scope.module_path = current_scope.module_path
        scope.module_type = current_scope.module_type

    def __enter__(self) -> Scope:
        return self._scope

    def __exit__(self, *exception: object) -> None:
        self._scope.module_path = self._previous.module_path
        self._scope.module_type = self._previous.module_type


class TracerBase:
    """What proxies ask: how to record a call, and how to turn a value into an argument."""

    graph: Graph
    record_stack_traces: bool = False
    check_mutable_operations: bool = False
    trace_asserts: bool = False
    proxy_buffer_attributes: bool = False
    traced_func_name: str = "forward"
    scope: Scope
    module_stack: dict[str, Any]
    node_name_to_scope: dict[str, tuple[str, type]]

    def create_node(
        self,
        kind: str,
        target: Target,
        args: tuple[Argument, ...],
        kwargs: dict[str, Argument],
        name: str | None = None,
        type_expr: Any | None = None,
    ) -> Node:
        """Add a node to the graph; override it to change or refuse nodes."""
        if kind == "call_function" and self.check_mutable_operations:
            _refuse_mutation(target, args, kwargs)
        node = self.graph.create_node(kind, target, args, kwargs, name, type_expr)
        scope = getattr(self, "scope", None)
        if scope is not None:
            self.node_name_to_scope[node.name] = (scope.module_path, scope.module_type)
        if fx_traceback.has_preserved_node_meta():
            node.meta.update(fx_traceback.preserved_meta())
        elif getattr(self, "module_stack", None):
            node.meta["nn_module_stack"] = copy.copy(self.module_stack)
        return node

    def proxy(self, node: Node) -> "Proxy":
        """Return the proxy of a node."""
        return Proxy(node, self)

    def create_proxy(
        self,
        kind: str,
        target: Target,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        name: str | None = None,
        type_expr: Any | None = None,
        proxy_factory_fn: Any | None = None,
    ) -> "Proxy":
        """Record a call whose arguments hold proxies; return the proxy of its result."""
        made_args, made_kwargs = self.create_arg(args), self.create_arg(kwargs)
        if not isinstance(made_args, tuple) or not isinstance(made_kwargs, dict):
            raise AssertionError("create_arg must return a tuple for a tuple and a dict for a dict")
        node = self.create_node(kind, target, made_args, made_kwargs, name, type_expr)
        proxy = self.proxy(node) if proxy_factory_fn is None else proxy_factory_fn(node)
        if self.record_stack_traces and not node.stack_trace:
            node.stack_trace = _user_stack()
        return proxy

    def create_arg(self, a: Any) -> Argument:
        """Return a value as the argument of a node."""
        if isinstance(a, Proxy):
            return a.node
        if hasattr(a, "__fx_create_arg__"):
            return a.__fx_create_arg__(self)
        if isinstance(a, tuple):
            made = [self.create_arg(each) for each in a]
            return type(a)(*made) if hasattr(a, "_fields") else type(a)(made)
        if isinstance(a, list):
            return [self.create_arg(each) for each in a]
        if isinstance(a, dict):
            return _create_dict_arg(self, a)
        if isinstance(a, slice):
            return slice(self.create_arg(a.start), self.create_arg(a.stop), self.create_arg(a.step))
        if isinstance(a, range):
            return range(self.create_arg(a.start), self.create_arg(a.stop), self.create_arg(a.step))
        if isinstance(a, Node) or a is None or a is ...:
            return a
        if dataclasses.is_dataclass(a) and not isinstance(a, type):
            fields = {
                each.name: self.create_arg(getattr(a, each.name)) for each in dataclasses.fields(a)
            }
            return self.create_node("call_function", type(a), (), fields)
        if isinstance(a, _LITERALS) or callable(a):
            return a
        raise NotImplementedError(f"argument of type: {type(a)}")

    def to_bool(self, obj: "Proxy") -> bool:
        """Return the truth of a proxy: refused, because the value is not known."""
        raise TraceError("symbolically traced variables cannot be used as inputs to control flow")

    def iter(self, obj: "Proxy") -> Iterator["Proxy"]:
        """Return an iterator over a proxy: refused, because the length is not known."""
        raise TraceError(
            "Proxy object cannot be iterated. A loop over it, *proxy and **proxy need its length, "
            "which a symbolic trace does not know; index it, unpack it into a fixed number of "
            "variables, or make the function a leaf with torch.fx.wrap"
        )

    def keys(self, obj: "Proxy") -> Any:
        """Return the keys of a proxy, as `**proxy` asks for them."""
        return Attribute(obj, "keys")()


_LITERALS = (
    *(str, int, float, bool, complex, bytes, enum.Enum, ow.dtype, ow.Tensor, ow.device),
    *(ow.memory_format, ow.layout, _C.Operator, ow.SymInt, ow.SymBool),
)


def _create_dict_arg(tracer: TracerBase, given: dict) -> dict:
    def refuse(leaf: Any) -> Any:
        if isinstance(leaf, (Node, Proxy)):
            raise RuntimeError(
                f"Keys for dictionaries used as an argument cannot contain a Node. Got key: {leaf}"
            )
        return leaf

    for key in given:
        map_aggregate(key, refuse)
    return {key: tracer.create_arg(value) for key, value in given.items()}


def _refuse_mutation(target: Any, args: tuple, kwargs: dict) -> None:
    """Raise for a call of an operator that writes to an argument."""
    schemas = []
    if isinstance(target, _C.Operator):
        schemas = [target.schema]
    elif isinstance(target, ow.OperatorPacket):
        overloads = [getattr(target, name) for name in target.overloads()]
        fitting = [op for op in overloads if _takes(op.schema, len(args), kwargs)]
        schemas = [op.schema for op in fitting]
    if schemas and all(schema.is_mutable for schema in schemas):
        raise RuntimeError(
            f"Tried to trace mutable operation {schemas[0]}. FX only supports functional code, so "
            "operations that mutate operands in-place (e.g. via `out` arguments) are not supported"
        )


def _takes(schema: Any, positional: int, kwargs: dict) -> bool:
    names = [each.name for each in schema.arguments]
    if positional > len(names) or not all(key in names for key in kwargs):
        return False
    return "out" in kwargs or "out" not in names


def _user_stack() -> str:
    """Return the stack of the traced code, outermost first, without the frames of fx."""
    frame: Any = sys._getframe(1)
    frames = []
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if module == f"{__package__}._symbolic_trace" and frame.f_code.co_name == "trace":
            break
        frames.append((frame, frame.f_lineno))
        frame = frame.f_back
    package = __package__.partition(".")[0]
    shown = [
        (each, line)
        for each, line in reversed(frames)
        if each.f_globals.get("__name__", "").partition(".")[0] != package
    ]
    summary = traceback.StackSummary.extract(iter(shown), lookup_lines=True)
    return "".join(summary.format()).strip()


class GraphAppendingTracer(TracerBase):
    """Adds what is done with proxies to an existing graph."""

    def __init__(self, graph: Graph) -> None:
        super().__init__()
        self.graph = graph
        self.scope = Scope("", None)
        self.module_stack = {}
        self.node_name_to_scope = {}


def _recorded(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the method of Proxy that records a call of an operator."""

    def record(*args: Any) -> Any:
        return args[0].tracer.create_proxy("call_function", function, args, {})

    return record


def _reflected(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the method for the right operand of an operator."""

    def record(self: Any, rhs: Any) -> Any:
        return self.tracer.create_proxy("call_function", function, (rhs, self), {})

    return record


class Proxy:
    """Stands for a node's value while a function runs; what is done with it becomes nodes.

    >>> from opwright.compat.torch import fx
    >>> graph = fx.Graph()
    >>> x = fx.Proxy(graph.placeholder("x"))
    >>> (x + 1).relu()
    Proxy(relu)
    """

    def __init__(self, node: Node, tracer: TracerBase | None = None) -> None:
        self.tracer = tracer if tracer is not None else GraphAppendingTracer(node.graph)
        self.node = node

    def __repr__(self) -> str:
        return f"Proxy({self.node.name})"

    def __getattr__(self, k: str) -> "Attribute":
        return Attribute(self, k)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__

    def __setstate__(self, d: dict[str, Any]) -> None:
        self.__dict__ = d

    def __deepcopy__(self, memo: dict[int, Any]) -> "Proxy":
        made = object.__new__(type(self))
        memo[id(self)] = made
        for key, value in self.__dict__.items():
            made.__dict__[key] = copy.deepcopy(value, memo)
        return made

    def __call__(self, *args: Any, **kwargs: Any) -> "Proxy":
        return self.tracer.create_proxy("call_method", "__call__", (self, *args), kwargs)

    def __iter__(self) -> Iterator["Proxy"]:
        count = _unpacked_length(sys._getframe(1))
        if count is not None:
            return (self[index] for index in range(count))  # type: ignore[index]
        return self.tracer.iter(self)

    def __abs__(self) -> "Proxy":
        return self.tracer.create_proxy("call_function", operator.abs, (self,), {})

    def __bool__(self) -> bool:
        if self.tracer.trace_asserts and _is_asserted(sys._getframe(1)):
            self.tracer.create_proxy("call_function", assert_true, (self,), {})
            return True
        return self.tracer.to_bool(self)

    def keys(self) -> Any:
        """Return the keys, as `**proxy` asks for them."""
        return self.tracer.keys(self)

    def __len__(self) -> int:
        raise RuntimeError(
            "'len' is not supported in symbolic tracing by default. If you want this call to be "
            "recorded, please call torch.fx.wrap('len') at module scope"
        )

    # ---- Operators ----

    __add__ = _recorded(operator.add)
    __sub__ = _recorded(operator.sub)
    __mul__ = _recorded(operator.mul)
    __floordiv__ = _recorded(operator.floordiv)
    __truediv__ = _recorded(operator.truediv)
    __mod__ = _recorded(operator.mod)
    __pow__ = _recorded(operator.pow)
    __lshift__ = _recorded(operator.lshift)
    __rshift__ = _recorded(operator.rshift)
    __and__ = _recorded(operator.and_)
    __or__ = _recorded(operator.or_)
    __xor__ = _recorded(operator.xor)
    __getitem__ = _recorded(operator.getitem)
    __matmul__ = _recorded(operator.matmul)
    __eq__ = _recorded(operator.eq)
    __ne__ = _recorded(operator.ne)
    __lt__ = _recorded(operator.lt)
    __gt__ = _recorded(operator.gt)
    __le__ = _recorded(operator.le)
    __ge__ = _recorded(operator.ge)
    __pos__ = _recorded(operator.pos)
    __neg__ = _recorded(operator.neg)
    __invert__ = _recorded(operator.invert)
    __radd__ = _reflected(operator.add)
    __rsub__ = _reflected(operator.sub)
    __rmul__ = _reflected(operator.mul)
    __rfloordiv__ = _reflected(operator.floordiv)
    __rtruediv__ = _reflected(operator.truediv)
    __rmod__ = _reflected(operator.mod)
    __rpow__ = _reflected(operator.pow)
    __rlshift__ = _reflected(operator.lshift)
    __rrshift__ = _reflected(operator.rshift)
    __rand__ = _reflected(operator.and_)
    __ror__ = _reflected(operator.or_)
    __rxor__ = _reflected(operator.xor)
    __rmatmul__ = _reflected(operator.matmul)
    __hash__ = object.__hash__

    @classmethod
    def __torch_function__(
        cls, orig_method: Any, types: Any, args: Any = None, kwargs: Any = None
    ) -> Any:
        args = args if args is not None else ()
        kwargs = kwargs if kwargs is not None else {}
        tracers: dict[Any, None] = {}

        def find_tracer(leaf: Any) -> None:
            if isinstance(leaf, cls):
                tracers[leaf.tracer] = None

        map_aggregate(args, find_tracer)
        map_aggregate(kwargs, find_tracer)
        if len(tracers) > 1:
            raise RuntimeError(
                f"Found multiple different tracers {list(tracers)} while trying to trace "
                f"operations {orig_method}"
            )
        tracer = next(iter(tracers))
        if isinstance(orig_method, _METHOD):
            return tracer.create_proxy("call_method", orig_method.base, args, kwargs)
        return tracer.create_proxy("call_function", orig_method, args, kwargs)


def assert_true(value: Any) -> None:
    """Raise AssertionError if a traced assertion does not hold."""
    if not value:
        raise AssertionError("the traced assertion does not hold")


def _current_instruction(frame: Any) -> tuple[list[dis.Instruction], int]:
    instructions = list(dis.get_instructions(frame.f_code))
    index = next(
        (place for place, each in enumerate(instructions) if each.offset == frame.f_lasti), -1
    )
    return instructions, index


def _unpacked_length(frame: Any) -> int | None:
    """Return n if the frame unpacks a value into n variables."""
    instructions, index = _current_instruction(frame)
    if index >= 0 and instructions[index].opname == "UNPACK_SEQUENCE":
        return instructions[index].argval
    return None


def _is_asserted(frame: Any) -> bool:
    """Return whether the truth that the frame asks for decides an assert statement."""
    instructions, index = _current_instruction(frame)
    if index < 0 or not instructions[index].opname.startswith("POP_JUMP"):
        return False
    following = instructions[index + 1 : index + 3]
    return any(each.opname == "LOAD_ASSERTION_ERROR" for each in following)


class MetaProxy(Proxy):
    """A proxy with a fake tensor, so that sizes can be read."""

    def __init__(
        self, node: Node, tracer: TracerBase | None = None, fake_mode: Any | None = None
    ) -> None:
        super().__init__(node, tracer)
        self.fake_mode = fake_mode

    def __repr__(self) -> str:
        return f"MetaProxy({self.node.name})"


class Attribute(Proxy):
    """An attribute of a proxy: a node of its own only if it is not called."""

    def __init__(self, root: Proxy, attr: str) -> None:
        self.root = root
        self.attr = attr
        self.tracer = root.tracer
        self._node: Node | None = None

    @property
    def node(self) -> Node:  # type: ignore[override]
        if self._node is None:
            self._node = self.tracer.create_proxy(
                "call_function", getattr, (self.root, self.attr), {}
            ).node
        return self._node

    def __call__(self, *args: Any, **kwargs: Any) -> Proxy:
        return self.tracer.create_proxy("call_method", self.attr, (self.root, *args), kwargs)


class ParameterProxy(Proxy):
    """A parameter whose shape and number of dimensions are known."""

    def __init__(self, tracer: TracerBase, node: Node, name: str, param: Any) -> None:
        super().__init__(node, tracer)
        self.param = param
        self.name = name

    def __repr__(self) -> str:
        return f"ParameterProxy({self.name})"

    @property
    def shape(self) -> Any:
        return self.param.shape

    def size(self) -> Any:
        return self.param.size()

    def dim(self) -> int:
        return self.param.dim()

    @property
    def ndim(self) -> int:
        return self.param.ndim

    def numel(self) -> int:
        return self.param.numel()

    def nelement(self) -> int:
        return self.param.numel()


def _call_with_proxies(function: Any, args: tuple, kwargs: dict) -> Any:
    """Record a call of an operator that was given proxies."""
    kinds: dict[type, None] = {}

    def note(leaf: Any) -> None:
        if isinstance(leaf, Proxy):
            kinds[type(leaf)] = None

    map_aggregate((args, kwargs), note)
    base = next((each for each in kinds if each.__torch_function__ is not None), Proxy)
    owner = base if "__torch_function__" in vars(base) else Proxy
    return owner.__torch_function__(function, tuple(kinds), args, kwargs)


_C.set_foreign_type(Proxy, _call_with_proxies)

__getattr__ = absent(__name__)
