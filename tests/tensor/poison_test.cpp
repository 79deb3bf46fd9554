#include "opwright/tensor/poison.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <gtest/gtest.h>

#include "opwright/device.h"
#include "opwright/tensor/storage.h"

namespace opwright {
namespace {

bool holds_only(const StoragePtr& storage, uint8_t byte) {
  const auto* data = static_cast<const uint8_t*>(storage->data);
  return std::all_of(data, data + storage->nbytes, [&](uint8_t each) { return each == byte; });
}

TEST(Poison, FillsNewMemoryOfAnyLength) {
  const PoisonScope poison(0x7b);

  for (const size_t bytes : {size_t{0}, size_t{1}, size_t{960}, size_t{961}, size_t{200'000}}) {
    EXPECT_TRUE(holds_only(allocate_storage(bytes, kCpu), 0x7b)) << bytes;
  }
}

TEST(Poison, EndsWithItsScope) {
  {
    const PoisonScope outer(1);
    {
      const PoisonScope inner(2);
    }
    EXPECT_TRUE(holds_only(allocate_storage(100, kCpu), 1));
  }
  EXPECT_EQ(allocate_storage(100, kCpu)->kind, Storage::Kind::InBlock);
}

TEST(Poison, EndsWithTheLastScopeInWhateverOrderTheyClose) {
  auto first = std::make_unique<PoisonScope>(1);
  auto second = std::make_unique<PoisonScope>(2);

  first.reset();
  EXPECT_TRUE(holds_only(allocate_storage(100, kCpu), 2));
  second.reset();

  EXPECT_EQ(allocate_storage(100, kCpu)->kind, Storage::Kind::InBlock);
}

}  // namespace
}  // namespace opwright
