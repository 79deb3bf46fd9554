"""The reference page of operators, made from the YAML file."""

import pytest
from generate_ops.declarations import DeclarationError
from generate_ops.reference import write_reference

YAML = """\
# ---- sums and products ----------
- func: add(Tensor self, Tensor other) -> Tensor
  variants: function, method
  tags: [core, pointwise]
  pointwise: add
  out: add.out

# ---- views ----------
- func: view(Tensor(a) self, SymInt[] size) -> Tensor(a)
  variants: method
  tags: [view]
  dispatch:
    CompositeExplicitAutograd: view_all
- func: view_as(Tensor(a) self, Tensor other) -> Tensor(a)
  decompose: view_as_composite
- func: where(Tensor x) -> Tensor
  tags: [dynamic_output_shape]
  dispatch:
    CPU, CUDA: where_kernel
"""

PAGE = """\
- [Sums and products](#sums-and-products): 2
- [Views](#views): 3

## Sums and products

| schema | forms | runs on | tags |
|---|---|---|---|
| `add(Tensor self, Tensor other) -> Tensor` | function, method | cpu, devices, meta | \
core, pointwise |
| `add.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)` |  | cpu, devices, meta | \
pointwise, out |

## Views

| schema | forms | runs on | tags |
|---|---|---|---|
| `view(Tensor(a) self, SymInt[] size) -> Tensor(a)` | method | all | view |
| `view_as(Tensor(a) self, Tensor other) -> Tensor(a)` | function | composite |  |
| `where(Tensor x) -> Tensor` | function | cpu, cuda | dynamic_output_shape |
"""


def test_the_page_has_a_section_for_each_family():
    page = write_reference(YAML, "ops.yaml")

    assert page.endswith(PAGE)
    assert "5 overloads of 4 names,\n1 of them tagged core" in page


def test_an_operator_without_a_family_is_refused():
    with pytest.raises(DeclarationError, match=r"^ops\.yaml:1: no comment '# ---- family ----'"):
        write_reference("- func: f(Tensor x) -> Tensor\n  decompose: f\n", "ops.yaml")
