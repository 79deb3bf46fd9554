// Covers: src/tensor/dlpack/*.
#include "opwright/tensor/dlpack/dlpack.h"

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/runtime/runtime.h"
#include "opwright/tensor/device/live_counts.h"
#include "opwright/tensor/device/stream.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/view.h"
#include "opwright/tensor/wrapper.h"
#include "symbolic/test_owner.h"
#include "tensor/tensors.h"
#include "tensor/test_device.h"

namespace opwright {
namespace {

using testing::list;
using testing::range;
using testing::TestDevice;
using testing::values_of;

// A producer that counts calls of its deleter.
template <class Managed>
struct Produced : Managed {
  float memory[6] = {0, 1, 2, 3, 4, 5};
  int64_t shape[2] = {2, 3};
  int64_t strides[2] = {3, 1};
  int deleted = 0;

  Produced() : Managed{} {
    this->manager_ctx = this;
    this->deleter = [](Managed* self) { ++static_cast<Produced*>(self)->deleted; };
    this->dl_tensor = {.data = memory,
                       .device = {kOpwDeviceCpu, 0},
                       .ndim = 2,
                       .dtype = to_dlpack(DType::Float32),
                       .shape = shape,
                       .strides = strides,
                       .byte_offset = 0};
    if constexpr (requires { this->version; }) this->version = {1, 3};
  }
};
using OldProduced = Produced<DlManagedTensor>;
using NewProduced = Produced<DlManagedTensorVersioned>;

TEST(FromDlpack, SharesTheMemoryAndCallsTheDeleterWithTheLastTensor) {
  OldProduced produced;
  {
    const Tensor tensor = from_dlpack(&produced);
    const Tensor view = make_view(tensor, list({1}), list({1}), 5);
    tensor.mutable_data<float>()[5] = 9;
    EXPECT_EQ(view.data<float>()[0], 9.0F);
    EXPECT_EQ(produced.memory[5], 9.0F);
    EXPECT_EQ(produced.deleted, 0);
  }
  EXPECT_EQ(produced.deleted, 1);
}

TEST(FromDlpack, AddsTheByteOffset) {
  OldProduced produced;
  produced.shape[0] = 1;
  produced.dl_tensor.byte_offset = 12;

  EXPECT_EQ(from_dlpack(&produced).data<float>()[0], 3.0F);
}

TEST(FromDlpack, ReadsMissingStridesAsRowMajor) {
  OldProduced produced;
  produced.dl_tensor.strides = nullptr;

  EXPECT_EQ(values_of(from_dlpack(&produced).strides()), (std::vector<int64_t>{3, 1}));
}

TEST(FromDlpack, KeepsNegativeStrides) {
  OldProduced produced;
  produced.dl_tensor.data = produced.memory + 3;
  produced.strides[0] = -3;

  EXPECT_EQ(to_text(from_dlpack(&produced)), "tensor([[3., 4., 5.],\n        [0., 1., 2.]])");
}

TEST(FromDlpack, TakesATensorWithoutDimensionsAndOneWithoutElements) {
  OldProduced scalar;
  scalar.dl_tensor.ndim = 0;
  scalar.dl_tensor.shape = nullptr;
  scalar.dl_tensor.strides = nullptr;
  OldProduced empty;
  empty.shape[1] = 0;
  empty.dl_tensor.data = nullptr;

  EXPECT_EQ(from_dlpack(&scalar).numel(), 1);
  EXPECT_EQ(from_dlpack(&empty).numel(), 0);
}

TEST(FromDlpack, KeepsTheReadOnlyFlag) {
  NewProduced produced;
  produced.flags = kDlFlagReadOnly;
  const Tensor tensor = from_dlpack(&produced);

  EXPECT_ERROR(tensor.mutable_data<float>(), "ValueError",
               "the memory of this tensor is read-only; clone it first");
  EXPECT_ERROR(
      (void)to_dlpack(tensor), "BufferError",
      "to_dlpack: read-only memory can only be exported to consumers of DLPack 1.0 or newer "
      "(max_version=(1, 0)); clone the tensor for others");
  DlManagedTensorVersioned* again = to_dlpack_versioned(tensor);
  EXPECT_EQ(again->flags, kDlFlagReadOnly);
  again->deleter(again);
}

TEST(FromDlpack, ReadsPinnedHostMemoryAsCpuMemory) {
  OldProduced produced;
  produced.dl_tensor.device = {3, 0};

  EXPECT_EQ(from_dlpack(&produced).device(), kCpu);
}

TEST(FromDlpack, TakesMemoryOfADeviceThatNothingRunsOn) {
  OldProduced produced;
  produced.dl_tensor.device = {kOpwDeviceCuda, 1};

  EXPECT_EQ(concatenate(from_dlpack(&produced)), "float32[2, 3] on cuda:1");
}

TEST(FromDlpack, TakesAProducerWithoutADeleter) {
  OldProduced produced;
  produced.deleter = nullptr;

  EXPECT_EQ(from_dlpack(&produced).numel(), 6);
}

// Imports after `change`, expects the error, and that the deleter was called.
template <class Managed, class Change>
void expect_refusal(const Change& change, const char* kind, const std::string& text) {
  Produced<Managed> produced;
  change(produced);
  const LiveCounts before = live_counts();
  EXPECT_ERROR(from_dlpack(&produced), kind, text);
  EXPECT_EQ(produced.deleted, 1);
  EXPECT_EQ(live_counts(), before);
}

TEST(FromDlpack, RefusesAnotherMajorVersionWithoutReadingTheTensor) {
  expect_refusal<DlManagedTensorVersioned>(
      [](auto& produced) {
        produced.version = {2, 1};
        produced.dl_tensor.shape = nullptr;
      },
      "BufferError", "from_dlpack: DLPack version 2.1 is not supported; export with version 1.x");
}

TEST(FromDlpack, RefusesElementsThatItDoesNotKnow) {
  expect_refusal<DlManagedTensor>([](auto& produced) { produced.dl_tensor.dtype.lanes = 4; },
                                  "TypeError",
                                  "from_dlpack: vector elements are not supported, got 4 lanes");
  expect_refusal<DlManagedTensor>([](auto& produced) { produced.dl_tensor.dtype = {2, 24, 1}; },
                                  "TypeError",
                                  "from_dlpack: no dtype has DLPack's code 2 with 24 bits");
  expect_refusal<DlManagedTensor>([](auto& produced) { produced.dl_tensor.dtype = {3, 64, 1}; },
                                  "TypeError",
                                  "from_dlpack: no dtype has DLPack's code 3 with 64 bits");
}

TEST(FromDlpack, RefusesShapesThatCannotBe) {
  expect_refusal<DlManagedTensor>([](auto& produced) { produced.shape[0] = -2; }, "ValueError",
                                  "from_dlpack: size -2 of dimension 0 is negative in [-2, 3]");
  expect_refusal<DlManagedTensor>(
      [](auto& produced) { produced.shape[0] = INT64_MAX; }, "ValueError",
      "from_dlpack: sizes [9223372036854775807, 3] with strides [3, 1] have more than 2^62 bytes");
  expect_refusal<DlManagedTensor>(
      [](auto& produced) { produced.strides[0] = INT64_MIN; }, "ValueError",
      "from_dlpack: sizes [2, 3] with strides [-9223372036854775808, 1] have more than 2^62 bytes");
  expect_refusal<DlManagedTensor>([](auto& produced) { produced.dl_tensor.ndim = 1000; },
                                  "ValueError",
                                  "from_dlpack: a tensor has 0 to 64 dimensions, got 1000");
  expect_refusal<DlManagedTensor>([](auto& produced) { produced.dl_tensor.ndim = -1; },
                                  "ValueError",
                                  "from_dlpack: a tensor has 0 to 64 dimensions, got -1");
  expect_refusal<DlManagedTensor>([](auto& produced) { produced.dl_tensor.shape = nullptr; },
                                  "ValueError",
                                  "from_dlpack: the shape of a tensor of 2 dimensions is null");
}

TEST(FromDlpack, RefusesAnEmptyTensorWhoseOtherSizesOverflow) {
  expect_refusal<DlManagedTensor>(
      [](auto& produced) {
        produced.shape[0] = INT64_MAX;
        produced.shape[1] = 0;
      },
      "ValueError",
      "from_dlpack: sizes [9223372036854775807, 0] with strides [3, 1] have more than 2^62 bytes");
}

TEST(FromDlpack, TakesAnEmptyTensorWithoutMemoryAndPrintsIt) {
  OldProduced produced;
  produced.shape[1] = 0;
  produced.dl_tensor.data = nullptr;

  EXPECT_EQ(to_text(from_dlpack(&produced)), "tensor([], size=(2, 0))");
}

TEST(FromDlpack, RefusesDataThatCannotBeRead) {
  expect_refusal<DlManagedTensor>(
      [](auto& produced) { produced.dl_tensor.data = nullptr; }, "ValueError",
      "from_dlpack: the data pointer of a float32[2, 3] tensor is null");
  expect_refusal<DlManagedTensor>(
      [](auto& produced) { produced.dl_tensor.byte_offset = 2; }, "ValueError",
      "from_dlpack: the data of a float32 tensor must be aligned to 4 bytes; copy it on the "
      "producer's side first");
  expect_refusal<DlManagedTensor>(
      [](auto& produced) { produced.dl_tensor.byte_offset = UINT64_MAX; }, "ValueError",
      "from_dlpack: sizes [2, 3] with strides [3, 1] reach outside of the address space");
}

TEST(FromDlpack, RefusesDevicesThatItCannotName) {
  expect_refusal<DlManagedTensor>(
      [](auto& produced) { produced.dl_tensor.device = {77, 0}; }, "ValueError",
      "from_dlpack: memory on DLPack's device type 77 cannot be used here");
  expect_refusal<DlManagedTensor>([](auto& produced) { produced.dl_tensor.device.index = -3; },
                                  "ValueError",
                                  "from_dlpack: the device index must not be negative, got -3");
  expect_refusal<DlManagedTensor>(
      [](auto& produced) { produced.dl_tensor.device = TestDevice::device(5); }, "IndexError",
      "there is no test:5: this process sees 2 test devices");
}

TEST(ToDlpack, KeepsTheMemoryUntilItsDeleterIsCalled) {
  const LiveCounts before = live_counts();
  Tensor tensor = make_view(range({2, 3}), list({3}), list({1}), 3);
  DlManagedTensor* exported = to_dlpack(tensor);
  tensor = Tensor();

  EXPECT_EQ(static_cast<const float*>(exported->dl_tensor.data)[0], 3.0F);
  EXPECT_EQ(exported->dl_tensor.byte_offset, 0U);
  EXPECT_EQ(exported->dl_tensor.shape[0], 3);
  EXPECT_EQ(exported->dl_tensor.strides[0], 1);
  exported->deleter(exported);
  EXPECT_EQ(live_counts(), before);
}

TEST(ToDlpack, ComesBackAsTheSameMemory) {
  const LiveCounts before = live_counts();
  {
    const Tensor tensor = range({2, 3});
    const Tensor back =
        from_dlpack(to_dlpack_versioned(tensor, {.stream = std::nullopt, .is_copied = true}));
    EXPECT_EQ(back.data(), tensor.data());
    EXPECT_EQ(to_text(back), to_text(tensor));
  }
  EXPECT_EQ(live_counts(), before);
}

TEST(ToDlpack, SaysVersionAndFlags) {
  const Tensor tensor = range({2});
  DlManagedTensorVersioned* exported =
      to_dlpack_versioned(tensor, {.stream = std::nullopt, .is_copied = true});

  EXPECT_EQ(exported->version.major, 1U);
  EXPECT_EQ(exported->flags, kDlFlagIsCopied);
  exported->deleter(exported);
}

TEST(ToDlpack, IsNotTouchedWhenTheTensorsContentsAreReplaced) {
  const Tensor tensor = range({6});
  DlManagedTensor* exported = to_dlpack(tensor);

  replace_contents(impl(tensor), impl(range({2})));

  EXPECT_EQ(exported->dl_tensor.shape[0], 6);
  EXPECT_EQ(static_cast<const float*>(exported->dl_tensor.data)[5], 5.0F);
  exported->deleter(exported);
}

class NamelessLevel : public Level {
 public:
  [[nodiscard]] const char* name() const override { return "vmap"; }
};

TEST(ToDlpack, RefusesTensorsWhoseMemoryCannotBeHandedOut) {
  const Tensor grad = range({2});
  impl(grad).flags |= kOpwFlagRequiresGrad;
  testing::TestOwner owner;
  const Tensor symbolic =
      make_fake(std::vector<SymInt>{owner.backed("s0", 2)}, DType::Float32, kCpu);
  const auto level = make_intrusive<NamelessLevel>();

  EXPECT_ERROR((void)to_dlpack(grad), "BufferError",
               "to_dlpack: a tensor that requires grad cannot be exported, since gradients would "
               "not follow; detach it first");
  EXPECT_ERROR((void)to_dlpack_versioned(make_fake(list({2}), DType::Float32, kCpu)), "BufferError",
               "to_dlpack: a fake tensor has no memory to export");
  EXPECT_ERROR((void)to_dlpack(symbolic), "BufferError",
               "to_dlpack: a tensor with symbolic sizes has no memory to export");
  EXPECT_ERROR((void)to_dlpack(make_wrapper(level.get(), range({2}))), "BufferError",
               "to_dlpack: a tensor inside a transform has no memory of its own to export; export "
               "its result");
}

TEST(ToDlpack, LetsTheConsumersStreamWait) {
  const Tensor tensor = make_empty(list({2}), DType::Float32, TestDevice::device());
  const StreamScope scope(TestDevice::device(), TestDevice::stream(3));
  const int64_t events = TestDevice::counts.live_events;

  const Tensor back = from_dlpack(to_dlpack_versioned(tensor, {.stream = TestDevice::stream(4)}));

  EXPECT_EQ(back.device(), TestDevice::device());
  EXPECT_EQ(TestDevice::counts.recorded_on, TestDevice::stream(3));
  EXPECT_EQ(TestDevice::counts.waiting_stream, TestDevice::stream(4));
  EXPECT_EQ(TestDevice::counts.live_events, events);
}

TEST(ToDlpack, NeedsNoEventForTheSameStreamOrForNone) {
  const Tensor tensor = make_empty(list({2}), DType::Float32, TestDevice::device());
  const int64_t before = TestDevice::counts.recorded_events;

  (void)from_dlpack(to_dlpack(tensor, {.stream = nullptr}));
  (void)from_dlpack(to_dlpack(tensor));
  (void)from_dlpack(to_dlpack(range({2}), {.stream = TestDevice::stream(4)}));

  EXPECT_EQ(TestDevice::counts.recorded_events, before);
}

}  // namespace
}  // namespace opwright
