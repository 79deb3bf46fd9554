"""Modules: parameters and buffers under their paths, and what the forward pass writes."""

import copy

import opwright as ow
import pytest
from opwright import nn
from opwright.export import Dim, InputKind, export

BATCH = Dim("batch")


class Cache(nn.Module):
    """Writes its buffers in the requested way."""

    def __init__(self, write):
        super().__init__()
        self.register_buffer("cache", ow.zeros(2, 3))
        self.register_buffer("other", ow.ones(2, 3), persistent=False)
        self.linear = nn.Linear(3, 3)
        self.calls = 0
        self.log = []
        self.by_name = {}
        self._write = write

    def forward(self, x):
        self.calls += 1
        self._write(self, x)
        return self.linear(x) + self.cache.sum() + self.other.sum()


def write_in_place(self, x):
    self.cache.add_(x.sum())
    self.other[0].mul_(2)


def assign(self, x):
    self.cache = self.cache + x.sum()


def assign_twice(self, x):
    self.cache = self.cache + 1
    self.cache = self.cache * x.sum()


def swap(self, x):
    self.cache, self.other = self.other, self.cache


def swap_views(self, x):
    self.cache, self.other = self.other.flip(0).view(2, 3), self.cache[:]


@pytest.mark.parametrize("write", [write_in_place, assign, assign_twice, swap, swap_views])
def test_a_program_writes_what_the_module_writes(write):
    module = Cache(write)
    program = export(module, (ow.ones(4, 3),), dynamic_shapes={"x": {0: BATCH}})
    loose = program.module()
    expected = copy.deepcopy(module)

    for size in (2, 3, 5):
        x = ow.randn(size, 3)
        result = expected(x)
        assert ow.allclose(loose(x), result)
        assert ow.allclose(program(x), result)
    for name, buffer in expected.named_buffers():
        assert ow.allclose(dict(loose.named_buffers())[name], buffer)
        assert ow.allclose(dict(program.named_buffers())[name], buffer)


def test_runs_of_a_program_do_not_write_to_the_module():
    module = Cache(write_in_place)
    program = export(module, (ow.ones(4, 3),))

    program(ow.ones(4, 3))
    program.module()(ow.ones(4, 3))

    assert module.cache.tolist() == ow.zeros(2, 3).tolist()


def test_two_modules_of_a_program_have_buffers_of_their_own():
    program = export(Cache(write_in_place), (ow.ones(4, 3),))
    first, second = program.module(), program.module()

    first(ow.ones(4, 3))

    assert first.cache.sum().item() == 72.0
    assert second.cache.sum().item() == 0.0


@pytest.mark.parametrize("write", [write_in_place, assign, swap])
def test_the_module_is_as_it_was(write):
    module = Cache(write).eval()
    attributes, buffers = dict(module.__dict__), dict(module._buffers)

    export(module, (ow.ones(4, 3),))

    assert module.calls == 0
    assert not module.training
    assert module.__dict__.keys() == attributes.keys()
    assert all(module.__dict__[name] is value for name, value in attributes.items())
    assert module._buffers.keys() == buffers.keys()
    assert all(module._buffers[name] is buffer for name, buffer in buffers.items())
    assert module.cache.tolist() == ow.zeros(2, 3).tolist()


def refused(write):
    """Export a module that writes so; the error's text, with the module as it was."""
    module = Cache(write)
    with pytest.raises(ValueError, match=":") as error:
        export(module, (ow.ones(4, 3),), dynamic_shapes={"x": {0: BATCH}})
    assert module.calls == 0
    assert module.log == []
    assert module.by_name == {}
    assert not hasattr(module, "last")
    assert module.linear.weight is module.linear._parameters["weight"]
    return str(error.value)


def test_a_tensor_on_an_attribute_is_refused_with_the_line(here):
    def write(self, x):
        self.last = x + 1  # the attribute

    assert refused(write) == (
        f"export: the attribute 'last' was set to a tensor at {here('the attribute')}, which the "
        'program could not keep; make it a buffer with register_buffer("last", ...) before, or '
        "return the tensor"
    )


@pytest.mark.parametrize("name", ["log", "by_name"])
def test_a_tensor_in_a_list_or_dict_is_refused(name):
    def write(self, x):
        self.log.append(x + 1) if name == "log" else self.by_name.update(x=x + 1)

    assert refused(write).startswith(f"export: the attribute '{name}' was set to a tensor, which")


def test_another_dtype_of_a_buffer_is_refused_with_the_line(here):
    def write(self, x):
        self.cache = self.cache.double()  # the dtype

    assert refused(write) == (
        "export: the buffer 'cache' is float32[2, 3] and was set to float64[2, 3] at "
        f"{here('the dtype')}; a buffer of a program keeps its dtype and sizes, so return the new "
        "tensor instead, or make the buffer large enough before"
    )


def test_other_sizes_of_a_buffer_are_refused(here):
    def write(self, x):
        self.cache = x  # the sizes

    text = refused(write)
    assert f"was set to float32[batch, 3] at {here('the sizes')}" in text


def test_a_replaced_parameter_is_refused(here):
    def write(self, x):
        self.linear.weight = nn.Parameter(ow.ones(3, 3))  # the parameter

    assert refused(write) == (
        f"export: the parameter 'linear.weight' was replaced at {here('the parameter')}; a program "
        "can write to a parameter, not replace it"
    )


