// Results of an operator, and copying their tensors into a foreign host's memory.
#pragma once

#include <cstddef>
#include <vector>

#include "bridges/operators/inline_array.h"
#include "opwright/c_api.h"
#include "opwright/tensor.h"

namespace opwright::bridges {

// Owned results of a call, released at the end.
class OwnedResults {
 public:
  explicit OwnedResults(size_t count) : values_(count) {}
  OwnedResults(const OwnedResults&) = delete;
  OwnedResults& operator=(const OwnedResults&) = delete;
  ~OwnedResults();

  [[nodiscard]] OpwValue* data() { return values_.data(); }
  [[nodiscard]] const OpwValue& operator[](size_t index) const { return values_[index]; }
  [[nodiscard]] size_t size() const { return values_.size(); }

 private:
  static constexpr size_t kUsualResults = 8;
  InlineArray<OpwValue, kUsualResults> values_;
};

// The number of tensors of a result: one, those of a list, or none for None.
[[nodiscard]] size_t count_tensors(const OpwValue& value);
// Appends the tensors of a result: one, those of a list, or none for None.
void append_tensors(std::vector<Tensor>& tensors, const OpwValue& value);

// Copies the elements, dense and row-major, unless they are already there. The memory must be large
// enough.
void copy_elements(void* to, const Tensor& from);

}  // namespace opwright::bridges
