#include "opwright/convert/sizes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "opwright/symint.h"
#include "opwright/tensor.h"

namespace opwright {

std::vector<SymInt> sym_sizes_of(const Tensor& tensor) {
  std::vector<SymInt> sizes;
  for (int64_t i = 0; i < tensor.dim(); ++i) sizes.push_back(tensor.sym_size(i));
  return sizes;
}

bool are_same(std::span<const SymInt> a, std::span<const SymInt> b) {
  // Equal expressions of one program are one node, so they have equal words.
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const SymInt& x, const SymInt& y) { return x.word() == y.word(); });
}

std::vector<SymInt> broadcast(std::span<const SymInt> a, std::span<const SymInt> b) {
  if (a.size() < b.size()) std::swap(a, b);
  std::vector<SymInt> sizes(a.begin(), a.end());
  const size_t ahead = a.size() - b.size();
  for (size_t i = 0; i < b.size(); ++i) {
    if (is_exactly(sizes[ahead + i], 1)) sizes[ahead + i] = b[i];
  }
  return sizes;
}

std::vector<int64_t> last_dims(int64_t count) {
  std::vector<int64_t> dims(static_cast<size_t>(count));
  std::iota(dims.begin(), dims.end(), -count);
  return dims;
}

std::vector<int64_t> all_dims(int64_t rank) {
  std::vector<int64_t> dims(static_cast<size_t>(rank));
  std::iota(dims.begin(), dims.end(), int64_t{0});
  return dims;
}

}  // namespace opwright
