// Results of an operator into the buffers that XLA gives for them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "bridges/jax/xla_ffi.h"
#include "opwright/c_api.h"
#include "opwright/tensor.h"

namespace opwright::jax_bridge {

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
  std::vector<OpwValue> values_;
};

// Appends the tensors of a result: one, those of a list, or none for None.
void append_tensors(std::vector<Tensor>& tensors, const OpwValue& value);

// Copies the tensor, unless it is exactly the buffer. ValueError when the buffer was made for
// another shape or dtype; `what` names the result.
void fill_buffer(const XlaBuffer& buffer, const Tensor& tensor, const std::string& what);
void fill_with_zeros(const XlaBuffer& buffer);

}  // namespace opwright::jax_bridge
