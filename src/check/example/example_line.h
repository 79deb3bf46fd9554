// Examples along a line: the floating and complex tensors of an example, moved together in a random
// direction. The tensors that require grad move, or all if none does; running statistics do not.
//
// Tensors keep their strides, and each memory location moves as one, so repeated elements stay
// equal. Memory between elements does not change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "opwright/check/example/checked_function.h"
#include "opwright/check/example/example.h"
#include "opwright/dtype.h"
#include "opwright/tensor.h"

namespace opwright {

struct LineOptions {
  uint64_t seed = 0;
  // How far the line's middle is from the example, relative to the tensors' usual values. This
  // moves off ties and corners.
  double jitter = 0;
  bool keeps_signs = false;  // the jitter is relative to each value itself
  bool is_fine = false;      // in float64 and complex128
};

class ExampleLine {
 public:
  ExampleLine(const Example& example, const LineOptions& options);

  // Which of Example::tensors() move.
  [[nodiscard]] const std::vector<size_t>& moved() const noexcept { return moved_; }
  // Shares nothing with other examples. With `only`, an index into moved(), the others stay.
  [[nodiscard]] Example at(double step, std::optional<size_t> only = std::nullopt) const;
  // How the elements of one of moved() change per step of 1.
  [[nodiscard]] const Numbers& direction(size_t which) const { return tensors_[which].direction; }
  // Which of Example::tensors() move, as RecordedCall expects it.
  [[nodiscard]] std::vector<bool> subset() const;
  // The coarsest dtype of the tensors that move.
  [[nodiscard]] DType dtype() const;

 private:
  struct MovedTensor {
    MovedTensor(const Tensor& tensor, const LineOptions& options, size_t place);
    [[nodiscard]] Tensor at(double step) const;
    [[nodiscard]] Tensor show(const Numbers& numbers) const;
    [[nodiscard]] Numbers reached_places() const;

    size_t place;  // index in Example::tensors()
    std::vector<int64_t> sizes;
    std::vector<int64_t> strides;
    int64_t offset = 0;
    Tensor memory;      // flat, with the dtype and length of the moved tensor
    Numbers middle;     // of the memory
    Numbers by;         // of the memory
    Numbers direction;  // of the elements
  };

  Example example_;
  std::vector<size_t> moved_;
  std::vector<MovedTensor> tensors_;  // those that move
  std::vector<MovedTensor> others_;   // these stay in the middle
};

}  // namespace opwright
