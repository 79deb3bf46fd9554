"""torch.fx.traceback: metadata that nodes made during an interpreted run take over."""

import contextlib
import copy
import dataclasses
import enum
from collections.abc import Iterator
from typing import Any

from opwright.compat._absent import absent
from opwright.nn.traced_call import current_recorder

from .node import Node

__all__ = [
    "NodeSource",
    "NodeSourceAction",
    "annotate",
    "format_stack",
    "get_current_meta",
    "has_preserved_node_meta",
    "preserve_node_meta",
    "reset_grad_fn_seq_nr",
    "set_current_meta",
    "set_grad_fn_seq_nr",
    "set_stack_trace",
]


class NodeSourceAction(enum.Enum):
    """What a pass did with a node: made it from nothing, or put it in the place of another."""

    CREATE = "create"
    REPLACE = "replace"


@dataclasses.dataclass
class NodeSource:
    """The node that another was made from, and the pass that made it.

    >>> import opwright.compat.torch as torch
    >>> program = torch.export.export(lambda x: x.sin(), (torch.ones(2),))
    >>> (node,) = program.module().graph.find_nodes(op="call_function")
    >>> node.meta["from_node"][-1].pass_name
    'ExportedProgram.module()'
    """

    name: str
    target: str
    pass_name: str
    action: list[NodeSourceAction]
    graph_id: int | None = None
    from_node: list["NodeSource"] = dataclasses.field(default_factory=list)


# What a node takes over from the node that it was made for.
_KEPT = (
    "nn_module_stack",
    "stack_trace",
    "source_fn_stack",
    "original_aten",
    "custom",
    "recompute",
)

_current: dict[str, Any] = {}
_preserves = False


@contextlib.contextmanager
def preserve_node_meta(enable: bool = True) -> Iterator[None]:
    """In this block, new nodes take over the metadata of the node that is interpreted.

    >>> from opwright.compat.torch import fx
    >>> with fx.traceback.preserve_node_meta():
    ...     fx.traceback.has_preserved_node_meta()
    True
    """
    global _preserves, _current
    before, before_meta = _preserves, _current
    _preserves = enable
    _current = copy.copy(_current)
    try:
        yield
    finally:
        _preserves, _current = before, before_meta


def has_preserved_node_meta() -> bool:
    """Return whether new nodes take over metadata."""
    return _preserves


def preserved_meta() -> dict[str, Any]:
    """Return the metadata for a new node."""
    return {key: value for key, value in _current.items() if key in _KEPT}


@contextlib.contextmanager
def set_current_meta(node: Node, pass_name: str = "") -> Iterator[None]:
    """In this block, metadata is that of `node`."""
    global _current
    if not _preserves or not node.meta:
        yield
        return
    before = _current
    try:
        _current = {**node.meta, "from_node": [*before.get("from_node", ()), node]}
        if "custom" in before:
            _current["custom"] = {**before["custom"], **node.meta.get("custom", {})}
        yield
    finally:
        _current = before


def get_current_meta() -> dict[str, Any]:
    """Return the metadata of the node that is interpreted."""
    return _current


def set_stack_trace(stack: list[str]) -> None:
    """Set the stack that new nodes take over."""
    if _preserves and stack:
        _current["stack_trace"] = "".join(stack)


def format_stack() -> list[str]:
    """Return the stack of the node that is interpreted, or of Python."""
    import traceback

    if _preserves:
        return [_current.get("stack_trace", "")]
    return traceback.format_list(traceback.extract_stack()[:-1])


@contextlib.contextmanager
def annotate(annotation_dict: dict[str, Any]) -> Iterator[None]:
    """In this block, nodes get these entries in `meta["custom"]`.

    >>> from opwright.compat.torch import fx
    >>> with fx.traceback.preserve_node_meta(), fx.traceback.annotate({"part": "head"}):
    ...     fx.traceback.get_current_meta()["custom"]
    {'part': 'head'}
    """
    global _current
    before = _current
    _current = {**before, "custom": {**before.get("custom", {}), **annotation_dict}}
    recorder = current_recorder() if _preserves else None
    start = recorder.position() if recorder else 0
    try:
        yield
    finally:
        _current = before
        if recorder:
            recorder.annotations.append((start, recorder.position(), dict(annotation_dict)))


def set_grad_fn_seq_nr(seq_nr: int) -> None:
    """Set the number that connects nodes of a forward and a backward graph."""
    if _preserves:
        _current["grad_fn_seq_nr"] = [*_current.get("grad_fn_seq_nr", []), seq_nr]
        _current["in_grad_fn"] = _current.get("in_grad_fn", 0) + 1


def reset_grad_fn_seq_nr() -> None:
    """Undo the last `set_grad_fn_seq_nr`."""
    if _preserves and _current.get("in_grad_fn", 0) > 0:
        _current["in_grad_fn"] -= 1
        _current["grad_fn_seq_nr"] = _current["grad_fn_seq_nr"][:-1]


__getattr__ = absent(__name__)
