"""The check `compile`: a call inside a compiled function, of fixed sizes and of any."""

import opwright as ow
import pytest

from .host import same_form

NAMESPACE = "compile_check"


def find(op: object, *args: object) -> list[ow.testing.CheckFinding]:
    return ow.opcheck(op, args, test_utils="compile", raise_exception=False).findings


@pytest.mark.parametrize("check", ["compile", "export"])
def test_a_sound_operator_passes(host, check):
    op = host.define(
        "scale(Tensor x, float by) -> Tensor", lambda x, by: x * by, fake=lambda x, by: same_form(x)
    )

    report = ow.opcheck(op, (ow.randn(3, 4), 2.0), test_utils=check)

    assert report.ok
    assert check in report.table()


def test_a_sound_operator_that_writes_passes(host):
    def kernel(x, y):
        x.add_(y)

    op = host.define("put_(Tensor(a!) x, Tensor y) -> ()", kernel, fake=lambda x, y: None)

    assert find(op, ow.randn(3, 4), ow.randn(4)) == []


def test_one_without_a_fake_kernel_breaks_the_graph(host):
    op = host.define("no_fake(Tensor x) -> Tensor", lambda x: x * 2)

    (found,) = find(op, ow.randn(3, 4))

    assert found.kind == "compile-breaks"
    assert found.message.startswith(
        "compile_check::no_fake compiled with dynamic=False breaks the graph: NotImplementedError: "
        "compile_check::no_fake has no fake kernel"
    )


def test_a_fake_kernel_that_gives_other_sizes_is_told(host):
    op = host.define(
        "shorter(Tensor x) -> Tensor",
        lambda x: x[1:].clone(),
        fake=lambda x: ow.empty_like(x),
    )

    (found,) = find(op, ow.randn(3, 4))

    assert found.kind == "compile-wrong-fake"
    assert found.message.startswith(
        "compiled code relies on the fake kernel of compile_check::shorter, which gives the result"
    )


def test_a_fake_kernel_that_gives_other_strides_is_told(host):
    op = host.define(
        "turned(Tensor x) -> Tensor",
        lambda x: (x * 2).transpose(0, 1).contiguous().transpose(0, 1),
        fake=lambda x: x.new_empty(x.shape),
    )

    (found,) = find(op, ow.randn(3, 4))

    assert found.kind == "compile-wrong-fake"
    assert "strides" in found.message


def test_a_hidden_write_is_told(host):
    def kernel(x):
        result = x * 2
        x.add_(1)
        return result

    op = host.define("hides(Tensor x) -> Tensor", kernel, fake=lambda x: ow.empty_like(x))

    (found,) = find(op, ow.randn(3, 4))

    assert found.kind == "compile-differs"
    assert "'x' before the call minus after it" in found.message
    assert found.message.endswith("mark all that it writes in its schema")


def test_a_write_that_the_functional_form_forgets_is_told(host):
    def kernel(x):
        x.add_(1)

    op = host.define(
        "forgets_(Tensor(a!) x) -> ()", kernel, fake=lambda x: None, functional=lambda x: x.clone()
    )

    (found,) = find(op, ow.randn(3, 4))

    assert found.kind == "compile-misses-write"
    assert "leaves 'x' as it was, and the call writes it" in found.message


def test_other_checks_are_run_beside_it():
    checks = list(ow.testing.list_checks())

    assert checks.index("export") < checks.index("compile") < checks.index("determinism")
