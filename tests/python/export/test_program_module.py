"""The result of module(): it trains, is transformed, copied, and runs in threads."""

import copy
import pickle
import threading

import opwright as ow
import pytest
from opwright import nn
from opwright.export import Dim, export

BATCH = Dim("batch")


def make_program():
    model = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
    return model, export(model, (ow.ones(4, 3),), dynamic_shapes={"input": {0: BATCH}})


def test_a_module_of_a_program_is_a_module():
    model, program = make_program()

    module = program.module()

    assert isinstance(module, nn.Module)
    assert module.state_dict().keys() == model.state_dict().keys() == program.state_dict.keys()
    x = ow.randn(7, 3)
    assert ow.equal(module(x), model(x))
    assert ow.equal(module(input=x), model(x))


def test_it_trains_as_the_model_does():
    ow.manual_seed(0)
    model, _ = make_program()
    twin = copy.deepcopy(model)
    program = export(model, (ow.ones(4, 3),), dynamic_shapes={"input": {0: BATCH}})
    module = program.module()
    losses = []
    for trained in (module, twin):
        optimizer = ow.optim.SGD(trained.parameters(), lr=0.1, momentum=0.9)
        ow.manual_seed(1)
        for _ in range(20):
            x = ow.randn(16, 3)
            loss = ((trained(x) - x.sum(1, keepdim=True)) ** 2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        losses.append(loss.item())

    assert losses[0] == pytest.approx(losses[1], rel=1e-5)
    assert losses[0] < 1.0


def test_trained_parameters_are_those_of_the_program():
    _, program = make_program()
    module = program.module()

    with ow.no_grad():
        for parameter in module.parameters():
            parameter.zero_()

    assert program(ow.ones(2, 3)).tolist() == [[0.0], [0.0]]


def test_batch_statistics_are_learned():
    layer = nn.BatchNorm1d(3)
    program = export(layer, (ow.randn(4, 3),), dynamic_shapes={"input": {0: BATCH}})
    module = program.module()

    for size in (4, 9, 2):
        x = ow.randn(size, 3)
        assert ow.allclose(module(x), layer(x))

    assert module.num_batches_tracked.item() == 3
    assert ow.allclose(module.running_var, layer.running_var)


def test_loading_a_state_changes_what_it_computes():
    model, program = make_program()
    module = program.module()
    zeros = {name: ow.zeros_like(tensor) for name, tensor in model.state_dict().items()}

    module.load_state_dict(zeros)
    assert module(ow.ones(1, 3)).item() == 0.0
    module.load_state_dict({name: ow.ones_like(each) for name, each in zeros.items()}, assign=True)
    assert module(ow.zeros(1, 3)).item() == pytest.approx(8 * 0.76159 + 1, rel=1e-4)


def test_a_parameter_that_is_replaced_is_used():
    _, program = make_program()
    module = program.module()
    first = module(ow.ones(1, 3))

    module._modules["2"].bias = nn.Parameter(ow.full([1], 100.0))
    second = module(ow.ones(1, 3))
    setattr(module, "2", nn.Linear(8, 1, bias=False))

    assert second.item() > first.item() + 50
    with pytest.raises(TypeError, match=r"the argument .2\.bias. must be a tensor, got None"):
        module(ow.ones(1, 3))


def test_a_parameter_of_another_size_is_refused_by_name():
    _, program = make_program()
    module = program.module()
    module._modules["2"].bias = nn.Parameter(ow.ones(2))

    with pytest.raises(ValueError, match=r"dimension 0 of the argument '2\.bias' must be 1, got 2"):
        module(ow.ones(1, 3))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda module: module.to(ow.float64),
            "the program was exported with '0.weight' as float32 on cpu, so it cannot be float64 "
            "on cpu; convert the module before it is exported",
        ),
        (
            lambda module: module.half(),
            "the program was exported with '0.weight' as float32 on cpu, so it cannot be float16 "
            "on cpu; convert the module before it is exported",
        ),
    ],
)
def test_another_dtype_is_refused(call, text):
    _, program = make_program()
    module = program.module()

    with pytest.raises(TypeError) as error:
        call(module)
    assert str(error.value) == text
    assert module._modules["0"].weight.dtype == ow.float32


