"""The surface of torch.func: results and classes of errors are torch's."""

import opwright.compat.torch as compat
import pytest
import torch


def as_lists(tree):
    """Replace tensors by lists."""
    if isinstance(tree, (tuple, list)):
        return [as_lists(each) for each in tree]
    if isinstance(tree, dict):
        return {key: as_lists(value) for key, value in tree.items()}
    return tree.tolist() if hasattr(tree, "tolist") else tree


def linear(t):
    module = t.nn.Linear(2, 3)
    with t.no_grad():
        module.weight.copy_(t.arange(6.0).reshape(3, 2))
        module.bias.copy_(t.arange(3.0))
    return module


class Counter:
    """Makes a module that replaces its buffer in each call."""

    @staticmethod
    def make(t):
        class Count(t.nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("count", t.zeros(1))

            def forward(self, x):
                self.count = self.count + 1
                return x + self.count

        return Count()


class Tied:
    @staticmethod
    def make(t):
        class Pair(t.nn.Module):
            def __init__(self):
                super().__init__()
                self.first = t.nn.Linear(2, 2)
                self.second = t.nn.Linear(2, 2)
                self.second.weight = self.first.weight

            def forward(self, x):
                return self.first.weight.sum() + self.second.weight.sum() + x

        return Pair()


def call_with_new_buffer(t):
    values = {"count": t.ones(1) * 5}
    module = Counter.make(t)
    output = t.func.functional_call(module, values, (t.zeros(2),))
    return output, values, module.count


def written_argument(t):
    def f(x, y):
        y.copy_(x * 3)
        return (y * y).sum()

    y = t.zeros(2)
    return t.func.grad(f)(t.ones(2), y), y


def values_inside(t):
    seen = []

    def f(x):
        seen.append((x.tolist(), x.sum().item(), bool(x.sum() > 0)))
        return (x * x).sum()

    return t.func.grad(f)(t.ones(3)), seen


def ensemble(t):
    models = [linear(t) for _ in range(2)]
    params, buffers = t.func.stack_module_state(models)

    def run(params, buffers, x):
        return t.func.functional_call(models[0], (params, buffers), x)

    output = t.vmap(run, in_dims=(0, 0, None))(params, buffers, t.ones(2))
    return output.detach(), params["weight"].requires_grad, list(params)


def batch_norm(t):
    net = t.func.replace_all_batch_norm_modules_(t.nn.Sequential(t.nn.BatchNorm1d(2)))
    x = t.arange(12.0).reshape(2, 3, 2)
    return (t.vmap(net, randomness="error")(x).detach() * 100).round(), net[0].track_running_stats


CALLS = {
    "grad_and_value": lambda t: t.func.grad_and_value(lambda x: (x * x).sum())(t.ones(2)),
    "grad_and_value_aux": lambda t: t.func.grad_and_value(
        lambda x: ((x * x).sum(), x + 1), has_aux=True
    )(t.ones(2)),
    "functional_call": lambda t: t.func.functional_call(
        linear(t), {"bias": t.zeros(3)}, t.ones(2)
    ).detach(),
    "functional_call_keywords": lambda t: t.func.functional_call(
        linear(t), ({"bias": t.zeros(3)}, {"weight": t.ones(3, 2)}), kwargs={"input": t.ones(2)}
    ).detach(),
    "functional_call_buffer": call_with_new_buffer,
    "functional_call_tied": lambda t: t.func.functional_call(
        Tied.make(t), {"first.weight": t.ones(2, 2)}, t.zeros(1)
    ),
    "stack_module_state": ensemble,
    "replace_all_batch_norm_modules_": batch_norm,
    "jvp_strict": lambda t: t.func.jvp(t.sin, (t.zeros(2),), (t.ones(2),), strict=True),
    "jacfwd_randomness": lambda t: t.func.jacfwd(t.bernoulli, randomness="same")(t.ones(2)),
    "jacfwd_different": lambda t: t.func.jacfwd(
        lambda x: (t.bernoulli(x) * x, x + 1), randomness="different", has_aux=True
    )(t.ones(2)),
    "linearize": lambda t: t.func.linearize(lambda x, y: x * y, t.ones(2), t.ones(2) * 3)[1](
        t.ones(2), t.zeros(2)
    ),
    "vjp_options": lambda t: t.func.vjp(lambda x: (x, x * 2), t.ones(2))[1](
        (t.ones(2), t.ones(2)), True, False
    ),
    "functionalize_views": lambda t: t.func.functionalize(
        lambda x: x.clone()[0].add_(1), remove="mutations_and_views"
    )(t.zeros(2, 2)),
    "written_argument": written_argument,
    "written_argument_forward": lambda t: t.func.jacfwd(lambda x, y: y.copy_(x))(
        t.ones(2), t.zeros(2)
    ),
    "values_inside": values_inside,
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_results_are_torchs(call):
    assert as_lists(call(compat)) == as_lists(call(torch))


def test_debug_unwrap_gives_the_tensor_below_all_transforms():
    seen = []
    x = compat.ones(2, 3)

    compat.vmap(compat.vmap(lambda e: (seen.append(compat.func.debug_unwrap(e)), e)[1]))(x)

    assert seen[0] is x


def f(x):
    return x


REFUSED = {
    "argnums_range": lambda t: t.func.grad(f, argnums=2)(t.ones(2)),
    "argnums_list": lambda t: t.func.grad(f, argnums=[0])(t.ones(2)),
    "argnums_text": lambda t: t.func.grad(f, argnums=("0",))(t.ones(2)),
    "argnums_twice": lambda t: t.func.grad(f, argnums=(0, 0))(t.ones(2)),
    "argnums_empty": lambda t: t.func.jacrev(f, argnums=())(t.ones(2)),
    "aux_missing": lambda t: t.func.grad(f, has_aux=True)(t.ones(())),
    "grad_not_scalar": lambda t: t.func.grad(f)(t.ones(2)),
    "grad_several": lambda t: t.func.grad(lambda x: (x, x))(t.ones(())),
    "vjp_no_tensor": lambda t: t.func.vjp(lambda x: 1.0, t.ones(2)),
    "vjp_nothing": lambda t: t.func.vjp(lambda x: (), t.ones(2)),
    "vjp_structure": lambda t: t.func.vjp(f, t.ones(2))[1]((t.ones(2), t.ones(2))),
    "jvp_primals": lambda t: t.func.jvp(f, t.ones(2), (t.ones(2),)),
    "jvp_structure": lambda t: t.func.jvp(f, (t.ones(2),), (t.ones(2), t.ones(2))),
    "jvp_no_tensor": lambda t: t.func.jvp(f, (1.0,), (t.ones(2),)),
    "jvp_empty": lambda t: t.func.jvp(f, (), ()),
    "jvp_strict": lambda t: t.func.jvp(
        lambda x: t.ones(2), (t.ones(2),), (t.ones(2),), strict=True
    ),
    "jacrev_complex": lambda t: t.func.jacrev(f)(t.ones(2, dtype=t.complex64)),
    "jacrev_chunk": lambda t: t.func.jacrev(f, chunk_size=0),
    "linearize_shape": lambda t: t.func.linearize(f, t.ones(2))[1](t.ones(3)),
    "linearize_structure": lambda t: t.func.linearize(f, t.ones(2))[1](t.ones(2), t.ones(2)),
    "functionalize_remove": lambda t: t.func.functionalize(f, remove="all")(t.ones(2)),
    "captured_write": lambda t: (lambda y: t.func.grad(lambda x: y.copy_(x).sum())(t.ones(2)))(
        t.ones(2)
    ),
    "vmap_no_inputs": lambda t: t.vmap(f)(),
    "vmap_no_batch": lambda t: t.vmap(f, in_dims=(None,))(t.ones(2)),
    "vmap_sizes": lambda t: t.vmap(t.mul)(t.ones(2), t.ones(3)),
    "vmap_in_dims": lambda t: t.vmap(t.mul, in_dims=[0, 0])(t.ones(2), t.ones(2)),
    "vmap_structure": lambda t: t.vmap(t.mul, in_dims=(0,))(t.ones(2), t.ones(2)),
    "vmap_dim": lambda t: t.vmap(f, in_dims=3)(t.ones(2)),
    "vmap_no_tensor": lambda t: t.vmap(f)(1.0),
    "vmap_output": lambda t: t.vmap(lambda x: 3)(t.ones(2)),
    "vmap_out_dims": lambda t: t.vmap(f, out_dims="0")(t.ones(2)),
    "vmap_out_dim": lambda t: t.vmap(f, out_dims=3)(t.ones(2)),
    "vmap_out_none": lambda t: t.vmap(f, out_dims=None)(t.ones(2)),
    "vmap_randomness": lambda t: t.vmap(f, randomness="any")(t.ones(2)),
    "vmap_chunk": lambda t: t.vmap(f, chunk_size=0)(t.ones(2)),
    "vmap_item": lambda t: t.vmap(lambda x: x.item())(t.ones(2)),
    "vmap_random": lambda t: t.vmap(lambda x: t.rand(2))(t.ones(2)),
    "call_strict": lambda t: t.func.functional_call(linear(t), {}, t.ones(2), strict=True),
    "call_twice": lambda t: t.func.functional_call(
        linear(t), ({"bias": t.ones(3)}, {"bias": t.ones(3)}), t.ones(2)
    ),
    "call_tied": lambda t: t.func.functional_call(
        Tied.make(t),
        {"first.weight": t.ones(2, 2), "second.weight": t.zeros(2, 2)},
        t.zeros(1),
    ),
    "stack_none": lambda t: t.func.stack_module_state([]),
    "stack_classes": lambda t: t.func.stack_module_state([linear(t), t.nn.ReLU()]),
    "stack_modes": lambda t: t.func.stack_module_state([linear(t), linear(t).eval()]),
}


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_what_torch_refuses_is_refused_with_its_class(call):
    with pytest.raises(Exception) as expected:  # noqa: PT011
        call(torch)

    with pytest.raises(expected.type):
        call(compat)
