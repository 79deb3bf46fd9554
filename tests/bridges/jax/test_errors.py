"""Texts of errors: Python's when a call is traced, JaxRuntimeError with the kind when it runs."""

import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import opwright
import opwright.jax
import pytest

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def run_foreign(*tensors, **attributes):
    """Call the handler as one would without this package."""
    call = jax.ffi.ffi_call("opwright", jax.ShapeDtypeStruct(X.shape, X.dtype))
    jax.block_until_ready(jax.jit(lambda *given: call(*given, **attributes))(*tensors))


def expect_foreign_error(text, *tensors, **attributes):
    with pytest.raises(jax.errors.JaxRuntimeError) as caught:
        run_foreign(*tensors, **attributes)
    assert text in str(caught.value)


def test_a_kernel_error_has_its_kind_its_text_and_the_operator(load):
    audio = load("soft_clip").audio

    with pytest.raises(jax.errors.JaxRuntimeError) as caught:
        jax.block_until_ready(jax.jit(lambda x: audio.soft_clip(x, -1.0))(X))

    assert (
        "INVALID_ARGUMENT: ValueError: soft_clip: limit must be positive, got -1\n"
        "  in audio::soft_clip, called by jax"
    ) in str(caught.value)


def test_a_kernel_error_for_a_dtype_arrives(load):
    audio = load("soft_clip").audio

    with pytest.raises(jax.errors.JaxRuntimeError) as caught:
        jax.block_until_ready(audio.soft_clip(X.astype(np.int32)))

    assert "TypeError: soft_clip: dtype int32 is not supported" in str(caught.value)


@pytest.mark.parametrize(
    ("how", "text"),
    [
        (0, "INTERNAL: KeyError: no such key"),
        (1, "INTERNAL: RuntimeError: beyond the end"),
        (2, "RESOURCE_EXHAUSTED: MemoryError: out of memory"),
        (3, "INTERNAL: RuntimeError: an exception that is not a std::exception"),
        (4, "OUT_OF_RANGE: IndexError: a worker failed at"),
        (5, "INTERNAL: RuntimeError: failing::fail: result 0 was left undefined"),
    ],
)
def test_whatever_goes_wrong_in_a_binary_is_an_error(load, how, text):
    failing = load("failing").failing
    opwright.library.register_fake("failing::fail", lambda x, how: opwright.empty_like(x))

    with pytest.raises(jax.errors.JaxRuntimeError) as caught:
        jax.block_until_ready(failing.fail(X, how))

    assert text in str(caught.value)


def test_an_exception_of_a_python_kernel_has_its_kind_and_text():
    @opwright.library.custom_op("jax_errors::refuse", mutates_args=())
    def refuse(x: opwright.Tensor) -> opwright.Tensor:
        raise LookupError("nothing found")

    refuse.register_fake(lambda x: opwright.empty_like(x))
    jax_refuse = opwright.jax.register(refuse)

    with pytest.raises(jax.errors.JaxRuntimeError, match="LookupError: nothing found"):
        jax.block_until_ready(jax_refuse(X))


def test_an_unknown_operator_names_what_to_call(load):
    load("soft_clip")

    expect_foreign_error(
        "NOT_FOUND: AttributeError: jax has no operator 'audio::nothing' of Opwright; call "
        "opwright.jax.load with its binary, or opwright.jax.register with its name, first",
        X,
        _operator="audio::nothing",
    )
    with pytest.raises(AttributeError, match=r"jax has no operator 'audio::nothing' of Opwright"):
        _ = opwright.jax.ops.audio.nothing


def test_a_call_without_a_name_is_refused(load):
    load("soft_clip")

    expect_foreign_error("TypeError: a call of Opwright's handler needs the string attribute", X)


def test_a_wrong_number_of_tensors_is_refused(load):
    load("soft_clip")

    expect_foreign_error(
        "TypeError: audio::soft_clip: it has 1 tensor arguments, but the call has 2",
        X,
        X,
        _operator="audio::soft_clip",
    )


def test_a_missing_attribute_is_named(load):
    load("dual_residual")

    expect_foreign_error(
        "TypeError: cst::dual_residual: argument 'arg2' is missing: it has no default, so the call "
        "needs an attribute of that name",
        X,
        X,
        _operator="cst::dual_residual",
    )


