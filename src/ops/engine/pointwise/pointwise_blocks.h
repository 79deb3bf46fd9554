// Runs a pointwise kernel over operands of any strides and dtypes, block by block.
#pragma once

#include <array>

#include "opwright/ops/engine/cpu/conversion.h"
#include "opwright/ops/engine/cpu/strided_loop.h"
#include "opwright/ops/engine/pointwise/pointwise_result.h"

namespace opwright {

// One number as an element of a kernel's dtype.
struct alignas(16) NumberCell {
  std::array<std::byte, 16> bytes;
};

// A number operand, or the element of a zero-dim tensor, converted for the kernel.
[[nodiscard]] NumberCell read_number(const PointwiseCall& call, const PointwiseTypes& types,
                                     size_t operand);

// The dtype in which a kernel expects an operand.
[[nodiscard]] inline DType input_dtype(const PointwiseCall& call, const PointwiseTypes& types,
                                       size_t operand) {
  return call.op->has_condition && operand == 0 ? DType::Bool : kernel_dtype(types.compute);
}

// Bytes per buffer; all buffers of a call fit in the L1 cache.
inline constexpr int64_t kBlockBytes = 4096;
using BlockBuffer = std::array<std::byte, kBlockBytes>;

class PointwiseBlocks {
 public:
  // `output` has the broadcast sizes; it may also be an operand.
  PointwiseBlocks(const PointwiseCall& call, const PointwiseTypes& types, const Tensor& output);

  void run() const;

 private:
  // How to make the elements of one operand dense and of the kernel's dtype.
  struct Access {
    ConversionFunction convert = nullptr;
    ConversionFunction convert_rounded = nullptr;  // after `convert`, if that gives a half
    int64_t item = 0;                              // bytes, in the kernel
    bool keeps_dtype = false;
    bool is_constant = false;  // a single element for all
    bool is_linear = false;    // dense over all dimensions of the loop
  };

  static StridedLoop make_loop(const PointwiseCall& call, const PointwiseTypes& types,
                               const Tensor& output, std::array<NumberCell, kMostInputs>& numbers);
  void find_accesses(const PointwiseTypes& types, const Tensor& output);
  void read(size_t operand, std::byte* to, const std::byte* from, int64_t stride,
            int64_t count) const;
  void write(std::byte* to, int64_t stride, const std::byte* from, int64_t count) const;
  void run_range(int64_t begin, int64_t end) const;
  void run_long_runs(int64_t begin, int64_t end, std::span<BlockBuffer> buffers) const;
  void run_gathered(int64_t begin, int64_t end, std::span<BlockBuffer> buffers) const;

  const PointwiseCall& call_;
  PointwiseKernel kernel_;
  PointwiseKernel repeated_kernel_;  // may be null
  std::array<NumberCell, kMostInputs> numbers_;
  StridedLoop loop_;
  std::array<Access, kMostOperands> accesses_;  // starts with the output
  int64_t block_ = 0;                           // elements
};

}  // namespace opwright
