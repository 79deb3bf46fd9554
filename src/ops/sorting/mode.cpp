// mode: the most frequent element of every line, the smallest of equally frequent ones.
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "opwright/ops/sorting/chosen_element.h"
#include "opwright/ops/sorting/order.h"
#include "opwright/ops/sorting/ordered_key.h"
#include "opwright/ops/sorting/radix_sort.h"

namespace opwright {
namespace {

template <class T>
struct ModeScratch {
  std::vector<OrderedKey<T>> keys, other;
};

// The key of the longest run of equal keys. A NaN equals nothing, itself included.
template <class T>
OrderedKey<T> find_most_frequent(const std::vector<OrderedKey<T>>& sorted) {
  OrderedKey<T> found = sorted.front();
  size_t longest = 1;
  for (size_t begin = 0; begin < sorted.size();) {
    size_t end = begin + 1;
    while (end < sorted.size() && sorted[end] == sorted[begin]) ++end;
    if (kHasNan<T> && sorted[begin] == kNanKey<T>) break;
    if (end - begin > longest) {
      longest = end - begin;
      found = sorted[begin];
    }
    begin = end;
  }
  return found;
}

}  // namespace

std::tuple<Tensor, Tensor> mode_cpu(const Tensor& self, int64_t dim, bool keepdim) {
  const size_t along = check_chosen_dim("mode", self, dim);
  const Chosen chosen = make_chosen(self, along, keepdim);
  if (self.numel() == 0) return chosen;
  for_ordered_dtype(self.dtype(), "mode", [&]<typename T>() {
    choose_in_lines<T, ModeScratch<T>>(
        self, along, chosen, [](const T* in, Line line, ModeScratch<T>& scratch) {
          scratch.keys.resize(static_cast<size_t>(line.size));
          for (int64_t k = 0; k < line.size; ++k)
            scratch.keys[static_cast<size_t>(k)] = ordered_key(in[k * line.stride]);
          radix_sort(scratch.keys, scratch.other);
          const OrderedKey<T> wanted = find_most_frequent<T>(scratch.keys);
          int64_t place = line.size - 1;
          while (ordered_key(in[place * line.stride]) != wanted) --place;
          return place;
        });
  });
  return chosen;
}
std::tuple<FakeTensor, FakeTensor> mode_fake(const FakeTensor& self, int64_t dim, bool keepdim) {
  return make_chosen("mode", self, dim, keepdim);
}

}  // namespace opwright
