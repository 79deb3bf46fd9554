// conv_tbc: conv1d of [time, batch, channels], as a composite.
#include <cstdint>

#include "opwright/error.h"
#include "opwright/functions.h"

namespace opwright {

Tensor conv_tbc_composite(const Tensor& self, const Tensor& weight, const Tensor& bias,
                          int64_t pad) {
  constexpr const char* kWho = "conv_tbc";
  OPWRIGHT_CHECK(self.dim() == 3, kWho, ": self must be [time, batch, channels], got ", self);
  OPWRIGHT_CHECK(weight.dim() == 3, kWho, ": weight must be [kernel, channels, out channels], got ",
                 weight);
  OPWRIGHT_CHECK(bias.dim() == 1, kWho, ": bias must be [out channels], got ", bias);
  OPWRIGHT_CHECK(pad >= 0, kWho, ": pad must not be negative, got ", pad);
  return conv1d(self.permute({1, 2, 0}), weight.permute({2, 1, 0}), bias, {1}, {pad})
      .permute({2, 0, 1})
      .contiguous();
}

}  // namespace opwright
