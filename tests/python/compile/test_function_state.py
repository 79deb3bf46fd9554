"""State that a compiled function reads besides arguments: closures, globals, defaults, modules."""

import copy

import opwright as ow
import pytest
from opwright import nn

SCALE = 2.0
WEIGHT = ow.full([1], 10.0)


def _helper(x):
    return x * SCALE


def test_a_closure_scalar_recompiles_when_it_changes():
    factor = 2

    @ow.compile
    def f(x):
        return x * factor

    assert f(ow.ones(1)).item() == 2.0
    factor = 3
    assert f(ow.ones(1)).item() == 3.0
    factor = 2
    assert f(ow.ones(1)).item() == 2.0
    assert f.num_compiles == 2
    assert f.recompile_reasons == ["closure factor is 3, it was 2"]


def test_a_global_scalar_recompiles_when_it_changes(monkeypatch):
    @ow.compile
    def f(x):
        return x * SCALE

    assert f(ow.ones(1)).item() == 2.0
    monkeypatch.setitem(globals(), "SCALE", 5.0)
    assert f(ow.ones(1)).item() == 5.0
    assert f.recompile_reasons == ["global SCALE is 5.0, it was 2.0"]


def test_globals_of_functions_that_it_calls_are_guarded(monkeypatch):
    @ow.compile
    def f(x):
        return _helper(x) + 1

    assert f(ow.ones(1)).item() == 3.0
    monkeypatch.setitem(globals(), "SCALE", 5.0)
    assert f(ow.ones(1)).item() == 6.0
    monkeypatch.setitem(globals(), "_helper", lambda x: x)
    assert f(ow.ones(1)).item() == 2.0


def test_tensors_of_closures_and_globals_are_read_anew(monkeypatch):
    bias = ow.ones(1)

    @ow.compile
    def f(x):
        return x * WEIGHT + bias

    assert f(ow.ones(1)).item() == 11.0
    bias = ow.full([1], 2.0)
    monkeypatch.setitem(globals(), "WEIGHT", ow.full([1], 20.0))
    assert f(ow.ones(1)).item() == 22.0
    bias.add_(1)
    assert f(ow.ones(1)).item() == 23.0
    assert f.num_compiles == 1


def test_two_names_of_one_tensor_are_told_apart_later():
    a = ow.ones(1)
    b = a

    @ow.compile
    def f(x):
        return x + a * 10 + b

    assert f(ow.zeros(1)).item() == 11.0
    b = ow.full([1], 5.0)
    assert f(ow.zeros(1)).item() == 15.0


def test_functions_in_closures_are_followed():
    inner_factor = 2

    def inner(x):
        return x * inner_factor

    @ow.compile
    def f(x):
        return inner(x)

    assert f(ow.ones(1)).item() == 2.0
    inner_factor = 7
    assert f(ow.ones(1)).item() == 7.0

    def inner(x):  # noqa: F811
        return x - 1

    assert f(ow.ones(1)).item() == 0.0


def test_defaults_are_guarded():
    def f(x, factor=2, *, shift=0):
        return x * factor + shift

    compiled = ow.compile(f)
    assert compiled(ow.ones(1)).item() == 2.0
    f.__defaults__ = (3,)
    assert compiled(ow.ones(1)).item() == 3.0
    f.__kwdefaults__["shift"] = 1
    assert compiled(ow.ones(1)).item() == 4.0
    assert compiled.num_compiles == 3


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.factor = 2.0
        self.inner = nn.Linear(2, 2)
        self.register_buffer("count", ow.zeros(1))

    def forward(self, x):
        self.count.add_(1)
        return self.inner(x) * self.factor * (0.5 if self.training else 1.0)