def test_the_dtype_and_device_that_it_has_are_taken():
    _, program = make_program()

    module = program.module().to(ow.float32).cpu().float()

    assert module(ow.ones(1, 3)).shape == (1, 1)


@pytest.mark.parametrize("mode", ["train", "eval"])
def test_the_mode_cannot_be_changed(mode):
    _, program = make_program()

    with pytest.raises(NotImplementedError) as error:
        getattr(program.module(), mode)()
    assert str(error.value) == (
        f"{mode}: the mode of a module is part of the program that it was exported to; export it "
        "again in the other mode"
    )


def test_vmap_and_grad_go_through():
    model, program = make_program()
    module = program.module()
    x = ow.randn(5, 4, 3)

    assert ow.allclose(ow.vmap(module)(x), model(x), atol=1e-6)
    gradient = ow.func.grad(lambda sample: module(sample).sum())(x[0])
    expected = ow.func.grad(lambda sample: model(sample).sum())(x[0])
    assert ow.allclose(gradient, expected)


def test_a_vmap_over_a_size_out_of_range_is_refused():
    program = export(lambda x: x + 1, (ow.ones(4),), dynamic_shapes=[{0: Dim("n", max=5)}])

    with pytest.raises(ValueError, match="1 <= n <= 5, but is run with n = 6"):
        ow.vmap(program.module())(ow.ones(3, 6))


@pytest.mark.parametrize("mode", ["real", "fake", "symbolic"])
def test_make_fx_goes_through(mode):
    model, program = make_program()
    x = ow.randn(4, 3)

    traced = ow.make_fx(program.module(), tracing_mode=mode)(x)

    assert ow.allclose(traced(x), model(x))
    names = [str(node.name) for node in traced.graph.inputs]
    assert "_0_weight" in names


def test_a_module_of_a_program_can_be_exported_again():
    model, program = make_program()

    again = export(program.module(), (ow.ones(4, 3),), dynamic_shapes={"input": {0: BATCH}})

    assert again.state_dict.keys() == program.state_dict.keys()
    assert [use.name for use in again.operators] == [use.name for use in program.operators]
    assert again.range_constraints == program.range_constraints
    x = ow.randn(9, 3)
    assert ow.equal(again(x), model(x))


def test_a_module_of_a_program_is_a_part_of_another():
    _, program = make_program()
    outer = nn.Sequential(program.module(), nn.Linear(1, 2))

    again = export(outer, (ow.ones(4, 3),), dynamic_shapes=[{0: BATCH}])

    assert "0.0.weight" in again.state_dict
    x = ow.randn(3, 3)
    assert ow.equal(again(x), outer(x))


def test_written_buffers_are_exported_again():
    program = export(nn.BatchNorm1d(3), (ow.randn(4, 3),))
    module = program.module()
    module(ow.randn(4, 3))

    again = export(module, (ow.randn(4, 3),))

    assert again.state_dict["num_batches_tracked"].item() == 1
    assert sorted(again.graph_signature.buffers_to_mutate.values()) == sorted(
        program.graph_signature.buffers_to_mutate.values()
    )


@pytest.mark.parametrize("how", [copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))])
def test_copies_have_tensors_of_their_own(how):
    model, program = make_program()
    module = program.module()

    copied = how(module)
    copied._modules["0"].weight.detach().zero_()

    x = ow.randn(2, 3)
    assert ow.equal(module(x), model(x))
    assert not ow.equal(copied(x), model(x))
    assert copied.state_dict().keys() == module.state_dict().keys()


def test_its_graph_takes_the_state_first():
    _, program = make_program()
    module = program.module()

    names = [node.name for node in module.graph.inputs]

    assert names[:4] == ["_0_weight", "_0_bias", "_2_weight", "_2_bias"]
    assert module.code.startswith("def forward(self, _0_weight")
    assert "addmm" in module.print_readable(print_output=False)


def test_many_threads_run_one_program():
    model, program = make_program()
    inputs = [ow.randn(size, 3) for size in range(1, 9)]
    expected = [model(x).detach() for x in inputs]
    wrong = []

    def work(number):
        for turn in range(50):
            index = (number + turn) % len(inputs)
            with ow.no_grad():
                result = (program, program.module())[turn % 2](inputs[index])
            if not ow.allclose(result, expected[index]):
                wrong.append(index)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
