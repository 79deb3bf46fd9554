#include "bridges/torch/allocation.h"

#include <algorithm>
#include <cstdint>

#include "bridges/operators/allocation_request.h"
#include "bridges/torch/handle_tensor.h"
#include "bridges/torch/stable_abi.h"
#include "bridges/torch/torch_numbers.h"
#include "opwright/c_api.h"

namespace opwright::torch_bridge {
namespace {

// torch's contiguous strides: a dimension of size 0 counts as one.
void write_contiguous_strides(const bridges::AllocationRequest& request, int64_t* strides) {
  int64_t stride = 1;
  for (int32_t dim = request.ndim - 1; dim >= 0; --dim) {
    strides[dim] = stride;
    stride *= std::max<int64_t>(request.sizes[dim], 1);
  }
}

}  // namespace

OpwTensor* allocate_simply(bridges::Allocation allocation, const OpwValue* args) {
  bridges::AllocationRequest request;
  if (!bridges::read_request(allocation, args, request)) return nullptr;
  int64_t contiguous[bridges::AllocationRequest::kMaxDims];
  const int64_t* strides = request.strides;
  if (!strides) {
    write_contiguous_strides(request, contiguous);
    strides = contiguous;
  }
  AtenTensorHandle handle = nullptr;
  require_success(torch_abi.empty_strided(
                      request.ndim, request.sizes, strides, dtype_to_torch(request.dtype),
                      device_type_to_torch(request.device.type), request.device.index, &handle),
                  "allocating a tensor");
  if (request.device.index < 0) return own_handle(handle);
  return own_new_handle(handle, request.ndim, request.dtype, request.device);
}

}  // namespace opwright::torch_bridge
