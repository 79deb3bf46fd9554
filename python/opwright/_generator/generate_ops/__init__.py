"""Generates C++ declarations, functions and the registration of operators from a YAML file.

python -m generate_ops --yaml functions.yaml --public <dir> --source <dir>
python -m generate_ops --yaml functions.yaml --namespace npu --author <dir>

An entry of the YAML file:

- func: mm(Tensor self, Tensor mat2) -> Tensor    the schema, without a namespace
  variants: function, method                      its C++ forms, or none; `function` if left out
  tags: [core]                                    names of opwright::Tag in snake_case
  dispatch:                                       the functions of its row
    CPU: mm_cpu
    AllDevices: mm_all_devices                    for each device that has none of its own
  decompose: mm_composite                         a body of other operators' calls; beside kernels
                                                  it is their Decompose rule
  scatter: mm_scatter                             of a view: its Scatter rule (built-in ones alone)
  vmap: mm_vmap                                   its Vmap rule (built-in ones alone)
  gradients:                                      C++ expressions (gradients.py); built-in ones
    self: grad.mm(mat2.t())
    mat2: self.t().mm(grad)
  autocast: lower                                 the dtype that autocast gives its floating
                                                  arguments: lower, float32 or widest (built-in
                                                  ones alone); {cpu: lower, accelerator: widest}
                                                  by device
  properties: [cheap]                             names of opwright::Property in snake_case
                                                  (built-in ones alone)

Instead of functions, an entry may say in one line what computes it (built-in ones alone):

- func: deg2rad(Tensor self) -> Tensor
  composite: self * (std::numbers::pi / 180)      a C++ expression (composites.py)
- func: absolute(Tensor self) -> Tensor
  alias_of: abs                                   an operator with these arguments (aliases.py)

It, and every other entry, may name forms that are made for it: they call the operator and write its
results. Those of an alias are aliases of its target's forms.

  in_place: absolute_                             or {name: absolute_, variants: "function, method"}
  out: absolute.out

The tags inplace and out follow from the schema. Repeating an entry is harmless.

The functions of the built-in operators (first form) are in namespace opwright, at least one for
each. A pointwise operator names its operation (src/ops/engine/pointwise/pointwise.h) instead of a
dispatch. The operation provides the kernels of every form; the in-place and out forms are made
from the schema:

- func: relu(Tensor self) -> Tensor
  pointwise: relu                                 const PointwiseOp& relu_op()
  in_place: relu_
  out: relu.out
  vmap: {func: relu_vmap, in_place: relu_in_place_vmap}     rules of several of the three forms

An author's list (second form; author_list.py) may have sections, a mapping of names to lists, and
keys that other generators read (HINTS in declarations.py). Functions of its entries are optional.
opwright.declare.load reads such a list when a program runs.
"""
