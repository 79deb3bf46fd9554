// fft_fftfreq, fft_rfftfreq, fft_fftshift and fft_ifftshift.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/symint.h"

namespace opwright {
namespace {

Tensor frequencies(const char* who, int64_t first, int64_t end, int64_t n, double d,
                   const std::optional<DType>& dtype, const std::optional<Layout>& layout,
                   const std::optional<Device>& device, const std::optional<bool>& pin_memory) {
  const DType wanted = dtype.value_or(DType::Float32);
  OPWRIGHT_CHECK(is_floating(wanted) || is_complex(wanted), who,
                 ": dtype must be floating or complex, got ", wanted);
  const Tensor steps =
      arange(Scalar(first), Scalar(end), Scalar(1), wanted, layout, device, pin_memory);
  return steps.mul(Scalar(1.0 / (static_cast<double>(n) * d)));
}

void check_count(const char* who, int64_t n) {
  OPWRIGHT_CHECK(n >= 0, who, ": n must not be negative, got ", n);
}

// Every dimension is rotated by `share(size)`.
template <class Share>
Tensor rotated(const Tensor& self, const std::optional<std::span<const int64_t>>& dim,
               const Share& share) {
  std::vector<int64_t> dims;
  if (dim) {
    dims.assign(dim->begin(), dim->end());
  } else {
    for (int64_t i = 0; i < self.dim(); ++i) dims.push_back(i);
  }
  if (dims.empty()) return self;
  std::vector<SymInt> shifts;
  shifts.reserve(dims.size());
  for (const int64_t each : dims) shifts.push_back(share(self.sym_size(each)));
  return self.roll(shifts, dims);
}

}  // namespace

Tensor fft_fftfreq_all_devices(int64_t n, double d, const std::optional<DType>& dtype,
                               const std::optional<Layout>& layout,
                               const std::optional<Device>& device,
                               const std::optional<bool>& pin_memory) {
  constexpr const char* kWho = "fft_fftfreq";
  check_count(kWho, n);
  const int64_t positive = (n + 1) / 2;
  const Tensor steps =
      frequencies(kWho, -(n / 2), positive, n, d, dtype, layout, device, pin_memory);
  return steps.roll({SymInt(positive)}, {0});
}
Tensor fft_rfftfreq_all_devices(int64_t n, double d, const std::optional<DType>& dtype,
                                const std::optional<Layout>& layout,
                                const std::optional<Device>& device,
                                const std::optional<bool>& pin_memory) {
  constexpr const char* kWho = "fft_rfftfreq";
  check_count(kWho, n);
  return frequencies(kWho, 0, n / 2 + 1, n, d, dtype, layout, device, pin_memory);
}

Tensor fft_fftshift_composite(const Tensor& self, std::optional<std::span<const int64_t>> dim) {
  return rotated(self, dim, [](const SymInt& size) { return size / SymInt(2); });
}
Tensor fft_ifftshift_composite(const Tensor& self, std::optional<std::span<const int64_t>> dim) {
  return rotated(self, dim, [](const SymInt& size) { return (size + SymInt(1)) / SymInt(2); });
}

}  // namespace opwright
