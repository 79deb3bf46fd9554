#include "bridges/operators/allocation_request.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>

#include "opwright/c_api.h"
#include "opwright/dtype.h"

namespace opwright::bridges {
namespace {

constexpr int64_t kContiguousFormat = 0;
constexpr int64_t kPreserveFormat = 1;

bool is_none_or(const OpwValue& value, int64_t number) {
  return value.tag == kOpwNone || value.as_int == number;
}

// `options` are dtype, layout, device and pin_memory; `like` may be null.
bool read_options(const OpwValue* options, const OpwTensor* like, AllocationRequest& request) {
  if (!is_none_or(options[1], 0) || !is_none_or(options[3], 0)) return false;
  if (options[0].tag != kOpwNone) {
    request.dtype = to_dlpack(static_cast<DType>(options[0].as_int));
  } else if (like) {
    request.dtype = like->dl.dtype;
  } else {
    return false;
  }
  if (options[2].tag != kOpwNone) {
    request.device = options[2].as_device;
  } else if (like) {
    request.device = like->dl.device;
  }
  return true;
}

bool read_ints(const OpwValue& list, int32_t& length, const int64_t*& ints) {
  const bool is_list = list.tag == kOpwIntList || list.tag == kOpwSymIntList;
  if (!is_list || list.length > AllocationRequest::kMaxDims) return false;
  length = static_cast<int32_t>(list.length);
  ints = list.as_ints;
  return std::all_of(ints, ints + length, [](int64_t each) { return each >= 0; });
}

bool read_sizes_and_strides(const OpwValue* args, AllocationRequest& request) {
  int32_t num_strides = 0;
  return read_ints(args[0], request.ndim, request.sizes) &&
         read_ints(args[1], num_strides, request.strides) && num_strides == request.ndim;
}

const OpwTensor* read_like(const OpwValue& value) {
  constexpr uint32_t kUnreadable =
      kOpwFlagFake | kOpwFlagWrapped | kOpwFlagSymbolic | kOpwFlagStale;
  if (value.tag != kOpwTensor || (value.as_tensor->flags & kUnreadable) != 0) return nullptr;
  return value.as_tensor->dl.ndim <= AllocationRequest::kMaxDims ? value.as_tensor : nullptr;
}

// Whether the elements are dense in memory in some order of the dimensions: then a tensor like it
// has the same strides.
bool is_dense(const OpwDlTensor& dl) {
  int32_t order[AllocationRequest::kMaxDims];
  std::iota(order, order + dl.ndim, 0);
  std::sort(order, order + dl.ndim, [&](int32_t a, int32_t b) {
    return dl.shape[a] > 1 && (dl.shape[b] <= 1 || dl.strides[a] < dl.strides[b]);
  });
  int64_t expected = 1;
  for (int32_t i = 0; i < dl.ndim; ++i) {
    const int32_t dim = order[i];
    if (dl.shape[dim] == 0) return true;
    if (dl.shape[dim] == 1) continue;
    if (dl.strides[dim] != expected) return false;
    expected *= dl.shape[dim];
  }
  return true;
}
bool have_no_gap(int32_t ndim, const int64_t* sizes, const int64_t* strides) {
  int64_t expected = 1;
  for (int32_t dim = ndim - 1; dim >= 0; --dim) {
    if (sizes[dim] == 1) continue;
    if (strides[dim] != expected) return false;
    expected *= sizes[dim];
  }
  return true;
}

bool read_empty_like(const OpwValue* args, AllocationRequest& request) {
  const OpwTensor* like = read_like(args[0]);
  if (!like || !read_options(args + 1, like, request)) return false;
  const OpwDlTensor& dl = like->dl;
  request.ndim = dl.ndim;
  request.sizes = dl.shape;
  if (args[5].tag != kOpwNone && args[5].as_int == kContiguousFormat) return true;
  if (!is_none_or(args[5], kPreserveFormat)) return false;
  request.strides = dl.strides;
  return have_no_gap(dl.ndim, dl.shape, dl.strides) || is_dense(dl);
}

bool read_new_empty(const OpwValue* args, AllocationRequest& request) {
  const OpwTensor* like = read_like(args[0]);
  return like && read_ints(args[1], request.ndim, request.sizes) &&
         read_options(args + 2, like, request);
}
bool read_new_empty_strided(const OpwValue* args, AllocationRequest& request) {
  const OpwTensor* like = read_like(args[0]);
  return like && read_sizes_and_strides(args + 1, request) && read_options(args + 3, like, request);
}

}  // namespace

Allocation find_allocation(const std::string& name) {
  if (name == "aten::empty.memory_format") return Allocation::Empty;
  if (name == "aten::empty_strided") return Allocation::EmptyStrided;
  if (name == "aten::empty_like") return Allocation::EmptyLike;
  if (name == "aten::new_empty") return Allocation::NewEmpty;
  if (name == "aten::new_empty_strided") return Allocation::NewEmptyStrided;
  return Allocation::None;
}

bool read_request(Allocation allocation, const OpwValue* args, AllocationRequest& request) {
  switch (allocation) {
    case Allocation::Empty:
      return read_ints(args[0], request.ndim, request.sizes) &&
             read_options(args + 1, nullptr, request) && is_none_or(args[5], kContiguousFormat);
    case Allocation::EmptyStrided:
      return read_sizes_and_strides(args, request) && read_options(args + 2, nullptr, request);
    case Allocation::EmptyLike:
      return read_empty_like(args, request);
    case Allocation::NewEmpty:
      return read_new_empty(args, request);
    case Allocation::NewEmptyStrided:
      return read_new_empty_strided(args, request);
    case Allocation::None:
      break;
  }
  return false;
}

bool is_contiguous(const AllocationRequest& request) {
  return !request.strides || have_no_gap(request.ndim, request.sizes, request.strides);
}

}  // namespace opwright::bridges
