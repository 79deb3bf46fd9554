// Imports DLPack structs in which every field comes from the input.
//
// Only two things are guaranteed, since no importer can check them: the arrays have as many
// elements as ndim claims, and memory exists wherever sizes and strides reach; inputs that reach
// farther than the buffer get no memory and are not read.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <vector>

#include "opwright/error.h"
#include "opwright/runtime/runtime.h"
#include "opwright/tensor/device/device_table.h"
#include "opwright/tensor/device/live_counts.h"
#include "opwright/tensor/dlpack/dlpack.h"
#include "opwright/tensor/extent.h"
#include "opwright/tensor/overlap.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright {
namespace {

constexpr size_t kBufferSize = 1 << 16;
alignas(64) std::array<std::byte, kBufferSize> buffer;

void require(bool holds) {
  if (!holds) std::abort();
}

// Fields of the struct, in the order of the input.
class Input {
 public:
  Input(const uint8_t* data, size_t size) : next_(data), end_(data + size) {}

  template <class T>
  T take() {
    T value{};
    const size_t bytes = std::min(sizeof value, static_cast<size_t>(end_ - next_));
    std::memcpy(&value, next_, bytes);
    next_ += bytes;
    return value;
  }
  // Mostly small, sometimes anything.
  int64_t take_number() {
    const auto small = take<int8_t>();
    return small == 127 ? take<int64_t>() : small;
  }

 private:
  const uint8_t* next_;
  const uint8_t* end_;
};

// Whether sizes and strides let the importer read only inside the buffer.
bool stays_in_buffer(const OpwDlTensor& dl) {
  if (dl.ndim < 0 || dl.ndim > kMostDims) return true;  // rejected before memory is accessed
  const std::span<const int64_t> sizes(dl.shape, static_cast<size_t>(dl.ndim));
  std::vector<int64_t> row_major(sizes.size(), 1);
  for (size_t i = sizes.size(); i-- > 1;) {
    if (__builtin_mul_overflow(row_major[i], std::max<int64_t>(sizes[i], 1), &row_major[i - 1]))
      return true;
  }
  const std::span<const int64_t> strides(dl.strides ? dl.strides : row_major.data(), sizes.size());
  const std::optional<Extent> extent = find_extent(sizes, strides);
  if (!extent || extent->is_empty) return true;
  const auto item = static_cast<int64_t>(std::max(1, dl.dtype.bits / 8));
  const auto middle = static_cast<int64_t>(kBufferSize / 2);
  if (dl.byte_offset > kBufferSize / 4) return false;
  const int64_t first = middle + static_cast<int64_t>(dl.byte_offset);
  return extent->lowest >= -first / item &&
         extent->highest < (static_cast<int64_t>(kBufferSize) - first) / item;
}

struct Arrays {
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
};

OpwDlTensor take_tensor(Input& input, Arrays& arrays) {
  OpwDlTensor dl{};
  dl.device = {input.take<uint8_t>() % 4 == 0 ? input.take<int32_t>() : kOpwDeviceCpu,
               input.take<int8_t>() % 3};
  const auto known = input.take<uint8_t>();
  dl.dtype =
      known < 200 ? to_dlpack(kDTypes[known % std::size(kDTypes)].dtype) : input.take<OpwDtype>();
  dl.ndim = input.take<uint8_t>() % 8;
  if (dl.ndim == 7) dl.ndim = input.take<int32_t>();
  const auto length = static_cast<size_t>(std::clamp(dl.ndim, 0, 2 * kMostDims));
  for (size_t i = 0; i < length; ++i) {
    arrays.shape.push_back(input.take_number());
    arrays.strides.push_back(input.take_number());
  }
  const auto choices = input.take<uint8_t>();
  dl.shape = (choices & 7) == 7 ? nullptr : arrays.shape.data();
  dl.strides = (choices & 8) != 0 ? nullptr : arrays.strides.data();
  dl.byte_offset = static_cast<uint64_t>(input.take_number());
  const bool is_readable = (dl.ndim > 0 && !dl.shape) || stays_in_buffer(dl);
  dl.data = is_readable && (choices & 0x70) != 0x70 ? buffer.data() + kBufferSize / 2 : nullptr;
  return dl;
}

template <class Managed>
struct Produced : Managed {
  int deleted = 0;
};

void read_all(const Tensor& tensor) {
  require(tensor.numel() >= 0);
  (void)concatenate(tensor);
  (void)has_internal_overlap(tensor);
  if (tensor.device().type == kOpwDeviceCpu) (void)to_text(tensor);
}

void export_again(const Tensor& tensor) {
  DlManagedTensorVersioned* exported = to_dlpack_versioned(tensor);
  require(exported->dl_tensor.data == tensor.data());
  require(exported->dl_tensor.ndim == tensor.dim());
  const Tensor again = from_dlpack(exported);
  require(again.sizes().size() == tensor.sizes().size());
}

template <class Managed>
void import_one(Produced<Managed>& managed) {
  managed.deleter = [](Managed* self) { ++static_cast<Produced<Managed>*>(self)->deleted; };
  try {
    const Tensor tensor = from_dlpack(&managed);
    require(managed.deleted == 0);
    read_all(tensor);
    export_again(tensor);
    require(managed.deleted == 0);
  } catch (const Error& error) {
    require(std::strcmp(error.kind(), "AssertionError") != 0);
  }
  require(managed.deleted == 1);
}

void import_input(Input input) {
  Arrays arrays;
  if (input.take<uint8_t>() % 2 == 0) {
    Produced<DlManagedTensor> managed{};
    managed.dl_tensor = take_tensor(input, arrays);
    import_one(managed);
  } else {
    Produced<DlManagedTensorVersioned> managed{};
    managed.version.major = input.take<uint8_t>() % 8 == 0 ? input.take<uint32_t>() : 1;
    managed.flags = input.take<uint8_t>();
    managed.dl_tensor = take_tensor(input, arrays);
    import_one(managed);
  }
}

}  // namespace
}  // namespace opwright

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const opwright::LiveCounts before = opwright::live_counts();
  opwright::import_input(opwright::Input(data, size));
  opwright::require(opwright::live_counts() == before);
  return 0;
}
