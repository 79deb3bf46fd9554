"""Code of compiled functions: its compiler, its cache, and the errors without a compiler."""

import ctypes
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from opwright import _C
from opwright._compile import llvm as _llvm

ROOT = Path(__file__).resolve().parents[3]
SCALE_FOUR = (ROOT / "tests/compile/objects/scale_four.ll").read_text()

# Prints which maker's libraries the process has, and whether there is code.
ASK_FOR_CODE = """
import sys
from opwright import _C
code = _C.code_for(open(sys.argv[1]).read())
with open("/proc/self/maps") as maps:
    text = maps.read()
print("code" if code else "none", "llvmlite" if "libllvmlite" in text else "-",
      "LLVM" if "libLLVM" in text else "-")
"""
WITHOUT_LLVMLITE = "import sys; sys.modules['llvmlite'] = None\n"


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("OPWRIGHT_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache" / "code"


def run_python(program, **environment):
    return subprocess.run(
        [sys.executable, "-c", program, ROOT / "tests/compile/objects/scale_four.ll"],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )


def run_scale_four(code):
    source, target = (ctypes.c_float * 4)(1, 2, 3, 4), (ctypes.c_float * 4)()
    context = (ctypes.c_int64 * 3)(ctypes.addressof(source), ctypes.addressof(target), 16)
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(code.address("nest"))(context)
    return list(target)


def test_llvmlite_makes_code_that_runs(cache):
    code = _C.code_for(SCALE_FOUR)

    assert run_scale_four(code) == [1, 4, 9, 16]
    assert code.address("other") is None


def test_the_first_run_imports_llvmlite_and_the_second_needs_no_llvm(cache):
    assert run_python(ASK_FOR_CODE).stdout == "code llvmlite -\n"
    assert run_python(ASK_FOR_CODE).stdout == "code - -\n"


def test_importing_the_package_imports_no_llvmlite():
    program = "import opwright, sys; print([m for m in sys.modules if 'llvm' in m])"

    assert run_python(program).stdout == "[]\n"


def test_a_damaged_file_is_made_again(cache):
    run_python(ASK_FOR_CODE)
    [kept] = cache.iterdir()
    whole = kept.read_bytes()
    kept.write_bytes(whole[:-1] + b"?")

    assert run_python(ASK_FOR_CODE).stdout == "code llvmlite -\n"
    assert kept.read_bytes() == whole
    assert run_python(ASK_FOR_CODE).stdout == "code - -\n"


def test_a_cache_that_is_switched_off_is_not_written(cache):
    assert run_python(ASK_FOR_CODE, OPWRIGHT_CODE_CACHE="0").stdout == "code llvmlite -\n"
    assert not cache.exists()


def test_without_llvmlite_the_library_of_llvm_makes_code(cache):
    done = run_python(WITHOUT_LLVMLITE + ASK_FOR_CODE)

    assert done.stdout == "code - LLVM\n"
    assert done.stderr == ""


def test_without_both_it_is_told_once_what_to_install(cache):
    done = run_python(
        WITHOUT_LLVMLITE + ASK_FOR_CODE + "assert _C.code_for('another text') is None\n",
        OPWRIGHT_LLVM="nowhere/libLLVM.so",
    )

    assert done.stdout == "none - -\n"
    assert done.stderr.count("PerformanceWarning") == 1
    assert "pip install 'opwright[compile]'" in done.stderr


def test_where_no_memory_becomes_code_functions_run_by_plan(cache):
    refuse_code = "import ctypes; refused = ctypes.CDLL(None).prctl(65, 1, 0, 0, 0) == 0\n"
    program = (
        "import opwright as ow\n"
        "f = lambda x: ow.sin(x) * 2 + 1\n"
        "print(refused, ow.equal(ow.compile(f)(ow.ones(3)), f(ow.ones(3))))\n"
    )

    done = run_python(refuse_code + program)

    if done.stdout.startswith("False"):
        pytest.skip("this system has no PR_SET_MDWE")
    assert done.stdout == "True True\n"
    assert done.stderr.count("this system does not allow executable memory") == 1


def test_an_llvmlite_that_cannot_be_imported_is_passed_over(cache):
    broken = "import sys; sys.modules['llvmlite.binding'] = None\n"

    assert run_python(broken + ASK_FOR_CODE).stdout == "code - LLVM\n"


def test_a_text_that_llvm_refuses_is_an_error(cache):
    with pytest.raises(RuntimeError, match="LLVM IR parsing error"):
        _C.code_for("define void @nest( {")


def test_threads_make_code_at_once(cache):
    texts = [SCALE_FOUR.replace("4.0", f"{n}.0") for n in range(5, 13)]
    codes = {}
    threads = [
        threading.Thread(target=lambda text=text: codes.update({text: _C.code_for(text)}))
        for text in texts
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [run_scale_four(codes[text])[3] for text in texts] == [4 * n for n in range(5, 13)]


def test_the_assembly_can_be_read(cache):
    text = _C.assembly_for(SCALE_FOUR)

    assert "nest:" in text
    assert "mulps" in text


def test_the_version_is_told_without_an_import():
    import llvmlite

    program = (
        "import sys; from opwright._compile import llvm as _llvm\n"
        "print(_llvm.find_version(), 'llvmlite' in sys.modules)"
    )

    assert run_python(program).stdout == f"{llvmlite.__version__} False\n"


def test_an_llvmlite_of_an_old_dialect_is_not_used():
    assert _llvm._accepted("0.44.0") is None
    assert _llvm._accepted("0.45.1") == "0.45.1"
    assert _llvm._accepted("1.0") == "1.0"


def test_kept_code_is_listed_and_cleared_with_the_rest_of_the_cache(cache):
    run_python(ASK_FOR_CODE)
    command = [sys.executable, "-m", "opwright", "cache"]

    listed = subprocess.run([*command, "list"], capture_output=True, text=True, check=True)
    subprocess.run([*command, "clear"], check=True, capture_output=True)

    assert re.search(r"  880 bytes  code  ", listed.stdout)
    assert list(cache.iterdir()) == []


def test_the_log_tells_what_was_made_and_read(cache):
    made = run_python(ASK_FOR_CODE, OPWRIGHT_LOG="code").stderr
    read = run_python(ASK_FOR_CODE, OPWRIGHT_LOG="code").stderr

    assert re.fullmatch(
        r"opwright code: made in [\d.]+ ms by llvmlite \S+, \d+ bytes, [0-9a-f]{64}\n", made
    )
    assert re.fullmatch(r"opwright code: read in [\d.]+ ms, \d+ bytes, [0-9a-f]{64}\n", read)
