// Results of operators that choose one element of every line: its value and its index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>

#include "opwright/base/thread_pool.h"
#include "opwright/fake_tensor.h"
#include "opwright/ops/sorting/order.h"
#include "opwright/tensor.h"

namespace opwright {

// Values and indices.
using Chosen = std::tuple<Tensor, Tensor>;

// The wrapped dimension. IndexError if its lines have no elements.
[[nodiscard]] size_t check_chosen_dim(const char* who, const Tensor& self, int64_t dim);
// Uninitialised results, dense.
[[nodiscard]] Chosen make_chosen(const Tensor& self, size_t dim, bool keepdim);
// The same for the fake kernel, with the checks.
[[nodiscard]] std::tuple<FakeTensor, FakeTensor> make_chosen(const char* who,
                                                             const FakeTensor& self, int64_t dim,
                                                             bool keepdim);

// Writes the results of all lines: choose(elements, line, scratch) returns the index in one line.
// Each thread has its own Scratch.
template <class T, class Scratch, class Choose>
void choose_in_lines(const Tensor& self, size_t dim, const Chosen& chosen, const Choose& choose) {
  constexpr int64_t kGrain = 4096;  // elements
  const Line line = Line::along(self, dim);
  T* values = std::get<0>(chosen).mutable_data<T>();
  auto* indices = std::get<1>(chosen).mutable_data<int64_t>();
  parallel_for(self.numel() / line.size, std::max<int64_t>(1, kGrain / line.size),
               [&](int64_t begin, int64_t end) {
                 Scratch scratch;
                 for (int64_t i = begin; i < end; ++i) {
                   const T* in = self.data<T>() + offset_of_line(self, dim, i);
                   const int64_t place = choose(in, line, scratch);
                   values[i] = in[place * line.stride];
                   indices[i] = place;
                 }
               });
}

}  // namespace opwright
