"""Makes the C++ declarations and the registration of operators from a YAML file.

python -m generate_ops --yaml functions.yaml --public <dir> --source <dir>

An entry of the YAML file:

- func: mm(Tensor self, Tensor mat2) -> Tensor    the schema, without a namespace
  variants: function, method                      its C++ forms; `function` if left out
  tags: [core]                                    names of opwright::Tag in snake_case
  dispatch:                                       the functions of its row, in namespace opwright
    CPU: mm_cpu

A pointwise operator names its operation (src/ops/pointwise.h) instead of a dispatch. It gives the
kernels of every form; the in-place and out forms are made from the schema:

- func: relu(Tensor self) -> Tensor
  pointwise: relu                                 const PointwiseOp& relu_op()
  in_place: relu_
  out: relu.out
"""
