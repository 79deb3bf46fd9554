"""Precompiled headers: made in the background by the second build, used by the third."""

import time

import pytest
from opwright.cpp_extension import _cache, load_inline

from .conftest import NATIVE

FLAGS = ["-O0", "-Winvalid-pch", "-Werror"]


@pytest.fixture(autouse=True)
def with_precompiled_headers(monkeypatch, cache):
    monkeypatch.setenv("OPWRIGHT_PRECOMPILED_HEADERS", "1")


def build(number, capfd, **options):
    load_inline(
        f"number_{number}", f"{NATIVE}// {number}", extra_cflags=FLAGS, verbose=True, **options
    )
    return "opwright_headers.h" in capfd.readouterr().err


def headers():
    return [entry for entry in _cache.default_store().entries() if entry.kind == "headers"]


def test_the_second_build_has_them_made_and_the_third_uses_them(cache, capfd):
    assert not build(1, capfd)
    assert not build(2, capfd)
    deadline = time.monotonic() + 300  # a background process of low priority
    while not list(cache.glob("headers/*/*.gch")) and time.monotonic() < deadline:
        time.sleep(0.05)

    assert build(3, capfd)

    assert [entry.facts["name"] for entry in headers()] == ["opwright/opwright.h"]


def test_they_can_be_had_at_once_or_not_at_all(capfd):
    assert not build(4, capfd, use_pch=False)
    assert headers() == []
    assert build(5, capfd, use_pch=True)
