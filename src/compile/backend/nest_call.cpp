#include "opwright/compile/backend/nest_call.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include "opwright/base/small_vector.h"
#include "opwright/base/thread_pool.h"
#include "opwright/compile/fuse/nest.h"
#include "opwright/compile/llvm/emit_llvm.h"
#include "opwright/error.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright {
namespace {

// Nanoseconds worth waking a thread, and the least work per thread.
constexpr double kWorthThreads = 50'000;
constexpr double kLeastPart = 20'000;
constexpr int64_t kColumnBlock = 64;

int64_t extent_value(const NestExtent& extent, std::span<const int64_t> numbers) {
  return extent.is_fixed() ? extent.fixed : numbers[extent.number];
}

int64_t product_of(std::span<const NestExtent> extents, std::span<const int64_t> numbers) {
  int64_t product = 1;
  for (const NestExtent& extent : extents) product *= extent_value(extent, numbers);
  return product;
}

// Assumes 16 lanes of arithmetic at a time, and about ten bytes of memory per nanosecond.
double estimate_point(const Nest& nest) {
  double nanoseconds = 0;
  for (const Lane& lane : nest.lanes) nanoseconds += is_costly(lane.op) ? 0.4 : 0.02;
  for (const NestOperand& operand : nest.operands) {
    const NestStride& columns = operand.strides.back();
    if (!columns.is_fixed || columns.fixed != 0)
      nanoseconds += 0.02 * static_cast<double>(dtype_bits(operand.dtype)) / 8;
  }
  return nanoseconds;
}

// Scratch memory for one call of the function: on the stack if it is small.
class Scratch {
 public:
  explicit Scratch(int64_t bytes) {
    if (bytes > static_cast<int64_t>(sizeof inline_))
      large_.reset(static_cast<std::byte*>(::operator new(static_cast<size_t>(bytes), kAlignment)));
  }
  [[nodiscard]] void* data() noexcept { return large_ ? large_.get() : inline_; }

 private:
  static constexpr std::align_val_t kAlignment{64};
  struct Free {
    void operator()(std::byte* memory) const { ::operator delete(memory, kAlignment); }
  };
  std::unique_ptr<std::byte, Free> large_;
  alignas(64) std::byte inline_[16384];
};

[[noreturn]] void refuse_input(size_t operand, const Tensor& tensor, const NestTensor& promised,
                               std::span<const int64_t> numbers) {
  Sizes sizes;
  for (const NestExtent& size : promised.sizes) sizes.push_back(extent_value(size, numbers));
  throw_error("RuntimeError", "compiled code: value ", operand, " was promised as ", promised.dtype,
              to_text(std::span<const int64_t>(sizes)), ", got ", tensor,
              "\n  The fake kernel of the operator that made it disagrees with its kernel; opcheck "
              "finds which.");
}

}  // namespace

NestCall::NestCall(const NestPlan& plan, EmittedNest emitted, ObjectCodePtr code)
    : nest_(plan.nest),
      tensors_(plan.tensors),
      stride_numbers_(plan.stride_numbers),
      num_inputs_(plan.inputs.size()),
      emitted_(std::move(emitted)),
      code_(std::move(code)),
      function_(code_->find(kNestFunction)),
      words_(NestContext::num_words(nest_), 0),
      nanoseconds_(estimate_point(nest_)) {
  OPWRIGHT_CHECK(function_, "compiled code: the object has no function '", kNestFunction, "'");
  for (uint32_t i = 0; i < nest_.operands.size(); ++i) {
    for (uint32_t loop = 0; loop < NestContext::num_loops(nest_); ++loop)
      words_[NestContext::stride(nest_, i, loop)] = nest_.operands[i].strides[loop].fixed;
  }
}

void NestCall::put_operand(size_t operand, const Tensor& tensor, int64_t* words) const {
  const auto& dl = tensor.get()->dl;
  words[NestContext::pointer(nest_, static_cast<uint32_t>(operand))] =
      reinterpret_cast<int64_t>(static_cast<std::byte*>(dl.data) + dl.byte_offset);
}

bool NestCall::lies_as_planned(size_t input, const Tensor& tensor,
                               std::span<const int64_t> numbers) const {
  const TensorImpl& given = impl(tensor);
  const NestTensor& planned = tensors_[input];
  const size_t ndim = planned.sizes.size();
  bool is_promised = given.dtype() == planned.dtype && given.shape().size() == ndim;
  bool lies_so = true;
  for (size_t dim = 0; is_promised && dim < ndim; ++dim) {
    is_promised = given.dl.shape[dim] == extent_value(planned.sizes[dim], numbers);
    lies_so &= given.dl.shape[dim] <= 1 ||
               given.dl.strides[dim] == extent_value(planned.strides[dim], numbers);
  }
  if (!is_promised) [[unlikely]]
    refuse_input(input, tensor, planned, numbers);
  return lies_so;
}

