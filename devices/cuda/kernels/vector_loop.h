// A loop over dense elements of one dtype, 16 bytes at a time.
#pragma once

#include "devices/cuda/kernels/loop_arguments.h"

namespace opwright::cuda {

// Every operand is dense and aligned to 16 bytes, or one element for all.
struct DenseOperand {
  const void* data;  // null: `number`
  bool is_repeated;  // one element for all
  LoopNumber number;
};
struct DenseLoop {
  int64_t count;
  DenseOperand operands[3];
  LoopNumber numbers[3];
  void* result;
};

}  // namespace opwright::cuda
