// torch's numbers of dtypes, devices, layouts and memory formats: queried from torch at run time,
// never hard-coded.
#pragma once

#include <cstdint>

#include "opwright/c_api.h"

namespace opwright::torch_bridge {

// Queries all of them; part of require_torch.
void find_torch_numbers();

// TypeError, with its name, for one that the other side does not have.
[[nodiscard]] OpwDtype dtype_from_torch(int32_t number);
[[nodiscard]] int32_t dtype_to_torch(OpwDtype dtype);
[[nodiscard]] int32_t device_type_from_torch(int32_t number);
[[nodiscard]] int32_t device_type_to_torch(int32_t type);

// The numbers of c_api.h: kOpwLayout, kOpwMemoryFormat.
[[nodiscard]] int64_t layout_from_torch(int32_t number);
[[nodiscard]] int32_t layout_to_torch(int64_t layout);
[[nodiscard]] int64_t memory_format_from_torch(int32_t number);
[[nodiscard]] int32_t memory_format_to_torch(int64_t format);
[[nodiscard]] bool is_strided_layout(int32_t number) noexcept;

}  // namespace opwright::torch_bridge
