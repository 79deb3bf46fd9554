// isin: which elements are among some others. NaN is among none.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "opwright/base/thread_pool.h"
#include "opwright/dtype.h"
#include "opwright/for_dtype.h"
#include "opwright/functions.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/ops/engine/shape/promotion.h"
#include "opwright/ops/sorting/number_operand.h"
#include "opwright/ops/sorting/order.h"
#include "opwright/ops/sorting/ordered_key.h"
#include "opwright/tensor/factory.h"

namespace opwright {
namespace {

constexpr const char* kIsIn = "isin";

// A hash table of keys with open addressing, at most half full.
template <class Key>
class KeySet {
 public:
  explicit KeySet(size_t most)
      : shift_(64 - static_cast<unsigned>(std::bit_width(most + 1)) - 1),
        slots_(size_t{1} << (64 - shift_), kFree) {}

  void add(Key key) {
    if (key == kFree) {
      has_free_ = true;
      return;
    }
    slots_[slot_of(key)] = key;
  }
  [[nodiscard]] bool has(Key key) const {
    return key == kFree ? has_free_ : slots_[slot_of(key)] == key;
  }

 private:
  // Marks a slot as free; as a key it is kept apart.
  static constexpr Key kFree = std::numeric_limits<Key>::max();

  // Where the key is or would be.
  [[nodiscard]] size_t slot_of(Key key) const {
    constexpr uint64_t kSpread = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio
    size_t slot = static_cast<size_t>((static_cast<uint64_t>(key) * kSpread) >> shift_);
    while (slots_[slot] != kFree && slots_[slot] != key) slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }

  unsigned shift_;
  std::vector<Key> slots_;
  bool has_free_ = false;
};

template <class T>
void find_members(const Tensor& elements, const Tensor& others, bool invert, bool* out) {
  constexpr int64_t kGrain = 4096;  // elements
  KeySet<OrderedKey<T>> set(static_cast<size_t>(others.numel()));
  const T* other = others.data<T>();
  for (int64_t i = 0; i < others.numel(); ++i) {
    const OrderedKey<T> key = ordered_key(other[i]);
    if (!kHasNan<T> || key != kNanKey<T>) set.add(key);
  }
  const T* in = elements.data<T>();
  parallel_for(elements.numel(), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) out[i] = set.has(ordered_key(in[i])) != invert;
  });
}

DType compared_dtype_of(const Tensor& elements, const Tensor& others) {
  for (const Tensor& each : {elements, others}) {
    if (each.dtype() == DType::Bool || is_complex(each.dtype()))
      throw_dtype(each.dtype(), kIsIn, "integral and floating dtypes");
  }
  return result_dtype(elements, others);
}

}  // namespace

Tensor isin_cpu(const Tensor& elements, const Tensor& test_elements, bool /*assume_unique*/,
                bool invert) {
  const DType dtype = compared_dtype_of(elements, test_elements);
  Tensor result = make_empty(elements.sizes(), DType::Bool);
  if (result.numel() == 0) return result;
  for_ordered_dtype(dtype, kIsIn, [&]<typename T>() {
    find_members<T>(as_contiguous(as_dtype(elements, dtype)),
                    as_contiguous(as_dtype(test_elements, dtype)), invert,
                    result.mutable_data<bool>());
  });
  return result;
}
FakeTensor isin_fake(const FakeTensor& elements, const FakeTensor& test_elements,
                     bool /*assume_unique*/, bool /*invert*/) {
  (void)compared_dtype_of(as_tensor(elements), as_tensor(test_elements));
  return make_fake_like(elements, elements.sizes(), DType::Bool);
}

Tensor isin_tensor_scalar_composite(const Tensor& elements, const Scalar& test_element,
                                    bool assume_unique, bool invert) {
  return isin(elements, number_operand(test_element, elements), assume_unique, invert);
}
Tensor isin_scalar_tensor_composite(const Scalar& element, const Tensor& test_elements,
                                    bool assume_unique, bool invert) {
  return isin(number_operand(element, test_elements), test_elements, assume_unique, invert);
}

}  // namespace opwright
