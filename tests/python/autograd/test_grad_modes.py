"""no_grad, enable_grad, set_grad_enabled, inference_mode: contexts and decorators of a thread."""

import asyncio
import inspect
import threading

import numpy as np
import opwright as ow
import pytest


@pytest.fixture(autouse=True)
def _recording_is_left_on():
    yield
    assert ow.is_grad_enabled()
    assert not ow.is_inference_mode_enabled()


# ---- Contexts ----


def test_no_grad_and_enable_grad_nest():
    with ow.no_grad():
        assert not ow.is_grad_enabled()
        with ow.enable_grad():
            assert ow.is_grad_enabled()
        assert not ow.is_grad_enabled()
    assert ow.is_grad_enabled()


def test_the_mode_comes_back_after_an_exception():
    with pytest.raises(KeyError), ow.no_grad():
        raise KeyError
    assert ow.is_grad_enabled()


def test_one_object_may_be_entered_inside_of_itself():
    mode = ow.no_grad()
    with mode, ow.enable_grad(), mode:
        assert not ow.is_grad_enabled()
    assert ow.is_grad_enabled()


def test_a_mode_is_that_of_its_thread():
    seen = []
    with ow.no_grad():
        thread = threading.Thread(target=lambda: seen.append(ow.is_grad_enabled()))
        thread.start()
        thread.join()
    assert seen == [True]


def test_set_grad_enabled_acts_at_once():
    ow.set_grad_enabled(False)
    assert not ow.is_grad_enabled()
    ow.set_grad_enabled(mode=True)
    assert ow.is_grad_enabled()


def test_set_grad_enabled_as_a_context_ends_with_it():
    with ow.set_grad_enabled(False) as target:
        assert target is None
        assert not ow.is_grad_enabled()
        with ow.set_grad_enabled(True):
            assert ow.is_grad_enabled()
        assert not ow.is_grad_enabled()
    assert ow.is_grad_enabled()


def test_set_grad_enabled_may_be_entered_again():
    mode = ow.set_grad_enabled(False)
    with mode:
        pass
    with mode:
        assert not ow.is_grad_enabled()
    assert ow.is_grad_enabled()
    assert mode.mode is False


def test_inference_mode_turns_recording_off():
    with ow.inference_mode():
        assert (ow.is_inference_mode_enabled(), ow.is_grad_enabled()) == (True, False)
        with ow.enable_grad():
            assert (ow.is_inference_mode_enabled(), ow.is_grad_enabled()) == (True, True)
        with ow.inference_mode(False):
            assert (ow.is_inference_mode_enabled(), ow.is_grad_enabled()) == (False, True)
        with ow.inference_mode(mode=True):
            assert ow.is_inference_mode_enabled()


# ---- Decorators ----


@pytest.mark.parametrize(
    ("decorator", "expected"),
    [
        (ow.no_grad, False),
        (ow.no_grad(), False),
        (ow.enable_grad, True),
        (ow.enable_grad(), True),
        (ow.inference_mode, False),
        (ow.inference_mode(), False),
        (ow.inference_mode(False), True),
    ],
)
def test_functions_run_under_the_mode(decorator, expected):
    @decorator
    def look(a, *, b):
        """Look."""
        return ow.is_grad_enabled(), a, b

    with ow.set_grad_enabled(not expected):
        assert look(1, b=2) == (expected, 1, 2)
        assert ow.is_grad_enabled() is not expected
    assert (look.__name__, look.__doc__) == ("look", "Look.")


def test_set_grad_enabled_as_a_decorator_leaves_the_mode_outside():
    @ow.set_grad_enabled(False)
    def look():
        return ow.is_grad_enabled()

    assert ow.is_grad_enabled()
    assert look() is False
    assert ow.is_grad_enabled()


def test_a_decorated_function_may_call_itself():
    @ow.no_grad
    def count(n):
        with ow.enable_grad():
            return 0 if n == 0 else 1 + count(n - 1)

    assert count(100) == 100


def test_methods_are_decorated():
    class Model:
        @ow.no_grad
        def look(self):
            return self, ow.is_grad_enabled()

    model = Model()
    assert model.look() == (model, False)


def test_a_generator_has_the_mode_while_its_own_code_runs():
    log = []

    @ow.no_grad()
    def count():
        try:
            while True:
                log.append((yield ow.is_grad_enabled()))
        except ValueError:
            yield "thrown"
            return "result"
        finally:
            log.append(ow.is_grad_enabled())

    def outer():
        log.append((yield from count()))

    generator = outer()
    assert inspect.isgeneratorfunction(count)
    assert next(generator) is False
    assert ow.is_grad_enabled()
    assert generator.send("sent") is False
    assert generator.throw(ValueError) == "thrown"
    assert list(generator) == []
    assert log == ["sent", False, "result"]


def test_a_generator_that_is_closed_cleans_up_under_the_mode():
    log = []

    @ow.no_grad
    def count():
        try:
            yield 1
        finally:
            log.append(ow.is_grad_enabled())

    generator = count()
    next(generator)
    generator.close()
    assert log == [False]


