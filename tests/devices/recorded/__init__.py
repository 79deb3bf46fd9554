"""Calls of aten operators that were recorded from torch's operator database, for devices.

`samples.jsonl.gz` holds a line for each call: the overload and its arguments, tensors as sizes,
strides and a seed of their values. It needs no torch: the calls run on the CPU and on the device,
and results, written arguments, dtypes and sizes must be the same (replay.py). From the root of the
repository, after `tools/build release python`:

    .venv/bin/python tests/devices/recorded --device cuda            # a line for each operator
    .venv/bin/python tests/devices/recorded --device opencl --op 'add*' sum
    .venv/bin/python tests/devices/recorded --device cuda --write docs/results/cuda_replay.md
    .venv/bin/python tests/devices/recorded/record.py                # records again, with torch
"""
