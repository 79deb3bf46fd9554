"""What is called: the same in both packages."""


def call_cases(ow, torch, add_library):
    """Calls that cost what a call costs: small tensors. Name -> {side: function}."""
    ours, theirs = ow.randn(256, device="cuda"), torch and torch.randn(256, device="cuda")

    @ow.library.custom_op("cuda_bench::twice", mutates_args=())
    def twice(x: ow.Tensor) -> ow.Tensor:
        return x + x

    ow.load_library(str(add_library))
    one_launch = ow.ops.one_launch.add.default
    cases = {
        "custom operator from Python": {"ours": lambda: twice(ours)},
        "C++ operator of one launch": {"ours": lambda: one_launch(ours, ours)},
        "add, 256 elements": {"ours": lambda: ow.add(ours, ours)},
    }
    if torch:

        @torch.library.custom_op("cuda_bench::twice", mutates_args=())
        def torch_twice(x: torch.Tensor) -> torch.Tensor:
            return x + x

        cases["custom operator from Python"]["torch"] = lambda: torch_twice(theirs)
        for name in ("C++ operator of one launch", "add, 256 elements"):
            cases[name]["torch"] = lambda: torch.add(theirs, theirs)
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
