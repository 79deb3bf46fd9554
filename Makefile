# The commands of the README. Each does its own set-up (tools/setup).
.PHONY: demo test test-sanitizers test-devices test-all test-cuda check bench time clean

# One operator through every mode and host. HOSTS=torch installs PyTorch too.
demo:
	@tools/setup demo $(HOSTS)
	@tools/build release tour operators_soft_clip python
	@PYTHONPATH=build/release/python .venv/bin/python examples/tour/tour.py \
	  build/release/operators/libsoft_clip.so build/release/tour

# All that must pass before a change goes in, but for the two commands below.
test:
	@tools/setup test
	@tools/test

# Clang, ASan, UBSan, TSan, fuzzing, clang-tidy.
test-sanitizers:
	@tools/setup sanitizers
	@tools/test_sanitizers

# The OpenCL and CUDA devices, without a GPU.
test-devices:
	@tools/setup devices
	@tools/test_devices

# The three at full length: every sample, long fuzzing, clang-tidy over all sources.
test-all: export OPWRIGHT_ALL = 1
test-all: test test-sanitizers test-devices

# The CUDA device, on a machine with a GPU; writes docs/results/cuda.md.
test-cuda:
	@tools/setup devices
	@tools/test_cuda

# Format, lint, layers, names, sizes.
check:
	@tools/setup check
	@tools/check

# Every benchmark, beside its peer; make bench ARGS=--quick for the short form.
bench:
	@tools/setup test
	@tools/build release all benchmarks
	@tools/bench $(ARGS)

# How long the commands above take in a clean clone; writes docs/results/build.md.
time:
	@tools/time_from_scratch

clean:
	rm -rf build
