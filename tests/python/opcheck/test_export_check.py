"""The check `export`: a call as a program that was saved and loaded."""

import opwright as ow

NAMESPACE = "export_check"


def find(op: object, *args: object) -> list[ow.testing.CheckFinding]:
    return ow.opcheck(op, args, test_utils="export", raise_exception=False).findings


def test_one_without_a_fake_kernel_cannot_be_exported(host):
    op = host.define("no_fake(Tensor x) -> Tensor", lambda x: x * 2)

    (found,) = find(op, ow.randn(3, 4))

    assert found.kind == "export-raised"
    assert found.message.startswith(
        "export_check::no_fake cannot be exported: NotImplementedError: "
        "export_check::no_fake has no fake kernel"
    )


def test_a_size_that_the_fake_kernel_fixes_is_told_with_its_line(host, here):
    def fake(x):
        return x.new_empty((int(x.shape[0]), x.shape[1]))  # int(size)

    op = host.define("fixes(Tensor x) -> Tensor", lambda x: x.contiguous() * 2, fake=fake)

    (found,) = find(op, ow.randn(3, 4))

    assert found.kind == "export-fixes-size"
    assert "export of export_check::fixes fixes dimension 0 of 'x' to " in found.message
    assert f"required at {here('int(size)')}" in found.message


def test_a_write_that_the_functional_form_forgets_is_told(host):
    def kernel(x):
        x.add_(1)

    op = host.define(
        "forgets_(Tensor(a!) x) -> ()", kernel, fake=lambda x: None, functional=lambda x: x.clone()
    )

    (found,) = find(op, ow.randn(3, 4))

    assert found.kind == "export-misses-write"
    assert "leaves 'x' as it was, and the call writes it" in found.message


def test_other_checks_are_run_beside_it():
    checks = list(ow.testing.list_checks())

    assert checks.index("functionalize") < checks.index("export") < checks.index("determinism")
