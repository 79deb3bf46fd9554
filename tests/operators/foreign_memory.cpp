// foreign::...: operators that show how a host passes arguments, what its memory lets them do, and
// where their results end.
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "opwright/opwright.h"

namespace foreign {
namespace {

using opwright::DType;
using opwright::FakeTensor;
using opwright::Scalar;
using opwright::Tensor;

// The sum of all that it is given, each kind of argument at a decimal place of its own.
Tensor gather(const Tensor& x, const std::vector<Tensor>& more, const std::optional<Tensor>& bias,
              std::span<const int64_t> shifts, std::span<const double> weights,
              std::span<const bool> signs, int64_t count, bool negate, std::string_view mode,
              const Scalar& scale, std::optional<DType> dtype, std::optional<int64_t> start) {
  Tensor sum = x;
  for (const Tensor& each : more) sum = sum + each;
  if (bias) sum = sum + *bias;
  for (const int64_t each : shifts) sum = sum + static_cast<double>(each);
  for (const double each : weights) sum = sum + each;
  for (const bool each : signs) sum = sum + (each ? 0.25 : -0.25);
  sum = sum + static_cast<double>(count) + static_cast<double>(mode.size());
  if (start) sum = sum + static_cast<double>(*start);
  sum = sum * scale;
  if (negate) sum = -sum;
  return dtype ? sum.to(*dtype) : sum;
}

// How many are there, and the sum of these.
Tensor add_defined(const std::vector<std::optional<Tensor>>& all) {
  std::optional<Tensor> sum;
  for (const auto& each : all) {
    if (each) sum = sum ? *sum + *each : *each;
  }
  OPWRIGHT_CHECK_VALUE(sum, "add_defined: at least one tensor must be there");
  return *sum;
}

std::vector<Tensor> rows(const Tensor& x) {
  std::vector<Tensor> all;
  for (int64_t i = 0; i < x.size(0); ++i) all.push_back(x.select(0, i));
  return all;
}

Tensor transposed(const Tensor& x) { return x.t(); }

// Writes through a second handle of its argument.
Tensor& twice(Tensor& x) {
  Tensor same = x;
  same.mul_(2);
  return x;
}

Tensor write_unwritten(const Tensor& x) {
  (void)x.mutable_data();
  return x;
}

// Keeps what shows the memory of its argument.
Tensor kept;
Tensor keep_view(const Tensor& x) {
  kept = x.contiguous();
  return x * 1;
}
void drop_view(const Tensor& /*x*/) { kept = Tensor(); }

Tensor promised_more(const Tensor& x) { return x * 1; }
FakeTensor promised_more_fake(const FakeTensor& x) { return x.new_empty({x.size(0) + 1}); }

}  // namespace

OPWRIGHT_LIBRARY(foreign, m) {
  m.def(
      "gather(Tensor x, Tensor[] more, Tensor? bias, int[] shifts, float[] weights, bool[] signs, "
      "int count=0, bool negate=False, str mode='', *, Scalar scale=1, ScalarType? dtype=None, "
      "int? start=7) -> Tensor");
  m.def("add_defined(Tensor?[] all) -> Tensor");
  m.def("rows(Tensor x) -> Tensor[]");
  m.def("transposed(Tensor x) -> Tensor");
  m.def("twice_(Tensor(a!) x) -> Tensor(a!)");
  m.def("write_unwritten(Tensor x) -> Tensor");
  m.register_fake("write_unwritten", [](const FakeTensor& x) { return opwright::empty_like(x); });
  m.def("keep_view(Tensor x) -> Tensor");
  m.register_fake("keep_view", [](const FakeTensor& x) { return opwright::empty_like(x); });
  m.def("drop_view(Tensor x) -> ()");
  m.def("promised_more(Tensor x) -> Tensor");
  m.register_fake("promised_more", &promised_more_fake);
  m.def("without_fake(Tensor x) -> Tensor");
  m.def("size_of(Tensor x) -> int");
  m.def("draw(Tensor x, Generator? generator=None) -> Tensor");
}

OPWRIGHT_LIBRARY_IMPL(foreign, CompositeExplicitAutograd, m) {
  m.impl("gather", &gather);
  m.impl("add_defined", &add_defined);
  m.impl("rows", &rows);
  m.impl("transposed", &transposed);
}

OPWRIGHT_LIBRARY_IMPL(foreign, CPU, m) {
  m.impl("twice_", &twice);
  m.impl("write_unwritten", &write_unwritten);
  m.impl("keep_view", &keep_view);
  m.impl("drop_view", &drop_view);
  m.impl("promised_more", &promised_more);
  m.impl("without_fake", [](const Tensor& x) { return x * 1; });
  m.impl("size_of", [](const Tensor& x) { return x.numel(); });
}

}  // namespace foreign
