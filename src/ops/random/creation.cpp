// New random tensors, on every device that has the in-place operators.
#include <cstdint>
#include <optional>
#include <span>

#include "opwright/functions.h"
#include "opwright/ops/engine/random/random_arguments.h"
#include "opwright/ops/engine/shape/promotion.h"
#include "opwright/symint.h"

namespace opwright {
namespace {

using std::optional;
using SymSizeSpan = std::span<const SymInt>;

void check_below(const char* who, const SymInt& low, const SymInt& high) {
  check(low < high,
        concatenate(who, ": high must be above low, got low=", low, " and high=", high));
}

Tensor fill_ints(const char* who, Tensor result, const SymInt& low, const SymInt& high,
                 const optional<Generator>& generator) {
  check_below(who, low, high);
  if (!result.is_fake()) result.random_(low.specialise(), high.specialise(), generator);
  return result;
}

}  // namespace

// ---- rand and randn ---------------------------------------------------------------------------

Tensor rand_generator_all_devices(SymSizeSpan size, const optional<Generator>& generator,
                                  const optional<DType>& dtype, const optional<Layout>& layout,
                                  const optional<Device>& device,
                                  const optional<bool>& pin_memory) {
  check_inexact("rand", dtype.value_or(kDefaultFloat));
  Tensor result = empty(size, dtype, layout, device, pin_memory);
  result.uniform_(0, 1, generator);
  return result;
}
Tensor rand_all_devices(SymSizeSpan size, const optional<DType>& dtype,
                        const optional<Layout>& layout, const optional<Device>& device,
                        const optional<bool>& pin_memory) {
  return rand_generator_all_devices(size, std::nullopt, dtype, layout, device, pin_memory);
}

Tensor randn_generator_all_devices(SymSizeSpan size, const optional<Generator>& generator,
                                   const optional<DType>& dtype, const optional<Layout>& layout,
                                   const optional<Device>& device,
                                   const optional<bool>& pin_memory) {
  check_inexact("randn", dtype.value_or(kDefaultFloat));
  Tensor result = empty(size, dtype, layout, device, pin_memory);
  result.normal_(0, 1, generator);
  return result;
}
Tensor randn_all_devices(SymSizeSpan size, const optional<DType>& dtype,
                         const optional<Layout>& layout, const optional<Device>& device,
                         const optional<bool>& pin_memory) {
  return randn_generator_all_devices(size, std::nullopt, dtype, layout, device, pin_memory);
}

// ---- randint ----------------------------------------------------------------------------------

Tensor randint_low_generator_all_devices(const SymInt& low, const SymInt& high, SymSizeSpan size,
                                         const optional<Generator>& generator,
                                         const optional<DType>& dtype,
                                         const optional<Layout>& layout,
                                         const optional<Device>& device,
                                         const optional<bool>& pin_memory) {
  return fill_ints("randint",
                   empty(size, dtype.value_or(kDefaultFloat), layout, device, pin_memory), low,
                   high, generator);
}
Tensor randint_low_all_devices(const SymInt& low, const SymInt& high, SymSizeSpan size,
                               const optional<DType>& dtype, const optional<Layout>& layout,
                               const optional<Device>& device, const optional<bool>& pin_memory) {
  return randint_low_generator_all_devices(low, high, size, std::nullopt, dtype, layout, device,
                                           pin_memory);
}
Tensor randint_generator_all_devices(const SymInt& high, SymSizeSpan size,
                                     const optional<Generator>& generator,
                                     const optional<DType>& dtype, const optional<Layout>& layout,
                                     const optional<Device>& device,
                                     const optional<bool>& pin_memory) {
  return randint_low_generator_all_devices(0, high, size, generator, dtype, layout, device,
                                           pin_memory);
}
Tensor randint_all_devices(const SymInt& high, SymSizeSpan size, const optional<DType>& dtype,
                           const optional<Layout>& layout, const optional<Device>& device,
                           const optional<bool>& pin_memory) {
  return randint_low_generator_all_devices(0, high, size, std::nullopt, dtype, layout, device,
                                           pin_memory);
}

// ---- like another tensor ----------------------------------------------------------------------

Tensor rand_like_generator_all_devices(const Tensor& self, const optional<Generator>& generator,
                                       const optional<DType>& dtype, const optional<Layout>& layout,
                                       const optional<Device>& device,
                                       const optional<bool>& pin_memory,
                                       const optional<MemoryFormat>& memory_format) {
  check_inexact("rand_like", dtype.value_or(self.dtype()));
  Tensor result = empty_like(self, dtype, layout, device, pin_memory, memory_format);
  result.uniform_(0, 1, generator);
  return result;
}
Tensor rand_like_all_devices(const Tensor& self, const optional<DType>& dtype,
                             const optional<Layout>& layout, const optional<Device>& device,
                             const optional<bool>& pin_memory,
                             const optional<MemoryFormat>& memory_format) {
  return rand_like_generator_all_devices(self, std::nullopt, dtype, layout, device, pin_memory,
                                         memory_format);
}

Tensor randn_like_generator_all_devices(const Tensor& self, const optional<Generator>& generator,
                                        const optional<DType>& dtype,
                                        const optional<Layout>& layout,
                                        const optional<Device>& device,
                                        const optional<bool>& pin_memory,
                                        const optional<MemoryFormat>& memory_format) {
  check_inexact("randn_like", dtype.value_or(self.dtype()));
  Tensor result = empty_like(self, dtype, layout, device, pin_memory, memory_format);
  result.normal_(0, 1, generator);
  return result;
}
Tensor randn_like_all_devices(const Tensor& self, const optional<DType>& dtype,
                              const optional<Layout>& layout, const optional<Device>& device,
                              const optional<bool>& pin_memory,
                              const optional<MemoryFormat>& memory_format) {
  return randn_like_generator_all_devices(self, std::nullopt, dtype, layout, device, pin_memory,
                                          memory_format);
}

Tensor randint_like_low_generator_all_devices(
    const Tensor& self, const SymInt& low, const SymInt& high, const optional<Generator>& generator,
    const optional<DType>& dtype, const optional<Layout>& layout, const optional<Device>& device,
    const optional<bool>& pin_memory, const optional<MemoryFormat>& memory_format) {
  return fill_ints("randint_like",
                   empty_like(self, dtype, layout, device, pin_memory, memory_format), low, high,
                   generator);
}
Tensor randint_like_low_all_devices(const Tensor& self, const SymInt& low, const SymInt& high,
                                    const optional<DType>& dtype, const optional<Layout>& layout,
                                    const optional<Device>& device,
                                    const optional<bool>& pin_memory,
                                    const optional<MemoryFormat>& memory_format) {
  return randint_like_low_generator_all_devices(self, low, high, std::nullopt, dtype, layout,
                                                device, pin_memory, memory_format);
}
Tensor randint_like_generator_all_devices(
    const Tensor& self, const SymInt& high, const optional<Generator>& generator,
    const optional<DType>& dtype, const optional<Layout>& layout, const optional<Device>& device,
    const optional<bool>& pin_memory, const optional<MemoryFormat>& memory_format) {
  return randint_like_low_generator_all_devices(self, 0, high, generator, dtype, layout, device,
                                                pin_memory, memory_format);
}
Tensor randint_like_all_devices(const Tensor& self, const SymInt& high,
                                const optional<DType>& dtype, const optional<Layout>& layout,
                                const optional<Device>& device, const optional<bool>& pin_memory,
                                const optional<MemoryFormat>& memory_format) {
  return randint_like_low_generator_all_devices(self, 0, high, std::nullopt, dtype, layout, device,
                                                pin_memory, memory_format);
}

Tensor randint_like_tensor_generator_all_devices(
    const Tensor& self, const Tensor& high, const optional<Generator>& generator,
    const optional<DType>& dtype, const optional<Layout>& layout, const optional<Device>& device,
    const optional<bool>& pin_memory, const optional<MemoryFormat>& memory_format) {
  OPWRIGHT_CHECK_VALUE(high.dim() == 0, "randint_like: high must be a zero-dim tensor, got ", high);
  Tensor result = empty_like(self, dtype, layout, device, pin_memory, memory_format);
  if (result.is_fake()) return result;
  return fill_ints("randint_like", result, 0, high.item().to<int64_t>(), generator);
}
Tensor randint_like_tensor_all_devices(const Tensor& self, const Tensor& high,
                                       const optional<DType>& dtype, const optional<Layout>& layout,
                                       const optional<Device>& device,
                                       const optional<bool>& pin_memory,
                                       const optional<MemoryFormat>& memory_format) {
  return randint_like_tensor_generator_all_devices(self, high, std::nullopt, dtype, layout, device,
                                                   pin_memory, memory_format);
}

}  // namespace opwright
