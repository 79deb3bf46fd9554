#include "opwright/tensor/pinned_memory.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "opwright/base/core_host.h"
#include "opwright/c_api.h"
#include "opwright/device.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/tensor.h"
#include "opwright/tensor/device/device_search.h"
#include "opwright/tensor/device/device_table.h"
#include "opwright/tensor/extent.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/wrapper.h"

namespace opwright {
namespace {

bool pins_memory(const OpwDeviceTable* table) {
  return table && table->allocate_pinned && table->free_pinned && table->count() > 0;
}

const OpwDeviceTable& table_that_pins() {
  for (const int32_t type : {int32_t{kOpwDeviceCuda}, int32_t{kOpwDeviceOpenCl}}) {
    const OpwDeviceTable* table = look_for_device_table(type);
    if (pins_memory(table)) return *table;
  }
  for (const std::string& name : device_names()) {
    const OpwDeviceTable* table = find_device_table(find_device_type(name).value_or(0));
    if (pins_memory(table)) return *table;
  }
  throw_error("RuntimeError", "pin_memory: no device that pins memory is here; omit pin_memory");
}

struct PinnedBlock {
  const OpwDeviceTable* table;
  void* data;
  size_t bytes;
};

void free_block_of(void* context) {
  const std::unique_ptr<PinnedBlock> block(static_cast<PinnedBlock*>(context));
  block->table->free_pinned(block->data, block->bytes);
}

}  // namespace

Tensor make_empty_pinned(std::span<const int64_t> sizes, std::span<const int64_t> strides,
                         DType dtype) {
  check_sizes(sizes, "pin_memory");
  const OpwDeviceTable& table = table_that_pins();
  const std::optional<Extent> extent = find_extent(sizes, strides);
  const auto bytes = extent ? bytes_of(extent->length(), item_size(dtype)) : std::nullopt;
  // Too large or empty: like any other memory.
  if (!bytes || *bytes == 0) return make_empty_strided(sizes, strides, dtype);
  auto block = std::make_unique<PinnedBlock>(&table, nullptr, static_cast<size_t>(*bytes));
  require_ok(table.allocate_pinned(&core_host(), block->bytes, &block->data));
  void* data = block->data;
  return make_from_memory(data, sizes, strides, dtype, kCpu, &free_block_of, block.release());
}

bool is_pinned(const Tensor& tensor) { return storage_of(tensor).deleter == &free_block_of; }

}  // namespace opwright
