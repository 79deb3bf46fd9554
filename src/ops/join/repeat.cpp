// Copies in another order: repeat, tile, flip, roll.
#include <cstdint>
#include <span>
#include <vector>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/ops/engine/shape/reduction_shape.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/view.h"

namespace opwright {

Tensor repeat_all_devices(const Tensor& self, std::span<const SymInt> repeats) {
  const SymSizes own = sym_geometry_of(self).sizes;
  OPWRIGHT_CHECK(repeats.size() >= own.size(), "repeat: repeats ", to_text(repeats),
                 " must name every dimension of self, whose sizes are ", to_text(own));
  const size_t added = repeats.size() - own.size();
  SymSizes sizes;   // of the result
  SymSizes parts;   // the same with each dimension as repeats times size
  SymSizes source;  // self, broadcast to these
  for (size_t i = 0; i < repeats.size(); ++i) {
    check(repeats[i] >= 0, "repeat: repeats must not be negative, got " + to_text(repeats));
    const SymInt size = i < added ? SymInt(1) : own[i - added];
    sizes.push_back(repeats[i] * size);
    parts.push_back(repeats[i]);
    parts.push_back(size);
    source.push_back(1);
    source.push_back(size);
  }
  Tensor result = self.new_empty(sizes);
  if (self.is_fake() || result.numel() == 0) return result;
  result.view(parts).copy_(self.reshape(source));
  return result;
}

Tensor tile_composite(const Tensor& self, std::span<const SymInt> dims) {
  SymSizes repeats;
  for (size_t i = dims.size(); i < static_cast<size_t>(self.dim()); ++i) repeats.push_back(1);
  for (const SymInt& dim : dims) repeats.push_back(dim);
  return self.repeat(repeats);
}

Tensor flip_all_devices(const Tensor& self, std::span<const int64_t> dims) {
  Tensor result = empty_like(self);
  const DimSet flipped = dims.empty() ? DimSet{} : fold_dims("flip", self.dim(), dims);
  if (self.is_fake() || self.numel() == 0) return result;
  Geometry source = geometry_of(self);
  for (size_t i = 0; i < source.sizes.size(); ++i) {
    if (!flipped[i]) continue;
    source.offset += (source.sizes[i] - 1) * source.strides[i];
    source.strides[i] = -source.strides[i];
  }
  result.copy_(make_view(self, source));
  return result;
}

Tensor roll_all_devices(const Tensor& self, std::span<const SymInt> shifts,
                        std::span<const int64_t> dims) {
  if (dims.empty() && shifts.size() == 1) {
    return roll(self.flatten(), shifts, {0}).view(sym_geometry_of(self).sizes);
  }
  OPWRIGHT_CHECK_VALUE(!shifts.empty(), "roll: shifts must hold at least one number");
  if (guard_or_false(self.sym_numel() == 0)) return self.clone();
  OPWRIGHT_CHECK_VALUE(shifts.size() == dims.size() && !dims.empty(), "roll: shifts ",
                       to_text(shifts), " and dims ", to_text(dims),
                       " must be of the same length, at least 1");
  for (const int64_t dim : dims) (void)wrap_dim(dim, static_cast<size_t>(self.dim()), "roll");
  if (self.is_fake())
    return empty_like(self, std::nullopt, std::nullopt, std::nullopt, std::nullopt,
                      MemoryFormat::Contiguous);
  Tensor rolled = self;
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t size = rolled.size(dims[i]);
    if (size == 0) continue;
    const int64_t shift = ((shifts[i].specialise() % size) + size) % size;
    const std::vector<Tensor> parts{slice(rolled, dims[i], SymInt(size - shift)),
                                    slice(rolled, dims[i], SymInt(0), SymInt(size - shift))};
    rolled = cat(parts, dims[i]);
  }
  return rolled.get() == self.get() ? self.clone(MemoryFormat::Contiguous) : rolled;
}

}  // namespace opwright
