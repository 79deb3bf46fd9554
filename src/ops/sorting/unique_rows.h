// The distinct slices of a tensor along one dimension.
#pragma once

#include <cstdint>
#include <tuple>

#include "opwright/fake_tensor.h"
#include "opwright/tensor.h"

namespace opwright {

// What is distinct, for each input the index of its equal, and how often each occurs.
using UniqueResults = std::tuple<Tensor, Tensor, Tensor>;
using FakeUniqueResults = std::tuple<FakeTensor, FakeTensor, FakeTensor>;

// In lexicographic order if `is_sorted`; else drops slices that equal the one before them.
[[nodiscard]] UniqueResults find_unique_rows(const char* who, const Tensor& self, int64_t dim,
                                             bool is_sorted);
[[nodiscard]] FakeUniqueResults fake_unique_rows(const char* who, const FakeTensor& self,
                                                 int64_t dim);

}  // namespace opwright
