// sort. Always stable, even if not requested, as in PyTorch on the CPU.
#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "opwright/functions.h"
#include "opwright/ops/engine/shape/fake_shape.h"  // IWYU pragma: keep
#include "opwright/ops/sorting/order.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/memory_format.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

template <class T>
class Sorter {
 public:
  using C = ComputeType<T>;

  Sorter(const Tensor& self, size_t dim, bool descending, const Tensor& values,
         const Tensor& indices)
      : self_(self), dim_(dim), descending_(descending), values_(values), indices_(indices) {}

  void run() const {
    for_each_line<C>(self_, dim_, [&](int64_t i, auto& elements) { sort_line(i, elements); });
  }

 private:
  void sort_line(int64_t i, std::vector<Placed<C>>& elements) const {
    const Line from = Line::along(self_, dim_);
    const T* in = self_.data<T>() + offset_of_line(self_, dim_, i);
    read_line(in, from, elements, from.size);
    if (descending_) {
      std::stable_sort(elements.begin(), elements.end(),
                       [](const auto& a, const auto& b) { return is_before(b.value, a.value); });
    } else {
      std::stable_sort(elements.begin(), elements.end(),
                       [](const auto& a, const auto& b) { return is_before(a.value, b.value); });
    }
    write_line(values_, indices_, dim_, i, in, from, elements);
  }

  const Tensor& self_;
  size_t dim_;
  bool descending_;
  const Tensor& values_;
  const Tensor& indices_;
};

}  // namespace

std::tuple<Tensor, Tensor> sort_cpu(const Tensor& self, int64_t dim, bool descending) {
  const size_t along = wrap_dim(dim, static_cast<size_t>(std::max<int64_t>(self.dim(), 1)), "sort");
  const Sizes strides = strides_for_format(self.sizes(), self.strides(), MemoryFormat::Preserve);
  Tensor values = make_empty_strided(self.sizes(), strides, self.dtype());
  Tensor indices = make_empty_strided(self.sizes(), strides, DType::Int64);
  for_ordered_dtype(self.dtype(), "sort", [&]<typename T>() {
    if (self.numel() != 0) Sorter<T>(self, along, descending, values, indices).run();
  });
  return {std::move(values), std::move(indices)};
}

std::tuple<FakeTensor, FakeTensor> sort_fake(const FakeTensor& self, int64_t dim,
                                             bool /*descending*/) {
  (void)wrap_dim(dim, static_cast<size_t>(std::max<int64_t>(self.dim(), 1)), "sort");
  if (is_complex(self.dtype())) throw_dtype(self.dtype(), "sort", "dtypes with an order");
  FakeTensor values = opwright::empty_like(self);
  FakeTensor indices = opwright::empty_like(self, DType::Int64);
  return {std::move(values), std::move(indices)};
}

std::tuple<Tensor, Tensor> sort_stable_cpu(const Tensor& self,
                                           const std::optional<bool>& /*stable*/, int64_t dim,
                                           bool descending) {
  return sort_cpu(self, dim, descending);
}
std::tuple<FakeTensor, FakeTensor> sort_stable_fake(const FakeTensor& self,
                                                    const std::optional<bool>& /*stable*/,
                                                    int64_t dim, bool descending) {
  return sort_fake(self, dim, descending);
}

}  // namespace opwright
