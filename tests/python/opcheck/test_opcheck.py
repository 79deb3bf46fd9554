"""opcheck from Python: its arguments, its results, its errors."""
# Covers: python/bindings/opcheck/*.

import opwright as ow
import pytest
from opwright.library import Library


@pytest.fixture
def lib():
    with Library("opcheck_py", "FRAGMENT") as library:
        yield library


def define(lib, schema, kernel):
    name = lib.define(schema)
    lib.impl(name, kernel, "CPU")
    return getattr(ow.ops.opcheck_py, schema.partition("(")[0])


def test_an_operator_an_overload_and_a_custom_op_are_taken():
    x = ow.randn(3)
    for op in (ow.ops.aten.sin, ow.ops.aten.sin.default):
        assert ow.opcheck(op, (x,), test_utils="schema").ok


def test_the_error_has_the_report_and_names_the_fault(lib):
    op = define(lib, "halve(Tensor x) -> Tensor", lambda x: x.mul_(0.5).clone())

    with pytest.raises(ow.OpCheckError) as caught:
        ow.opcheck(op, (ow.ones(3),), test_utils="schema")

    assert "opcheck of opcheck_py::halve: 1 fault" in str(caught.value)
    assert "opcheck_py::halve changed its argument 'x'" in str(caught.value)
    assert caught.value.report.findings[0].kind == "undeclared-write"


def test_results_of_a_wrong_type_are_a_fault_of_their_own(lib):
    op = define(lib, "pair(Tensor x) -> (Tensor, Tensor)", lambda x: x.clone())

    report = ow.opcheck(op, (ow.ones(3),), raise_exception=False)

    assert [(each.check, each.kind) for each in report.findings] == [("results", "wrong-results")]
    message = report.findings[0].message
    assert "opcheck_py::pair: the Python function must return a tuple of 2 results" in message


def test_the_report_is_read_by_name_as_pytorchs_is(lib):
    op = define(lib, "same(Tensor x) -> Tensor", lambda x: x)

    report = ow.opcheck(op, (ow.ones(3),), test_utils=("schema", "results"), raise_exception=False)

    assert report["results"] == "SUCCESS"
    assert "shares memory" in report["schema"]
    with pytest.raises(KeyError):
        report["fake"]


def test_a_report_is_a_page_of_markdown_too(lib):
    op = define(lib, "same(Tensor x) -> Tensor", lambda x: x)

    page = ow.opcheck(op, (ow.ones(3),), test_utils="schema", raise_exception=False).to_markdown()

    assert page.startswith("## `opcheck_py::same`\n")
    assert "| schema | FAILED |" in page
    assert "```python\nimport opwright as ow\n" in page


def test_an_example_that_the_operator_refuses_is_an_error():
    with pytest.raises(ValueError, match="rejects the example: RuntimeError: mm: self must have"):
        ow.opcheck(ow.ops.aten.mm, (ow.ones(3), ow.ones(3)))


def test_an_example_without_memory_is_an_error():
    with pytest.raises(ValueError, match="opcheck of aten::sin: the argument 'self' has no memory"):
        ow.opcheck(ow.ops.aten.sin, (ow.empty(3, device="meta"),))


def test_arguments_that_do_not_bind_are_an_error_of_the_call():
    with pytest.raises(TypeError, match="no overload of aten::mm takes"):
        ow.opcheck(ow.ops.aten.mm, (ow.ones(3), 3))


def test_an_operator_without_a_kernel_is_named(lib):
    lib.define("bare(Tensor x) -> Tensor")

    with pytest.raises(
        ValueError, match="rejects the example: NotImplementedError: opcheck_py::ba"
    ):
        ow.opcheck(ow.ops.opcheck_py.bare, (ow.ones(3),))


def test_what_is_no_operator_is_refused():
    with pytest.raises(TypeError, match="the first argument must be an operator"):
        ow.opcheck(lambda x: x, (ow.ones(3),))


def test_an_unknown_check_is_refused_with_what_there_is():
    with pytest.raises(ValueError, match="there is no check 'fakes'; did you mean 'fake'"):
        ow.opcheck(ow.ops.aten.sin, (ow.ones(3),), test_utils="fakes")


def test_progress_is_told_line_by_line():
    told = []
    ow.opcheck(ow.ops.aten.sin, (ow.ones(3),), test_utils="schema", progress=told.append)
    assert [(line.check, line.state) for line in told] == [("schema", "ok")]


def test_an_exception_of_progress_comes_through():
    def stop(line):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ow.opcheck(ow.ops.aten.sin, (ow.ones(3),), test_utils="schema", progress=stop)


def test_the_example_is_left_as_it_was():
    x = ow.randn(3, 4).requires_grad_()
    before = x.detach().clone()
    version = x._version

    ow.opcheck(ow.ops.aten.sin, (x,))

    assert x.detach().equal(before)
    assert x.grad is None
    assert x._version == version


def test_it_may_be_called_inside_of_other_modes():
    with ow.no_grad():
        assert ow.opcheck(ow.ops.aten.sin, (ow.ones(3),), examples=5).ok
