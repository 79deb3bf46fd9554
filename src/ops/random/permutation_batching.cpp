// The vmap rule of randperm with different numbers per sample: sorts random keys.
#include <optional>

#include "opwright/functions.h"
#include "opwright/library.h"
#include "opwright/ops/rule/batching.h"

namespace opwright {
namespace {

using OptionalDType = std::optional<DType>;
using OptionalLayout = std::optional<Layout>;
using OptionalDevice = std::optional<Device>;
using OptionalBool = std::optional<bool>;

// Keys have 53 bits: duplicates within a sample are very unlikely.
VmapResult<Tensor> order_of(const Tensor& keys, const OptionalDType& dtype) {
  const Tensor order = std::get<1>(sort(keys, -1));
  const DType wanted = dtype.value_or(DType::Int64);
  return batched(wanted == DType::Int64 ? order : _to_copy(order, wanted));
}

}  // namespace

VmapResult<Tensor> randperm_vmap(const VmapInfo& info, const SymInt& n, const OptionalDType& dtype,
                                 const OptionalLayout& layout, const OptionalDevice& device,
                                 const OptionalBool& pin_memory) {
  return order_of(rand({info.batch_size, n}, DType::Float64, layout, device, pin_memory), dtype);
}
VmapResult<Tensor> randperm_generator_vmap(const VmapInfo& info, const SymInt& n,
                                           const std::optional<Generator>& generator,
                                           const OptionalDType& dtype, const OptionalLayout& layout,
                                           const OptionalDevice& device,
                                           const OptionalBool& pin_memory) {
  return order_of(rand({info.batch_size, n}, generator, DType::Float64, layout, device, pin_memory),
                  dtype);
}

}  // namespace opwright
