// pixel_shuffle, pixel_unshuffle and channel_shuffle as composites: reshape, permute, reshape.
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "opwright/error.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/memory_format.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

// The sizes of [.., channels, height, width].
SymSizes sizes_of_images(const char* who, const Tensor& self) {
  OPWRIGHT_CHECK(self.dim() >= 3, who, ": self must be [.., channels, height, width], got ", self);
  return sym_geometry_of(self).sizes;
}

// The result is never a view of self, and an image keeps channels last.
Tensor as_new(const Tensor& self, const Tensor& grouped, const SymSizes& sizes) {
  const Tensor result = grouped.clone(MemoryFormat::Contiguous).reshape(sizes);
  return result.dim() == 4 ? result.contiguous(suggest_memory_format(self)) : result;
}

// Reshapes the last three dimensions to `parts`, permutes those and reshapes them to `planes`.
Tensor regroup(const Tensor& self, const SymSizes& sizes, const SymSizes& parts,
               std::initializer_list<int64_t> order, const SymSizes& planes) {
  const size_t leading = sizes.size() - 3;
  SymSizes split;
  SymSizes result;
  std::vector<int64_t> dims;
  for (size_t i = 0; i < leading; ++i) {
    split.push_back(sizes[i]);
    result.push_back(sizes[i]);
    dims.push_back(static_cast<int64_t>(i));
  }
  for (const int64_t each : order) dims.push_back(static_cast<int64_t>(leading) + each);
  for (const SymInt& each : parts) split.push_back(each);
  for (const SymInt& each : planes) result.push_back(each);
  return as_new(self, self.reshape(split).permute(dims), result);
}

}  // namespace

Tensor pixel_shuffle_composite(const Tensor& self, int64_t upscale_factor) {
  constexpr const char* kWho = "pixel_shuffle";
  const SymSizes sizes = sizes_of_images(kWho, self);
  const SymInt channels = self.sym_size(-3);
  const SymInt height = self.sym_size(-2);
  const SymInt width = self.sym_size(-1);
  OPWRIGHT_CHECK(upscale_factor > 0 && upscale_factor <= INT32_MAX, kWho,
                 ": upscale_factor must be positive, got ", upscale_factor);
  const int64_t factor = upscale_factor;
  check(channels % (factor * factor) == 0,
        concatenate(kWho, ": the channels of self of sizes ", to_text(sizes),
                    " must be a multiple of ", factor * factor, ", the square of upscale_factor"));
  const SymInt groups = channels / (factor * factor);
  return regroup(self, sizes, SymSizes{groups, factor, factor, height, width}, {0, 3, 1, 4, 2},
                 SymSizes{groups, height * factor, width * factor});
}

Tensor pixel_unshuffle_composite(const Tensor& self, int64_t downscale_factor) {
  constexpr const char* kWho = "pixel_unshuffle";
  const SymSizes sizes = sizes_of_images(kWho, self);
  const SymInt channels = self.sym_size(-3);
  const SymInt height = self.sym_size(-2);
  const SymInt width = self.sym_size(-1);
  OPWRIGHT_CHECK(downscale_factor > 0 && downscale_factor <= INT32_MAX, kWho,
                 ": downscale_factor must be positive, got ", downscale_factor);
  const int64_t factor = downscale_factor;
  check(sym_and(height % factor == 0, width % factor == 0),
        concatenate(kWho, ": the height and width of self of sizes ", to_text(sizes),
                    " must be multiples of downscale_factor, ", factor));
  return regroup(self, sizes, SymSizes{channels, height / factor, factor, width / factor, factor},
                 {0, 2, 4, 1, 3},
                 SymSizes{channels * (factor * factor), height / factor, width / factor});
}

Tensor channel_shuffle_composite(const Tensor& self, const SymInt& groups) {
  constexpr const char* kWho = "channel_shuffle";
  OPWRIGHT_CHECK(self.dim() >= 3, kWho, ": self must be [batch, channels, ..], got ", self);
  const SymSizes sizes = sym_geometry_of(self).sizes;
  const SymInt& channels = sizes[1];
  check(groups > 0, concatenate(kWho, ": groups must be positive, got ", groups));
  check(channels % groups == 0,
        concatenate(kWho, ": the channels of self of sizes ", to_text(sizes),
                    " must be a multiple of groups, ", groups));
  SymSizes split{sizes[0], groups, channels / groups};
  for (size_t i = 2; i < sizes.size(); ++i) split.push_back(sizes[i]);
  return as_new(self, self.reshape(split).transpose(1, 2), sizes);
}

}  // namespace opwright
