// The driver's functions that source kernels use. A library is its text; two kernels can run:
// `scale` and one that writes outside of its memory.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <cuda.h>
#include <cuda_runtime_api.h>

#include "tests/devices/cuda_runtime/fake_runtime/fake_runtime.h"

namespace {

struct Kernel {
  std::string name;
  std::vector<size_t> argument_sizes;
};

CUresult load_data(CUlibrary* library, const void* code, CUjit_option* /*options*/,
                   void** /*values*/, unsigned /*count*/, CUlibraryOption* /*library_options*/,
                   void** /*library_values*/, unsigned /*library_count*/) {
  *library = reinterpret_cast<CUlibrary>(new std::string(static_cast<const char*>(code)));
  return CUDA_SUCCESS;
}

CUresult get_kernel(CUkernel* kernel, CUlibrary library, const char* name) {
  const std::string& source = *reinterpret_cast<std::string*>(library);
  const std::string start = std::string("void ") + name + "(";
  const size_t found = source.find(start);
  if (found == std::string::npos) return CUDA_ERROR_NOT_FOUND;
  auto* made = new Kernel{.name = name, .argument_sizes = {}};
  size_t place = found + start.size();
  const size_t end = source.find(')', place);
  while (place < end) {
    const size_t comma = std::min(source.find(',', place), end);
    const bool is_pointer = source.substr(place, comma - place).find('*') != std::string::npos;
    made->argument_sizes.push_back(is_pointer ? 8 : 4);
    place = comma + 1;
  }
  *kernel = reinterpret_cast<CUkernel>(made);
  return CUDA_SUCCESS;
}

CUresult get_function(CUfunction* function, CUkernel kernel) {
  *function = reinterpret_cast<CUfunction>(kernel);
  return CUDA_SUCCESS;
}

CUresult get_param_info(CUkernel kernel, size_t index, size_t* offset, size_t* size) {
  const Kernel& found = *reinterpret_cast<Kernel*>(kernel);
  if (index >= found.argument_sizes.size()) return CUDA_ERROR_INVALID_VALUE;
  *offset = 8 * index;
  *size = found.argument_sizes[index];
  return CUDA_SUCCESS;
}

CUresult set_attribute(CUfunction /*function*/, CUfunction_attribute /*attribute*/, int /*value*/) {
  return CUDA_SUCCESS;
}

template <class T>
T value_of(const void* place) {
  T value;
  std::memcpy(&value, place, sizeof value);
  return value;
}

CUresult launch(CUfunction function, unsigned blocks, unsigned /*blocks_y*/, unsigned /*blocks_z*/,
                unsigned threads, unsigned /*threads_y*/, unsigned /*threads_z*/,
                unsigned /*shared_bytes*/, CUstream stream, void** arguments, void** /*extra*/) {
  const Kernel& kernel = *reinterpret_cast<Kernel*>(function);
  if (kernel.name == "wild") {
    opwright::fake_cuda::queue_work(stream, [] { return cudaErrorIllegalAddress; });
    return CUDA_SUCCESS;
  }
  const auto* in = value_of<const float*>(arguments[0]);
  auto* out = value_of<float*>(arguments[1]);
  const auto count = value_of<int>(arguments[2]);
  const auto factor = value_of<float>(arguments[3]);
  const auto all = static_cast<int64_t>(blocks) * threads;
  opwright::fake_cuda::queue_work(stream, [=] {
    for (int64_t i = 0; i < all && i < count; ++i) out[i] = factor * in[i];
    return cudaSuccess;
  });
  return CUDA_SUCCESS;
}

}  // namespace

extern "C" cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function,
                                                        unsigned /*version*/,
                                                        unsigned long long /*flags*/,
                                                        cudaDriverEntryPointQueryResult* result) {
  const std::pair<const char*, void*> all[] = {
      {"cuLibraryLoadData", reinterpret_cast<void*>(&load_data)},
      {"cuLibraryGetKernel", reinterpret_cast<void*>(&get_kernel)},
      {"cuKernelGetFunction", reinterpret_cast<void*>(&get_function)},
      {"cuKernelGetParamInfo", reinterpret_cast<void*>(&get_param_info)},
      {"cuFuncSetAttribute", reinterpret_cast<void*>(&set_attribute)},
      {"cuLaunchKernel", reinterpret_cast<void*>(&launch)}};
  *result = cudaDriverEntryPointSymbolNotFound;
  for (const auto& [known, found] : all) {
    if (std::strcmp(known, name) != 0) continue;
    *function = found;
    *result = cudaDriverEntryPointSuccess;
  }
  return cudaSuccess;
}
