"""torch.fx.node: one call, input, attribute or output of a graph."""

import builtins
import copy
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Union

import opwright as ow
from opwright import _C
from opwright.compat._absent import absent

from .immutable_collections import immutable_dict, immutable_list, is_named_tuple
from .qualified_name import constant_text, qualified_name, type_text

if TYPE_CHECKING:
    from .graph import Graph

__all__ = ["Argument", "Node", "Target", "has_side_effect", "map_aggregate", "map_arg"]

Target = Union[Callable[..., Any], str]  # noqa: UP007
Argument = Any
ArgumentT = Argument
BaseArgumentTypes = Any

OPS = ("placeholder", "get_attr", "call_function", "call_method", "call_module", "output", "root")

_side_effectful_functions: set[Callable[..., Any]] = set()


def has_side_effect(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Keep calls of `fn` whose result is not used; may be a decorator.

    >>> from opwright.compat.torch import fx
    >>> @fx.has_side_effect
    ... def log(x):
    ...     print(x)
    """
    _side_effectful_functions.add(fn)
    return fn


def map_arg(a: Argument, fn: Callable[["Node"], Argument]) -> Argument:
    """Apply `fn` to every node in an argument.

    >>> from opwright.compat.torch import fx
    >>> x = fx.Graph().placeholder("x")
    >>> fx.node.map_arg((x, 2), lambda node: node.name)
    ('x', 2)
    """
    return map_aggregate(a, lambda each: fn(each) if isinstance(each, Node) else each)


def map_aggregate(a: Argument, fn: Callable[[Argument], Argument]) -> Argument:
    """Apply `fn` to every leaf of tuples, lists, dicts and slices; containers become immutable.

    >>> map_aggregate([1, (2, {"a": 3})], lambda x: x * 10)
    [10, (20, {'a': 30})]
    """
    if isinstance(a, tuple):
        mapped = [map_aggregate(each, fn) for each in a]
        return type(a)(*mapped) if is_named_tuple(a) else tuple(mapped)
    if isinstance(a, list):
        return immutable_list([map_aggregate(each, fn) for each in a])
    if isinstance(a, dict):
        return immutable_dict({key: map_aggregate(value, fn) for key, value in a.items()})
    if isinstance(a, slice):
        return slice(
            map_aggregate(a.start, fn), map_aggregate(a.stop, fn), map_aggregate(a.step, fn)
        )
    return fn(a)


def _format_arg(arg: Any, max_list_len: float = float("inf")) -> str:
    """Return an argument as `str(graph)` prints it, with a % before the names of nodes."""
    custom = getattr(arg, "_custom_fx_repr_fn", None)
    if custom is not None and not isinstance(arg, Node):
        return custom()
    if isinstance(arg, (list, tuple)):
        shown = [_format_arg(each) for index, each in enumerate(arg) if index < max_list_len]
        if len(arg) > len(shown):
            shown.append(f"...[total_len={len(arg)}]")
        text = ", ".join(shown)
        if isinstance(arg, list):
            return f"[{text}]"
        return f"({text},)" if len(arg) == 1 else f"({text})"
    if isinstance(arg, dict):
        return "{" + ", ".join(f"{key}: {_format_arg(value)}" for key, value in arg.items()) + "}"
    if isinstance(arg, Node):
        return f"%{arg}"
    return constant_text(arg) or str(arg)


class Node:
    """One step of a `Graph`: `op` says of which kind, `target` what is called or read.

    | op | target | args |
    |---|---|---|
    | placeholder | the argument's name | its default, if any |
    | get_attr | the path of an attribute | |
    | call_function | a callable | its arguments |
    | call_method | the method's name | self first |
    | call_module | the module's path | without self |
    | output | "output" | one: what is returned |

    >>> from opwright.compat.torch import fx
    >>> graph = fx.symbolic_trace(lambda x: x + 1).graph
    >>> [(node.op, node.name) for node in graph.nodes]
    [('placeholder', 'x'), ('call_function', 'add'), ('output', 'output')]
    """

    def __init__(
        self,
        graph: "Graph",
        name: str,
        op: str,
        target: Target,
        args: tuple[Argument, ...],
        kwargs: dict[str, Argument],
        return_type: Any | None = None,
    ) -> None:
        if op not in OPS:
            raise AssertionError(f"Node: op must be one of {', '.join(OPS)}, got '{op}'")
        if op == "call_function":
            if not callable(target):
                raise ValueError(
                    f"Node [graph = {graph}, name = '{name}'] target {target!r} has type "
                    f"{type(target).__name__}, but a Callable is expected"
                )
        elif not isinstance(target, str):
            raise ValueError(
                f"Node [graph = {graph}, name = '{name}'] target {target!r} has type "
                f"{type(target).__name__}, but a str is expected"
            )
        self.graph = graph
        self.name = name
        self.op = op
        self.target = target
        self.users: dict[Node, None] = {}
        self._input_nodes: dict[Node, None] = {}
        self.type: Any | None = return_type
        self.meta: dict[str, Any] = {}
        self._prev = self
        self._next = self
        self._erased = False
        self._repr_fn: Callable[[Node], str] | None = None
        self._set_arguments(args, kwargs)

    # ---- The list ----

    @property
    def next(self) -> "Node":
        """The node after this one; after the last comes the graph's root."""
        return self._next

    @property
    def prev(self) -> "Node":
        """The node before this one."""
        return self._prev

    def prepend(self, x: "Node") -> None:
        """Move `x` before this node.

        >>> from opwright.compat.torch import fx
        >>> graph = fx.Graph()
        >>> x, y = graph.placeholder("x"), graph.placeholder("y")
        >>> x.prepend(y)
        >>> [node.name for node in graph.nodes]
        ['y', 'x']
        """
        if x.graph is not self.graph:
            raise AssertionError("Node.prepend: both nodes must be of the same graph")
        if x is self:
            return
        x._remove_from_list()
        x._prev, x._next = self._prev, self
        self._prev._next = x
        self._prev = x
        self.graph._order_is_known = False

    def append(self, x: "Node") -> None:
        """Move `x` after this node."""
        self._next.prepend(x)

    def _remove_from_list(self) -> None:
        self._prev._next, self._next._prev = self._next, self._prev
        self._prev = self._next = self
        self.graph._order_is_known = False

    def __lt__(self, other: "Node") -> bool:
        return self.graph._position(self) < self.graph._position(other)

    def __gt__(self, other: "Node") -> bool:
        return self.graph._position(self) > self.graph._position(other)

    def __le__(self, other: "Node") -> bool:
        return self is other or self < other

    def __ge__(self, other: "Node") -> bool:
        return self is other or self > other

    # ---- Arguments ----

    @property
    def args(self) -> tuple[Argument, ...]:
        """The positional arguments; assign a tuple to change them."""
        return self._args

    @args.setter
    def args(self, given: tuple[Argument, ...]) -> None:
        self._set_arguments(given, self._kwargs)

    @property
    def kwargs(self) -> dict[str, Argument]:
        """The keyword arguments; assign a dict to change them."""
        return self._kwargs

    @kwargs.setter
    def kwargs(self, given: dict[str, Argument]) -> None:
        self._set_arguments(self._args, given)

    def _set_arguments(self, args: Iterable[Argument], kwargs: Mapping[str, Argument]) -> None:
        for used in self._input_nodes:
            used.users.pop(self, None)
        self._input_nodes = {}

        def note_use(node: Node) -> Node:
            self._input_nodes.setdefault(node)
            node.users.setdefault(self)
            return node

        self._args = tuple(map_arg(tuple(args), note_use))
        self._kwargs = map_arg(dict(kwargs), note_use)

    @property
    def all_input_nodes(self) -> list["Node"]:
        """The nodes among the arguments, each once."""
        return list(self._input_nodes)

    def update_arg(self, idx: int, arg: Argument) -> None:
        """Set one positional argument."""
        args = list(self._args)
        args[idx] = arg
        self.args = tuple(args)

    def insert_arg(self, idx: int, arg: Argument) -> None:
        """Insert a positional argument before position `idx`."""
        if not 0 <= idx <= len(self._args):
            raise AssertionError(
                f"insert_args index must be between 0 and len(self.args), got {idx} of "
                f"{len(self._args)}"
            )
        self.args = (*self._args[:idx], arg, *self._args[idx:])

    def update_kwarg(self, key: str, arg: Argument) -> None:
        """Set one keyword argument."""
        self.kwargs = {**self._kwargs, key: arg}

    def replace_input_with(self, old_input: "Node", new_input: "Node") -> None:
        """Use `new_input` wherever the arguments use `old_input`."""

        def choose(node: Node) -> Node:
            return new_input if node is old_input else node

        self.graph._call_hooks("_replace_hooks", old=old_input, new=new_input.name, user=self)
        self._set_arguments(map_arg(self._args, choose), map_arg(self._kwargs, choose))

    def replace_all_uses_with(
        self,
        replace_with: "Node",
        delete_user_cb: Callable[["Node"], bool] | None = None,
        *,
        propagate_meta: bool = False,
    ) -> list["Node"]:
        """Use another node instead of this one everywhere; return the users that changed.

        `delete_user_cb` says of each user whether it changes.
        """
        if propagate_meta:
            if replace_with.meta:
                raise AssertionError(
                    "Called node.replace_all_uses_with(replace_with, propagate_meta=True), but "
                    "replace_with already has .meta keys"
                )
            replace_with.meta.update(self.meta)
        changed = []
        for user in list(self.users):
            if delete_user_cb is None or delete_user_cb(user):
                user.replace_input_with(self, replace_with)
                changed.append(user)
        return changed

    def normalized_arguments(
        self,
        root: Any,
        arg_types: tuple[Any, ...] | None = None,
        kwarg_types: dict[str, Any] | None = None,
        normalize_to_only_use_kwargs: bool = False,
    ) -> Any:
        """Return the arguments bound to the parameters of the target, or None if it has none."""
        from . import operator_schemas

        if self.op == "call_function":
            return operator_schemas.normalize_function(
                self.target,
                self.args,
                self.kwargs,
                arg_types,
                kwarg_types,
                normalize_to_only_use_kwargs,
            )
        if self.op == "call_module":
            return operator_schemas.normalize_module(
                root, self.target, self.args, self.kwargs, normalize_to_only_use_kwargs
            )
        return None

    # ---- Meaning ----

    @property
    def stack_trace(self) -> str | None:
        """Where the call was traced, if the tracer recorded it."""
        return self.meta.get("stack_trace")

    @stack_trace.setter
    def stack_trace(self, trace: str | None) -> None:
        self.meta["stack_trace"] = trace

    def is_impure(self, impure_random: bool = True) -> bool:
        """Return whether the node must stay although nothing uses it."""
        if self.op in ("placeholder", "output"):
            return True
        if self.op == "call_function":
            if self.target in _side_effectful_functions:
                return True
            schema = getattr(self.target, "schema", None)
            if isinstance(self.target, _C.Operator) and schema is not None:
                return schema.is_mutable or (impure_random and _is_random(self.target))
            if self.kwargs.get("out") is not None or self._calls_in_place():
                return True
            return impure_random and _is_random(self.target)
        if self.op == "call_method":
            return str(self.target).endswith("_") and not str(self.target).endswith("__")
        if self.op == "call_module":
            owner = self.graph.owning_module
            module = owner.get_submodule(self.target) if owner is not None else None
            return getattr(module, "_is_impure", False)
        return False

    def _calls_in_place(self) -> bool:
        if isinstance(self.target, ow.OperatorPacket):
            return self.target.base.endswith("_") and not self.target.base.endswith("__")
        return self.target in (operator.setitem, builtins.setattr)

    # ---- Text ----

    def __repr__(self) -> str:
        return self._repr_fn(self) if self._repr_fn else self.name

    @staticmethod
    def _pretty_print_target(target: object) -> str:
        if isinstance(target, str):
            return target
        module = getattr(target, "__module__", None)
        name = getattr(target, "__name__", None)
        if isinstance(name, str):
            if module == "builtins":
                return f"builtins.{name}"
            if module == "_operator":
                return f"operator.{name}"
        return qualified_name(target)

    def format_node(
        self,
        placeholder_names: list[str] | None = None,
        maybe_return_typename: list[str] | None = None,
        *,
        include_tensor_metadata: bool = False,
    ) -> str | None:
        """Return the line of this node in `str(graph)`.

        >>> from opwright.compat.torch import fx
        >>> graph = fx.symbolic_trace(lambda x: x + 1).graph
        >>> print(list(graph.nodes)[1].format_node())
        %add : [num_users=1] = call_function[target=operator.add](args = (%x, 1), kwargs = {})
        """
        head = f"%{self.name} : {type_text(self.type) + ' ' if self.type else ''}"
        head += f"[num_users={len(self.users)}] = {self.op}"
        if include_tensor_metadata and "val" in self.meta:
            head = f"{self.meta['val']!r} {head}"
        if self.op == "placeholder":
            if placeholder_names is not None:
                text = f"{self.target}"
                text += f": {type_text(self.type)}" if self.type else ""
                text += f" = {self.args[0]}" if self.args else ""
                placeholder_names.append(text)
                return None
            default = f"(default={self.args[0]})" if self.args else ""
            return f"{head}[target={self.target}]{default}"
        if self.op == "get_attr":
            return f"{head}[target={self._pretty_print_target(self.target)}]"
        if self.op == "output":
            if self.type is not None and maybe_return_typename:
                maybe_return_typename[0] = f" -> {type_text(self.type)}"
            return f"return {self.args[0]}"
        return (
            f"{head}[target={self._pretty_print_target(self.target)}]"
            f"(args = {_format_arg(self.args)}, kwargs = {_format_arg(self.kwargs)})"
        )

    # ---- Copies ----

    def _rename(self, candidate: str) -> None:
        if candidate != self.name:
            self.name = self.graph._graph_namespace.create_name(candidate, None)
            self.graph._graph_namespace._rename_object(self, self.name)

    def __deepcopy__(self, memo: dict[int, Any]) -> "Node":
        graph = copy.deepcopy(self.graph, memo)
        return graph._same_place(self)


def _is_random(target: Any) -> bool:
    if isinstance(target, ow.OperatorPacket):
        return any(_is_random(getattr(target, name)) for name in target.overloads())
    tags = getattr(target, "tags", ())
    return any(getattr(tag, "name", tag) == "nondeterministic_seeded" for tag in tags)


_side_effectful_functions.update({builtins.setattr, operator.setitem})

__getattr__ = absent(__name__)
