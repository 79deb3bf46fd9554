#include "opwright/ops/sorting/chosen_element.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>

#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/for_dtype.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

size_t wrap_chosen_dim(const char* who, int64_t dim, int64_t ndim) {
  return wrap_dim(dim, static_cast<size_t>(std::max<int64_t>(ndim, 1)), who);
}

[[noreturn]] void throw_empty_line(const char* who, size_t dim, const std::string& sizes) {
  throw_error("IndexError", who, ": dimension ", dim, " of self, whose sizes are ", sizes,
              ", has no elements to choose from");
}

}  // namespace

size_t check_chosen_dim(const char* who, const Tensor& self, int64_t dim) {
  const size_t along = wrap_chosen_dim(who, dim, self.dim());
  if (self.dim() > 0 && self.sizes()[along] == 0)
    throw_empty_line(who, along, to_text(self.sizes()));
  return along;
}

Chosen make_chosen(const Tensor& self, size_t dim, bool keepdim) {
  Sizes sizes;
  for (size_t i = 0; i < self.sizes().size(); ++i) {
    if (i != dim)
      sizes.push_back(self.sizes()[i]);
    else if (keepdim)
      sizes.push_back(1);
  }
  return {make_empty(sizes, self.dtype()), make_empty(sizes, DType::Int64)};
}

std::tuple<FakeTensor, FakeTensor> make_chosen(const char* who, const FakeTensor& self, int64_t dim,
                                               bool keepdim) {
  const size_t along = wrap_chosen_dim(who, dim, self.dim());
  if (is_complex(self.dtype())) throw_dtype(self.dtype(), who, "dtypes with an order");
  const SymSizes own{SymSizes(self.sizes())};
  SymSizes sizes;
  for (size_t i = 0; i < own.size(); ++i) {
    if (i == along && guard_or_false(own[i] == 0)) throw_empty_line(who, along, to_text(own));
    if (i != along)
      sizes.push_back(own[i]);
    else if (keepdim)
      sizes.push_back(1);
  }
  return {make_fake_like(self, sizes, self.dtype()), make_fake_like(self, sizes, DType::Int64)};
}

}  // namespace opwright
