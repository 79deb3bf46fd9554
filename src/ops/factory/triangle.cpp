// tril and triu: a copy of matrices with zeros above or below a diagonal.
#include <algorithm>
#include <cstring>

#include "opwright/base/thread_pool.h"
#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/ops/engine/shape/in_place.h"
#include "opwright/tensor/factory.h"

namespace opwright {
namespace {

enum class Triangle : uint8_t { Lower, Upper };

template <class AnyTensor>
void check_matrices(const char* who, const AnyTensor& self) {
  OPWRIGHT_CHECK(self.dim() >= 2, who, ": self must have at least two dimensions, got ", self);
}

Tensor copy_triangle(const char* who, Triangle triangle, const Tensor& self, int64_t diagonal) {
  check_matrices(who, self);
  Tensor result = make_empty(self.sizes(), self.dtype());
  if (result.numel() == 0) return result;
  const Tensor source = as_contiguous(self);
  const int64_t rows = self.size(-2);
  const int64_t columns = self.size(-1);
  const auto item = static_cast<int64_t>(item_size(self.dtype()));
  const auto* from = static_cast<const std::byte*>(source.data());
  auto* to = static_cast<std::byte*>(result.mutable_data());
  // Outside the matrix all diagonals are equivalent.
  const int64_t shift = std::clamp(diagonal, -rows - 1, columns + 1);
  const int64_t lines = result.numel() / columns;
  parallel_for(lines, std::max<int64_t>(1, 32768 / columns), [&](int64_t begin, int64_t end) {
    for (int64_t line = begin; line < end; ++line) {
      const int64_t at = line % rows + shift;
      const bool is_lower = triangle == Triangle::Lower;
      const int64_t first = is_lower ? 0 : std::clamp<int64_t>(at, 0, columns);
      const int64_t last = is_lower ? std::clamp<int64_t>(at + 1, 0, columns) : columns;
      const int64_t offset = line * columns * item;
      const auto bytes = [item](int64_t count) { return static_cast<size_t>(count * item); };
      std::memset(to + offset, 0, bytes(first));
      std::memcpy(to + offset + first * item, from + offset + first * item, bytes(last - first));
      std::memset(to + offset + last * item, 0, bytes(columns - last));
    }
  });
  return result;
}

// On another device: selects with a mask of row and column numbers.
Tensor choose_triangle(const char* who, Triangle triangle, const Tensor& self, int64_t diagonal) {
  check_matrices(who, self);
  const auto numbers = [&](int64_t count) {
    return arange(count, DType::Int64, std::nullopt, self.device());
  };
  const Tensor distance = numbers(self.size(-1)).sub(numbers(self.size(-2)).unsqueeze(-1));
  const Tensor keeps = triangle == Triangle::Lower ? distance.le(diagonal) : distance.ge(diagonal);
  return where(keeps, self.contiguous(), Scalar(false));  // a bool does not change the dtype
}

Tensor& write_triangle(const char* who, Triangle triangle, Tensor& self, int64_t diagonal) {
  check_writable(who, self);
  copy_elements(self, copy_triangle(who, triangle, self, diagonal));
  return self;
}

FakeTensor fake_triangle(const char* who, const FakeTensor& self) {
  check_matrices(who, self);
  return make_fake_like(self, self.sizes(), self.dtype());
}

}  // namespace

Tensor tril_cpu(const Tensor& self, int64_t diagonal) {
  return copy_triangle("tril", Triangle::Lower, self, diagonal);
}
Tensor tril_all_devices(const Tensor& self, int64_t diagonal) {
  return choose_triangle("tril", Triangle::Lower, self, diagonal);
}
FakeTensor tril_fake(const FakeTensor& self, const SymInt& /*diagonal*/) {
  return fake_triangle("tril", self);
}
Tensor& tril_in_place_all_devices(Tensor& self, int64_t diagonal) {
  return self.copy_(choose_triangle("tril_", Triangle::Lower, self, diagonal));
}
Tensor& tril_in_place_cpu(Tensor& self, int64_t diagonal) {
  return write_triangle("tril_", Triangle::Lower, self, diagonal);
}
FakeTensor& tril_in_place_fake(FakeTensor& self, const SymInt& /*diagonal*/) {
  check_matrices("tril_", self);
  return self;
}

Tensor triu_cpu(const Tensor& self, int64_t diagonal) {
  return copy_triangle("triu", Triangle::Upper, self, diagonal);
}
Tensor triu_all_devices(const Tensor& self, int64_t diagonal) {
  return choose_triangle("triu", Triangle::Upper, self, diagonal);
}
FakeTensor triu_fake(const FakeTensor& self, const SymInt& /*diagonal*/) {
  return fake_triangle("triu", self);
}
Tensor& triu_in_place_all_devices(Tensor& self, int64_t diagonal) {
  return self.copy_(choose_triangle("triu_", Triangle::Upper, self, diagonal));
}
Tensor& triu_in_place_cpu(Tensor& self, int64_t diagonal) {
  return write_triangle("triu_", Triangle::Upper, self, diagonal);
}
FakeTensor& triu_in_place_fake(FakeTensor& self, const SymInt& /*diagonal*/) {
  check_matrices("triu_", self);
  return self;
}

}  // namespace opwright
