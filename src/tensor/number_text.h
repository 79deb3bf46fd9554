// Texts of a tensor's elements, all of the same width.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "opwright/dtype.h"
#include "opwright/tensor/print_options.h"
#include "opwright/visibility.h"

namespace opwright {

// The format of the real or the imaginary parts of a tensor, chosen from all values that will be
// shown.
class FloatFormat {
 public:
  FloatFormat(const std::vector<double>& shown, const PrintOptions& options);

  [[nodiscard]] std::string text(double value) const;  // padded on the left to width()
  [[nodiscard]] size_t width() const noexcept { return width_; }

 private:
  [[nodiscard]] std::string bare_text(double value) const;

  int precision_;
  bool is_scientific_ = false;
  bool has_only_integers_ = true;
  size_t width_ = 1;
};

// The parts of an element as doubles; 0 for the imaginary part of a real one. For floating and
// complex dtypes.
struct FloatParts {
  double real;
  double imag;
};
[[nodiscard]] OPWRIGHT_EXPORT FloatParts read_float(const void* element, DType dtype);

// An integer or a bool: "-3", "True".
[[nodiscard]] std::string discrete_text(const void* element, DType dtype);

}  // namespace opwright
