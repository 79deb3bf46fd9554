# The commands of the README. Each installs what it needs (tools/setup).
.PHONY: demo test models test-sanitizers test-devices test-all test-cuda check bench time clean

# Shows one operator in every mode and host. HOSTS=torch also installs PyTorch.
demo:
	@tools/setup demo $(HOSTS)
	@tools/build release tour operators_soft_clip python
	@PYTHONPATH=build/release/python .venv/bin/python examples/tour/tour.py \
	  build/release/operators/libsoft_clip.so build/release/tour

# The tests to run before every change. CI also runs the next two commands and every benchmark once.
test:
	@tools/setup test
	@tools/test

# Runs clang, ASan, UBSan, TSan, fuzzing and clang-tidy.
test-sanitizers:
	@tools/setup sanitizers
	@tools/test_sanitizers

# Builds and tests the OpenCL and CUDA devices without a GPU.
test-devices:
	@tools/setup devices
	@tools/test_devices

# The three commands in their long form: every sample, long fuzzing, clang-tidy on all sources, models of
# transformers, timm and torchvision.
test-all: export OPWRIGHT_ALL = 1
test-all: models test test-sanitizers test-devices

models:
	@tools/setup models

# Tests the CUDA device on a machine with a GPU; writes docs/results/cuda.md.
test-cuda:
	@tools/setup devices
	@tools/test_cuda

# Checks format, lint, layers, names, words, sizes and paths.
check:
	@tools/setup check
	@tools/check

# Runs every benchmark against its peer. ARGS=--quick: short runs; ARGS=--smoke: once; ARGS=--write: update docs/results.
bench:
	@tools/setup test
	@tools/build release all benchmarks
	@tools/bench $(ARGS)

# Times the commands above in a clean clone; writes docs/results/build.md.
time:
	@tools/time_from_scratch

clean:
	rm -rf build
