"""functorch: the names of torch.func under the older package's name."""

import importlib


def names() -> dict:
    """Return every public name of func, make_fx, and the control flow operators."""
    func = importlib.import_module("opwright.compat.torch.func")
    found = {name: value for name, value in vars(func).items() if not name.startswith("_")}
    tracing = importlib.import_module("opwright.compat.torch.fx.experimental.proxy_tensor")
    control = importlib.import_module("opwright.compat.torch._higher_order_ops")
    for module, name in ((tracing, "make_fx"), (control, "cond"), (control, "map")):
        if name in vars(module):
            found[name] = getattr(module, name)
    return found
