// The outputs that a node will have for inputs of certain dtypes and sizes, as its fake kernel
// tells, remembered for the inputs that were seen.
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

struct ForetoldOutput {
  DType dtype;
  std::span<const int64_t> sizes;
};

// Any thread.
class ForetoldOutputs {
 public:
  ForetoldOutputs() = default;
  ForetoldOutputs(const ForetoldOutputs&) = delete;
  ForetoldOutputs& operator=(const ForetoldOutputs&) = delete;

  // By result output, valid as long as this. Empty where the fake kernel does not tell (it is not
  // there, fails, or only the data tell), and for the inputs after so many others.
  [[nodiscard]] std::span<const ForetoldOutput> find(const OrtOperator& op,
                                                     std::span<const InputPlace> places,
                                                     std::span<const Value> attributes,
                                                     std::span<const OrtTensor> inputs);

 private:
  struct Entry {
    std::vector<int64_t> inputs;   // of each its dtype, rank and sizes
    std::vector<int64_t> numbers;  // that the sizes of the outputs lie in
    std::vector<ForetoldOutput> outputs;

    [[nodiscard]] bool is_of(std::span<const OrtTensor> given) const;
    void keep(std::span<const Tensor> results);
  };
  static constexpr size_t kMost = 8;

  std::array<std::atomic<const Entry*>, kMost> entries_{};
  std::mutex mutex_;
  std::vector<std::unique_ptr<const Entry>> owned_;
};

}  // namespace opwright::ort_bridge
