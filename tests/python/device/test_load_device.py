"""Plug-ins: loading them, which devices there are, and what is refused."""
# Covers: python/bindings/device/*.

import os
import shutil
import subprocess
import sys
import textwrap

import opwright as ow
import pytest
from opwright._device import search

from .device_plugins import plugin


def run_python(text, **environment):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(text)],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )


def test_the_devices_that_are_there_have_counts(sample):
    assert ow.devices()["cpu"] == 1
    assert ow.devices()["sample"] == 2
    assert ow.device_count("sample") == 2
    assert ow.is_available("sample")


def test_a_device_that_nobody_knows_is_not_there():
    assert ow.device_count("no_such_device") == 0
    assert not ow.is_available("no_such_device")
    assert not ow.is_available("../sample")
    assert not ow.is_available("meta")


def test_a_tensor_goes_to_a_device_and_back(sample):
    x = ow.arange(6.0).reshape(2, 3)

    there = x.to("sample:1", non_blocking=True)

    assert there.device == ow.device("sample:1")
    assert ow.equal(there.cpu(), x)
    assert there.to("sample").device == ow.device("sample:0")


def test_kernels_of_the_plug_in_run_there(sample):
    x = ow.tensor([1.0, 2.0], device="sample")

    assert ow.ops.sample.twice(x).cpu().tolist() == [2.0, 4.0]


def test_a_file_that_is_not_there():
    with pytest.raises(OSError, match=r"there is no file libnothing\.so"):
        ow.load_device("libnothing.so")


def test_a_file_that_adds_no_device():
    with pytest.raises(ImportError, match=r"libsoft_clip\.so adds no device\n  A plug-in has an"):
        ow.load_device(plugin("soft_clip"))


def test_a_plug_in_of_another_abi_version():
    with pytest.raises(ImportError, match=r"was built for ABI 2\.0 of Opwright, this is ABI 1\.2"):
        ow.load_device(plugin("other_abi"))


def test_a_plug_in_without_the_functions_that_all_need():
    with pytest.raises(ValueError, match="hollow must have the functions count, current"):
        ow.load_device(plugin("hollow_device"))


def test_a_device_that_another_plug_in_added(plain, tmp_path):
    copy = shutil.copy(plugin("plain_device"), tmp_path)

    with pytest.raises(
        ValueError, match=rf"the device plain is registered already\n  in the plug-in {copy}"
    ):
        ow.load_device(copy)


def test_an_index_that_does_not_exist(sample):
    with pytest.raises(IndexError, match="there is no sample:7: this process sees 2 sample dev"):
        ow.ones(2, device="sample:7")


def test_tensors_on_two_devices(sample):
    with pytest.raises(RuntimeError) as failure:
        ow.ones(2, device="sample") + ow.ones(2)

    assert str(failure.value) == (
        "aten::add.Tensor: the tensors are on two devices: self is float32[2] on sample:0, "
        "other is float32[2] on cpu\n  Move one of them with to()."
    )


def test_what_was_looked_for_stands_in_the_error():
    with pytest.raises(RuntimeError) as failure:
        ow.ones(2, device="vulkan")

    text = str(failure.value)
    assert text.startswith(
        "nothing runs on vulkan here: the plug-in that registers the device 'vulkan' is not loaded"
    )
    assert "libopwright_vulkan.so (there is no such file)" in text
    assert "entry points of the group opwright.devices (none has that name)" in text
    assert "opwright.load_device(path) takes a plug-in from anywhere." in text


# ---- entry points --------------------------------------------------------------------------------


@pytest.fixture
def package(tmp_path):
    """Return a function that makes a folder with a package that offers devices."""

    def make(code: str, **devices: str) -> str:
        (tmp_path / "acme_devices.py").write_text(code)
        info = tmp_path / "acme_devices-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-devices\nVersion: 1.0\n")
        lines = [f"{name} = acme_devices:{value}" for name, value in devices.items()]
        (info / "entry_points.txt").write_text("\n".join(["[opwright.devices]", *lines, ""]))
        return os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])

    return make


def test_a_package_offers_the_path_of_a_plug_in(package):
    path = package(f"path = {str(plugin('sample_device'))!r}", sample="path")

    done = run_python(
        """
        import opwright as ow
        print(ow.ones(2, device="sample:1").device, ow.devices()["sample"])
        """,
        PYTHONPATH=path,
    )

    assert (done.stdout, done.stderr) == ("sample:1 2\n", "")


def test_a_package_offers_a_function_that_loads_the_plug_in(package):
    code = f"""
import opwright
def load():
    print("loading")
    opwright.load_device({str(plugin("sample_device"))!r})
"""
    path = package(code, sample="load")

    done = run_python(
        """
        import opwright as ow
        print(ow.is_available("sample"), ow.device_count("sample"))
        """,
        PYTHONPATH=path,
    )

    assert (done.stdout, done.stderr) == ("loading\nTrue 2\n", "")


def test_a_package_that_fails_is_shown_in_the_error(package):
    path = package("path = 'nowhere/libnpu.so'", npu="path")

    done = run_python("import opwright as ow; ow.ones(2, device='npu')", PYTHONPATH=path)

    assert "unknown device 'npu'; did you mean 'cpu'? known: cpu, cuda" in done.stderr
    assert "(npu = acme_devices:path: OSError: there is no file nowhere/libnpu.so)" in done.stderr


def test_a_package_is_asked_once_from_many_threads(package):
    code = f"""
import time
def load():
    print("loading", flush=True)
    time.sleep(0.05)
    return {str(plugin("sample_device"))!r}
"""
    path = package(code, sample="load")

    done = run_python(
        """
        import threading, opwright as ow
        def use(): counts.append(ow.device_count("sample"))
        counts = []
        threads = [threading.Thread(target=use) for _ in range(4)]
        for each in threads: each.start()
        for each in threads: each.join()
        print(counts)
        """,
        PYTHONPATH=path,
    )

    assert done.stdout.splitlines()[-1] == "[2, 2, 2, 2]", done.stderr


def test_names_that_packages_offer_are_listed():
    assert search.offered_names() == sorted(search.offered_names())
