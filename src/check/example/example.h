// An example: the arguments of one call. Every check starts from one.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "opwright/dispatch/operator.h"
#include "opwright/tensor.h"
#include "opwright/tensor/storage.h"
#include "opwright/value.h"
#include "opwright/visibility.h"

namespace opwright {

class OPWRIGHT_EXPORT Example {
 public:
  // `values` has one value per argument of the schema; tensors are shared with the caller.
  Example(const Operator& op, std::vector<Value> values) : op_(&op), values_(std::move(values)) {}
  Example(const Operator& op, Arguments args);

  [[nodiscard]] const Operator& op() const noexcept { return *op_; }
  [[nodiscard]] const std::vector<Value>& values() const noexcept { return values_; }
  // Borrowed, for a call.
  [[nodiscard]] std::vector<OpwValue> arguments() const;
  // All tensors, including those in lists, in argument order.
  [[nodiscard]] std::vector<Tensor> tensors() const;
  // The argument that each of tensors() belongs to, and its position in that argument.
  struct TensorPlace {
    uint32_t argument;
    uint32_t position;  // among the tensors of the argument
  };
  [[nodiscard]] std::vector<TensorPlace> tensor_places() const;
  // As errors name it: "x", "tracks[1]".
  [[nodiscard]] std::string tensor_name(size_t which) const;
  [[nodiscard]] bool is_written(size_t which) const;  // according to the schema
  [[nodiscard]] bool is_on_cpu() const;               // all tensors are

  [[nodiscard]] Example with_value(uint32_t argument, Value value) const;
  // The same example with tensors() replaced.
  [[nodiscard]] Example with_tensors(const std::vector<Tensor>& tensors) const;
  // A deep copy: tensors have the same values, sizes, strides, offset, dtype and requires_grad in
  // storages of the same length, and share memory among each other as these do; generators have the
  // same state.
  [[nodiscard]] Example copy() const;

  // What was changed, in words: "x: sizes [3, 4] became [0, 4]"; empty for the example as given.
  [[nodiscard]] const std::string& change() const noexcept { return change_; }
  [[nodiscard]] Example changed_by(std::string what) const;

 private:
  const Operator* op_;
  std::vector<Value> values_;
  std::string change_;
};

// All tensors of some values, including those in lists, in order.
[[nodiscard]] OPWRIGHT_EXPORT std::vector<Tensor> tensors_of(std::span<const Value> values);

// The same tensor over another storage of the same length, on that storage's device.
[[nodiscard]] Tensor with_storage(const Tensor& tensor, StoragePtr storage);
// A tensor over a copy of its storage.
[[nodiscard]] Tensor copy_with_storage(const Tensor& tensor);

}  // namespace opwright
