"""torch.fx.annotate: sets the type of a traced value."""

from typing import Any

from opwright.compat._absent import absent

from .proxy import Proxy

__all__ = ["annotate"]


def annotate(val: Any, type: Any) -> Any:
    """Set the type of a proxy's node; a value that is not a proxy is returned unchanged.

    >>> annotate(3, int)
    3
    """
    if not isinstance(val, Proxy):
        return val
    if val.node.type:
        raise RuntimeError(
            f"Tried to annotate a value that already had a type on it! Existing type is "
            f"{val.node.type} and new type is {type}. This could happen if you tried to annotate a "
            "function parameter value (in which case you should use the type slot on the function "
            "signature) or you called annotate on the same value twice"
        )
    val.node.type = type
    return val


__getattr__ = absent(__name__)
