// Core operators that create an empty tensor, parsed as an allocation request: for hosts that
// allocate the memory themselves.
#pragma once

#include <cstdint>
#include <string>

#include "opwright/c_api.h"

namespace opwright::bridges {

enum class Allocation : uint8_t { None, Empty, EmptyStrided, EmptyLike, NewEmpty, NewEmptyStrided };

// Empty for the name of any other operator.
[[nodiscard]] Allocation find_allocation(const std::string& name);

// The request; borrowed from the arguments.
struct AllocationRequest {
  static constexpr int32_t kMaxDims = 16;
  int32_t ndim = 0;
  const int64_t* sizes = nullptr;
  const int64_t* strides = nullptr;  // null: contiguous
  OpwDtype dtype{};
  OpwDevice device{kOpwDeviceCpu, 0};
};

// False for a call that is not simple: a default dtype, pinned memory, channels_last, an input that
// is not dense, more dimensions than kMaxDims, ...
[[nodiscard]] bool read_request(Allocation allocation, const OpwValue* args,
                                AllocationRequest& request);

// Whether the elements are dense and in row-major order.
[[nodiscard]] bool is_contiguous(const AllocationRequest& request);

}  // namespace opwright::bridges
