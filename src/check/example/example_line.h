// Examples along a line: floating and complex tensors of one, moved together in a random direction:
// those that require grad, or all where none does; running statistics stay.
//
// A tensor keeps its strides, and what is one place of its memory moves as one: repeated elements
// stay equal. What lies between elements stays.
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
  // How far the line's middle is from the example, as a part of the tensors' usual values: ties and
  // corners are left by it.
  double jitter = 0;
  bool keeps_signs = false;  // the jitter is a part of each value itself
  bool is_fine = false;      // in float64 and complex128
};

class ExampleLine {
 public:
  ExampleLine(const Example& example, const LineOptions& options);

  // Which of Example::tensors() move.
  [[nodiscard]] const std::vector<size_t>& moved() const noexcept { return moved_; }
  // Nothing is shared with another one. With `only`, a place in moved(), the others stay.
  [[nodiscard]] Example at(double step, std::optional<size_t> only = std::nullopt) const;
  // How the elements of one of moved() change for a step of 1.
  [[nodiscard]] const Numbers& direction(size_t which) const { return tensors_[which].direction; }
  // Which of Example::tensors() that are, as RecordedCall takes it.
  [[nodiscard]] std::vector<bool> subset() const;
  // The coarsest dtype of those that move.
  [[nodiscard]] DType dtype() const;

 private:
  struct MovedTensor {
    MovedTensor(const Tensor& tensor, const LineOptions& options, size_t place);
    [[nodiscard]] Tensor at(double step) const;
    [[nodiscard]] Tensor show(const Numbers& numbers) const;
    [[nodiscard]] Numbers reached_places() const;

    size_t place;  // among Example::tensors()
    std::vector<int64_t> sizes;
    std::vector<int64_t> strides;
    int64_t offset = 0;
    Tensor memory;      // a flat one of the dtype and length that the moved tensor has
    Numbers middle;     // of the memory
    Numbers by;         // of the memory
    Numbers direction;  // of the elements
  };

  Example example_;
  std::vector<size_t> moved_;
  std::vector<MovedTensor> tensors_;  // those that move
  std::vector<MovedTensor> others_;   // they stay in the middle
};

}  // namespace opwright
