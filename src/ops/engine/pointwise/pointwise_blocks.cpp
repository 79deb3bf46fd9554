#include "opwright/ops/engine/pointwise/pointwise_blocks.h"

#include <cstring>

#include "opwright/for_dtype.h"
#include "opwright/ops/engine/cpu/cpu_level.h"
#include "opwright/ops/engine/cpu/numbers.h"

namespace opwright {
namespace {

// Runs of at least this length are computed in place; shorter ones are gathered.
constexpr int64_t kLongRun = 64;

void store_number(NumberCell& cell, const Scalar& number, DType dtype) {
  for_dtype(dtype, "a number", [&]<typename T>() {
    const T value = number_as<T>(number);
    std::memcpy(cell.bytes.data(), &value, sizeof value);
  });
}

void convert_cell(NumberCell& cell, DType to, const std::byte* from, DType from_dtype) {
  NumberCell result{};
  find_conversion(to, from_dtype)(result.bytes.data(), 0, from, 0, 1);
  cell = result;
}

}  // namespace

NumberCell read_number(const PointwiseCall& call, const PointwiseTypes& types, size_t operand) {
  const PointwiseOperand& given = call.operands[operand];
  const DType wanted = input_dtype(call, types, operand);
  const bool rounds =
      is_half(types.compute) && wanted != DType::Bool && !call.op->keeps_numbers_wide;
  NumberCell cell{};
  if (!given.is_tensor()) {
    store_number(cell, given.number, rounds ? types.compute : wanted);
    if (rounds) convert_cell(cell, wanted, cell.bytes.data(), types.compute);
    return cell;
  }
  const auto* element = static_cast<const std::byte*>(given.tensor->data());
  if (!rounds) {
    convert_cell(cell, wanted, element, given.tensor->dtype());
  } else {
    convert_cell(cell, types.compute, element, given.tensor->dtype());
    convert_cell(cell, wanted, cell.bytes.data(), types.compute);
  }
  return cell;
}

PointwiseBlocks::PointwiseBlocks(const PointwiseCall& call, const PointwiseTypes& types,
                                 const Tensor& output)
    : call_(call),
      kernel_(types.kernel->by_level[cpu_level_index()]),
      repeated_kernel_(types.kernel->repeated_by_level[cpu_level_index()]),
      loop_(make_loop(call, types, output, numbers_)) {
  if (loop_.numel() != 0) find_accesses(types, output);
}

StridedLoop PointwiseBlocks::make_loop(const PointwiseCall& call, const PointwiseTypes& types,
                                       const Tensor& output,
                                       std::array<NumberCell, kMostInputs>& numbers) {
  const auto item = [](DType dtype) { return static_cast<int64_t>(item_size(dtype)); };
  SmallVector<StridedOperand, kMostOperands> operands;
  operands.push_back({static_cast<std::byte*>(output.mutable_data()), item(output.dtype()),
                      output.sizes(), output.strides()});
  if (output.numel() == 0) return StridedLoop(operands);
  for (size_t i = 0; i < call.operands.size(); ++i) {
    const PointwiseOperand& operand = call.operands[i];
    if (operand.is_tensor() && operand.tensor->dim() > 0) {
      const Tensor& tensor = *operand.tensor;
      operands.push_back({static_cast<std::byte*>(const_cast<void*>(tensor.data())),
                          item(tensor.dtype()), tensor.sizes(), tensor.strides()});
    } else {
      numbers[i] = read_number(call, types, i);
      operands.push_back({numbers[i].bytes.data(), item(input_dtype(call, types, i)), {}, {}});
    }
  }
  return StridedLoop(operands);
}

void PointwiseBlocks::find_accesses(const PointwiseTypes& types, const Tensor& output) {
  int64_t widest = 1;
  for (size_t i = 0; i <= call_.operands.size(); ++i) {
    Access& access = accesses_[i];
    const DType in_kernel = i == 0 ? types.kernel->output : input_dtype(call_, types, i - 1);
    const Tensor* tensor = i == 0 ? &output : call_.operands[i - 1].tensor;
    const bool is_number = i != 0 && (!tensor || tensor->dim() == 0);
    const DType in_memory = is_number ? in_kernel : tensor->dtype();
    const bool rounds = !is_number && is_half(types.compute) && in_kernel == DType::Float32 &&
                        in_memory != types.compute;
    access.item = static_cast<int64_t>(item_size(in_kernel));
    access.keeps_dtype = in_memory == in_kernel && !rounds;
    const DType to = i == 0 ? in_memory : in_kernel;
    const DType from = i == 0 ? in_kernel : in_memory;
    access.convert = find_conversion(rounds ? types.compute : to, from);
    access.convert_rounded = rounds ? find_conversion(to, types.compute) : nullptr;
    access.is_constant = true;
    access.is_linear = access.keeps_dtype;
    int64_t dense = access.item;
    for (size_t dim = 0; dim < loop_.num_dims(); ++dim) {
      access.is_constant &= loop_.strides(dim)[i] == 0;
      access.is_linear &= loop_.strides(dim)[i] == dense;
      dense *= loop_.size(dim);
    }
    widest = std::max({widest, access.item});
  }
  block_ = kBlockBytes / widest;
}

void PointwiseBlocks::read(size_t operand, std::byte* to, const std::byte* from, int64_t stride,
                           int64_t count) const {
  const Access& access = accesses_[operand];
  if (!access.convert_rounded) return access.convert(to, access.item, from, stride, count);
  BlockBuffer halves;
  access.convert(halves.data(), sizeof(Half), from, stride, count);
  access.convert_rounded(to, access.item, halves.data(), sizeof(Half), count);
}

void PointwiseBlocks::write(std::byte* to, int64_t stride, const std::byte* from,
                            int64_t count) const {
  const Access& access = accesses_[0];
  if (!access.convert_rounded) return access.convert(to, stride, from, access.item, count);
  BlockBuffer halves;
  access.convert(halves.data(), sizeof(Half), from, access.item, count);
  access.convert_rounded(to, stride, halves.data(), sizeof(Half), count);
}

void PointwiseBlocks::run() const {
  parallel_for(loop_.numel(), kElementwiseGrain,
               [&](int64_t begin, int64_t end) { run_range(begin, end); });
}

void PointwiseBlocks::run_range(int64_t begin, int64_t end) const {
  alignas(64) std::array<BlockBuffer, kMostOperands> buffers;
  for (size_t i = 1; i <= call_.operands.size(); ++i) {
    if (accesses_[i].is_constant)
      read(i, buffers[i].data(), loop_.pointers()[i], 0, std::min(block_, end - begin));
  }
  if (loop_.num_dims() == 1 || loop_.size(0) >= kLongRun)
    run_long_runs(begin, end, buffers);
  else
    run_gathered(begin, end, buffers);
}

void PointwiseBlocks::run_long_runs(int64_t begin, int64_t end,
                                    std::span<BlockBuffer> buffers) const {
  const size_t num_inputs = call_.operands.size();
  std::array<bool, kMostOperands> is_direct{};
  bool is_whole = true;
  bool repeats = repeated_kernel_ != nullptr && loop_.strides(0)[1] != 0;
  for (size_t i = 2; i <= num_inputs; ++i) repeats &= loop_.strides(0)[i] == 0;
  for (size_t i = 0; i <= num_inputs; ++i) {
    is_direct[i] = accesses_[i].keeps_dtype &&
                   (loop_.strides(0)[i] == accesses_[i].item || (repeats && i >= 2));
    is_whole &= is_direct[i];
  }
  const PointwiseKernel kernel = repeats ? repeated_kernel_ : kernel_;
  loop_.for_each_run_of(begin, end, [&](const auto& pointers, const auto& strides, int64_t count) {
    for (int64_t done = 0; done < count;) {
      const int64_t step = is_whole ? count : std::min(block_, count - done);
      std::array<const std::byte*, kMostInputs> inputs{};
      for (size_t i = 1; i <= num_inputs; ++i) {
        const std::byte* from = pointers[i] + done * strides[i];
        inputs[i - 1] = is_direct[i] ? from : buffers[i].data();
        if (!is_direct[i] && !accesses_[i].is_constant)
          read(i, buffers[i].data(), from, strides[i], repeats && i >= 2 ? 1 : step);
      }
      std::byte* output = pointers[0] + done * strides[0];
      kernel(call_.numbers, is_direct[0] ? output : buffers[0].data(), inputs.data(), step);
      if (!is_direct[0]) write(output, strides[0], buffers[0].data(), step);
      done += step;
    }
  });
}

void PointwiseBlocks::run_gathered(int64_t begin, int64_t end,
                                   std::span<BlockBuffer> buffers) const {
  const size_t num_inputs = call_.operands.size();
  for (int64_t at = begin; at < end; at += block_) {
    const int64_t count = std::min(block_, end - at);
    std::array<const std::byte*, kMostInputs> inputs{};
    for (size_t i = 1; i <= num_inputs; ++i) {
      const Access& access = accesses_[i];
      inputs[i - 1] = buffers[i].data();
      if (access.is_linear) {
        inputs[i - 1] = loop_.pointers()[i] + at * access.item;
      } else if (!access.is_constant) {
        std::byte* to = buffers[i].data();
        loop_.for_each_run_of(at, at + count,
                              [&](const auto& pointers, const auto& strides, int64_t run) {
                                read(i, to, pointers[i], strides[i], run);
                                to += run * access.item;
                              });
      }
    }
    const Access& access = accesses_[0];
    if (access.is_linear) {
      kernel_(call_.numbers, loop_.pointers()[0] + at * access.item, inputs.data(), count);
      continue;
    }
    kernel_(call_.numbers, buffers[0].data(), inputs.data(), count);
    const std::byte* from = buffers[0].data();
    loop_.for_each_run_of(at, at + count,
                          [&](const auto& pointers, const auto& strides, int64_t run) {
                            write(pointers[0], strides[0], from, run);
                            from += run * access.item;
                          });
  }
}

}  // namespace opwright
