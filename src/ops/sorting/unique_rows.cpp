// unique_dim and unique_dim_consecutive.
#include "opwright/ops/sorting/unique_rows.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/for_dtype.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/ops/engine/shape/unknown_size.h"
#include "opwright/ops/sorting/order.h"
#include "opwright/ops/sorting/ordered_key.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

// The slices along a dimension as rows of keys.
template <class T>
class KeyRows {
 public:
  using Key = OrderedKey<T>;

  explicit KeyRows(const Tensor& rows)
      : width_(static_cast<size_t>(rows.numel() / rows.sizes()[0])),
        keys_(static_cast<size_t>(rows.numel())),
        has_nan_(static_cast<size_t>(rows.sizes()[0])) {
    const T* in = rows.data<T>();
    for (size_t i = 0; i < keys_.size(); ++i) {
      keys_[i] = ordered_key(in[i]);
      if (kHasNan<T> && keys_[i] == kNanKey<T>) has_nan_[i / width_] = 1;
    }
  }

  [[nodiscard]] bool is_before(size_t a, size_t b) const {
    return std::lexicographical_compare(row(a), row(a) + width_, row(b), row(b) + width_);
  }
  // A row with a NaN equals none.
  [[nodiscard]] bool are_equal(size_t a, size_t b) const {
    return has_nan_[a] == 0 && std::equal(row(a), row(a) + width_, row(b));
  }

 private:
  [[nodiscard]] const Key* row(size_t i) const { return keys_.data() + i * width_; }

  size_t width_;
  std::vector<Key> keys_;
  std::vector<char> has_nan_;
};

size_t wrap_row_dim(const char* who, int64_t dim, int64_t ndim) {
  OPWRIGHT_CHECK_INDEX(ndim > 0, who, ": self has no dimension ", dim, ": it is a number");
  return wrap_dim(dim, static_cast<size_t>(ndim), who);
}

// Another dimension without elements leaves slices that cannot be told apart.
void check_no_other_is_empty(const char* who, const Tensor& self, size_t along) {
  for (size_t i = 0; i < self.sizes().size(); ++i)
    OPWRIGHT_CHECK(i == along || self.sizes()[i] != 0, who, ": self of sizes ",
                   to_text(self.sizes()), " has no elements in dimension ", i,
                   ", so its slices along dimension ", along, " cannot be compared");
}

// The first row of each run in `order`, and the results that follow from them.
template <class T>
std::vector<int64_t> find_runs(const KeyRows<T>& rows, const std::vector<size_t>& order,
                               int64_t* inverse, std::vector<int64_t>& counts) {
  std::vector<int64_t> first;
  for (size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || !rows.are_equal(order[i], order[i - 1])) {
      first.push_back(static_cast<int64_t>(order[i]));
      counts.push_back(0);
    }
    ++counts.back();
    inverse[order[i]] = static_cast<int64_t>(first.size()) - 1;
  }
  return first;
}

Tensor move_dim(const Tensor& tensor, size_t from, size_t to) {
  std::vector<int64_t> order(tensor.sizes().size());
  std::iota(order.begin(), order.end(), int64_t{0});
  order.erase(order.begin() + static_cast<ptrdiff_t>(from));
  order.insert(order.begin() + static_cast<ptrdiff_t>(to), static_cast<int64_t>(from));
  return make_view(tensor, permute_geometry(geometry_of(tensor), order, "unique"));
}

// The chosen slices, with their dimension back in its place.
Tensor take_rows(const Tensor& rows, const std::vector<int64_t>& chosen, size_t along) {
  Sizes sizes(rows.sizes());
  sizes[0] = static_cast<int64_t>(chosen.size());
  const Tensor taken = make_empty(sizes, rows.dtype());
  const size_t bytes =
      static_cast<size_t>(rows.numel() / rows.sizes()[0]) * item_size(rows.dtype());
  const auto* from = static_cast<const std::byte*>(rows.data());
  auto* to = static_cast<std::byte*>(taken.mutable_data());
  for (const int64_t row : chosen)
    to = std::copy_n(from + static_cast<size_t>(row) * bytes, bytes, to);
  return move_dim(taken, 0, along);
}

}  // namespace

UniqueResults find_unique_rows(const char* who, const Tensor& self, int64_t dim, bool is_sorted) {
  const size_t along = wrap_row_dim(who, dim, self.dim());
  if (is_complex(self.dtype())) throw_dtype(self.dtype(), who, "dtypes with an order");
  const int64_t count = self.sizes()[along];
  check_no_other_is_empty(who, self, along);
  const Tensor inverse = make_empty(IntList{count}, DType::Int64);
  if (count == 0)
    return {make_empty(self.sizes(), self.dtype()), inverse, make_empty(IntList{0}, DType::Int64)};
  const Tensor rows = as_contiguous(move_dim(self, along, 0));
  std::vector<size_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), size_t{0});
  std::vector<int64_t> first;
  std::vector<int64_t> counts;
  for_ordered_dtype(self.dtype(), who, [&]<typename T>() {
    const KeyRows<T> keys(rows);
    if (is_sorted)
      std::stable_sort(order.begin(), order.end(),
                       [&](size_t a, size_t b) { return keys.is_before(a, b); });
    first = find_runs(keys, order, inverse.mutable_data<int64_t>(), counts);
  });
  return {take_rows(rows, first, along), inverse, make_vector(counts, DType::Int64)};
}

FakeUniqueResults fake_unique_rows(const char* who, const FakeTensor& self, int64_t dim) {
  const size_t along = wrap_row_dim(who, dim, self.dim());
  if (is_complex(self.dtype())) throw_dtype(self.dtype(), who, "dtypes with an order");
  SymSizes sizes{SymSizes(self.sizes())};
  const SymInt all = sizes[along];
  // Each slice is dense, as in take_rows.
  SymSizes strides = sizes;
  SymInt stride = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    if (i == along) continue;
    strides[i] = stride;
    stride = stride * sym_max(sizes[i], 1);
  }
  strides[along] = stride;
  sizes[along] = make_unknown_size(who, "how many slices differ", all);
  return {make_fake_like(self, sizes, strides, self.dtype()),
          make_fake_like(self, SymSizes{all}, DType::Int64),
          make_fake_like(self, SymSizes{sizes[along]}, DType::Int64)};
}

UniqueResults unique_dim_cpu(const Tensor& self, int64_t dim, bool /*sorted*/,
                             bool /*return_inverse*/, bool /*return_counts*/) {
  return find_unique_rows("unique_dim", self, dim, true);
}
FakeUniqueResults unique_dim_fake(const FakeTensor& self, int64_t dim, bool /*sorted*/,
                                  bool /*return_inverse*/, bool /*return_counts*/) {
  return fake_unique_rows("unique_dim", self, dim);
}
UniqueResults unique_dim_consecutive_cpu(const Tensor& self, int64_t dim, bool /*return_inverse*/,
                                         bool /*return_counts*/) {
  return find_unique_rows("unique_dim_consecutive", self, dim, false);
}
FakeUniqueResults unique_dim_consecutive_fake(const FakeTensor& self, int64_t dim,
                                              bool /*return_inverse*/, bool /*return_counts*/) {
  return fake_unique_rows("unique_dim_consecutive", self, dim);
}

}  // namespace opwright