def test_the_module_is_as_it_was_after_an_error():
    def write(self, x):
        self.cache = self.cache + 1
        raise KeyError("forward")

    module = Cache(write)
    cache = module.cache
    with pytest.raises(KeyError, match="forward"):
        export(module, (ow.ones(4, 3),))

    assert module.cache is cache
    assert module.calls == 0


def test_state_stands_under_its_paths():
    model = nn.Sequential(nn.Linear(3, 4), nn.Sequential(nn.BatchNorm1d(4)))

    program = export(model, (ow.ones(5, 3),))

    assert program.state_dict.keys() == model.state_dict().keys()
    signature = program.graph_signature
    assert signature.parameters == ("0.weight", "0.bias", "1.0.weight", "1.0.bias")
    assert signature.buffers == (
        "1.0.running_mean",
        "1.0.running_var",
        "1.0.num_batches_tracked",
    )
    assert sorted(signature.buffers_to_mutate.values()) == sorted(signature.buffers)
    assert [name for name, _ in program.named_parameters()] == list(signature.parameters)
    assert signature.inputs_to_parameters[signature.input_specs[0].arg.name] == "0.weight"


def test_parameters_are_the_modules_own():
    model = nn.Linear(3, 2)

    program = export(model, (ow.ones(1, 3),))

    assert program.state_dict["weight"] is model.weight
    model.weight.detach().zero_()
    assert program(ow.ones(1, 3)).tolist() == [model.bias.tolist()]


def test_parameters_that_are_not_used_stay_in_the_state():
    class Spare(nn.Module):
        def __init__(self):
            super().__init__()
            self.used = nn.Linear(3, 3)
            self.spare = nn.Linear(2, 2)

        def forward(self, x):
            return self.used(x)

    model = Spare()
    program = export(model, (ow.ones(1, 3),))

    assert program.state_dict.keys() == model.state_dict().keys()
    assert program.module().state_dict().keys() == model.state_dict().keys()


def test_tied_parameters_stay_tied():
    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Linear(3, 3)
            self.second = nn.Linear(3, 3)
            self.second.weight = self.first.weight

        def forward(self, x):
            return self.second(self.first(x))

    model = Tied()
    program = export(model, (ow.ones(1, 3),))
    module = program.module()

    assert program.state_dict["first.weight"] is program.state_dict["second.weight"]
    assert module.first.weight is module.second.weight
    assert module.state_dict().keys() == model.state_dict().keys()
    x = ow.randn(1, 3)
    assert ow.equal(module(x), model(x))


def test_a_shared_module_stands_under_both_paths():
    layer = nn.Linear(3, 3)
    model = nn.Sequential(layer, nn.ReLU(), layer)

    program = export(model, (ow.ones(1, 3),))

    assert program.state_dict.keys() == model.state_dict().keys()
    assert program.module()._modules["2"].weight is program.module()._modules["0"].weight


def test_buffers_that_are_not_persistent_are_not_in_the_state():
    program = export(Cache(lambda self, x: None), (ow.ones(4, 3),))

    assert list(program.state_dict) == ["linear.weight", "linear.bias", "cache"]
    assert program.graph_signature.non_persistent_buffers == ("other",)
    assert program.constants["other"].shape == (2, 3)
    assert list(program.module().state_dict()) == list(Cache(None).state_dict())


def test_other_tensors_of_a_module_are_constants_of_their_name():
    class Scaled(nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = ow.full([3], 2.0)

        def forward(self, x):
            return x * self.scale

    program = export(nn.Sequential(Scaled()), (ow.ones(3),))

    kinds = [(spec.kind, spec.target) for spec in program.graph_signature.input_specs]
    assert kinds[0] == (InputKind.CONSTANT_TENSOR, "0.scale")
    assert program(ow.ones(3)).tolist() == [2.0, 2.0, 2.0]


def test_a_method_of_a_module_has_its_state():
    class Two(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(3, 2)

        def encode(self, sample):
            return self.linear(sample)

    model = Two()
    program = export(model.encode, (ow.ones(1, 3),))

    assert program.graph_signature.parameters == ("linear.weight", "linear.bias")
    assert program.graph_signature.user_inputs == ("sample",)


def test_hooks_are_part_of_the_program():
    layer = nn.Linear(3, 2)
    layer.register_forward_hook(lambda module, args, output: output * 10)

    program = export(layer, (ow.ones(1, 3),))

    x = ow.randn(1, 3)
    assert ow.equal(program(x), layer(x))


def test_a_frozen_parameter_is_one_still():
    layer = nn.Linear(3, 2)
    layer.bias.requires_grad_(False)

    module = export(layer, (ow.ones(1, 3),)).module()

    assert [parameter.requires_grad for parameter in module.parameters()] == [True, False]


def test_the_mode_of_a_module_is_part_of_the_program():
    model = nn.Dropout(0.5)
    x = ow.ones(100)

    trained, evaluated = export(model.train(), (x,)), export(model.eval(), (x,))

    assert trained(x).min().item() == 0.0
    assert ow.equal(evaluated(x), x)
