# The commands of the README. Each does its own set-up (tools/setup).
.PHONY: demo test test-all test-cuda check bench clean

# The tour of what works, from a release build.
demo:
	@tools/setup build
	@tools/build release tour operators_soft_clip python
	@PYTHONPATH=build/release/python .venv/bin/python examples/tour/tour.py \
	  build/release/operators/libsoft_clip.so build/release/tour

# All that must pass before a change goes in.
test:
	@tools/setup test
	@tools/test

# The same at full length: every sample, long fuzzing.
test-all:
	@tools/setup test
	@OPWRIGHT_ALL=1 tools/test

# The CUDA device, on a machine with a GPU; writes docs/results/cuda.md.
test-cuda:
	@tools/setup test
	@tools/test_cuda

# Format, lint, layers, names, sizes.
check:
	@tools/setup check
	@tools/check

# Every benchmark, beside its peer; make bench ARGS=--quick for the short form.
bench:
	@tools/setup test
	@tools/build release
	@tools/bench $(ARGS)

clean:
	rm -rf build
