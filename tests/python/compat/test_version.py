"""torch.__version__ under compat is compared as torch's is."""

import opwright.compat.torch as compat
import pytest

COMPARISONS = [
    lambda version: version >= (2, 1),
    lambda version: version >= "2.9",
    lambda version: version > "2.13.1",
    lambda version: version < (3,),
    lambda version: version <= "1.13",
    lambda version: version == (2, 13, 0),
    lambda version: version != "2.12.0",
    lambda version: isinstance(version, str),
    lambda version: version.split(".")[0],
]


@pytest.mark.parametrize("comparison", COMPARISONS)
def test_it_compares_as_torchs_version(comparison):
    torch = pytest.importorskip("torch", minversion="2.13")

    theirs = torch.torch_version.TorchVersion("2.13.0")

    assert comparison(compat.__version__) == comparison(theirs)


def test_a_version_without_numbers_is_refused():
    with pytest.raises(ValueError, match=r"expected a release such as .*, got 'new'"):
        _ = compat.__version__ >= "new"


def test_the_module_version_has_it_too():
    assert compat.version.__version__ is compat.__version__
    assert compat.version.cuda is None
