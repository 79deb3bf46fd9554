// Builds batches of samples from an example and lists the ways to map a call over them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "opwright/check/example/tensor_call.h"
#include "opwright/tensor.h"
#include "opwright/transforms/vmap/vmap_function.h"

namespace opwright {

// How the samples of a batch differ. The operator may reject samples unlike its example.
enum class Samples : uint8_t {
  Scaled,    // other elements in another order
  Permuted,  // the same elements in another order
  Same,
};

// Each tensor alone, batched at each dimension; then all of them together. Written tensors are
// always batched.
[[nodiscard]] std::vector<BatchDims> ways_to_map(const DistinctTensors& tensors);
// "in_dims {x: 0, w: None}"
[[nodiscard]] std::string describe_dims(const DistinctTensors& tensors, const BatchDims& dims);

// A batch size that differs from every size of the tensors.
[[nodiscard]] int64_t choose_batch_size(const DistinctTensors& tensors);

// The batched tensors, in newly allocated memory.
[[nodiscard]] std::vector<Tensor> make_batches(const DistinctTensors& tensors,
                                               const BatchDims& dims, int64_t batch_size,
                                               Samples samples);
// Views of one sample of each batch.
[[nodiscard]] std::vector<Tensor> take_sample(const std::vector<Tensor>& batches,
                                              const BatchDims& dims, int64_t which);

}  // namespace opwright
