// The default rule for pointwise operators: one call on batches aligned to broadcast.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "opwright/base/small_vector.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/owned_results.h"
#include "opwright/dispatch/property.h"
#include "opwright/dispatch/replaced_arguments.h"
#include "opwright/error.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/ops/engine/shape/promotion.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/view.h"
#include "opwright/transforms/vmap/vmap.h"

namespace opwright {
namespace {

int64_t kind_of(DType dtype) {
  if (is_complex(dtype)) return 3;
  if (is_floating(dtype)) return 2;
  return is_integral(dtype) ? 1 : 0;
}

// How the tensors of a call align, based on one sample.
struct Alignment {
  int64_t ndim = 0;                 // the maximum
  std::optional<int64_t> dim;       // where all batches are; none: they differ
  bool is_aligned = true;           // the call may go down as it is, with the batch at `dim`
  bool reads_batch = false;         // an argument other than `out` has one
  std::optional<DType> dtype;       // of tensors with dimensions
  std::optional<DType> zero_dtype;  // of the first zero-dim tensor
  bool has_several_zero_dtypes = false;
};

class Pointwise {
 public:
  Pointwise(const Vmap& level, const Operator& op, Arguments args);

  [[nodiscard]] int64_t out_dim() const noexcept {
    return alignment_.is_aligned ? *alignment_.dim : 0;
  }
  // The tensor of argument `index` for the level below; with its parent current.
  [[nodiscard]] Tensor prepare(uint32_t index, OpwTensor* tensor) const;

 private:
  void look_at(const OpwTensor* tensor);
  [[nodiscard]] Tensor promoted(Tensor batch, int64_t ndim) const;
  [[nodiscard]] Tensor aligned(uint32_t index, Tensor batch, int64_t dim) const;

  const Vmap& level_;
  const Operator& op_;
  bool promotes_;  // by the rules of built-in operators
  Alignment alignment_;
};

Pointwise::Pointwise(const Vmap& level, const Operator& op, Arguments args)
    : level_(level), op_(op), promotes_(is_builtin(op)) {
  const bool has_out = op.tags().has(Tag::Out);
  op.visit_tensor_arguments(args, [&](uint32_t index, OpwTensor* tensor) {
    look_at(tensor);
    const bool is_out = has_out && op.writes_argument(index);
    alignment_.reads_batch |= !is_out && level.owns(tensor);
  });
  alignment_.is_aligned &= alignment_.reads_batch;
  op.visit_tensor_arguments(args, [&](uint32_t /*index*/, OpwTensor* tensor) {
    const bool fits = level.owns(tensor)
                          ? alignment_.dim && tensor->dl.ndim == alignment_.ndim
                          : alignment_.dim && tensor->dl.ndim <= alignment_.ndim - *alignment_.dim;
    alignment_.is_aligned &= fits;
  });
}

void Pointwise::look_at(const OpwTensor* tensor) {
  alignment_.ndim = std::max<int64_t>(alignment_.ndim, tensor->dl.ndim);
  if (promotes_) {
    const DType dtype = from_dlpack(tensor->dl.dtype);
    if (tensor->dl.ndim > 0) {
      const bool is_new = alignment_.dtype && *alignment_.dtype != dtype;
      alignment_.dtype = is_new ? promote_dtypes(*alignment_.dtype, dtype) : dtype;
    } else {
      alignment_.has_several_zero_dtypes |= alignment_.zero_dtype.value_or(dtype) != dtype;
      alignment_.zero_dtype = dtype;
    }
  }
  if (!level_.owns(tensor)) return;
  const int64_t dim = Vmap::dim_of(tensor);
  if (!alignment_.dim) {
    alignment_.dim = dim;
  } else if (*alignment_.dim != dim) {
    alignment_.dim = 0;
    alignment_.is_aligned = false;
  }
}

// A zero-dim sample yields to tensors with dimensions of the same kind in promotion; its batch,
// which has a dimension, would not.
Tensor Pointwise::promoted(Tensor batch, int64_t ndim) const {
  if (!promotes_ || ndim > 0 || !alignment_.dtype || batch.dtype() == *alignment_.dtype)
    return batch;
  const DType others = *alignment_.dtype;
  if (kind_of(batch.dtype()) == kind_of(others)) return batch.to(others);
  const bool widens = is_floating(batch.dtype()) && is_complex(others);
  return widens && batch.dtype() != real_dtype(others) ? batch.to(real_dtype(others)) : batch;
}

Tensor Pointwise::aligned(uint32_t index, Tensor batch, int64_t dim) const {
  if (alignment_.is_aligned) return batch;
  if (dim != 0) batch = batch.movedim(dim, 0);
  const int64_t missing = alignment_.ndim - (batch.dim() - 1);
  if (missing == 0) return batch;
  SymSizes sizes = sym_geometry_of(batch).sizes;
  OPWRIGHT_CHECK_VALUE(!op_.writes_argument(index), op_.name(), ": '",
                       op_.schema().arguments[index].name, "' has sizes ",
                       to_text(std::span<const SymInt>(sizes).subspan(1)),
                       " in each sample of vmap, which the result does not fit");
  for (int64_t i = 0; i < missing; ++i) sizes.insert(sizes.begin() + 1, SymInt(1));
  return batch.view(sizes);
}

Tensor Pointwise::prepare(uint32_t index, OpwTensor* tensor) const {
  const int64_t ndim = tensor->dl.ndim;
  if (level_.owns(tensor)) {
    Tensor batch = Tensor::borrow(Vmap::inner_of(tensor));
    if (!op_.writes_argument(index)) batch = promoted(std::move(batch), ndim);
    return aligned(index, std::move(batch), Vmap::dim_of(tensor));
  }
  // If all are zero-dim, this one has the same rank as a sample.
  const Tensor shared = Tensor::borrow(tensor);
  const bool counts = alignment_.ndim == 0 && alignment_.has_several_zero_dtypes;
  if (alignment_.reads_batch) return counts ? shared.unsqueeze(0) : shared;
  SymSizes sizes = sym_geometry_of(shared).sizes;
  sizes.insert(sizes.begin(), level_.batch_size());
  return aligned(index, shared.expand(sizes), 0);
}

}  // namespace

void Vmap::run_pointwise(const Operator& op, Arguments args, Results results) {
  const Pointwise rule(*this, op, args);
  OwnedResults raw(op.num_results());
  {
    const ParentScope scope(*this);
    SmallVector<OpwValue, 16> values(args.begin(), args.end());
    SmallVector<Value, 8> kept;
    for (uint32_t i = 0; i < values.size(); ++i) {
      if (values[i].tag == kOpwTensor || values[i].tag == kOpwTensorList ||
          values[i].tag == kOpwList) {
        kept.push_back(
            map_tensors(args[i], [&](OpwTensor* tensor) { return rule.prepare(i, tensor); }));
        values[i] = kept.back().get();
      }
    }
    call(op, values, raw.get());
  }
  const OpwValue dim = make_value(kOpwInt, rule.out_dim());
  wrap_results(op, args, raw.get(), dim, results);
}

}  // namespace opwright
