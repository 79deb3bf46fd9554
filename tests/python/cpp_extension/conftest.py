"""A cache of its own for each test, and one that tests of the same sources share."""

import os
import stat

import pytest
from opwright.cpp_extension import _cache

NATIVE = """\
#include "opwright/opwright.h"
using opwright::Tensor;
Tensor twice(const Tensor& x) { return x + x; }
"""
# The least that is an operator binary: it compiles in a tenth of the time.
MINIMAL = """\
#include "opwright/c_api.h"
extern "C" __attribute__((visibility("default"))) const OpwBinary* opw_binary(void) {
  static const OpwBinary binary{sizeof(OpwBinary), OPW_ABI_MAJOR, OPW_ABI_MINOR};
  return &binary;
}
"""
QUICK = ["-O0"]


@pytest.fixture(autouse=True)
def no_background_work(monkeypatch):
    """Tests of precompiled headers turn them on; the others must not load the machine."""
    monkeypatch.setenv("OPWRIGHT_PRECOMPILED_HEADERS", "0")
    monkeypatch.delenv("CXX", raising=False)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("OPWRIGHT_CACHE_DIR", str(folder))
    monkeypatch.setattr(_cache._Fallback, "store", None)
    monkeypatch.setattr(_cache._Fallback, "warned", False)
    return folder


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory):
    return tmp_path_factory.mktemp("shared_cache")


@pytest.fixture
def shared_cache(shared_folder, monkeypatch):
    """A cache that tests share: what one has compiled, the next one finds."""
    monkeypatch.setenv("OPWRIGHT_CACHE_DIR", str(shared_folder))
    return shared_folder


@pytest.fixture
def slow_compiler(tmp_path, monkeypatch):
    """The system's compiler behind a script that counts its calls and waits before each."""
    log = tmp_path / "calls"
    script = tmp_path / "slow_compiler"

    def install(seconds: float):
        script.write_text(f'#!/bin/sh\necho call >> "{log}"\nsleep {seconds}\nexec c++ "$@"\n')
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("CXX", os.fspath(script))
        return lambda: log.read_text().count("call") if log.exists() else 0

    return install
