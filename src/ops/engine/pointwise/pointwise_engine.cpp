#include "opwright/ops/engine/pointwise/pointwise_engine.h"

#include <algorithm>

#include "opwright/ops/engine/cpu/cpu_level.h"
#include "opwright/ops/engine/pointwise/pointwise_blocks.h"
#include "opwright/ops/engine/pointwise/pointwise_result.h"
#include "opwright/ops/engine/shape/dense_shape.h"
#include "opwright/ops/engine/shape/in_place.h"
#include "opwright/tensor/factory.h"

namespace opwright {
namespace {

// The common case: dense tensors of one shape, in the kernel's dtype or in the half that it
// computes, and numbers.
class DenseCall {
 public:
  DenseCall(const PointwiseCall& call, const PointwiseTypes& types) : call_(call), types_(types) {
    for (const PointwiseOperand& operand : call.operands) {
      if (!operand.is_tensor()) continue;
      const OpwDlTensor& shown = operand.tensor->get()->dl;
      if (!shape_ || shown.ndim > shape_->ndim) shape_ = &shown;
    }
    rounds_result_ = is_half(types.result);
    needs_blocks_ = rounds_result_;
    fits_ = rounds_result_ || types.kernel->output == types.result;
    if (call.op->has_condition) add_operand(0, DType::Bool);
    const size_t num_operands = call.operands.size();
    for (size_t i = call.op->has_condition ? 1 : 0; i < num_operands; ++i) {
      add_operand(i, types.compute);
    }
  }

  [[nodiscard]] bool fits() const { return fits_; }
  [[nodiscard]] bool fits(const OpwDlTensor& shown, DType dtype) const {
    return from_dlpack(shown.dtype) == dtype && have_same_sizes(shown, *shape_) && is_dense(shown);
  }
  [[nodiscard]] std::span<const int64_t> sizes() const {
    return {shape_->shape, static_cast<size_t>(shape_->ndim)};
  }

  void run(std::byte* output) const {
    const int64_t numel = numel_of(*shape_);
    if (numel == 0) return;
    if (has_numbers_ || needs_blocks_) return run_with_numbers(output, numel);
    parallel_for(numel, kElementwiseGrain, [&](int64_t begin, int64_t end) {
      std::array<const std::byte*, kMostInputs> inputs{};
      for (size_t i = 0; i < call_.operands.size(); ++i) inputs[i] = input_at(i, begin);
      kernel()(call_.numbers, output + begin * output_item(), inputs.data(), end - begin);
    });
  }

 private:
  void add_operand(size_t i, DType dtype) {
    const Tensor* tensor = call_.operands[i].tensor;
    if (!tensor || (tensor->get()->dl.ndim == 0 && shape_->ndim != 0)) {
      is_number_[i] = true;
      has_numbers_ = true;
      return;
    }
    is_half_[i] = is_half(dtype);
    needs_blocks_ |= is_half_[i];
    fits_ &= fits(tensor->get()->dl, dtype);
  }
  [[nodiscard]] PointwiseKernel kernel() const {
    return types_.kernel->by_level[cpu_level_index()];
  }
  [[nodiscard]] PointwiseKernel repeated_kernel() const {
    return types_.kernel->repeated_by_level[cpu_level_index()];
  }
  [[nodiscard]] int64_t output_item() const {
    return static_cast<int64_t>(item_size(types_.result));
  }
  [[nodiscard]] const std::byte* input_at(size_t i, int64_t element) const {
    const DType dtype = is_half_[i] ? types_.compute : input_dtype(call_, types_, i);
    return static_cast<const std::byte*>(call_.operands[i].tensor->get()->dl.data) +
           element * static_cast<int64_t>(item_size(dtype));
  }
  [[nodiscard]] bool repeats() const {
    bool result = repeated_kernel() != nullptr && !is_number_[0];
    for (size_t i = 1; i < call_.operands.size(); ++i) result &= is_number_[i];
    return result;
  }

  [[gnu::noinline]] void run_with_numbers(std::byte* output, int64_t numel) const {
    std::array<NumberCell, kMostInputs> cells;
    for (size_t i = 0; i < call_.operands.size(); ++i) {
      if (is_number_[i]) cells[i] = read_number(call_, types_, i);
    }
    if (needs_blocks_ || !repeats()) return run_blocks(output, numel, cells);
    parallel_for(numel, kElementwiseGrain, [&](int64_t begin, int64_t end) {
      std::array<const std::byte*, kMostInputs> inputs{input_at(0, begin)};
      for (size_t i = 1; i < call_.operands.size(); ++i) inputs[i] = cells[i].bytes.data();
      repeated_kernel()(call_.numbers, output + begin * output_item(), inputs.data(), end - begin);
    });
  }

