"""The timed calls, the same in both packages."""


def python_operator(package):
    """Define twice(x) in Python, with an autograd rule."""

    def twice(x):
        return x + x

    twice.__annotations__ = {"x": package.Tensor, "return": package.Tensor}
    operator = package.library.custom_op("cuda_bench::twice", twice, mutates_args=())
    operator.register_autograd(lambda context, gradient: gradient + gradient)
    return operator


def call_cases(ow, torch, add_library):
    """Return calls on small tensors, where overhead dominates: {name: {side: function}}."""
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
    """Return kernels on large tensors of one package: {name: function}."""
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


def layer_cases(package):
    """Return layers of networks, which have no target, of one package: {name: function}."""
    functional = package.nn.functional
    bfloat16 = package.bfloat16

    def normal(*sizes):
        return package.randn(*sizes, device="cuda")

    rows, row = normal(8192, 4096), normal(4096)
    half_rows, half_weight = rows.to(bfloat16), normal(4096, 4096).to(bfloat16)
    places = (package.arange(8192, device="cuda") * 7919) % 8192
    leaf, weight, bias = (each.requires_grad_() for each in (normal(8192, 4096), row + 1, row + 2))
    gradient = normal(8192, 4096)
    images, filters = normal(32, 64, 56, 56), normal(64, 64, 3, 3)
    heads = normal(8, 16, 1024, 64).to(bfloat16)
    parameters = [package.nn.Parameter(normal(1024, 1024)) for _ in range(16)]
    for each in parameters:
        each.grad = normal(1024, 1024)
    optimizer = package.optim.AdamW(parameters)

    def normalize_and_back():
        functional.layer_norm(leaf, (4096,), weight, bias).backward(gradient)

    return {
        "rows and a row, 8192x4096": lambda: rows + row,
        "float32 to bfloat16, 8192x4096": lambda: rows.to(bfloat16),
        "transposed copy, 8192x4096": lambda: rows.t().contiguous(),
        "rows by index, 8192x4096": lambda: rows[places],
        "largest of rows, 8192x4096": lambda: rows.max(1),
        "sum of columns, 8192x4096": lambda: rows.sum(0),
        "dropout, 8192x4096": lambda: functional.dropout(rows, 0.5, True),
        "linear, bfloat16, 8192x4096x4096": lambda: functional.linear(half_rows, half_weight),
        "layer norm and back, 8192x4096": normalize_and_back,
        "3x3 convolution, 32x64x56x56": lambda: functional.conv2d(images, filters, padding=1),
        "causal attention, bfloat16, 1024": lambda: functional.scaled_dot_product_attention(
            heads, heads, heads, is_causal=True
        ),
        "AdamW, 16 M": optimizer.step,
    }
