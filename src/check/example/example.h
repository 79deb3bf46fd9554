// An example: the arguments of one call, which every check starts from.
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
  // `values` has one for each argument of the schema; tensors are shared with the caller.
  Example(const Operator& op, std::vector<Value> values) : op_(&op), values_(std::move(values)) {}
  Example(const Operator& op, Arguments args);

  [[nodiscard]] const Operator& op() const noexcept { return *op_; }
  [[nodiscard]] const std::vector<Value>& values() const noexcept { return values_; }
  // Borrowed, for a call.
  [[nodiscard]] std::vector<OpwValue> arguments() const;
  // All tensors, those in lists too, in the order of the arguments.
  [[nodiscard]] std::vector<Tensor> tensors() const;
  // The argument that each of tensors() belongs to, and its place in that argument.
  struct TensorPlace {
    uint32_t argument;
    uint32_t position;  // among the tensors of the argument
  };
  [[nodiscard]] std::vector<TensorPlace> tensor_places() const;
  // As errors name it: "x", "tracks[1]".
  [[nodiscard]] std::string tensor_name(size_t which) const;
  [[nodiscard]] bool is_written(size_t which) const;  // by its schema
  [[nodiscard]] bool is_on_cpu() const;               // all of them

  [[nodiscard]] Example with_value(uint32_t argument, Value value) const;
  // With other tensors in the places of tensors().
  [[nodiscard]] Example with_tensors(const std::vector<Tensor>& tensors) const;
  // Nothing is shared with this one: tensors have the same values, sizes, strides, offset, dtype
  // and requires_grad in storages of the same length, and share memory among each other as these
  // do; generators have the same state.
  [[nodiscard]] Example copy() const;

  // What was changed to get it, in words: "x: sizes [3, 4] became [0, 4]"; empty: as it was given.
  [[nodiscard]] const std::string& change() const noexcept { return change_; }
  [[nodiscard]] Example changed_by(std::string what) const;

 private:
  const Operator* op_;
  std::vector<Value> values_;
  std::string change_;
};

// All tensors of some values, those in lists too, in order.
[[nodiscard]] OPWRIGHT_EXPORT std::vector<Tensor> tensors_of(std::span<const Value> values);

// The same tensor over another storage of the same length, where that is.
[[nodiscard]] Tensor with_storage(const Tensor& tensor, StoragePtr storage);
// A tensor with another storage of the same length and the same bytes.
[[nodiscard]] Tensor copy_with_storage(const Tensor& tensor);

}  // namespace opwright
