"""Whole models leave Python: exported, saved, loaded elsewhere, run at other sizes; as torch."""

from pathlib import Path
from typing import Any

import numpy as np
import opwright as ow
import pytest
import torch
from opwright import pytree

from .models import decoder
from .models.cases import CASES, Case, by_name, map_arrays, to_ours, to_torch
from .models.saved import run_in_cpp, run_in_python

each_model = pytest.mark.parametrize("case", CASES, ids=str)
each_place = pytest.mark.parametrize("run_saved", [run_in_python, run_in_cpp])


def export(case: Case, model: Any) -> ow.export.ExportedProgram:
    return ow.export.export(
        model,
        case.arguments(case.exported),
        dynamic_shapes=case.dynamic_shapes(ow.export.Dim),
    )


def save(program: ow.export.ExportedProgram, folder: Path) -> Path:
    path = folder / "model.opw"
    ow.export.save(program, path)
    return path


def all_calls(case: Case) -> list[Any]:
    return [case.inputs(*sizes) for sizes in (case.exported, *case.others)]


def to_numpy(tensor: Any) -> np.ndarray:
    """Copy a tensor, ours or torch's."""
    return tensor.detach().numpy().copy()


def leaves(results: Any) -> list[np.ndarray]:
    return [to_numpy(each) for each in pytree.tree_flatten(results)[0]]


def run_eagerly(model: Any, calls: list[Any]) -> list[list[np.ndarray]]:
    with ow.no_grad():
        return [leaves(model(*map_arrays(to_ours, call))) for call in calls]


def run_torch(model: Any, calls: list[Any]) -> list[list[np.ndarray]]:
    with torch.no_grad():
        results = [model(*map_arrays(to_torch, call)) for call in calls]
    return [[leaf.numpy().copy() for leaf in torch.utils._pytree.tree_leaves(r)] for r in results]


def assert_equal(given: list[Any], expected: list[Any]) -> None:
    """The same kernels ran in the same order: every bit."""
    for call, (ours, eager) in enumerate(zip(given, expected, strict=True)):
        assert not isinstance(ours, str), ours
        for place, (mine, other) in enumerate(zip(ours, eager, strict=True)):
            assert mine.dtype == other.dtype
            np.testing.assert_array_equal(mine, other, f"result {place} of call {call}")


def assert_close(given: list[Any], expected: list[Any]) -> None:
    for ours, theirs in zip(given, expected, strict=True):
        for mine, other in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(mine, other, rtol=1e-4, atol=1e-5)


# ---- Every model ----


@each_model
def test_eager_agrees_with_torch(case):
    ours, theirs = case.make_twins()
    calls = all_calls(case)

    assert_close(run_eagerly(ours, calls), run_torch(theirs, calls))


@each_model
def test_the_program_gives_what_eager_gives_at_every_size(case):
    ours, _ = case.make_twins()
    program = export(case, ours)
    calls = all_calls(case)

    assert_equal(run_eagerly(program.module(), calls), run_eagerly(ours, calls))


@each_model
def test_an_example_of_one_keeps_its_batch_free(case):
    ours, _ = case.make_twins()
    of_one = case._replace(exported=case.others[0])
    assert of_one.exported[0] == 1

    program = export(of_one, ours)

    calls = all_calls(case)
    assert_close(run_eagerly(program.module(), calls), run_eagerly(ours, calls))


@each_model
@each_place
def test_a_saved_program_gives_the_same_in_another_process(case, run_saved, tmp_path):
    ours, theirs = case.make_twins()
    path = save(export(case, ours), tmp_path)
    calls = all_calls(case)

    given = run_saved(path, calls, case.libraries)

    assert_equal(given, run_eagerly(ours, calls))
    assert_close(given, run_torch(theirs, calls))


@each_model
def test_a_program_taken_apart_gives_the_same(case):
    ours, _ = case.make_twins()
    program = export(case, ours).run_decompositions()
    calls = all_calls(case)

    assert_close(run_eagerly(program.module(), calls), run_eagerly(ours, calls))


@each_model
def test_the_state_of_a_program_is_the_models(case):
    ours, _ = case.make_twins()
    program = export(case, ours)

    state = ours.state_dict()

    assert set(program.state_dict) == set(state)
    for name, value in program.state_dict.items():
        np.testing.assert_array_equal(to_numpy(value), to_numpy(state[name]))


