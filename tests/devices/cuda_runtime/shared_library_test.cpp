#include "devices/cuda/shared_library.h"

#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace opwright::cuda {
namespace {

TEST(CudaSharedLibrary, LooksInTheUsersFoldersFirst) {
  setenv("OPWRIGHT_CUDA_LIBRARIES", "/opt/one:/opt/two", 1);
  unsetenv("CUDA_HOME");
  const std::vector<std::string> candidates = library_candidates("cublasLt", "cublas", "/own/lib");
  unsetenv("OPWRIGHT_CUDA_LIBRARIES");

  EXPECT_EQ(candidates, (std::vector<std::string>{
                            "/opt/one/libcublasLt.so.13", "/opt/two/libcublasLt.so.13",
                            "libcublasLt.so.13", "/own/lib/../../nvidia/cu13/lib/libcublasLt.so.13",
                            "/own/lib/../../nvidia/cublas/lib/libcublasLt.so.13",
                            "/usr/local/cuda/lib64/libcublasLt.so.13", "/opt/one/libcublasLt.so.12",
                            "/opt/two/libcublasLt.so.12", "libcublasLt.so.12",
                            "/own/lib/../../nvidia/cu13/lib/libcublasLt.so.12",
                            "/own/lib/../../nvidia/cublas/lib/libcublasLt.so.12",
                            "/usr/local/cuda/lib64/libcublasLt.so.12"}));
}

TEST(CudaSharedLibrary, TellsWhatToDoWhereNothingIsFound) {
  SharedLibrary library("no_such_library", "no-such-package");
  int (*function)() = nullptr;

  EXPECT_FALSE(library.is_there());
  EXPECT_FALSE(library.find("anything", function));
  EXPECT_EQ(library.problem(),
            "libno_such_library.so.13 was not found: install nvidia-no-such-package with pip, or"
            " name its folder in OPWRIGHT_CUDA_LIBRARIES");
}

}  // namespace
}  // namespace opwright::cuda
