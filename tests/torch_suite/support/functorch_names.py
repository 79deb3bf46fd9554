"""functorch: the names of torch.func under the older package's name."""

import importlib
from collections.abc import Callable
from typing import Any


def chunk_vmap(
    func: Callable,
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    chunks: int = 2,
) -> Callable:
    """Return vmap with a number of chunks instead of their size, for one batched argument."""
    func_module = importlib.import_module("opwright.compat.torch.func")

    def run(batch: Any) -> Any:
        chunk_size = -(-batch.shape[in_dims] // chunks)
        return func_module.vmap(func, in_dims, out_dims, randomness, chunk_size=chunk_size)(batch)

    return run


def names() -> dict:
    """Return every public name of func, make_fx, and the control flow operators."""
    func = importlib.import_module("opwright.compat.torch.func")
    found = {name: value for name, value in vars(func).items() if not name.startswith("_")}
    tracing = importlib.import_module("opwright.compat.torch.fx.experimental.proxy_tensor")
    control = importlib.import_module("opwright.compat.torch._higher_order_ops")
    for module, name in ((tracing, "make_fx"), (control, "cond"), (control, "map")):
        if name in vars(module):
            found[name] = getattr(module, name)
    return {**found, "chunk_vmap": chunk_vmap}