def test_an_attribute_of_another_type_is_named(load):
    load("soft_clip")

    expect_foreign_error(
        "TypeError: audio::soft_clip: argument 'limit' is of type float, which its attribute, a "
        "string, cannot be read as",
        X,
        _operator="audio::soft_clip",
        limit="much",
    )


def test_a_layout_of_tensors_that_does_not_fit_is_refused(load):
    load("foreign_memory")

    expect_foreign_error(
        "TypeError: foreign::add_defined: the numbers that tell which optional tensors and how "
        "many of a list are there do not fit its arguments",
        X,
        _operator="foreign::add_defined",
        _given=np.array([3], np.int64),
    )


@pytest.mark.parametrize(
    ("args", "kwargs", "text"),
    [
        ((), {}, "audio::soft_clip: argument 'x' is missing"),
        ((X, 1.0, 2.0), {}, "audio::soft_clip: it takes 2 positional arguments, got 3"),
        ((X,), {"bound": 1}, "audio::soft_clip: it has no argument 'bound'; it has: x, limit"),
        ((X, 1.0), {"limit": 1}, "audio::soft_clip: argument 'limit' was given twice"),
        ((X, "much"), {}, "audio::soft_clip: argument 'limit' is a float, got str 'much'"),
        (("x",), {}, "audio::soft_clip: argument 'x' is a Tensor, which takes an array of JAX"),
        ((None,), {}, "audio::soft_clip: argument 'x' is a Tensor, got None"),
    ],
)
def test_wrong_arguments_are_found_when_the_call_is_traced(load, args, kwargs, text):
    audio = load("soft_clip").audio

    with pytest.raises(TypeError) as caught:
        audio.soft_clip(*args, **kwargs)

    assert text in str(caught.value)


def test_a_traced_number_is_refused_where_an_attribute_is_needed(load):
    audio = load("soft_clip").audio

    with pytest.raises(TypeError, match="'limit' is a float, which must be known when"):
        jax.jit(audio.soft_clip)(X, 2.0)


def test_sizes_that_depend_on_data_are_refused(load):
    shapes = load("shapes").shapes

    with pytest.raises(NotImplementedError, match="shapes::rows: the sizes of result 0 depend on"):
        shapes.rows(X)


def test_an_operator_without_a_fake_kernel_is_refused(load):
    foreign = load("foreign_memory").foreign

    with pytest.raises(NotImplementedError, match="foreign::without_fake has no fake kernel"):
        foreign.without_fake(X)


def test_a_result_that_this_jax_does_not_have_is_refused():
    argmax = opwright.jax.register("aten::argmax")

    with pytest.raises(TypeError, match=r"aten::argmax: result 0 is int64.*jax_enable_x64"):
        argmax(X)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("foreign::size_of", "it returns a int, but under jax an operator returns tensors only"),
        ("foreign::draw", "argument 'generator' is a Generator?, which the bridge to jax cannot"),
    ],
)
def test_what_xla_cannot_call_is_left_out_and_named_when_asked_for(load, name, text):
    foreign = load("foreign_memory").foreign

    assert name.split("::")[1] not in dir(foreign)
    with pytest.raises(TypeError, match=text.replace("?", r"\?")):
        opwright.jax.register(name)


def test_a_file_that_is_not_there_is_an_os_error():
    with pytest.raises(OSError, match=r"libnot_there\.so"):
        opwright.jax.load("libnot_there.so")


def test_symbolic_sizes_are_refused(load):
    audio = load("soft_clip").audio
    (size,) = jax.export.symbolic_shape("n")

    with pytest.raises(NotImplementedError, match="argument 'x' has symbolic sizes"):
        jax.eval_shape(audio.soft_clip, jax.ShapeDtypeStruct((size,), jnp.float32))


def test_without_jax_the_import_says_what_to_install():
    code = "import sys; sys.modules['jax'] = None; import opwright.jax"

    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert "opwright.jax needs JAX 0.5 or newer, which is not installed" in run.stderr
    assert "pip install jax" in run.stderr


def test_opwright_alone_does_not_import_jax():
    code = "import sys, opwright; opwright.ones(2); assert 'jax' not in sys.modules"

    subprocess.run([sys.executable, "-c", code], check=True)
