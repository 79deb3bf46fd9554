// torch::RegisterOperators: operators without a library block.
//
//   static auto registry = torch::RegisterOperators().op("ns::name", &function);
#pragma once

#include <source_location>
#include <utility>

#include "opwright/compat/recorded_function.h"
#include "opwright/library.h"

namespace c10 OPWRIGHT_VISIBILITY {
class RegisterOperators {
  using Where = std::source_location;

 public:
  RegisterOperators() = default;
  template <class F>
  RegisterOperators(const char* schema_or_name, F function, Where where = Where::current()) {
    opwright::RegisterOperators().op(schema_or_name, RecordedFunction<F>{function}, where);
  }
  // Same as opwright::RegisterOperators::op.
  template <class F>
  RegisterOperators&& op(const char* schema_or_name, F function,
                         Where where = Where::current()) && {
    opwright::RegisterOperators().op(schema_or_name, RecordedFunction<F>{function}, where);
    return std::move(*this);
  }
  template <class F>
  RegisterOperators& op(const char* schema_or_name, F function, Where where = Where::current()) & {
    opwright::RegisterOperators().op(schema_or_name, RecordedFunction<F>{function}, where);
    return *this;
  }
};
}  // namespace c10
namespace torch OPWRIGHT_VISIBILITY {
using c10::RegisterOperators;
namespace jit {
using c10::RegisterOperators;
}  // namespace jit
}  // namespace torch