  // A number fills a block once, and the kernel reads the block repeatedly. Halves are widened into
  // a block, and the result is rounded from one.
  void run_blocks(std::byte* output, int64_t numel,
                  const std::array<NumberCell, kMostInputs>& cells) const {
    const DType wide = kernel_dtype(types_.compute);
    const auto wide_item = static_cast<int64_t>(item_size(wide));
    const int64_t block = kBlockBytes / wide_item;
    const ConversionFunction widen = find_conversion(wide, types_.compute);
    const ConversionFunction narrow = find_conversion(types_.result, types_.kernel->output);
    parallel_for(numel, kElementwiseGrain, [&](int64_t begin, int64_t end) {
      alignas(64) std::array<BlockBuffer, kMostOperands> buffers;
      for (size_t i = 0; i < call_.operands.size(); ++i) {
        if (!is_number_[i]) continue;
        const DType dtype = input_dtype(call_, types_, i);
        find_conversion(dtype, dtype)(buffers[i].data(), static_cast<int64_t>(item_size(dtype)),
                                      cells[i].bytes.data(), 0, std::min(block, end - begin));
      }
      std::byte* rounded_from = buffers[kMostInputs].data();
      for (int64_t at = begin; at < end; at += block) {
        const int64_t count = std::min(block, end - at);
        std::array<const std::byte*, kMostInputs> inputs{};
        for (size_t i = 0; i < call_.operands.size(); ++i) {
          inputs[i] = is_number_[i] || is_half_[i] ? buffers[i].data() : input_at(i, at);
          if (is_half_[i])
            widen(buffers[i].data(), wide_item, input_at(i, at), sizeof(Half), count);
        }
        std::byte* target = output + at * output_item();
        kernel()(call_.numbers, rounds_result_ ? rounded_from : target, inputs.data(), count);
        if (rounds_result_) narrow(target, output_item(), rounded_from, wide_item, count);
      }
    });
  }

  const PointwiseCall& call_;
  const PointwiseTypes& types_;
  const OpwDlTensor* shape_ = nullptr;
  std::array<bool, kMostInputs> is_number_{};
  std::array<bool, kMostInputs> is_half_{};
  bool has_numbers_ = false;
  bool needs_blocks_ = false;  // a half is read or written
  bool rounds_result_ = false;
  bool fits_ = true;
};

void write_result(const PointwiseCall& call, const PointwiseTypes& types, const Tensor& target) {
  const DenseCall dense(call, types);
  if (dense.fits() && dense.fits(target.get()->dl, types.result))
    return dense.run(static_cast<std::byte*>(target.mutable_data()));
  PointwiseBlocks(call, types, target).run();
}

}  // namespace

Tensor compute_pointwise(const PointwiseCall& call) {
  const PointwiseTypes types = find_types(call);
  const DenseCall dense(call, types);
  if (dense.fits()) [[likely]] {
    Tensor output = make_empty(dense.sizes(), types.result);
    dense.run(static_cast<std::byte*>(output.mutable_data()));
    return output;
  }
  const Sizes sizes = find_sizes(call);
  Tensor output = make_empty_strided(sizes, find_strides(call, sizes, types.compute), types.result);
  PointwiseBlocks(call, types, output).run();
  return output;
}

void compute_pointwise_in_place(const PointwiseCall& call, const Tensor& self) {
  for (const PointwiseOperand& operand : call.operands) {
    if (operand.is_tensor() && !have_same_sizes(operand.tensor->get()->dl, self.get()->dl))
      check_expands(call.who, "other", *operand.tensor, self);
  }
  const PointwiseTypes types = find_types(call);
  check_storable(call.who, types.result, self);
  check_writable(call.who, self);
  write_result(call, types, self);
}

void compute_pointwise_out(const PointwiseCall& call, const Tensor& out) {
  const PointwiseTypes types = find_types(call);
  prepare_out(call, types, out);
  write_result(call, types, out);
}

}  // namespace opwright
