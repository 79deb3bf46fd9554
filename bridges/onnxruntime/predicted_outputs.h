// Predicts the outputs of a node from the dtypes and sizes of its inputs with the fake kernel;
// caches the predictions.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "bridges/onnxruntime/node_inputs.h"
#include "bridges/onnxruntime/ort_operator.h"
#include "bridges/onnxruntime/ort_tensor.h"
#include "opwright/dtype.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright::ort_bridge {

struct PredictedOutput {
  DType dtype;
  std::span<const int64_t> sizes;
};

// Any thread.
class PredictedOutputs {
 public:
  PredictedOutputs() = default;
  PredictedOutputs(const PredictedOutputs&) = delete;
  PredictedOutputs& operator=(const PredictedOutputs&) = delete;

  // One per result output, valid as long as this. Empty if the fake kernel cannot predict them (it
  // is missing, fails, or the sizes depend on data), and once the cache is full.
  [[nodiscard]] std::span<const PredictedOutput> find(const OrtOperator& op,
                                                      std::span<const InputPlace> places,
                                                      std::span<const Value> attributes,
                                                      std::span<const OrtTensor> inputs);

 private:
  struct Entry {
    std::vector<int64_t> inputs;   // the dtype, rank and sizes of each
    std::vector<int64_t> numbers;  // holds the sizes of the outputs
    std::vector<PredictedOutput> outputs;

    [[nodiscard]] bool is_of(std::span<const OrtTensor> given) const;
    void keep(std::span<const Tensor> results);
  };
  static constexpr size_t kMost = 8;

  std::array<std::atomic<const Entry*>, kMost> entries_{};
  std::mutex mutex_;
  std::vector<std::unique_ptr<const Entry>> owned_;
};

}  // namespace opwright::ort_bridge