Tensor NestCall::make_output(size_t operand, std::span<const int64_t> numbers) const {
  const NestTensor& tensor = tensors_[operand];
  Sizes sizes(tensor.sizes.size());
  Sizes strides(tensor.sizes.size());
  for (size_t i = 0; i < sizes.size(); ++i) {
    sizes[i] = extent_value(tensor.sizes[i], numbers);
    strides[i] = extent_value(tensor.strides[i], numbers);
  }
  return make_empty_strided(sizes, strides, tensor.dtype);
}

void NestCall::run(std::span<const Tensor> inputs, const Tensor* written,
                   std::span<const int64_t> numbers, std::span<OpwValue> results) const {
  SmallVector<int64_t, 96> words(words_.size());
  std::memcpy(words.data(), words_.data(), words_.size() * sizeof(int64_t));
  std::copy(numbers.begin(), numbers.end(), words.data() + NestContext::FirstNumber);
  for (const NestPlan::StrideNumber& stride : stride_numbers_)
    words[NestContext::stride(nest_, stride.operand, stride.loop)] = numbers[stride.number];
  SmallVector<Tensor, 2> copies;
  for (size_t i = 0; i < num_inputs_; ++i) {
    if (lies_as_planned(i, inputs[i], numbers)) [[likely]] {
      put_operand(i, inputs[i], words.data());
      continue;
    }
    copies.push_back(make_output(i, numbers));
    static_cast<void>(copies.back().copy_(inputs[i]));
    put_operand(i, copies.back(), words.data());
  }
  for (size_t i = 0; i < results.size(); ++i) {
    const Tensor made = i == 0 && written ? *written : make_output(num_inputs_ + i, numbers);
    put_operand(num_inputs_ + i, made, words.data());
    results[i] = ValueOf<Tensor>::give(made);
  }
  run_loops(words.data(), numbers);
}

void NestCall::run_loops(int64_t* words, std::span<const int64_t> numbers) const {
  const int64_t rows = product_of(nest_.rows, numbers);
  const int64_t depth = product_of(nest_.depth, numbers);
  const int64_t columns = extent_value(nest_.columns, numbers);
  // Reductions over no points still have a value; otherwise there is nothing to do.
  if (rows == 0 || (!nest_.folds_columns && columns == 0)) return;
  const int64_t scratch =
      emitted_.scratch_bytes == 0 ? 0 : emitted_.scratch_bytes * depth * columns + kScratchSlack;
  const double row = nanoseconds_ * static_cast<double>(depth * columns);
  const double total = row * static_cast<double>(rows);
  if (total < kWorthThreads || num_threads() == 1)
    return run_part(words, 0, rows, 0, columns, scratch);
  if (nest_.folds_columns || rows >= int64_t{8} * num_threads()) {
    const auto grain = std::max<int64_t>(1, static_cast<int64_t>(kLeastPart / row));
    return parallel_for(rows, grain, [&](int64_t begin, int64_t end) {
      run_part(words, begin, end, 0, columns, scratch);
    });
  }
  const int64_t blocks = (columns + kColumnBlock - 1) / kColumnBlock;
  const double block = total / static_cast<double>(blocks);
  parallel_for(blocks, std::max<int64_t>(1, static_cast<int64_t>(kLeastPart / block)),
               [&](int64_t begin, int64_t end) {
                 run_part(words, 0, rows, begin * kColumnBlock,
                          std::min(columns, end * kColumnBlock), scratch);
               });
}

void NestCall::run_part(const int64_t* words, int64_t row_begin, int64_t row_end,
                        int64_t column_begin, int64_t column_end, int64_t scratch_bytes) const {
  SmallVector<int64_t, 96> own(words_.size());
  std::memcpy(own.data(), words, words_.size() * sizeof(int64_t));
  own[NestContext::RowBegin] = row_begin;
  own[NestContext::RowEnd] = row_end;
  own[NestContext::ColumnBegin] = column_begin;
  own[NestContext::ColumnEnd] = column_end;
  if (scratch_bytes == 0) return function_(own.data());
  Scratch scratch(scratch_bytes);
  own[NestContext::Scratch] = reinterpret_cast<int64_t>(scratch.data());
  function_(own.data());
}

}  // namespace opwright
