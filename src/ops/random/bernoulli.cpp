// bernoulli: 1 with the given probability, else 0.
#include <cmath>
#include <cstdint>
#include <optional>

#include "opwright/fake_tensor.h"
#include "opwright/functions.h"
#include "opwright/ops/engine/random/device_random.h"
#include "opwright/ops/engine/random/distribution.h"
#include "opwright/ops/engine/random/random_arguments.h"
#include "opwright/ops/engine/random/random_fill.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/symbolic/shape_env/demand.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

using std::optional;

constexpr const char* kBernoulli = "bernoulli_";

// Contiguous probabilities of `sizes`, checked.
template <class C>
Tensor spread_probabilities(const Tensor& p, std::span<const int64_t> sizes) {
  Tensor spread = make_empty(sizes, dtype_of<C>());
  copy_elements(spread, p);
  const C* numbers = spread.template data<C>();
  for (int64_t i = 0; i < spread.numel(); ++i) {
    OPWRIGHT_CHECK_VALUE(numbers[i] >= 0 && numbers[i] <= 1, kBernoulli,
                         ": every element of p must be a probability between 0 and 1, got ",
                         numbers[i]);
  }
  return spread;
}

// Whether a uniform number is below p, with as many bits as the probabilities have.
template <class C, class Uniform>
void fill_by_chances(const Tensor& self, const Tensor& p, RandomState& state,
                     const Uniform& uniform) {
  if (self.numel() == 0) return;
  const Tensor spread = spread_probabilities<C>(p, self.sizes());
  const C* chances = spread.data<C>();
  const ConversionFunction convert = find_conversion(self.dtype(), DType::Bool);
  const auto item = static_cast<int64_t>(item_size(self.dtype()));
  fill_dense(kBernoulli, self, [&](const Tensor& dense) {
    auto* out = static_cast<std::byte*>(dense.mutable_data());
    for_each_chunk(uniform, state, dense.numel(), [&](int64_t begin, C* elements, int64_t count) {
      bool is_one[kChunkElements];
      for (int64_t i = 0; i < count; ++i) is_one[i] = elements[i] < chances[begin + i];
      convert(out + begin * item, item, reinterpret_cast<const std::byte*>(is_one), 1, count);
    });
  });
}

uint32_t threshold_of(double p) { return static_cast<uint32_t>(std::llround(p * 0x1p31)); }

void check_expandable(const SymSizes& p, const SymSizes& self) {
  const SymSizes sizes = broadcast_sizes(self, p, kBernoulli);
  demand(have_same_sizes(sizes, self), "ValueError", [&] {
    return concatenate(kBernoulli, ": p of sizes ", to_text(p), " does not broadcast to the sizes ",
                       to_text(self), " of self");
  });
}

}  // namespace

Tensor& bernoulli_float_cpu(Tensor& self, double p, const optional<Generator>& generator) {
  check_probability(kBernoulli, p);
  if (is_complex(self.dtype())) throw_dtype(self.dtype(), kBernoulli, "all but complex dtypes");
  fill_random(kBernoulli, self, random_state(kBernoulli, generator, self.device()),
              Chance{threshold_of(p)});
  return self;
}
Tensor& bernoulli_float_in_place_all_devices(Tensor& self, double p,
                                             const optional<Generator>& generator) {
  check_probability(kBernoulli, p);
  if (is_complex(self.dtype())) throw_dtype(self.dtype(), kBernoulli, "all but complex dtypes");
  fill_random_on_device(kBernoulli, self, random_state(kBernoulli, generator, self.device()),
                        "bernoulli", 1, {int64_t{threshold_of(p)}});
  return self;
}
FakeTensor& bernoulli_float_fake(FakeTensor& self, double p,
                                 const optional<Generator>& /*generator*/) {
  check_probability(kBernoulli, p);
  if (is_complex(self.dtype())) throw_dtype(self.dtype(), kBernoulli, "all but complex dtypes");
  return self;
}

Tensor& bernoulli_tensor_cpu(Tensor& self, const Tensor& p, const optional<Generator>& generator) {
  check_floating("bernoulli_ with p", p.dtype());
  check_expands(kBernoulli, "p", p, self);
  if (is_complex(self.dtype())) throw_dtype(self.dtype(), kBernoulli, "all but complex dtypes");
  RandomState& state = random_state(kBernoulli, generator, self.device());
  if (p.dtype() == DType::Float64) {
    fill_by_chances<double>(self, p, state, UniformDouble{0, 1, 1 - 0x1p-53});
  } else {
    fill_by_chances<float>(self, p, state, UniformFloat{0, 1, 1 - 0x1p-24F, 24});
  }
  return self;
}
// The probabilities are not checked: that would wait for the device.
Tensor& bernoulli_tensor_in_place_all_devices(Tensor& self, const Tensor& p,
                                              const optional<Generator>& generator) {
  check_floating("bernoulli_ with p", p.dtype());
  check_expands(kBernoulli, "p", p, self);
  if (is_complex(self.dtype())) throw_dtype(self.dtype(), kBernoulli, "all but complex dtypes");
  check_writable(kBernoulli, self);
  const DType dtype = p.dtype() == DType::Float64 ? DType::Float64 : DType::Float32;
  Tensor numbers = make_empty(self.sizes(), dtype, self.device());
  numbers.uniform_(0, 1, generator);
  self.copy_(numbers.lt(p.to(dtype)));
  return self;
}
FakeTensor& bernoulli_tensor_fake(FakeTensor& self, const FakeTensor& p,
                                  const optional<Generator>& /*generator*/) {
  check_floating("bernoulli_ with p", p.dtype());
  check_expandable(sym_geometry_of(as_tensor(p)).sizes, sym_geometry_of(as_tensor(self)).sizes);
  if (is_complex(self.dtype())) throw_dtype(self.dtype(), kBernoulli, "all but complex dtypes");
  return self;
}

Tensor bernoulli_all_devices(const Tensor& self, const optional<Generator>& generator) {
  check_floating("bernoulli", self.dtype());
  Tensor result = empty_like(self, {}, {}, {}, {}, MemoryFormat::Contiguous);
  result.bernoulli_(self, generator);
  return result;
}

Tensor bernoulli_p_all_devices(const Tensor& self, double p, const optional<Generator>& generator) {
  check_probability("bernoulli", p);
  Tensor result = empty_like(self, {}, {}, {}, {}, MemoryFormat::Contiguous);
  result.bernoulli_(p, generator);
  return result;
}

Tensor bernoulli_tensor_all_devices(const Tensor& self, const Tensor& p,
                                    const optional<Generator>& generator) {
  Tensor result = empty_like(self);
  result.bernoulli_(p, generator);
  return result;
}

}  // namespace opwright
