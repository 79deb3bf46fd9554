// Views of consecutive parts of one dimension: split, chunk, unbind, narrow.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/ops/view/part_count.h"
#include "opwright/symbolic/shape_env/demand.h"
#include "opwright/symbolic/shape_env/questions.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

// The dimension to split. RuntimeError for a zero-dim tensor.
int64_t split_dim(const char* who, const Tensor& self, int64_t dim) {
  OPWRIGHT_CHECK(self.dim() > 0, who, ": self has zero dimensions, so there is nothing to split");
  return static_cast<int64_t>(wrap_dim(dim, static_cast<size_t>(self.dim()), who));
}

// A part whose elements are known to exist.
Tensor part_of(const Tensor& self, int64_t dim, const SymInt& start, const SymInt& length) {
  SymGeometry geometry = sym_geometry_of(self);
  const auto along = static_cast<size_t>(dim);
  geometry.offset = geometry.offset + start * geometry.strides[along];
  geometry.sizes[along] = length;
  return make_view(self, geometry);
}

}  // namespace

std::vector<Tensor> split_with_sizes_all_devices(const Tensor& self,
                                                 std::span<const SymInt> split_sizes, int64_t dim) {
  constexpr const char* kWho = "split_with_sizes";
  const int64_t along = split_dim(kWho, self, dim);
  SymInt total = 0;
  for (const SymInt& size : split_sizes) {
    check(size >= 0, kWho + (": split_sizes must not be negative, got " + to_text(split_sizes)));
    total = total + size;
  }
  const SymInt whole = self.sym_size(along);
  std::string problem =
      std::string(kWho) + ": split_sizes " + to_text(split_sizes) + " must add up to the size ";
  append_text(problem, whole);
  check(total == whole, problem + " of dimension " + std::to_string(along) +
                            " of self, whose sizes are " + to_text(sym_geometry_of(self).sizes));
  std::vector<Tensor> parts;
  SymInt start = 0;
  for (const SymInt& size : split_sizes) {
    parts.push_back(part_of(self, along, start, size));
    start = start + size;
  }
  return parts;
}
Tensor split_with_sizes_scatter(const Tensor& base, const Tensor& value,
                                std::span<const SymInt> split_sizes, int64_t dim, int64_t place) {
  SymInt start = 0;
  for (const SymInt& size : split_sizes.first(static_cast<size_t>(place))) start = start + size;
  return slice_scatter(base, value, dim, start, start + split_sizes[static_cast<size_t>(place)]);
}

std::vector<Tensor> split_all_devices(const Tensor& self, const SymInt& split_size, int64_t dim) {
  const int64_t along = split_dim("split", self, dim);
  const SymInt size = self.sym_size(along);
  if (is_plain_int(split_size, 0) && is_known_equal(size, SymInt(0)))
    return {part_of(self, along, 0, size)};
  OPWRIGHT_DEMAND(split_size > 0, "split: split_size must be positive, got ", split_size,
                  " for dimension ", along, " of size ", size);
  // The number of parts must be known; their sizes may be symbolic.
  const int64_t count = sym_max((size + split_size - 1) / split_size, 1).specialise();
  check_part_count("split", self, count);
  std::vector<Tensor> parts;
  for (int64_t i = 0; i < count; ++i) {
    const SymInt start = split_size * SymInt(i);
    parts.push_back(part_of(self, along, start, i + 1 < count ? split_size : size - start));
  }
  return parts;
}
Tensor split_scatter(const Tensor& base, const Tensor& value, const SymInt& split_size, int64_t dim,
                     int64_t place) {
  const SymInt start = split_size * SymInt(place);
  return slice_scatter(base, value, dim, start, start + value.sym_size(dim));
}

std::vector<Tensor> split_sizes_composite(const Tensor& self, std::span<const SymInt> split_size,
                                          int64_t dim) {
  return split_with_sizes(self, split_size, dim);
}

std::vector<Tensor> chunk_composite(const Tensor& self, int64_t chunks, int64_t dim) {
  OPWRIGHT_CHECK(chunks > 0, "chunk: chunks must be at least 1, got ", chunks);
  const int64_t along = split_dim("chunk", self, dim);
  const SymInt size = self.sym_size(along);
  if (is_known_equal(size, SymInt(0))) check_part_count("chunk", self, chunks);
  if (is_known_equal(size, SymInt(0)))
    return split_with_sizes(self, SymSizes(static_cast<size_t>(chunks), 0), along);
  return split(self, (size + (chunks - 1)) / chunks, along);
}

std::vector<Tensor> unbind_all_devices(const Tensor& self, int64_t dim) {
  const int64_t along = split_dim("unbind", self, dim);
  std::vector<Tensor> parts;
  const int64_t size = self.size(along);  // the number of parts must be known
  check_part_count("unbind", self, size);
  for (int64_t i = 0; i < size; ++i)
    parts.push_back(
        make_view(self, select_geometry<SymInt>(sym_geometry_of(self), along, i, "unbind")));
  return parts;
}
Tensor unbind_scatter(const Tensor& base, const Tensor& value, int64_t dim, int64_t place) {
  return select_scatter(base, value, dim, SymInt(place));
}

Tensor narrow_composite(const Tensor& self, int64_t dim, const SymInt& start,
                        const SymInt& length) {
  const int64_t along = split_dim("narrow", self, dim);
  const SymInt size = self.sym_size(along);
  const SymInt first = guard_or_false(start < 0) ? start + size : start;
  std::string problem = "narrow: start ";
  append_text(problem, start);
  append_text(problem, " and length ");
  append_text(problem, length);
  append_text(problem, " leave dimension " + std::to_string(along) + " of size ");
  append_text(problem, size);
  check(length >= 0, problem);
  check(first >= 0, problem);
  check(first <= size, problem);
  check(length <= size - first, problem);
  return slice(self, along, first, first + length);
}

}  // namespace opwright
