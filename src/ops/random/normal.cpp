// normal_ and log_normal_, and normal: numbers around given means.
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>

#include "opwright/fake_tensor.h"
#include "opwright/functions.h"
#include "opwright/ops/engine/random/device_random.h"
#include "opwright/ops/engine/random/distribution.h"
#include "opwright/ops/engine/random/random_arguments.h"
#include "opwright/ops/engine/random/random_fill.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

using std::optional;

void check_normal(const char* who, DType dtype, double std) {
  check_inexact(who, dtype);
  check_std(who, std);
}

void check_log_normal(DType dtype, double std) {
  check_floating("log_normal_", dtype);
  OPWRIGHT_CHECK_VALUE(std > 0, "log_normal_: std must be positive, got ", std);
}

template <class T>
void add_to_real_parts(const Tensor& dense, double number) {
  T* numbers = dense.mutable_data<T>();
  for (int64_t i = 0; i < dense.numel(); ++i)
    numbers[i].real += static_cast<decltype(T{}.real)>(number);
}

// Each part of a complex number has half the variance; the mean is real.
void fill_complex(const Tensor& self, double mean, double std, RandomState& state) {
  const double part = std / std::sqrt(2.0);
  fill_dense("normal_", self, [&](const Tensor& dense) {
    if (self.dtype() == DType::Complex128) {
      fill_random("normal_", dense, state, NormalDouble{0, part});
      add_to_real_parts<Complex<double>>(dense, mean);
    } else {
      fill_random("normal_", dense, state, NormalFloat{0, static_cast<float>(part)});
      add_to_real_parts<Complex<float>>(dense, mean);
    }
  });
}

// A view that lives as long as `self`.
Tensor real_parts(const Tensor& self) {
  Sizes strides(self.strides());
  for (int64_t& stride : strides) stride *= 2;
  return make_from_memory(self.mutable_data(), self.sizes(), strides, real_dtype(self.dtype()),
                          self.device(), nullptr, nullptr);
}

void check_means(const char* who, const Tensor& mean) { check_inexact(who, mean.dtype()); }
// Checks the elements, if the tensor has data.
void check_stds(const Tensor& std) {
  check_floating("normal", std.dtype());
  if (std.is_fake() || std.sym_numel() == 0) return;
  OPWRIGHT_CHECK_VALUE(
      amin(std, IntList{}).item().to<double>() >= 0 || std.isnan().any().item().to<bool>(),
      "normal: no element of std may be negative, got ", std.min(), " among them");
}

}  // namespace

Tensor& normal_cpu(Tensor& self, double mean, double std, const optional<Generator>& generator) {
  check_normal("normal_", self.dtype(), std);
  RandomState& state = random_state("normal_", generator, self.device());
  if (is_complex(self.dtype())) {
    fill_complex(self, mean, std, state);
  } else if (self.dtype() == DType::Float64) {
    fill_random("normal_", self, state, NormalDouble{mean, std});
  } else {
    fill_random("normal_", self, state,
                NormalFloat{static_cast<float>(mean), static_cast<float>(std)});
  }
  return self;
}
Tensor& normal_in_place_all_devices(Tensor& self, double mean, double std,
                                    const optional<Generator>& generator) {
  check_normal("normal_", self.dtype(), std);
  RandomState& state = random_state("normal_", generator, self.device());
  const bool has_parts = is_complex(self.dtype());
  const int64_t words = real_dtype(self.dtype()) == DType::Float64 ? 2 : 1;
  fill_random_on_device("normal_", self, state, "normal", words,
                        {has_parts ? 0 : mean, has_parts ? std / std::sqrt(2.0) : std});
  if (has_parts && mean != 0) real_parts(self).add_(mean);
  return self;
}
FakeTensor& normal_fake(FakeTensor& self, double /*mean*/, double std,
                        const optional<Generator>& /*generator*/) {
  check_normal("normal_", self.dtype(), std);
  return self;
}

Tensor& log_normal_cpu(Tensor& self, double mean, double std,
                       const optional<Generator>& generator) {
  check_log_normal(self.dtype(), std);
  fill_random("log_normal_", self, random_state("log_normal_", generator, self.device()),
              NormalDouble{mean, std}, [](double* elements, int64_t count) {
                for (int64_t i = 0; i < count; ++i) elements[i] = std::exp(elements[i]);
              });
  return self;
}
Tensor& log_normal_in_place_all_devices(Tensor& self, double mean, double std,
                                        const optional<Generator>& generator) {
  check_log_normal(self.dtype(), std);
  check_writable("log_normal_", self);
  Tensor numbers = make_empty(self.sizes(), DType::Float64, self.device());
  numbers.normal_(mean, std, generator);
  self.copy_(numbers.exp_());
  return self;
}
FakeTensor& log_normal_fake(FakeTensor& self, double /*mean*/, double std,
                            const optional<Generator>& /*generator*/) {
  check_log_normal(self.dtype(), std);
  return self;
}

Tensor normal_tensor_float_all_devices(const Tensor& mean, double std,
                                       const optional<Generator>& generator) {
  check_means("normal", mean);
  check_std("normal", std);
  Tensor result = empty_like(mean, {}, {}, {}, {}, MemoryFormat::Contiguous);
  result.normal_(0, std, generator);
  result.add_(mean);
  return result;
}

Tensor normal_float_tensor_all_devices(double mean, const Tensor& std,
                                       const optional<Generator>& generator) {
  check_stds(std);
  Tensor result = empty_like(std, {}, {}, {}, {}, MemoryFormat::Contiguous);
  result.normal_(0, 1, generator);
  result.mul_(std);
  result.add_(mean);
  return result;
}

Tensor normal_tensor_tensor_all_devices(const Tensor& mean, const Tensor& std,
                                        const optional<Generator>& generator) {
  check_means("normal", mean);
  check_stds(std);
  const SymSizes sizes =
      broadcast_sizes(sym_geometry_of(mean).sizes, sym_geometry_of(std).sizes, "normal");
  Tensor result = empty(sizes, mean.dtype(), {}, mean.device());
  result.normal_(0, 1, generator);
  result.mul_(std);
  result.add_(mean);
  return result;
}

Tensor normal_float_float_all_devices(double mean, double std, std::span<const SymInt> size,
                                      const optional<Generator>& generator,
                                      const optional<DType>& dtype, const optional<Layout>& layout,
                                      const optional<Device>& device,
                                      const optional<bool>& pin_memory) {
  check_normal("normal", dtype.value_or(kDefaultFloat), std);
  Tensor result = empty(size, dtype, layout, device, pin_memory);
  result.normal_(mean, std, generator);
  return result;
}

}  // namespace opwright