OUT_OF_RANGE = {
    "residual_net": ((33, 12, 14), ["image", "dimension 0", "33", "32"]),
    "vision_transformer": ((2, 9), ["image", "dimension 2", "rows = 9", "<= 8"]),
    "decoder": ((7, 5), ["tokens", "dimension 0", "7", "6"]),
    "recurrent_net": ((33,), ["tokens", "dimension 0", "33", "32"]),
    "recurrent_loop": ((2, 65), ["tokens", "dimension 1", "65", "64"]),
    "point_filter": ((101, 3), ["points", "dimension 0", "101", "100"]),
    "limited_net": ((33,), ["x", "dimension 0", "33", "32"]),
}


@each_model
@each_place
def test_a_size_out_of_range_is_refused_by_name(case, run_saved, tmp_path):
    ours, _ = case.make_twins()
    path = save(export(case, ours), tmp_path)
    sizes, words = OUT_OF_RANGE[case.name]

    (refusal,) = run_saved(path, [case.inputs(*sizes)], case.libraries)

    assert refusal.startswith("ValueError: ")
    for word in words:
        assert word in refusal


# ---- A cache that is written ----


def decoding_calls() -> list[Any]:
    """Three tokens first, then one after the other."""
    steps = [(3, 0), (1, 3), (1, 4), (1, 5), (2, 6)]
    return [by_name("decoder").inputs(2, count, begin) for count, begin in steps]


def cache_of(state: dict[str, Any]) -> list[np.ndarray]:
    return [to_numpy(state[name]) for name in state if name.endswith((".keys", ".values"))]


def test_the_cache_of_a_program_is_eagers_after_several_steps():
    ours, theirs = by_name("decoder").make_twins()
    module = export(by_name("decoder"), ours).module()
    calls = decoding_calls()

    given = run_eagerly(module, calls)

    assert_equal(given, run_eagerly(ours, calls))
    assert_equal([cache_of(module.state_dict())], [cache_of(ours.state_dict())])
    assert_close(given, run_torch(theirs, calls))
    assert_close([cache_of(module.state_dict())], [cache_of(theirs.state_dict())])


def test_export_leaves_the_cache_of_the_model_alone():
    ours, _ = by_name("decoder").make_twins()

    program = export(by_name("decoder"), ours)

    assert not any(each.any() for each in cache_of(ours.state_dict()))
    assert sorted(program.graph_signature.buffers_to_mutate.values()) == [
        f"layers.{layer}.attention.{cache}" for layer in (0, 1) for cache in ("keys", "values")
    ]


@each_place
def test_a_loaded_decoder_remembers_its_steps(run_saved, tmp_path):
    ours, _ = by_name("decoder").make_twins()
    path = save(export(by_name("decoder"), ours), tmp_path)
    before = path.read_bytes()
    calls = decoding_calls()

    given = run_saved(path, calls)

    assert_equal(given, run_eagerly(ours, calls))
    assert path.read_bytes() == before


def test_step_by_step_gives_what_the_whole_sequence_gives():
    ours, _ = by_name("decoder").make_twins()
    module = export(by_name("decoder"), ours).module()
    tokens, positions = by_name("decoder").inputs(2, 8)
    steps = [(tokens[:, at : at + 1], positions[at : at + 1]) for at in range(8)]

    (whole,) = run_eagerly(ours, [(tokens, positions)])
    one_by_one = run_eagerly(module, steps)

    np.testing.assert_allclose(
        np.concatenate([each[0] for each in one_by_one], 1), whole[0], rtol=1e-4, atol=1e-5
    )


# ---- Tied parameters, the same tensor twice ----


def test_tied_parameters_stay_one():
    ours, _ = by_name("decoder").make_twins()
    program = export(by_name("decoder"), ours)

    module = program.module()
    state = program.state_dict

    assert {"tokens.weight", "head.weight"} <= set(state)
    assert [*dict(module.named_parameters())] == [*dict(ours.named_parameters())]
    with ow.no_grad():
        module.tokens.weight.zero_()
    logits = module(*by_name("decoder").arguments((1, 2)))
    assert not to_numpy(logits).any()


def test_tied_parameters_are_tied_when_they_are_loaded(tmp_path):
    ours, _ = by_name("decoder").make_twins()
    path = save(export(by_name("decoder"), ours), tmp_path)

    module = ow.load_program(path).module()

    with ow.no_grad():
        module.tokens.weight.zero_()
    logits = module(*by_name("decoder").arguments((1, 2)))
    assert not to_numpy(logits).any()


@each_place
def test_a_tensor_given_twice_stays_two_inputs(run_saved, tmp_path):
    case = by_name("limited_net")
    ours, _ = case.make_twins()
    x, y = case.inputs(3)
    twice = to_ours(x)
    dynamic_shapes = case.dynamic_shapes(ow.export.Dim)
    program = ow.export.export(ours, (twice, twice), dynamic_shapes=dynamic_shapes)

    given = run_saved(save(program, tmp_path), [(x, y), (x, x)], case.libraries)

    assert list(program.graph_signature.user_inputs) == ["x", "y"]
    assert_equal(given, run_eagerly(ours, [(x, y), (x, x)]))


