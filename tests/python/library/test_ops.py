"""Ops.ns.name, its overloads, dir(), names that do not exist."""

import opwright as ow
import pytest


def test_an_operator_is_found_by_namespace_name_and_overload(trial):
    trial.define("scale(Tensor x) -> Tensor")
    trial.define("scale.by(Tensor x, float factor) -> Tensor")
    trial.impl("scale", lambda x: x * 2, "CPU")
    trial.impl("scale.by", lambda x, factor: x * factor, "CPU")

    x = ow.tensor([1.0])
    assert ow.ops.trial.scale(x).tolist() == [2.0]
    assert ow.ops.trial.scale(x, 5.0).tolist() == [5.0]
    assert ow.ops.trial.scale.default(x).tolist() == [2.0]
    assert ow.ops.trial.scale.by(x, 3.0).tolist() == [3.0]
    assert ow.ops.trial.scale.overloads() == ["default", "by"]


def test_dir_completes(trial):
    trial.define("scale(Tensor x) -> Tensor")
    trial.define("scale.by(Tensor x, float factor) -> Tensor")

    assert {"aten", "trial"} <= set(dir(ow.ops))
    assert "scale" in dir(ow.ops.trial)
    assert {"default", "by"} <= set(dir(ow.ops.trial.scale))


def test_a_missing_name_is_told_with_the_closest_ones(trial):
    trial.define("scale(Tensor x) -> Tensor")

    with pytest.raises(AttributeError, match="trial::scal") as failure:
        ow.ops.trial.scal  # noqa: B018

    assert str(failure.value) == (
        "there is no operator trial::scal; did you mean 'scale'?\n"
        "  If it comes from an operator binary, load it first: "
        'opwright.load_library("libtrial.so").'
    )


def test_a_missing_namespace_is_told_with_what_to_do():
    with pytest.raises(AttributeError, match="nowhere") as failure:
        ow.ops.nowhere.op  # noqa: B018

    assert str(failure.value) == (
        "no operator of the namespace 'nowhere' is defined\n"
        "  If it comes from an operator binary, load it first: "
        'opwright.load_library("libnowhere.so").'
    )


def test_a_missing_overload_is_told_with_those_there_are(trial):
    trial.define("scale(Tensor x) -> Tensor")
    trial.define("scale.by(Tensor x, float factor) -> Tensor")

    with pytest.raises(AttributeError, match="by") as failure:
        ow.ops.trial.scale.bye  # noqa: B018

    assert "trial::scale" in str(failure.value)


def test_an_overload_that_is_removed_is_not_found_any_more(trial):
    trial.define("scale(Tensor x) -> Tensor")
    with ow.library.Library("trial", "FRAGMENT") as library:
        library.define("scale.by(Tensor x, float factor) -> Tensor")
        assert ow.ops.trial.scale.by is ow.ops.trial.scale.by

    with pytest.raises(AttributeError, match="has no overload 'by'"):
        ow.ops.trial.scale.by  # noqa: B018


def test_a_wrong_call_is_told_in_the_callers_terms(trial):
    trial.define("scale(Tensor x, float factor=1.0) -> Tensor")

    with pytest.raises(TypeError, match=r"argument 'x' \(position 1\) must be Tensor"):
        ow.ops.trial.scale("x")
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'factr'; did you mean"):
        ow.ops.trial.scale(ow.ones(1), factr=1.0)
