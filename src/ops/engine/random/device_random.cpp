#include "opwright/ops/engine/random/device_random.h"

#include "opwright/base/small_vector.h"
#include "opwright/c_api.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/ops/engine/device/device_primitive.h"
#include "opwright/ops/engine/random/philox.h"
#include "opwright/ops/engine/shape/in_place.h"
#include "opwright/ops/engine/shape/promotion.h"
#include "opwright/tensor/factory.h"

namespace opwright {

void fill_random_on_device(const char* who, const Tensor& self, RandomState& state,
                           const char* distribution, int64_t words,
                           std::initializer_list<RandomNumber> numbers) {
  check_writable(who, self);
  if (self.numel() == 0) return;
  const bool is_dense = self.is_contiguous();
  const Tensor dense = is_dense ? self : make_empty(self.sizes(), self.dtype(), self.device());
  SmallVector<OpwValue, 4> values;
  for (const RandomNumber& number : numbers) values.push_back(number.value);
  OpwRandom random{};
  random.struct_size = sizeof random;
  random.num_numbers = static_cast<uint32_t>(values.size());
  random.distribution = distribution;
  random.numbers = values.data();
  random.count = dense.numel() * (is_complex(self.dtype()) ? 2 : 1);
  random.dtype = to_dlpack(real_dtype(self.dtype()));
  random.result = dense.mutable_data();
  const int64_t groups = (random.count + kGroupWords - 1) / kGroupWords;
  const CounterRange range = state.reserve(static_cast<uint64_t>(groups * words) * kCounterGroup);
  random.seed = range.seed;
  random.first = range.first;
  run_primitive(who, self.device(), &OpwDeviceTable::draw_random, "random numbers (draw_random)",
                random);
  if (!is_dense) Tensor(self).copy_(dense);
}

}  // namespace opwright
