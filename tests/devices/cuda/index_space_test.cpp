#include "devices/cuda/kernels/index_space.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace opwright::cuda {
namespace {

TEST(Divider, DividesAsIntsDo) {
  for (const uint32_t divisor : {1U, 2U, 3U, 7U, 10U, 641U, 65536U, 1000003U, 2147483647U}) {
    const Divider divider = Divider::of(divisor);
    for (const uint32_t number :
         {0U, 1U, 2U, 6U, 7U, 640U, 641U, 99999U, 16777216U, 2147483646U, 2147483647U})
      EXPECT_EQ(divider.quotient(number), number / divisor) << number << " / " << divisor;
  }
}

IndexSpace space_of(const std::vector<int64_t>& sizes) {
  IndexSpace space{};
  space.rank = static_cast<int>(sizes.size());
  space.count = 1;
  for (size_t d = 0; d < sizes.size(); ++d) {
    space.sizes[d] = sizes[d];
    space.dividers[d] = Divider::of(static_cast<uint32_t>(sizes[d]));
    space.count *= sizes[d];
  }
  space.is_small = true;
  return space;
}

TEST(IndexSpace, FindsPlacesInBothOfItsWays) {
  const IndexSpace space = space_of({3, 5, 7});
  const int64_t strides[] = {100, -9, 2};

  int64_t index = 0;
  for (int64_t i = 0; i < 3; ++i) {
    for (int64_t j = 0; j < 5; ++j) {
      for (int64_t k = 0; k < 7; ++k, ++index) {
        EXPECT_EQ(space.place(index, strides), 100 * i - 9 * j + 2 * k);
        EXPECT_EQ(space.large_place(index, strides), 100 * i - 9 * j + 2 * k);
      }
    }
  }
}

TEST(IndexSpace, OfNoDimensionHasOnePlace) { EXPECT_EQ(space_of({}).place(0, nullptr), 0); }

}  // namespace
}  // namespace opwright::cuda
