"""Replays the calls of torch's operator database on our operators, and compares.

Every sample of torch.testing._internal's op_db runs in torch, with its backward, its in-place and
its out= form, under a mode that sees each aten call. If we have the overload, the call runs again
on `opwright.ops.aten`, once on copies of its arguments (same sizes, strides, offsets, shared
memory) and once on meta tensors. Values, dtypes, sizes, strides, written arguments and shared
memory must equal torch's; calls that torch rejects we must reject. A call also runs in the other
forms of its overload that we have: in place, with out, with a number for a tensor (derived.py).
handwritten.py calls overloads that no sample reaches. differences.py lists
the remaining differences, each with its reason.

From the root of the repository, after `tools/build release python`:

    .venv/bin/python tests/ops/replay --op 'cumsum*' 'sort.*'     # aten names; finds the entries
    .venv/bin/python tests/ops/replay --entries softmax 'nn.functional.*pool*'
    .venv/bin/python tests/ops/replay --op mm --dtypes float32 bool --show 10
    .venv/bin/python tests/ops/replay --share 0.05 --seed 3       # 5 % of entries x dtypes
    .venv/bin/python tests/ops/replay --all --write               # all; docs/results/replay.md
    .venv/bin/python tests/ops/replay --share 0.05 --mutations 4  # each call in 4 variants too
    .venv/bin/python tests/ops/replay --again build/replay/aten.sum.dim_IntList-1.pt

    .venv/bin/python tests/ops/replay --all --traced --write      # docs/results/traced_replay.md
    .venv/bin/python tests/ops/replay --all --gradients --write   # docs/results/gradients.md
    .venv/bin/python tests/ops/replay --all --vmapped --write     # docs/results/vmap_rules.md
    .venv/bin/python tests/ops/replay --all --checked --write     # .../opcheck_built_ins.md
    .venv/bin/python tests/ops/replay --all --compiled --write    # .../compiled_replay.md
    .venv/bin/python tests/ops/replay --all --onnx --write        # docs/results/onnx_replay.md

`--traced` traces each call with symbolic sizes and runs its graph instead (traced.py),
`--gradients` differentiates it (gradients.py), `--vmapped` maps it (vmapped.py), `--checked` runs
opcheck with it as the example (checked.py), `--compiled` compiles it (compiled.py), `--onnx` runs
its model in ONNX Runtime (onnx_calls.py). `--op` takes names with or without overload, as shell
patterns, and runs the entries that reach them according to reach.json (`--all` with it: every
entry), and the handwritten samples. It ends with one line per overload and the first failing calls.
Each of these is saved in build/replay/*.pt, and `--again FILE` runs it alone and prints both
results in full (also under gdb --args). The columns:

    calls     distinct calls replayed: same operator, sizes, strides, dtypes and numbers count once
              (twice at most, with other values)
    values    a value differs by more than torch.testing allows, and is further from the result in
              float64 than torch's
    dtype, shape, strides, alias    of a result, or of a written argument
    fake      the fake kernel returned another dtype, shape or strides, or raised
    raised    we reject what torch computes
    accepted  we compute what torch rejects
    crash     our process crashed, or hung for two minutes

A call fails once, at the first of these. `not ours` are calls of overloads that we do not have,
`left out` those with a dtype or layout that we do not have.

Modules: call (a recorded call), conversion (torch's arguments as ours), comparison, differences,
replayer (one call), derived (its other forms), mutation (variants of it), recorder (entries of
op_db), handwritten and handwritten_layers with their sample_tensors, workers
(processes), table, report, reach; traced (one call's graph), other_sizes, traced_table; gradients
(of one call), gradient_table; vmapped (one call under vmap), vmapped_table; checked (opcheck of one
call), checked_table; compiled (one call compiled), compiled_table; onnx_calls (one call's
model), onnx_session, onnx_table.
"""
