"""Loads the operator with one library in this process: time_load.py LIBRARY CACHE [again].

Prints `load SECONDS`: CPU seconds of this process and its compilers, from after the import until
the operator can be called. With `again`, also the seconds of loading it a second time.
"""

import os
import resource
import sys
import time
from pathlib import Path

LIBRARY, CACHE = sys.argv[1:3]
SOURCE = (Path(__file__).parents[2] / "tests/seeds/dual_residual.cpp.txt").read_text()
# tvm-ffi has no operators to call, so its source contains the loop.
TVM_SOURCE = """
using tvm::ffi::TensorView;
void dual_residual(TensorView x, TensorView y, double alpha, TensorView first, TensorView second) {
  const float* px = static_cast<const float*>(x.data_ptr());
  const float* py = static_cast<const float*>(y.data_ptr());
  float* a = static_cast<float*>(first.data_ptr());
  float* b = static_cast<float*>(second.data_ptr());
  for (int64_t i = 0; i < x.numel(); ++i) {
    a[i] = px[i] * alpha - py[i];
    b[i] = py[i] * alpha - px[i];
  }
}
"""


def cpu_seconds():
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def main():
    source = SOURCE
    if LIBRARY == "opwright":
        os.environ["OPWRIGHT_CACHE_DIR"] = CACHE
        from opwright.cpp_extension import load_inline
    elif LIBRARY == "torch":
        os.environ["TORCH_EXTENSIONS_DIR"] = CACHE
        from torch.utils.cpp_extension import load_inline
    else:
        os.environ["TVM_FFI_CACHE_DIR"] = CACHE
        from tvm_ffi.cpp import load_inline

        source = TVM_SOURCE

    def load():
        return load_inline(name="test", cpp_sources=source, functions="dual_residual")

    started = cpu_seconds()
    load()
    print("load", cpu_seconds() - started)
    if sys.argv[3:]:
        count = 20
        started = time.perf_counter()
        for _ in range(count):
            load()
        print("again", (time.perf_counter() - started) / count)


if __name__ == "__main__":
    main()
