// The plug-in's own kernels on the cpu: products of any strides. What kernels compute besides is
// not of the runtime.
#include <cstdint>

#include "devices/cuda/device.h"
#include "devices/cuda/primitives.h"
#include "devices/cuda/product_fallback.h"
#include "opwright/c_api.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "tests/devices/cuda_runtime/fake_runtime/fake_runtime.h"

namespace opwright::cuda {
namespace {

int refuse(const OpwHost* host) {
  return give_status(host, [] { throw_error("NotImplementedError", "no kernels on the cpu"); });
}

template <class T>
void multiply(const OpwProduct& p) {
  const auto number = [](T value) { return static_cast<double>(static_cast<float>(value)); };
  const auto place = [](const OpwMatrix& matrix, int64_t b, int64_t i, int64_t j) -> T& {
    return static_cast<T*>(matrix.data)[b * matrix.batch + i * matrix.row + j * matrix.column];
  };
  for (int64_t b = 0; b < p.batch; ++b) {
    for (int64_t i = 0; i < p.rows; ++i) {
      for (int64_t j = 0; j < p.columns; ++j) {
        double sum = 0;
        for (int64_t k = 0; k < p.depth; ++k) {
          sum += number(place(p.left, b, i, k)) * number(place(p.right, b, k, j));
        }
        T& result = place(p.result, b, i, j);
        const double kept = p.beta == 0 ? 0 : p.beta * number(result);
        result = static_cast<T>(static_cast<float>(p.alpha * sum + kept));
      }
    }
  }
}

}  // namespace

void multiply_by_kernel(int32_t /*index*/, const OpwProduct& product, DType dtype,
                        OpwStream* stream) {
  OPWRIGHT_CHECK_KIND("NotImplementedError", dtype != DType::Bool,
                      "a matrix product does not compute bool on cuda");
  for_element_type(dtype, "a matrix product", [&]<typename T>() {
    fake_cuda::queue_work(cuda_stream(stream), [product] {
      multiply<T>(product);
      return cudaSuccess;
    });
  });
}

int compute_loop_cuda(const OpwHost* host, int32_t /*index*/, const OpwLoop* /*loop*/,
                      OpwStream* /*stream*/) {
  return refuse(host);
}
int compute_fold_cuda(const OpwHost* host, int32_t /*index*/, const OpwFold* /*fold*/,
                      OpwStream* /*stream*/) {
  return refuse(host);
}
int move_elements_cuda(const OpwHost* host, int32_t /*index*/, const OpwMove* /*move*/,
                       OpwStream* /*stream*/) {
  return refuse(host);
}
int draw_random_cuda(const OpwHost* host, int32_t /*index*/, const OpwRandom* /*random*/,
                     OpwStream* /*stream*/) {
  return refuse(host);
}
void throw_index_fault(int32_t /*device*/) {}

}  // namespace opwright::cuda
