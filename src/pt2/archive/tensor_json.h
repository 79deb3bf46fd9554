// Dtypes, devices, sizes and tensors of an archive as JSON: read and written by functions side by
// side, from the same tables.
#pragma once

#include "opwright/device.h"
#include "opwright/dtype.h"
#include "opwright/memory_format.h"
#include "opwright/pt2/archive/archive_graph.h"
#include "opwright/pt2/container/json.h"
#include "opwright/pt2/container/json_reader.h"

namespace opwright::pt2 {

// The functions that read throw ValueError, with the path of the value, for what is not known.

[[nodiscard]] DType read_dtype(const JsonReader& json);
// NotImplementedError for a dtype that archives do not have.
[[nodiscard]] JsonValue write_dtype(DType dtype);

[[nodiscard]] Layout read_layout(const JsonReader& json);
[[nodiscard]] JsonValue write_layout(Layout layout);

[[nodiscard]] MemoryFormat read_memory_format(const JsonReader& json);
[[nodiscard]] JsonValue write_memory_format(MemoryFormat format);

[[nodiscard]] Device read_device(const JsonReader& json);
[[nodiscard]] JsonValue write_device(Device device);

[[nodiscard]] WrittenSize read_size(const JsonReader& json);
[[nodiscard]] JsonValue write_size(const WrittenSize& size);
// A condition on sizes: always an expression.
[[nodiscard]] JsonValue write_condition(const WrittenSize& size);

[[nodiscard]] WrittenTensor read_tensor(const JsonReader& json);
[[nodiscard]] JsonValue write_tensor(const WrittenTensor& tensor);

}  // namespace opwright::pt2