# ---- Training ----


def gradients_of(package: Any, model: Any, image: Any, classes: Any) -> dict[str, np.ndarray]:
    model.zero_grad()
    package.nn.functional.cross_entropy(model(image), classes).backward()
    return {name: to_numpy(each.grad) for name, each in model.named_parameters()}


def test_the_module_of_a_program_trains_as_the_model_does():
    """Batch norm writes its statistics on the way."""
    case = by_name("residual_net")
    ours, theirs = case.make_twins()
    ours.train()
    theirs.train()
    module = export(case, ours).module()
    (image,) = case.inputs(4, 10, 10)
    classes = np.array([0, 3, 1, 2])

    eager = gradients_of(ow, ours, to_ours(image), to_ours(classes))
    given = gradients_of(ow, module, to_ours(image), to_ours(classes))
    twins = gradients_of(torch, theirs, to_torch(image), to_torch(classes))

    assert set(given) == set(eager)
    for name, gradient in given.items():
        np.testing.assert_allclose(gradient, eager[name], rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(gradient, twins[name], rtol=1e-3, atol=1e-5)
    for name, buffer in ours.named_buffers():
        written = to_numpy(dict(module.named_buffers())[name])
        np.testing.assert_allclose(written, to_numpy(buffer), rtol=1e-6)


def test_a_model_that_drops_elements_draws_the_same_numbers():
    case = by_name("vision_transformer")
    ours, _ = case.make_twins()
    ours.train()
    module = export(case, ours).module()
    calls = all_calls(case)

    ow.manual_seed(11)
    eager = run_eagerly(ours, calls)
    ow.manual_seed(11)
    given = run_eagerly(module, calls)

    assert_equal(given, eager)
    assert not np.array_equal(run_eagerly(module, calls[:1])[0][0], given[0][0])


# ---- What a model says about itself ----


def test_a_length_that_a_model_unrolls_is_fixed_and_told():
    def unrolled(tokens):
        return sum(step * index for index, step in enumerate(tokens.unbind(1)))

    with pytest.raises(ValueError, match="dimension 1") as refusal:
        ow.export.export(
            unrolled, (ow.randn(2, 5),), dynamic_shapes={"tokens": {1: ow.export.Dim("length")}}
        )

    assert "length" in str(refusal.value)
    assert "test_whole_models.py" in str(refusal.value)


def test_the_length_of_an_lstm_may_be_free():
    case = by_name("recurrent_net")
    ours, _ = case.make_twins()
    shapes = case.dynamic_shapes(ow.export.Dim)
    shapes["tokens"][1] = ow.export.Dim("length")
    tokens, *others = case.arguments(case.exported)

    program = ow.export.export(ours, (tokens, *others), dynamic_shapes=shapes)

    longer = ow.cat([tokens, tokens], 1)
    with ow.no_grad():
        assert_equal([leaves(program(longer, *others))], [leaves(ours(longer, *others))])


def test_operators_of_binaries_stay_whole_and_name_their_library():
    case = by_name("limited_net")
    ours, _ = case.make_twins()

    operators = {each.name: each.library for each in export(case, ours).operators}

    assert operators["audio::soft_clip"] == "libsoft_clip.so"
    assert operators["cst::dual_residual"] == "libdual_residual.so"


@each_place
def test_a_binary_that_is_missing_is_named(run_saved, tmp_path):
    case = by_name("limited_net")
    ours, _ = case.make_twins()
    path = save(export(case, ours), tmp_path)

    refusal = run_saved(path, [case.inputs(2)])[0]

    assert refusal.startswith("NotImplementedError: ")
    assert "audio::soft_clip" in refusal
    assert "libsoft_clip.so" in refusal


def test_a_size_of_the_data_beyond_its_bound_is_refused():
    case = by_name("point_filter")
    ours, _ = case.make_twins()
    module = export(case, ours).module()
    points, _ = case.arguments((5, 1))

    with pytest.raises(ValueError, match="64"):
        module(points, ow.tensor([65]))


def test_the_decoder_takes_as_many_tokens_as_its_cache():
    ours, _ = by_name("decoder").make_twins()
    program = export(by_name("decoder"), ours)

    ranges = {str(symbol): bounds for symbol, bounds in program.range_constraints.items()}

    assert tuple(ranges["batch"]) == (1, decoder.MOST_BATCH)
    assert tuple(ranges["steps"]) == (1, decoder.MOST_TOKENS)
