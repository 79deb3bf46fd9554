// topk: the k largest or smallest elements along a dimension.
#include <algorithm>
#include <tuple>
#include <vector>

#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/ops/sorting/order.h"
#include "opwright/symbolic/shape_env/demand.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

constexpr int64_t kFew = 16;  // this many are kept sorted by insertion

template <class T>
class TopK {
 public:
  using C = ComputeType<T>;

  TopK(const Tensor& self, size_t dim, bool largest, bool sorted, const Tensor& values,
       const Tensor& indices)
      : self_(self),
        dim_(dim),
        largest_(largest),
        sorted_(sorted),
        values_(values),
        indices_(indices) {}

  void run() const {
    for_each_line<C>(self_, dim_, [&](int64_t i, auto& elements) { choose(i, elements); });
  }

 private:
  void choose(int64_t i, std::vector<Placed<C>>& elements) const {
    const Line from = Line::along(self_, dim_);
    const Line to = Line::along(values_, dim_);
    const T* in = self_.data<T>() + offset_of_line(self_, dim_, i);
    const auto falls = [](const auto& a, const auto& b) {
      return is_earlier(b.value, a.value, a, b);
    };
    const auto rises = [](const auto& a, const auto& b) {
      return is_earlier(a.value, b.value, a, b);
    };
    if (largest_)
      find_first(in, from, elements, to.size, falls);
    else
      find_first(in, from, elements, to.size, rises);
    write_line(values_, indices_, dim_, i, in, from, elements);
  }

  // Among equal elements, the one with the lower index.
  static bool is_earlier(C low, C high, const Placed<C>& a, const Placed<C>& b) {
    if (is_before(low, high)) return true;
    return !is_before(high, low) && a.index < b.index;
  }

  // Moves the first `count` in the order to the begin of `elements`.
  template <class Order>
  void find_first(const T* in, Line line, std::vector<Placed<C>>& elements, int64_t count,
                  const Order& order) const {
    if (count <= kFew && count < line.size) return insert_few(in, line, elements, count, order);
    const auto end = elements.begin() + count;
    // To choose few of many, keeps them in a heap with the last of them on top: most others are not
    // even stored.
    const bool is_heap = count * 16 <= line.size;
    read_line(in, line, elements, is_heap ? count : line.size);
    if (!is_heap) {
      if (end != elements.end()) std::nth_element(elements.begin(), end, elements.end(), order);
      if (sorted_) std::sort(elements.begin(), end, order);
      return;
    }
    std::make_heap(elements.begin(), end, order);
    for (int64_t k = count; k < line.size; ++k) {
      const Placed<C> element{static_cast<C>(in[k * line.stride]), k};
      if (!order(element, elements.front())) continue;
      std::pop_heap(elements.begin(), end, order);
      *(end - 1) = element;
      std::push_heap(elements.begin(), end, order);
    }
    std::sort_heap(elements.begin(), end, order);
  }

  // Keeps a few in order; each element before the last of them is inserted from there.
  template <class Order>
  static void insert_few(const T* in, Line line, std::vector<Placed<C>>& elements, int64_t count,
                         const Order& order) {
    Placed<C>* kept = elements.data();
    read_line(in, line, elements, count);
    std::sort(kept, kept + count, order);
    for (int64_t k = count; k < line.size; ++k) {
      const Placed<C> element{static_cast<C>(in[k * line.stride]), k};
      if (!order(element, kept[count - 1])) continue;
      int64_t place = count - 1;
      for (; place > 0 && order(element, kept[place - 1]); --place) kept[place] = kept[place - 1];
      kept[place] = element;
    }
  }

  const Tensor& self_;
  size_t dim_;
  bool largest_;
  bool sorted_;
  const Tensor& values_;
  const Tensor& indices_;
};

}  // namespace

std::tuple<Tensor, Tensor> topk_cpu(const Tensor& self, int64_t k, int64_t dim, bool largest,
                                    bool sorted) {
  const size_t along = wrap_dim(dim, static_cast<size_t>(std::max<int64_t>(self.dim(), 1)), "topk");
  const int64_t size = self.dim() == 0 ? 1 : self.sizes()[along];
  OPWRIGHT_CHECK(k >= 0 && k <= size, "topk: k must be from 0 to the size ", size, " of dimension ",
                 along, " of self with sizes ", to_text(self.sizes()), ", got ", k);
  Sizes sizes(self.sizes());
  if (self.dim() > 0) sizes[along] = k;
  Tensor values = make_empty(sizes, self.dtype());
  Tensor indices = make_empty(sizes, DType::Int64);
  for_ordered_dtype(self.dtype(), "topk", [&]<typename T>() {
    if (values.numel() != 0) TopK<T>(self, along, largest, sorted, values, indices).run();
  });
  return {std::move(values), std::move(indices)};
}

std::tuple<FakeTensor, FakeTensor> topk_fake(const FakeTensor& self, const SymInt& k, int64_t dim,
                                             bool /*largest*/, bool /*sorted*/) {
  const size_t along = wrap_dim(dim, static_cast<size_t>(std::max<int64_t>(self.dim(), 1)), "topk");
  if (is_complex(self.dtype())) throw_dtype(self.dtype(), "topk", "dtypes with an order");
  SymSizes sizes{SymSizes(self.sizes())};
  const SymInt size = self.dim() == 0 ? SymInt(1) : sizes[along];
  for (const SymBool& holds : {k >= 0, k <= size})
    OPWRIGHT_DEMAND(holds, "topk: k must be from 0 to the size ", size, " of dimension ", along,
                    " of self with sizes ", to_text(sizes), ", got ", k);
  if (self.dim() > 0) sizes[along] = k;
  return {make_fake_like(self, sizes, self.dtype()), make_fake_like(self, sizes, DType::Int64)};
}

}  // namespace opwright
