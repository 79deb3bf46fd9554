#include "opwright/ir/random_input.h"

#include <cstdint>
#include <cstring>
#include <span>

#include "opwright/device.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/random_state.h"

namespace opwright {
namespace {

constexpr int64_t kWords = 2;
constexpr int64_t kBytes = kWords * static_cast<int64_t>(sizeof(int64_t));

}  // namespace

Tensor read_random_state() {
  const Tensor bytes = default_generator(kCpu).state();
  OPWRIGHT_ASSERT(bytes.numel() == kBytes);
  Tensor state = make_empty(std::span(&kWords, 1), DType::Int64);
  std::memcpy(state.mutable_data<int64_t>(), bytes.data<uint8_t>(), kBytes);
  return state;
}

void write_random_state(const Tensor& state) {
  OPWRIGHT_CHECK_TYPE(state.is_defined() && state.dtype() == DType::Int64 && state.dim() == 1 &&
                          state.size(0) == kWords && state.is_contiguous(),
                      "the state of random numbers must be int64[2], got ", state);
  Tensor bytes = make_empty(std::span(&kBytes, 1), DType::UInt8);
  std::memcpy(bytes.mutable_data<uint8_t>(), state.data<int64_t>(), kBytes);
  default_generator(kCpu).set_state(bytes);
}

}  // namespace opwright
