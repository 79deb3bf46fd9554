"""Every method and function of the type's own files has an example that runs."""

import doctest
import types

import opwright as ow
import pytest
from opwright import _C

OWN = (types.MethodDescriptorType, types.GetSetDescriptorType)
MEMBERS = {
    f"Tensor.{name}": member
    for name, member in vars(ow.Tensor).items()
    if isinstance(member, OWN) and name not in ("__dict__", "__weakref__")
}
FUNCTIONS = {
    name: getattr(_C, name)
    for name in (
        "tensor",
        "as_tensor",
        "asarray",
        "from_numpy",
        "from_dlpack",
        "frombuffer",
        "from_buffer",
        "is_tensor",
        "_rebuild_tensor",
    )
}


@pytest.mark.parametrize("name", [*MEMBERS, *FUNCTIONS, "Tensor"])
def test_example_runs(name):
    subject = {**MEMBERS, **FUNCTIONS, "Tensor": ow.Tensor}[name]
    test = doctest.DocTestParser().get_doctest(subject.__doc__, {}, name, None, 0)

    assert test.examples
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test).failed == 0


def test_the_type_has_docstrings_to_run():
    assert "Tensor.numpy" in MEMBERS
    assert "Tensor.shape" in MEMBERS
