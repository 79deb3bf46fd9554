"""Compares compiled functions with an eager run bit for bit: results and effects."""

import opwright as ow


def compiled(f, **options):
    return ow.compile(f, backend="plan", **options)


def bytes_of(tensor):
    dense = tensor.detach().contiguous()
    return (dense.float() if dense.dtype == ow.bfloat16 else dense).numpy().tobytes()


def same(a, b):
    """Equal bit for bit, with sizes, strides and dtype."""
    if isinstance(a, ow.Tensor):
        return (
            type(a) is type(b)
            and a.dtype == b.dtype
            and a.shape == b.shape
            and a.stride() == b.stride()
            and bytes_of(a) == bytes_of(b)
        )
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and a == b


def check_equals_eager(f, *make_args):
    """Check that f has its eager results and effects on arguments; return the compiled result."""
    ow.manual_seed(11)
    eager_args = [make() for make in make_args]
    expected = f(*eager_args)
    after = ow.rand(3)

    ow.manual_seed(11)
    args = [make() for make in make_args]
    result = compiled(f)(*args)

    assert same(result, expected)
    assert same(args, eager_args)
    assert same(ow.rand(3), after)
    return result


def ramp():
    return ow.arange(6, dtype=ow.float32).reshape(2, 3) - 2
