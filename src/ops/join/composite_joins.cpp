// Joined tensors as composites: hstack and its siblings, block_diag, cartesian_prod, combinations.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "opwright/error.h"
#include "opwright/functions.h"

namespace opwright {
namespace {

void check_not_empty(const char* who, std::span<const Tensor> tensors) {
  OPWRIGHT_CHECK(!tensors.empty(), who, ": tensors must not be empty");
}

}  // namespace

Tensor hstack_composite(std::span<const Tensor> tensors) {
  check_not_empty("hstack", tensors);
  const std::vector<Tensor> parts = atleast_1d(tensors);
  return cat(parts, parts[0].dim() == 1 ? 0 : 1);
}

Tensor vstack_composite(std::span<const Tensor> tensors) {
  check_not_empty("vstack", tensors);
  return cat(atleast_2d(tensors), 0);
}

Tensor dstack_composite(std::span<const Tensor> tensors) {
  check_not_empty("dstack", tensors);
  return cat(atleast_3d(tensors), 2);
}

Tensor column_stack_composite(std::span<const Tensor> tensors) {
  check_not_empty("column_stack", tensors);
  std::vector<Tensor> columns;
  for (const Tensor& each : tensors)
    columns.push_back(each.dim() <= 1 ? each.reshape({each.sym_numel(), 1}) : each);
  return cat(columns, 1);
}

Tensor block_diag_composite(std::span<const Tensor> tensors) {
  check_not_empty("block_diag", tensors);
  std::vector<Tensor> blocks;
  SymInt columns = 0;
  for (const Tensor& each : tensors) {
    OPWRIGHT_CHECK(each.dim() <= 2,
                   "block_diag: each tensor must have at most two dimensions, got ", each);
    blocks.push_back(atleast_2d(each));
    columns = columns + blocks.back().sym_size(1);
  }
  SymInt before = 0;
  for (Tensor& each : blocks) {
    const SymInt own = each.sym_size(1);
    each = constant_pad_nd(each, {before, columns - before - own});
    before = before + own;
  }
  return cat(blocks, 0);
}

Tensor cartesian_prod_composite(std::span<const Tensor> tensors) {
  check_not_empty("cartesian_prod", tensors);
  for (const Tensor& each : tensors) {
    OPWRIGHT_CHECK(each.dim() == 1, "cartesian_prod: each tensor must have one dimension, got ",
                   each);
  }
  if (tensors.size() == 1) return tensors[0];
  std::vector<Tensor> columns;
  for (const Tensor& each : meshgrid(tensors, "ij")) columns.push_back(each.flatten());
  return stack(columns, 1);
}

Tensor combinations_composite(const Tensor& self, int64_t r, bool with_replacement) {
  OPWRIGHT_CHECK(self.dim() == 1, "combinations: self must have one dimension, got ", self);
  OPWRIGHT_CHECK(r >= 0, "combinations: r must not be negative, got ", r);
  if (r == 0) return self.new_empty({0});
  const Tensor places = arange(Scalar(self.sym_numel()), DType::Int64, std::nullopt, self.device());
  const std::vector<Tensor> grids =
      meshgrid(std::vector<Tensor>(static_cast<size_t>(r), places), "ij");
  Tensor is_taken = ones_like(grids[0], DType::Bool);
  for (size_t i = 0; i + 1 < grids.size(); ++i) {
    is_taken = is_taken.logical_and(with_replacement ? grids[i].le(grids[i + 1])
                                                     : grids[i].lt(grids[i + 1]));
  }
  std::vector<Tensor> columns;
  for (const Tensor& each : grids)
    columns.push_back(self.index_select(0, each.masked_select(is_taken)));
  return stack(columns, 1);
}

}  // namespace opwright
