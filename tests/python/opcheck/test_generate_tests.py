"""generate_opcheck_tests: checks the calls of a suite, once for each distinct call."""

import unittest

import opwright as ow
import pytest
from opwright.library import Library
from opwright.testing import generate_opcheck_tests


@pytest.fixture
def lib():
    with Library("generated_tests", "FRAGMENT") as library:
        yield library


@pytest.fixture
def calls(lib):
    """Two operators, one that writes its argument and does not say so; the sizes that ran."""
    sizes = []

    def sound(x):
        sizes.append(tuple(x.shape))
        return x * 2

    lib.define("sound(Tensor x) -> Tensor")
    lib.impl("sound", sound, "CPU")
    lib.define("halve(Tensor x) -> Tensor")
    lib.impl("halve", lambda x: x.mul_(0.5).clone(), "CPU")
    return sizes


def generate(tests, **options):
    return generate_opcheck_tests(
        tests, "generated_tests", **{"test_utils": "schema", "examples": 0, **options}
    )


def run(test_case, name):
    result = test_case(name).run()
    return [text for _, text in result.errors + result.failures]


def test_each_test_gets_one_that_looks_for_faults(calls):
    class Tests(unittest.TestCase):
        def test_sound(self):
            assert ow.ops.generated_tests.sound(ow.ones(2)).tolist() == [2, 2]

        def test_halve(self):
            assert ow.ops.generated_tests.halve(ow.ones(2)).tolist() == [0.5, 0.5]  # faulty

    generate(Tests)

    assert run(Tests, "test_sound") == []
    assert run(Tests, "test_halve") == []
    assert run(Tests, "test_opcheck__test_sound") == []
    (text,) = run(Tests, "test_opcheck__test_halve")
    assert "OpCheckError" in text
    assert "generated_tests::halve changed its argument 'x'" in text


def test_the_error_tells_the_line_of_the_call(calls, here):
    class Tests:
        def test_halve(self):
            ow.ops.generated_tests.halve(ow.ones(2))  # the call

    generate(Tests)

    with pytest.raises(ow.OpCheckError) as caught:
        Tests().test_opcheck__test_halve()

    assert str(caught.value).startswith(f"called at {here('the call')}\n")
    assert caught.value.report.findings[0].kind == "undeclared-write"


def test_a_loop_of_equal_calls_is_checked_once(calls):
    class Tests:
        def test_loop(self):
            for i in range(100):
                ow.ops.generated_tests.sound(ow.full((3,), float(i)))

    generate(Tests)
    Tests().test_loop()
    assert len(calls) == 100
    calls.clear()
    Tests().test_opcheck__test_loop()

    checks = len(calls) - 100
    calls.clear()
    Tests().test_opcheck__test_loop()
    assert 0 < checks < 10
    assert len(calls) == 100 + checks


def test_other_sizes_dtypes_and_numbers_are_other_calls(lib):
    lib.define("scale(Tensor x, float by) -> Tensor")
    lib.impl("scale", lambda x, by: x * by, "CPU")

    class Tests:
        def test_scale(self):
            scale = ow.ops.generated_tests.scale
            scale(ow.ones(2), 1.0)
            scale(ow.zeros(2), 1.0)
            scale(ow.ones(3), 1.0)
            scale(ow.ones(2), 2.0)
            scale(ow.ones(2, dtype=ow.float64), 1.0)
            scale(ow.ones(2).requires_grad_(True), 1.0)

    with ow._C.CheckedCalls(["generated_tests"], ["schema"], 0, 0) as calls:
        Tests().test_scale()

    assert calls.num_checked == 5
    assert calls.failures == []


def test_operators_of_other_namespaces_are_left_alone(calls):
    class Tests:
        def test_halve(self):
            ow.ops.generated_tests.halve(ow.ones(2))

    generate_opcheck_tests(Tests, ["aten", "others"], test_utils="schema", examples=0)

    Tests().test_opcheck__test_halve()


def test_the_call_sees_arguments_as_the_test_gave_them(lib):
    def fill(x, value):
        x.fill_(value)

    lib.define("fill_(Tensor(a!) x, float value) -> ()")
    lib.impl("fill_", fill, "CPU")

    class Tests:
        def test_fill(self):
            x = ow.zeros(2)
            ow.ops.generated_tests.fill_(x, 3.0)
            assert x.tolist() == [3, 3]

    generate(Tests)

    Tests().test_opcheck__test_fill()


def test_what_the_test_raises_is_raised(calls):
    class Tests:
        def test_refusal(self):
            with pytest.raises(TypeError):
                ow.ops.generated_tests.sound("no tensor")
            raise KeyError("the test's own")

    generate(Tests)

    with pytest.raises(KeyError, match="the test's own"):
        Tests().test_opcheck__test_refusal()


def test_an_operator_may_refuse_what_a_test_gives(lib):
    def refuse(x):
        raise ValueError("not today")

    lib.define("refuse(Tensor x) -> Tensor")
    lib.impl("refuse", refuse, "CPU")

    class Tests:
        def test_refusal(self):
            with pytest.raises(ValueError, match="not today"):
                ow.ops.generated_tests.refuse(ow.ones(2))

    generate(Tests)

    Tests().test_opcheck__test_refusal()


def test_calls_on_fake_tensors_are_left_alone(calls):
    class Tests:
        def test_fake(self):
            assert ow.ops.aten.sin(ow.ones(2, device="meta")).shape == (2,)

    generate_opcheck_tests(Tests, "aten", examples=0)

    Tests().test_opcheck__test_fake()


def test_decorators_are_for_added_tests(calls):
    class Tests(unittest.TestCase):
        def test_halve(self):
            ow.ops.generated_tests.halve(ow.ones(2))

    generate(
        Tests, additional_decorators={"test_opcheck__test_halve": unittest.skip("known to write")}
    )

    result = Tests("test_opcheck__test_halve").run()
    assert [reason for _, reason in result.skipped] == ["known to write"]


def test_a_decorator_for_a_test_that_is_not_there_is_refused():
    class Tests:
        def test_one(self):
            pass

    with pytest.raises(
        ValueError, match=r"names 'test_two', but Tests gets test_opcheck__test_one"
    ):
        generate(Tests, additional_decorators={"test_two": unittest.skip})


def test_asynchronous_tests_are_awaited(calls):
    class Tests(unittest.IsolatedAsyncioTestCase):
        async def test_halve(self):
            ow.ops.generated_tests.halve(ow.ones(2))

    generate(Tests)

    assert run(Tests, "test_halve") == []
    assert len(run(Tests, "test_opcheck__test_halve")) == 1
