// Creates examples of operators by name.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "opwright/check/example/example.h"
#include "opwright/dispatch/registry.h"
#include "opwright/functions.h"
#include "opwright/schema/bind.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright {

// Omitted arguments get the schema's defaults.
inline Example example_of(const char* name, std::initializer_list<Value> given) {
  const Operator& op = Registry::get().require(name);
  std::vector<OpwValue> borrowed;
  for (const Value& value : given) borrowed.push_back(value.get());
  const BoundArguments bound(op.schema(), borrowed, {});
  return {op, bound.values()};
}

inline Tensor floats(const std::vector<int64_t>& sizes, std::initializer_list<float> values) {
  const Tensor made = empty(sizes, DType::Float32);
  std::copy(values.begin(), values.end(), made.mutable_data<float>());
  return made;
}

inline Tensor ints(std::initializer_list<int64_t> values) {
  const Tensor made = empty({static_cast<int64_t>(values.size())}, DType::Int64);
  std::copy(values.begin(), values.end(), made.mutable_data<int64_t>());
  return made;
}

inline std::vector<int64_t> list_sizes_of(const Tensor& tensor) {
  return {tensor.sizes().begin(), tensor.sizes().end()};
}

}  // namespace opwright
