// _unique, _unique2 and unique_consecutive of all elements. The elements found are in ascending
// order even if `sorted` is false.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "opwright/dtype.h"
#include "opwright/for_dtype.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/ops/engine/cpu/numbers.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/ops/engine/shape/unknown_size.h"
#include "opwright/ops/sorting/order.h"
#include "opwright/ops/sorting/ordered_key.h"
#include "opwright/ops/sorting/radix_sort.h"
#include "opwright/ops/sorting/unique_rows.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/factory.h"

namespace opwright {
namespace {

// The results for elements that come in runs of equal ones.
template <class T>
class Runs {
 public:
  Runs(const Tensor& self, bool needs_inverse, bool needs_counts)
      : needs_counts_(needs_counts),
        inverse_(make_empty(needs_inverse ? self.sizes() : IntList{0}, DType::Int64)),
        run_of_(needs_inverse ? inverse_.mutable_data<int64_t>() : nullptr) {
    elements_.reserve(static_cast<size_t>(self.numel()));
    if (needs_counts) counts_.reserve(static_cast<size_t>(self.numel()));
  }

  // Adds the next element; `place` is its index in self.
  void add(T element, bool starts_run, int64_t place) {
    if (starts_run) {
      elements_.push_back(element);
      if (needs_counts_) counts_.push_back(0);
    }
    if (needs_counts_) ++counts_.back();
    if (run_of_) run_of_[place] = static_cast<int64_t>(elements_.size()) - 1;
  }

  [[nodiscard]] UniqueResults results(DType dtype) const {
    return {make_vector(elements_, dtype), inverse_, make_vector(counts_, DType::Int64)};
  }

