"""XLA's memory: it is read in place, ends with the call, and holds the results."""

import contextlib
import resource

import jax
import jax.numpy as jnp
import numpy as np
import opwright
import opwright.jax
import pytest

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def test_what_a_kernel_keeps_is_a_copy(load):
    failing = load("failing").failing
    opwright.library.register_fake("failing::remember", lambda x: opwright.empty_like(x))
    opwright.library.register_fake("failing::forget", lambda x: None)

    remember = jax.jit(failing.remember)
    remember(X).block_until_ready()
    previous = remember(X + 1)
    failing.forget(X)

    np.testing.assert_allclose(previous, X)


def test_a_kept_view_of_an_argument_is_an_error(load):
    foreign = load("foreign_memory").foreign

    with pytest.raises(jax.errors.JaxRuntimeError) as caught:
        jax.block_until_ready(jax.jit(foreign.keep_view)(X))
    opwright.ops.foreign.drop_view(opwright.ones(1))

    assert (
        "INTERNAL: RuntimeError: foreign::keep_view: argument 'x' is still shown by a tensor that "
        "the kernel kept; XLA's memory ends with the call, so keep a clone() instead"
    ) in str(caught.value)


def test_an_argument_that_is_not_declared_as_written_is_read_only(load):
    foreign = load("foreign_memory").foreign

    with pytest.raises(
        jax.errors.JaxRuntimeError, match="ValueError: the memory of this tensor is read-only"
    ):
        jax.block_until_ready(jax.jit(foreign.write_unwritten)(X))


def test_a_written_argument_is_given_back_and_the_original_stays(load):
    mutation = load("mutation").mutation
    x = jnp.asarray(X)

    total = jax.jit(lambda x: mutation.accumulate(x, x, 3.0))(x)
    halved, total_before = jax.jit(mutation.halve_)(x)

    np.testing.assert_allclose(total, 4 * X)
    np.testing.assert_allclose(halved, X / 2)
    np.testing.assert_allclose(total_before, X.sum())
    np.testing.assert_allclose(x, X)


def test_a_write_through_a_second_handle_is_seen(load):
    foreign = load("foreign_memory").foreign

    np.testing.assert_allclose(jax.jit(foreign.twice_)(X), 2 * X)
    np.testing.assert_allclose(jax.jit(foreign.twice_, donate_argnums=0)(jnp.asarray(X)), 2 * X)


def test_an_operator_of_python_may_write_and_keep_its_arguments():
    kept = []

    @opwright.library.custom_op("jax_memory::scale_", mutates_args=("x",))
    def scale_(x: opwright.Tensor, by: opwright.Tensor) -> None:
        kept.append(by)
        x.mul_(by)

    scale = opwright.jax.register(scale_)

    result = jax.jit(lambda x: scale(x, jnp.full(3, 2.0, "float32")))(X)

    np.testing.assert_allclose(result, 2 * X)
    np.testing.assert_allclose(np.asarray(kept[0]), np.full(3, 2.0))


def test_a_kernel_that_breaks_the_promise_of_its_fake_kernel_is_an_error(load):
    foreign = load("foreign_memory").foreign

    with pytest.raises(jax.errors.JaxRuntimeError) as caught:
        jax.block_until_ready(jax.jit(foreign.promised_more)(np.ones(3, np.float32)))

    assert (
        "INVALID_ARGUMENT: ValueError: foreign::promised_more: result 0 is float32[3], but its "
        "buffer was made for float32[4], as the fake kernel says; they must agree"
    ) in str(caught.value)


def test_many_calls_and_errors_leave_nothing_behind(load):
    audio = load("soft_clip").audio
    sound = load("sound").sound
    good = jax.jit(lambda x: sound.sine_and_cosine(audio.soft_clip(x)))
    bad = jax.jit(lambda x: audio.soft_clip(x, -1.0))
    x = jnp.ones((64, 64), "float32")

    def run(count):
        for _ in range(count):
            jax.block_until_ready(good(x))
            with contextlib.suppress(jax.errors.JaxRuntimeError):
                jax.block_until_ready(bad(x))

    run(300)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    run(3000)

    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 10_000  # KiB; one of the call's tensors has 16 KiB
