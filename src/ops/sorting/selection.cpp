// kthvalue, median and nanmedian: the element at one position of the sorted order.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/ops/engine/cpu/numbers.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/ops/sorting/chosen_element.h"
#include "opwright/ops/sorting/order.h"
#include "opwright/ops/sorting/ordered_key.h"
#include "opwright/ops/sorting/radix_sort.h"
#include "opwright/symbolic/shape_env/demand.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

// Which position to select, given the number of elements and how many of them are NaN, which come
// last.
struct Median {
  bool ignores_nan;
  [[nodiscard]] size_t rank(size_t size, size_t nans) const {
    if (!ignores_nan && nans > 0) return size - nans;
    if (nans == size) return 0;
    return (size - nans - 1) / 2;
  }
};
struct Position {
  size_t from_first;
  [[nodiscard]] size_t rank(size_t /*size*/, size_t /*nans*/) const { return from_first; }
};

template <class T>
size_t count_nans(const std::vector<OrderedKey<T>>& keys) {
  if constexpr (kHasNan<T>)
    return static_cast<size_t>(std::ranges::count(keys, kNanKey<T>));
  else
    return 0;
}

// Reads a line as keys, and selects one.
template <class T, class Choice>
OrderedKey<T> select_in_line(const T* in, Line line, std::vector<OrderedKey<T>>& keys,
                             const Choice& choice) {
  keys.resize(static_cast<size_t>(line.size));
  for (int64_t k = 0; k < line.size; ++k)
    keys[static_cast<size_t>(k)] = ordered_key(in[k * line.stride]);
  return select_key(keys, choice.rank(keys.size(), count_nans<T>(keys)));
}

template <class Choice>
Chosen select_along(const char* who, const Tensor& self, int64_t dim, bool keepdim,
                    const Choice& choice) {
  const size_t along = check_chosen_dim(who, self, dim);
  const Chosen chosen = make_chosen(self, along, keepdim);
  if (self.numel() == 0) return chosen;
  for_ordered_dtype(self.dtype(), who, [&]<typename T>() {
    choose_in_lines<T, std::vector<OrderedKey<T>>>(
        self, along, chosen, [&](const T* in, Line line, auto& keys) {
          const OrderedKey<T> wanted = select_in_line(in, line, keys, choice);
          int64_t place = 0;
          while (ordered_key(in[place * line.stride]) != wanted) ++place;
          return place;
        });
  });
  return chosen;
}

Tensor median_of_all(const char* who, const Tensor& self, bool ignores_nan) {
  const Tensor flat = as_contiguous(self);
  Tensor result = make_empty(IntList{}, self.dtype());
  for_ordered_dtype(self.dtype(), who, [&]<typename T>() {
    T* out = result.mutable_data<T>();
    if (flat.numel() == 0) {
      *out = convert_number<T>(std::numeric_limits<double>::quiet_NaN());
      return;
    }
    std::vector<OrderedKey<T>> keys;
    const Line line{flat.numel(), 1};
    *out = element_of_key<T>(select_in_line(flat.data<T>(), line, keys, Median{ignores_nan}));
  });
  return result;
}

FakeTensor fake_median(const char* who, const FakeTensor& self) {
  if (is_complex(self.dtype())) throw_dtype(self.dtype(), who, "dtypes with an order");
  return make_fake_like(self, {}, self.dtype());
}

}  // namespace

Tensor median_cpu(const Tensor& self) { return median_of_all("median", self, false); }
FakeTensor median_fake(const FakeTensor& self) { return fake_median("median", self); }
Tensor nanmedian_cpu(const Tensor& self) { return median_of_all("nanmedian", self, true); }
FakeTensor nanmedian_fake(const FakeTensor& self) { return fake_median("nanmedian", self); }

std::tuple<Tensor, Tensor> median_dim_cpu(const Tensor& self, int64_t dim, bool keepdim) {
  return select_along("median", self, dim, keepdim, Median{false});
}
std::tuple<FakeTensor, FakeTensor> median_dim_fake(const FakeTensor& self, int64_t dim,
                                                   bool keepdim) {
  return make_chosen("median", self, dim, keepdim);
}
std::tuple<Tensor, Tensor> nanmedian_dim_cpu(const Tensor& self, int64_t dim, bool keepdim) {
  return select_along("nanmedian", self, dim, keepdim, Median{true});
}
std::tuple<FakeTensor, FakeTensor> nanmedian_dim_fake(const FakeTensor& self, int64_t dim,
                                                      bool keepdim) {
  return make_chosen("nanmedian", self, dim, keepdim);
}

std::tuple<Tensor, Tensor> kthvalue_cpu(const Tensor& self, int64_t k, int64_t dim, bool keepdim) {
  const size_t along = check_chosen_dim("kthvalue", self, dim);
  const int64_t size = Line::along(self, along).size;
  OPWRIGHT_CHECK(k >= 1 && k <= size, "kthvalue: k must be from 1 to the size ", size,
                 " of dimension ", along, " of self with sizes ", to_text(self.sizes()), ", got ",
                 k);
  return select_along("kthvalue", self, dim, keepdim, Position{static_cast<size_t>(k - 1)});
}
std::tuple<FakeTensor, FakeTensor> kthvalue_fake(const FakeTensor& self, const SymInt& k,
                                                 int64_t dim, bool keepdim) {
  auto chosen = make_chosen("kthvalue", self, dim, keepdim);
  const size_t along =
      wrap_dim(dim, static_cast<size_t>(std::max<int64_t>(self.dim(), 1)), "kthvalue");
  const SymInt size = self.dim() == 0 ? SymInt(1) : SymSizes(self.sizes())[along];
  for (const SymBool& holds : {k >= 1, k <= size})
    OPWRIGHT_DEMAND(holds, "kthvalue: k must be from 1 to the size ", size, " of dimension ", along,
                    " of self with sizes ", to_text(SymSizes(self.sizes())), ", got ", k);
  return chosen;
}

}  // namespace opwright