 private:
  bool needs_counts_;
  Tensor inverse_;
  int64_t* run_of_;
  std::vector<T> elements_;
  std::vector<int64_t> counts_;
};

// Bools are handled as bytes: a std::vector<bool> has no elements in memory.
template <class T>
using Stored = std::conditional_t<kIsBool<T>, uint8_t, T>;

template <class T>
bool equals_none(OrderedKey<T> key) {
  return kHasNan<T> && key == kNanKey<T>;
}

template <class T, class Item>
UniqueResults find_unique(const Tensor& self, bool needs_inverse, bool needs_counts) {
  const Tensor dense = as_contiguous(self);
  const T* in = static_cast<const T*>(dense.data());
  const auto count = static_cast<size_t>(dense.numel());
  std::vector<Item> items(count);
  for (size_t i = 0; i < count; ++i) {
    if constexpr (std::is_integral_v<Item>)
      items[i] = ordered_key(in[i]);
    else
      items[i] = {ordered_key(in[i]), static_cast<int64_t>(i)};
  }
  std::vector<Item> scratch;
  radix_sort(items, scratch);
  Runs<T> runs(self, needs_inverse, needs_counts);
  for (size_t i = 0; i < count; ++i) {
    const OrderedKey<T> key = key_of(items[i]);
    const bool starts = i == 0 || key != key_of(items[i - 1]) || equals_none<T>(key);
    if constexpr (std::is_integral_v<Item>)
      runs.add(element_of_key<T>(key), starts, 0);
    else
      runs.add(element_of_key<T>(key), starts, items[i].place);
  }
  return runs.results(self.dtype());
}

// NaN differs from itself, -0 does not differ from 0.
template <class T>
bool starts_run(T element, T previous) {
  using C = ComputeType<T>;
  return !(static_cast<C>(element) == static_cast<C>(previous));
}

template <class T>
int64_t count_runs(const T* in, int64_t count) {
  int64_t runs = count > 0 ? 1 : 0;
  for (int64_t i = 1; i < count; ++i) runs += starts_run(in[i], in[i - 1]) ? 1 : 0;
  return runs;
}

template <class T>
UniqueResults find_consecutive(const Tensor& self, bool needs_inverse, bool needs_counts) {
  const Tensor dense = as_contiguous(self);
  const T* in = static_cast<const T*>(dense.data());
  const int64_t count = dense.numel();
  // Counted first, so that the results are written in place: memory costs more than comparisons.
  const int64_t runs = count_runs(in, count);
  Tensor values = make_empty(IntList{runs}, self.dtype());
  Tensor inverse = make_empty(needs_inverse ? self.sizes() : IntList{0}, DType::Int64);
  Tensor lengths = make_empty(IntList{needs_counts ? runs : 0}, DType::Int64);
  T* elements = static_cast<T*>(values.mutable_data());
  int64_t* run_of = needs_inverse ? inverse.mutable_data<int64_t>() : nullptr;
  int64_t* counts = needs_counts ? lengths.mutable_data<int64_t>() : nullptr;
  int64_t run = -1;
  int64_t begin = 0;
  T first{};
  for (int64_t i = 0; i < count; ++i) {
    // Written for every element without a branch, which random data mispredicts.
    const bool starts = i == 0 || starts_run(in[i], in[i - 1]);
    run += starts ? 1 : 0;
    begin = starts ? i : begin;
    first = starts ? in[i] : first;
    elements[run] = first;
    if (counts) counts[run] = i + 1 - begin;
    if (run_of) run_of[i] = run;
  }
  return {std::move(values), std::move(inverse), std::move(lengths)};
}

constexpr const char* kWhatIsUnknown = "how many elements differ";

FakeUniqueResults fake_unique(const char* who, const FakeTensor& self, bool needs_inverse,
                              bool needs_counts) {
  if (is_complex(self.dtype())) throw_dtype(self.dtype(), who, "dtypes with an order");
  const SymInt count = make_unknown_size(who, kWhatIsUnknown, self.numel());
  const SymSizes sizes{SymSizes(self.sizes())};
  return {make_fake_like(self, SymSizes{count}, self.dtype()),
          make_fake_like(self, needs_inverse ? sizes : SymSizes{0}, DType::Int64),
          make_fake_like(self, SymSizes{needs_counts ? count : SymInt(0)}, DType::Int64)};
}

}  // namespace

UniqueResults unique2_cpu(const Tensor& self, bool /*sorted*/, bool return_inverse,
                          bool return_counts) {
  UniqueResults results;
  for_ordered_dtype(self.dtype(), "unique", [&]<typename Element>() {
    using T = Stored<Element>;
    using Key = OrderedKey<T>;
    results = return_inverse ? find_unique<T, PlacedKey<Key>>(self, true, return_counts)
                             : find_unique<T, Key>(self, false, return_counts);
  });
  return results;
}
FakeUniqueResults unique2_fake(const FakeTensor& self, bool /*sorted*/, bool return_inverse,
                               bool return_counts) {
  return fake_unique("unique", self, return_inverse, return_counts);
}

std::tuple<Tensor, Tensor> unique_values_cpu(const Tensor& self, bool sorted, bool return_inverse) {
  auto [elements, inverse, counts] = unique2_cpu(self, sorted, return_inverse, false);
  return {std::move(elements), std::move(inverse)};
}
std::tuple<FakeTensor, FakeTensor> unique_values_fake(const FakeTensor& self, bool sorted,
                                                      bool return_inverse) {
  auto [elements, inverse, counts] = unique2_fake(self, sorted, return_inverse, false);
  return {std::move(elements), std::move(inverse)};
}

UniqueResults unique_consecutive_cpu(const Tensor& self, bool return_inverse, bool return_counts,
                                     const std::optional<int64_t>& dim) {
  if (dim) return find_unique_rows("unique_consecutive", self, *dim, false);
  UniqueResults results;
  for_ordered_dtype(self.dtype(), "unique_consecutive", [&]<typename Element>() {
    results = find_consecutive<Stored<Element>>(self, return_inverse, return_counts);
  });
  return results;
}
FakeUniqueResults unique_consecutive_fake(const FakeTensor& self, bool return_inverse,
                                          bool return_counts, const std::optional<int64_t>& dim) {
  constexpr const char* kWho = "unique_consecutive";
  if (dim) return fake_unique_rows(kWho, self, *dim);
  return fake_unique(kWho, self, return_inverse, return_counts);
}

}  // namespace opwright