def test_module_attributes_recompile_when_they_are_set():
    model = Scaled()
    compiled = ow.compile(model)
    x = ow.randn(3, 2)
    with ow.no_grad():
        assert ow.allclose(compiled(x), model(x))
        model.factor = 4.0
        assert ow.allclose(compiled(x), model(x))
        model.eval()
        assert ow.allclose(compiled(x), model(x))
        model.inner.weight = nn.Parameter(ow.ones(2, 2))
        assert ow.allclose(compiled(x), model(x))
        assert compiled.num_compiles == 4
        assert ow.allclose(compiled(x), model(x))
    assert compiled.num_compiles == 4
    assert compiled.recompile_reasons[0] == "an attribute of the module (Scaled) was set"
    assert compiled.recompile_reasons[2] == "an attribute of the module.inner (Linear) was set"


def test_parameters_and_buffers_are_read_and_written_in_place():
    model = Scaled().eval()
    compiled = ow.compile(model)
    x = ow.randn(3, 2)
    with ow.no_grad():
        compiled(x)
        model.inner.weight.zero_()
        model.inner.bias.fill_(1.0)
        assert compiled(x).tolist() == [[2.0, 2.0]] * 3
    assert model.count.item() == 2.0
    assert compiled.num_compiles == 1


def test_a_hook_recompiles():
    model = nn.Sequential(nn.Identity())
    compiled = ow.compile(model)
    assert compiled(ow.ones(1)).item() == 1.0
    handle = model[0].register_forward_hook(lambda module, args, output: output + 1)
    assert compiled(ow.ones(1)).item() == 2.0
    handle.remove()
    assert compiled(ow.ones(1)).item() == 1.0


def test_a_module_in_a_closure_is_watched():
    model = Scaled().eval()
    x = ow.randn(1, 2)

    @ow.compile
    def f(x):
        return model(x) + 1

    with ow.no_grad():
        f(x)
        model.factor = 0.0
        assert f(x).tolist() == [[1.0, 1.0]]


def test_a_compiled_module_is_still_a_module():
    model = Scaled()
    compiled = ow.compile(model)

    assert isinstance(compiled, nn.Module)
    assert len(list(compiled.parameters())) == 2
    assert list(nn.Sequential(compiled).state_dict()) == [
        "0.count",
        "0.inner.weight",
        "0.inner.bias",
    ]
    compiled.eval()
    assert not model.training
    compiled.factor = 3.0
    assert model.factor == 3.0


def test_a_copy_of_a_compiled_module_is_compiled_anew():
    model = nn.Sequential(ow.compile(Scaled().eval()))
    twin = copy.deepcopy(model)
    with ow.no_grad():
        twin[0].inner.weight.zero_()
        twin[0].inner.bias.fill_(1.0)
        assert twin(ow.ones(1, 2)).tolist() == [[2.0, 2.0]]
    assert twin[0].num_compiles == 1
    assert model[0].num_compiles == 0


def test_a_traced_tensor_that_is_assigned_to_a_module_is_refused():
    class Keeps(nn.Module):
        last = None

        def forward(self, x):
            self.last = x * 2
            return x

    model = nn.Sequential(Keeps())
    compiled = ow.compile(model)

    with pytest.raises(RuntimeError) as error:
        compiled(ow.ones(1))

    assert str(error.value) == (
        "compile: the function assigned a tensor that it computes to 'the module.0.last' (Keeps); "
        "a compiled function cannot set attributes\n"
        "  Return the tensor, or write it into a buffer in place: last.copy_(value)."
    )
    assert model[0].last is None


def test_a_function_that_changes_what_it_reads_runs_as_it_is_and_says_so():
    count = 0

    @ow.compile
    def f(x):
        nonlocal count
        count += 1
        return x * count

    with pytest.warns(UserWarning, match="changes what it reads"):
        results = [f(ow.ones(1)).item() for _ in range(5)]

    assert results == [1.0, 2.0, 3.0, 4.0, 5.0]
    assert count == 5


def test_a_function_that_refers_to_itself_is_collected():
    import gc
    import weakref

    def make():
        def f(x):
            return x if f is None else x + 1

        f = ow.compile(f)
        f(ow.ones(1))
        return weakref.ref(f)

    ref = make()
    gc.collect()
    assert ref() is None
