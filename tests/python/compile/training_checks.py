"""What tests of compiled training share: leaves, comparisons, one run with its gradients."""

import opwright as ow


def leaf(*sizes, dtype=ow.float32):
    return ow.randn(*sizes, dtype=dtype, requires_grad=True)


def close(actual, expected, rtol=2e-5, atol=2e-6):
    if expected is None:
        assert actual is None
        return
    assert actual.shape == expected.shape
    assert actual.dtype == expected.dtype
    assert ow.allclose(actual.detach(), expected.detach(), rtol, atol), (
        f"{actual} is not {expected}"
    )


def outputs_of(result):
    return result if isinstance(result, tuple) else (result,)


def train(function, arguments, parameters, seed=5):
    """Run with one seed; values, then gradients of everything that requires grad."""
    ow.manual_seed(seed)
    outputs = outputs_of(function(*arguments))
    traced = [out for out in outputs if isinstance(out, ow.Tensor) and out.requires_grad]
    weights = [ow.cos(out.detach() * 3) for out in traced]
    gradients = ow.autograd.grad(traced, parameters, weights, allow_unused=True)
    return outputs, gradients


def check_as_eager(compile, function, arguments, parameters, **options):
    compiled = compile(function, **options)
    expected, expected_gradients = train(function, arguments, parameters)
    for _ in range(2):
        outputs, gradients = train(compiled, arguments, parameters)
        for out, wanted in zip(outputs, expected, strict=True):
            if not isinstance(wanted, ow.Tensor):
                assert out == wanted
                continue
            close(out, wanted)
            assert out.requires_grad == wanted.requires_grad
            assert out.is_leaf == wanted.is_leaf
            assert (out.grad_fn is None) == (wanted.grad_fn is None)
            assert out.stride() == wanted.stride()
        for gradient, wanted in zip(gradients, expected_gradients, strict=True):
            close(gradient, wanted)


def check_module(compile, module, *arguments, **options):
    targets = [p for p in module.parameters() if p.requires_grad]
    targets += [a for a in arguments if a.requires_grad]
    check_as_eager(compile, lambda *args: module(*args), arguments, targets, **options)
