#include "opwright/compile/fuse/loop_order.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "opwright/compile/fuse/known_geometry.h"
#include "opwright/compile/fuse/size_estimate.h"

namespace opwright {
namespace {

constexpr int64_t kUnknown = 1 << 20;  // assumed for strides known only at run time: large

class Ordering {
 public:
  Ordering(const std::vector<SymInt>& sizes, const std::vector<bool>& is_folded,
           const std::vector<DomainOperand>& operands, const ShapeEnv* env)
      : sizes_(sizes), is_folded_(is_folded), operands_(operands), env_(env) {}

  LoopOrder run() {
    LoopOrder order;
    order.columns.extent = 1;
    if (sizes_.empty()) return order;
    const uint32_t columns = choose_columns();
    order.folds_columns = is_folded_[columns];
    std::vector<uint32_t> rows;
    std::vector<uint32_t> depth;
    for (const uint32_t dim : by_stride()) {
      if (dim != columns) (is_folded_[dim] ? depth : rows).push_back(dim);
    }
    order.rows = collapse(rows);
    order.depth = collapse(depth);
    order.columns = {.dims = {columns}, .extent = sizes_[columns]};
    // Dimensions that extend the columns without a gap are merged into them.
    std::vector<DomainLoop>& around = order.folds_columns ? order.depth : order.rows;
    while (!around.empty() && is_dense(around.back(), order.columns)) {
      order.columns = join(around.back(), order.columns);
      around.pop_back();
    }
    return order;
  }

 private:
  uint32_t choose_columns() const {
    uint32_t best = 0;
    int64_t best_score = -1;
    for (uint32_t dim = 0; dim < sizes_.size(); ++dim) {
      int64_t score = 0;
      for (const DomainOperand& operand : operands_) {
        if (is_same(operand.strides[dim], 1))
          score += weight(operand) * (operand.is_written ? 2 : 1);
      }
      if (score >= best_score) {
        best = dim;
        best_score = score;
      }
    }
    return best;
  }
  // Operands that vary along few dimensions are small.
  [[nodiscard]] int64_t weight(const DomainOperand& operand) const {
    const auto varies = std::ranges::count_if(
        operand.strides, [](const SymInt& stride) { return !is_same(stride, 0); });
    return int64_t{1} << (2 * std::min<int64_t>(varies, 12));
  }

  // The dimensions, sorted by descending strides of what is written, or read most.
  [[nodiscard]] std::vector<uint32_t> by_stride() const {
    const DomainOperand* main = nullptr;
    for (const DomainOperand& operand : operands_) {
      if (!main || weight(operand) + operand.is_written > weight(*main) + main->is_written)
        main = &operand;
    }
    std::vector<uint32_t> dims(sizes_.size());
    for (uint32_t dim = 0; dim < dims.size(); ++dim) dims[dim] = dim;
    if (main) {
      std::ranges::stable_sort(dims, [&](uint32_t a, uint32_t b) {
        return estimate_size(env_, main->strides[a], kUnknown) >
               estimate_size(env_, main->strides[b], kUnknown);
      });
    }
    return dims;
  }

  [[nodiscard]] bool is_dense(const DomainLoop& outer, const DomainLoop& inner) const {
    return std::ranges::all_of(operands_, [&](const DomainOperand& operand) {
      return is_same(operand.strides[outer.dims.back()],
                     operand.strides[inner.dims.back()] * inner.extent);
    });
  }
  static DomainLoop join(DomainLoop outer, const DomainLoop& inner) {
    outer.dims.insert(outer.dims.end(), inner.dims.begin(), inner.dims.end());
    outer.extent = outer.extent * inner.extent;
    return outer;
  }
  [[nodiscard]] std::vector<DomainLoop> collapse(const std::vector<uint32_t>& dims) const {
    std::vector<DomainLoop> loops;
    for (const uint32_t dim : dims) {
      DomainLoop loop{.dims = {dim}, .extent = sizes_[dim]};
      if (!loops.empty() && is_dense(loops.back(), loop))
        loops.back() = join(std::move(loops.back()), loop);
      else
        loops.push_back(std::move(loop));
    }
    return loops;
  }

  const std::vector<SymInt>& sizes_;
  const std::vector<bool>& is_folded_;
  const std::vector<DomainOperand>& operands_;
  const ShapeEnv* env_;
};

}  // namespace

LoopOrder order_loops(const std::vector<SymInt>& sizes, const std::vector<bool>& is_folded,
                      const std::vector<DomainOperand>& operands, const ShapeEnv* env) {
  return Ordering(sizes, is_folded, operands, env).run();
}

}  // namespace opwright