def test_a_coroutine_has_the_mode_while_its_own_code_runs():
    @ow.no_grad
    async def look():
        before = ow.is_grad_enabled()
        await asyncio.sleep(0)
        return before, ow.is_grad_enabled()

    async def watch():
        return ow.is_grad_enabled()

    async def both():
        return await asyncio.gather(look(), watch())

    assert asyncio.run(both()) == [(False, False), True]


# ---- Inference tensors ----


def test_what_is_made_in_inference_mode_says_so():
    plain = ow.ones(2)
    with ow.inference_mode():
        made = [ow.ones(2), ow.tensor([1.0]), ow.from_numpy(np.ones(2)), plain + 1, plain.clone()]
        views = [plain[0], plain.view(2, 1), plain.detach()]
    assert all(each.is_inference() for each in made)
    assert not any(each.is_inference() for each in views)
    assert made[0][0].is_inference()
    assert not made[0].clone().is_inference()


def test_an_inference_tensor_is_written_in_inference_mode_only():
    with ow.inference_mode():
        made = ow.ones(2)
        made += 1
    for target in (made, made[0]):
        with pytest.raises(RuntimeError, match="'self' was made in inference mode and is written"):
            target.zero_()
    with pytest.raises(RuntimeError, match="'out' was made in inference mode"), ow.no_grad():
        ow.add(ow.ones(2), ow.ones(2), out=made)
    assert made.tolist() == [2.0, 2.0]
    assert (made + 1).tolist() == [3.0, 3.0]


def test_a_plain_tensor_may_be_written_in_inference_mode():
    plain = ow.ones(2)
    with ow.inference_mode():
        plain.add_(1)
    plain.add_(1)
    assert plain.tolist() == [3.0, 3.0]


# ---- Graphs ----


def test_a_graph_keeps_what_ran_under_no_grad_in_its_code():
    def f(x):
        y = x * 2
        with ow.no_grad():
            z = y + 1
            w = z.sin()
        return y * w

    traced = ow.make_fx(f)(ow.ones(2))

    assert traced.code == (
        "def forward(self, x):\n"
        "    mul = opwright.ops.aten.mul.Scalar(x, 2)\n"
        "    with opwright.no_grad():\n"
        "        add = opwright.ops.aten.add.Scalar(mul, 1)\n"
        "        sin = opwright.ops.aten.sin.default(add)\n"
        "    mul_1 = opwright.ops.aten.mul.Tensor(mul, sin)\n"
        "    return mul_1\n"
    )
    names = {"opwright": ow}
    exec(traced.code, names)
    assert names["forward"](None, ow.ones(2)).tolist() == f(ow.ones(2)).tolist()


# ---- Wrong uses ----


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda: ow.no_grad(1), "no_grad: it takes no argument, or the function that it decorates"),
        (
            lambda: ow.enable_grad(mode=True),
            "enable_grad: it takes no argument, or the function that it decorates",
        ),
        (lambda: ow.set_grad_enabled(), "set_grad_enabled: mode must be a bool, got nothing"),
        (lambda: ow.set_grad_enabled(1), "set_grad_enabled: mode must be a bool, got int"),
        (
            lambda: ow.set_grad_enabled(True, False),
            "set_grad_enabled: it takes one argument, mode, got 2",
        ),
        (lambda: ow.inference_mode(None), "inference_mode: mode must be a bool, got NoneType"),
        (
            lambda: ow.inference_mode(enabled=True),
            "inference_mode: it takes one argument, mode, got 1",
        ),
        (
            lambda: ow.no_grad(int),
            "no_grad: it decorates functions, got <class 'int'>; decorate the methods",
        ),
        (
            lambda: ow.inference_mode(False)(3),
            "inference_mode: it decorates functions, got 3; decorate the methods",
        ),
    ],
)
def test_wrong_arguments_are_named(use, message):
    with pytest.raises(TypeError) as caught:
        use()
    assert str(caught.value) == message


def test_an_asynchronous_generator_is_refused():
    async def count():
        yield 1

    with pytest.raises(TypeError, match="no_grad: it does not decorate asynchronous generators"):
        ow.no_grad(count)


def test_a_mode_that_was_not_entered_cannot_be_left():
    with pytest.raises(RuntimeError, match="no_grad: left without having been entered"):
        ow.no_grad().__exit__(None, None, None)


def test_a_view_of_a_tensor_of_inference_mode_has_no_history():
    with ow.inference_mode():
        x = ow.ones(2, 3, requires_grad=True)

    view = x.view(-1)

    assert view.is_inference()
    assert (view.requires_grad, view.is_leaf, view._is_view()) == (False, True, False)


def test_a_view_made_under_no_grad_is_a_view():
    x = ow.ones(2, requires_grad=True).clone()

    with ow.no_grad():
        view = x.view(-1)

    assert view._is_view()
    assert view._base is x
