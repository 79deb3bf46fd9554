#include "devices/cuda/error_text.h"

#include <gtest/gtest.h>

namespace opwright::cuda {
namespace {

TEST(CudaErrorText, TellsWhyThereIsNoDevice) {
  EXPECT_EQ(absence_text({}), "");
  EXPECT_EQ(absence_text({.absence = Absence::NoDriver}),
            "no NVIDIA driver (libcuda.so.1 not found): install one, or run on another device");
  EXPECT_EQ(absence_text({.absence = Absence::OldDriver, .driver = 12020, .needed = 13000}),
            "the driver supports CUDA 12.2, the plug-in needs 13.0: update the driver");
  EXPECT_EQ(absence_text({.absence = Absence::NoDevice}),
            "the driver sees no device; CUDA_VISIBLE_DEVICES may hide them");
  EXPECT_EQ(absence_text({.absence = Absence::Other, .problem = "system not yet initialized"}),
            "the driver does not start: system not yet initialized");
}

TEST(CudaErrorText, TellsWhoHasTheMemory) {
  EXPECT_EQ(no_room_text(1, {.total = size_t{80} << 30,
                             .free = size_t{512} << 20,
                             .allocated = size_t{78} << 30,
                             .cached = size_t{1536} << 20}),
            "cuda:1 has 80 GiB, of which 512 MiB are free; tensors of this process have 78 GiB, and"
            " 1.5 GiB are cached, in pieces that are too small. Delete tensors that are no"
            " longer needed, use a smaller batch, or release cached memory with"
            " opwright.cuda.empty_cache()");
}

TEST(CudaErrorText, TellsAFaultOfAnEarlierKernelAndHowToFindIt) {
  EXPECT_EQ(fault_text(0, "an illegal memory access was encountered", "copying to the cpu", false),
            "a kernel on cuda:0 failed: an illegal memory access was encountered (seen when copying"
            " to the cpu); this process cannot use the device any more; set OPWRIGHT_SYNCHRONIZE=1"
            " (or opwright.debug.synchronize_calls()) to learn which operator it was");
  EXPECT_EQ(fault_text(0, "an assert was hit", "waiting for the device", true),
            "a kernel on cuda:0 failed: an assert was hit (seen when waiting for the device); this"
            " process cannot use the device any more");
}

TEST(CudaErrorText, TellsThatADeviceIsTooOld) {
  EXPECT_EQ(no_code_text(2, 75),
            "cuda:2 has compute capability 7.5, but the plug-in only has code for 9.0 and newer");
}

TEST(CudaErrorText, TellsAForkedProcessWhatToDo) {
  EXPECT_EQ(forked_text(),
            "cuda was used before this process was forked, and a driver does not outlive a fork:"
            " start processes with the method 'spawn', or fork before the first use of cuda");
}

TEST(CudaErrorText, WritesSizesInTheirUnit) {
  EXPECT_EQ(size_text(1), "1 byte");
  EXPECT_EQ(size_text(1023), "1023 bytes");
  EXPECT_EQ(size_text(1536), "1.5 KiB");
  EXPECT_EQ(size_text(size_t{3} << 40), "3 TiB");
}

}  // namespace
}  // namespace opwright::cuda
