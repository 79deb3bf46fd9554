// TORCH_LIBRARY, TORCH_LIBRARY_FRAGMENT, TORCH_LIBRARY_IMPL: opwright's library blocks with
// PyTorch's `m`.
#pragma once

#include <source_location>
#include <string>
#include <string_view>
#include <utility>

#include "opwright/compat/ATen/core/Tag.h"
#include "opwright/compat/ATen/core/op_registration/op_registration.h"
#include "opwright/compat/library_block.h"
#include "opwright/compat/torch/types.h"

namespace torch OPWRIGHT_VISIBILITY {
// A function with its slot in the row; made by torch::dispatch.
template <class F>
struct DispatchedFunction {
  const char* slot;
  F function;
};
template <class F>
DispatchedFunction<F> dispatch(c10::DispatchKey key, F function) {
  return {c10::toString(key), std::move(function)};
}
template <class F>
DispatchedFunction<F> dispatch(c10::DeviceType type, F function) {
  return {c10::device_type_name(type), std::move(function)};
}

// The `m` of a block.
class Library {
  using Where = std::source_location;

 public:
  Library(OpwRegistrar* registrar, const OpwLibrary& block)
      : registrar_(registrar), block_(block) {}

  Library& def(const std::string& schema, at::TagList tags = {}, Where where = Where::current()) {
    block().def(schema, tags, where);
    return *this;
  }
  // With a body for all devices; if only a name is given, the schema comes from the C++ type.
  template <class F>
    requires opwright::Boxable<F>
  Library& def(const std::string& schema_or_name, F body, at::TagList tags = {},
               Where where = Where::current()) {
    block().def(schema_or_name, std::move(body), tags, where);
    return *this;
  }
  // With a function for one key.
  template <class F>
  Library& def(const std::string& schema_or_name, DispatchedFunction<F> function,
               at::TagList tags = {}, Where where = Where::current()) {
    const std::string name = schema_or_name.substr(0, schema_or_name.find('('));
    const bool is_name = name.size() == schema_or_name.size();
    def(is_name ? name + opwright::infer_schema(function.function) : schema_or_name, tags, where);
    return impl(name, std::move(function), where);
  }

  template <class F>
    requires opwright::Boxable<F>
  Library& impl(const std::string& name, F function, Where where = Where::current()) {
    block().impl(name, std::move(function), where);
    return *this;
  }
  template <class F>
  Library& impl(const std::string& name, DispatchedFunction<F> function,
                Where where = Where::current()) {
    OpwLibrary other = block_;
    other.slot = function.slot;
    opwright::Library(registrar_, other).impl(name, std::move(function.function), where);
    return *this;
  }
  template <class F>
  Library& impl(const std::string& name, c10::DispatchKey key, F function,
                Where where = Where::current()) {
    return impl(name, torch::dispatch(key, std::move(function)), where);
  }

  // Ignored. PyTorch looks for Python rules in this module; here, Python code registers its rules
  // when it is imported.
  Library& set_python_module(const char* /*module*/, const char* /*context*/ = "") { return *this; }
  Library& impl_abstract_pystub(const char* /*module*/, const char* /*context*/ = "") {
    return *this;
  }

  template <class F>
  Library& fallback(F /*function*/) {
    static_assert(!opwright::Boxable<F> && sizeof(F) == 0,
                  "m.fallback: Opwright has no fallback from C++ binaries");
    return *this;
  }

 private:
  [[nodiscard]] opwright::Library block() const { return {registrar_, block_}; }

  OpwRegistrar* registrar_;
  const OpwLibrary& block_;
};

constexpr bool is_autograd_key(std::string_view key) {
  return key.starts_with("Autograd") || key == "ADInplaceOrView";
}
}  // namespace torch

#define TORCH_LIBRARY(ns, m) \
  OPWRIGHT_FACADE_BLOCK_(::torch::Library, kOpwLibraryDefinitions, #ns, nullptr, __COUNTER__, m)
#define TORCH_LIBRARY_FRAGMENT(ns, m) \
  OPWRIGHT_FACADE_BLOCK_(::torch::Library, kOpwLibraryFragment, #ns, nullptr, __COUNTER__, m)
#define TORCH_LIBRARY_IMPL(ns, key, m)                                            \
  static_assert(!::torch::is_autograd_key(#key),                                  \
                "TORCH_LIBRARY_IMPL(" #ns ", " #key                               \
                ", m): Opwright takes formulas, not kernels that wrap autograd; " \
                "write OPWRIGHT_LIBRARY_FRAGMENT(" #ns                            \
                ", m) { m.register_autograd(name, &save, &backward); }");         \
  OPWRIGHT_FACADE_BLOCK_(::torch::Library, kOpwLibraryImplementations, #ns, #key, __COUNTER__, m)

#define TORCH_FN(function) (&function)
#define TORCH_SELECTIVE_NAME(name) name
#define TORCH_SELECTIVE_SCHEMA(schema) schema
