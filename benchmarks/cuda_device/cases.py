"""What is called: the same in both packages."""


def python_operator(package):
    """twice(x), written in Python and with a rule for its gradient."""

    def twice(x):
        return x + x

    twice.__annotations__ = {"x": package.Tensor, "return": package.Tensor}
    operator = package.library.custom_op("cuda_bench::twice", twice, mutates_args=())
    operator.register_autograd(lambda context, gradient: gradient + gradient)
    return operator


def call_cases(ow, torch, add_library):
    """Calls that cost what a call costs: small tensors. Name -> {side: function}."""
    ow.load_library(str(add_library))
    one_launch = ow.ops.one_launch.add.default
    cases = {
        "custom operator from Python": {},
        "  in training": {},
        "C++ operator of one launch": {},
        "add, 256 elements": {},
    }
    for side, package in {"ours": ow, "torch": torch}.items():
        if package is None:
            continue
        x = package.randn(256, device="cuda")
        leaf = package.randn(256, device="cuda").requires_grad_()
        add = package.add
        single = one_launch if package is ow else add
        twice = python_operator(package)
        functions = (
            lambda twice=twice, x=x: twice(x),
            lambda twice=twice, leaf=leaf: twice(leaf),
            lambda single=single, x=x: single(x, x),
            lambda add=add, x=x: add(x, x),
        )
        for name, function in zip(cases, functions, strict=True):
            cases[name][side] = function
    return cases


def kernel_cases(package, dtype_name="float32"):
    """Kernels over much memory. Name -> function, in one of the packages."""
    dtype = getattr(package, dtype_name)
    options = {"device": "cuda", "dtype": dtype}
    functional = package.nn.functional
    large_x, large_y = (package.ones(1 << 26, **options) for _ in range(2))
    rows = package.randn(8192, 4096, device="cuda").to(dtype)
    weight, bias = package.ones(4096, **options), package.zeros(4096, **options)
    cases = {
        "add, 64 M": lambda: package.add(large_x, large_y),
        "softmax, 8192x4096": lambda: package.softmax(rows, -1),
        "layer norm, 8192x4096": lambda: functional.layer_norm(rows, (4096,), weight, bias),
        "sum, 64 M": lambda: large_x.sum(),
    }
    if dtype_name == "bfloat16":
        left, right = (package.randn(4096, 4096, device="cuda").to(dtype) for _ in range(2))
        cases["matmul, 4096"] = lambda: package.matmul(left, right)
    return cases
