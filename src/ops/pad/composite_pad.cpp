// pad, as a composite of the operators for each mode and number of dimensions.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/symbolic/shape_env/demand.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/symint.h"

namespace opwright {
namespace {

SymInt positive_part(const SymInt& number) { return guard_or_false(number > 0) ? number : 0; }
SymInt negative_part(const SymInt& number) { return guard_or_false(number < 0) ? number : 0; }

Tensor pad_circular(const Tensor& self, std::span<const SymInt> pad) {
  Tensor result = self;
  for (size_t i = 0; i < pad.size() / 2; ++i) {
    const int64_t dim = self.dim() - 1 - static_cast<int64_t>(i);
    const SymInt before = positive_part(pad[2 * i]);
    const SymInt after = positive_part(pad[2 * i + 1]);
    const SymInt cropped = negative_part(pad[2 * i]);
    // Cropped elements are not repeated on the other side.
    const SymInt size = result.sym_size(dim) + cropped + negative_part(pad[2 * i + 1]);
    OPWRIGHT_DEMAND(before <= size && after <= size, "pad: mode 'circular' adds at most the ", size,
                    " elements of dimension ", dim, ", got ", before, " and ", after);
    const Tensor kept = result.narrow(dim, SymInt(0) - cropped, size);
    std::vector<Tensor> parts;
    if (guard_or_true(before != 0)) parts.push_back(kept.narrow(dim, size - before, before));
    parts.push_back(kept);
    if (guard_or_true(after != 0)) parts.push_back(kept.narrow(dim, 0, after));
    result = cat(parts, dim);
  }
  return result;
}

Tensor pad_by_border(const Tensor& self, std::span<const SymInt> pad, bool reflects) {
  switch (pad.size()) {
    case 2:
      return reflects ? reflection_pad1d(self, pad) : replication_pad1d(self, pad);
    case 4:
      return reflects ? reflection_pad2d(self, pad) : replication_pad2d(self, pad);
    default:
      return reflects ? reflection_pad3d(self, pad) : replication_pad3d(self, pad);
  }
}

}  // namespace

Tensor pad_composite(const Tensor& self, std::span<const SymInt> pad, std::string_view mode,
                     const std::optional<double>& value) {
  if (mode == "constant") return constant_pad_nd(self, pad, Scalar(value.value_or(0)));
  if (value && *value != 0)
    throw_error("ValueError", "pad: value is for mode 'constant' alone, got ", *value, " with '",
                mode, "'");
  const auto count = static_cast<int64_t>(pad.size() / 2);
  const bool is_circular = mode == "circular";
  const bool reflects = mode == "reflect";
  if (!is_circular && !reflects && mode != "replicate")
    throw_error("NotImplementedError",
                "pad: mode must be 'constant', 'reflect', 'replicate' or 'circular', got '", mode,
                "'");
  const bool has_batch = self.dim() == count + 1 || self.dim() == count + 2;
  const bool is_possible = pad.size() % 2 == 0 && count >= 1 &&
                           (is_circular ? count <= self.dim() : count <= 3 && has_batch);
  if (!is_possible)
    throw_error("NotImplementedError", "pad: mode '", mode,
                "' pads the last 1 to 3 dimensions of a self with one or two more, got pad ",
                to_text(pad), " and ", self);
  return is_circular ? pad_circular(self, pad) : pad_by_border(self, pad, reflects);
}

}  // namespace opwright
