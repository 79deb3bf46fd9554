// The distinct slices of a tensor along one dimension.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "opwright/dtype.h"
#include "opwright/fake_tensor.h"
#include "opwright/int_list.h"
#include "opwright/tensor.h"
#include "opwright/tensor/factory.h"

namespace opwright {

// What is distinct, for each input the index of its equal, and how often each occurs.
using UniqueResults = std::tuple<Tensor, Tensor, Tensor>;
using FakeUniqueResults = std::tuple<FakeTensor, FakeTensor, FakeTensor>;

// A tensor of one dimension with these elements; `dtype` is that of Element, or bool for bytes.
template <class Element>
[[nodiscard]] Tensor make_vector(const std::vector<Element>& elements, DType dtype) {
  Tensor vector = make_empty(IntList{static_cast<int64_t>(elements.size())}, dtype);
  std::ranges::copy(elements, static_cast<Element*>(vector.mutable_data()));
  return vector;
}

// In lexicographic order if `is_sorted`; else drops slices that equal the one before them.
[[nodiscard]] UniqueResults find_unique_rows(const char* who, const Tensor& self, int64_t dim,
                                             bool is_sorted);
[[nodiscard]] FakeUniqueResults fake_unique_rows(const char* who, const FakeTensor& self,
                                                 int64_t dim);

}  // namespace opwright
