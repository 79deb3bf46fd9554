#include "opwright/tensor/storage_source.h"

#include <cstddef>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "opwright/tensor/device/live_counts.h"
#include "opwright/tensor/storage.h"
#include "tensor/test_device.h"

namespace opwright {
namespace {

using testing::TestDevice;

// Serves one buffer to requests of exactly its size.
class OneBuffer final : public StorageSource {
 public:
  static constexpr size_t kBytes = 4096;

  bool serve(size_t nbytes, ServedMemory& served) noexcept override {
    asked.push_back(nbytes);
    if (nbytes != kBytes) return false;
    served = {buffer_, [](void* self) { ++static_cast<OneBuffer*>(self)->given_back; }, this};
    return true;
  }

  [[nodiscard]] const void* data() const { return buffer_; }
  std::vector<size_t> asked;
  int given_back = 0;

 private:
  alignas(64) std::byte buffer_[kBytes];
};

class StorageSourceTest : public ::testing::Test {
 protected:
  OneBuffer source_;
};

TEST_F(StorageSourceTest, ServesLargeMemoryOfItsThread) {
  const LiveCounts before = live_counts();
  {
    const StorageSourceScope scope(&source_);
    const StoragePtr storage = allocate_storage(OneBuffer::kBytes, kCpu);
    EXPECT_EQ(storage->data, source_.data());
    EXPECT_EQ(storage->kind, Storage::Kind::OfDevice);
    EXPECT_EQ(source_.given_back, 0);
  }

  EXPECT_EQ(source_.given_back, 1);
  EXPECT_EQ(live_counts(), before);
}

TEST_F(StorageSourceTest, LeavesToTheAllocatorWhatItDoesNotHave) {
  const StorageSourceScope scope(&source_);

  const StoragePtr storage = allocate_storage(2 * OneBuffer::kBytes, kCpu);

  EXPECT_NE(storage->data, source_.data());
  EXPECT_EQ(storage->deleter, nullptr);
  EXPECT_EQ(source_.asked, (std::vector<size_t>{2 * OneBuffer::kBytes}));
}

TEST_F(StorageSourceTest, IsNotAskedForSmallMemoryNorForThatOfOtherDevices) {
  const StorageSourceScope scope(&source_);

  (void)allocate_storage(kLeastServed, kCpu);
  (void)allocate_storage(OneBuffer::kBytes, TestDevice::device());

  EXPECT_TRUE(source_.asked.empty());
}

TEST_F(StorageSourceTest, IsNotAskedByOtherThreadsNorAfterItsScope) {
  {
    const StorageSourceScope scope(&source_);
  }
  (void)allocate_storage(OneBuffer::kBytes, kCpu);
  const StorageSourceScope scope(&source_);
  std::thread([] { (void)allocate_storage(OneBuffer::kBytes, kCpu); }).join();

  EXPECT_TRUE(source_.asked.empty());
}

TEST_F(StorageSourceTest, GivesWayToAnInnerOne) {
  OneBuffer inner;
  const StorageSourceScope outer_scope(&source_);
  {
    const StorageSourceScope inner_scope(&inner);
    EXPECT_EQ(allocate_storage(OneBuffer::kBytes, kCpu)->data, inner.data());
  }

  EXPECT_EQ(allocate_storage(OneBuffer::kBytes, kCpu)->data, source_.data());
}

}  // namespace
}  // namespace opwright
