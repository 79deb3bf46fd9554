// TORCH_LIBRARY, TORCH_LIBRARY_FRAGMENT, TORCH_LIBRARY_IMPL: opwright's library blocks with
// PyTorch's `m`.
#pragma once

#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "opwright/compat/ATen/core/Tag.h"
#include "opwright/compat/ATen/core/dispatch/Dispatcher.h"  // IWYU pragma: keep
#include "opwright/compat/ATen/core/op_registration/op_registration.h"
#include "opwright/compat/library_block.h"
#include "opwright/compat/recorded_function.h"
#include "opwright/compat/torch/autograd_kernels.h"
#include "opwright/compat/torch/types.h"

namespace torch OPWRIGHT_VISIBILITY {
inline constexpr char kAutogradKernelSlot[] = "AutogradKernel";
inline constexpr std::string_view kCompositeKey = "CompositeImplicitAutograd";

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
      : block_(block), registrar_(registrar) {}

  Library& def(const std::string& schema, at::TagList tags = {}, Where where = Where::current()) {
    block().def(schema, tags, where);
    return *this;
  }
  // With a body for all devices; if only a name is given, the schema comes from the C++ type.
  template <class F>
    requires opwright::Boxable<F>
  Library& def(const std::string& schema_or_name, F body, at::TagList tags = {},
               Where where = Where::current()) {
    block().def(schema_or_name, c10::RecordedFunction<F>{std::move(body)}, tags, where);
    return *this;
  }
  // With a function for one key.
  template <class F>
  Library& def(const std::string& schema_or_name, DispatchedFunction<F> function,
               at::TagList tags = {}, Where where = Where::current()) {
    const std::string name = schema_or_name.substr(0, schema_or_name.find('('));
    const bool is_name = name.size() == schema_or_name.size();
    using Plain = c10::RecordedFunction<F>;
    const auto inferred = [&] { return opwright::infer_schema(Plain{function.function}); };
    def(is_name ? name + inferred() : schema_or_name, tags, where);
    return impl(name, std::move(function), where);
  }

  template <class F>
    requires opwright::Boxable<F>
  Library& impl(const std::string& name, F function, Where where = Where::current()) {
    add(name, block_.slot, std::move(function), where);
    return *this;
  }
  template <class F>
  Library& impl(const std::string& name, DispatchedFunction<F> function,
                Where where = Where::current()) {
    add(name, function.slot, std::move(function.function), where);
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
  template <class F>
  void add(const std::string& name, const char* key, F function, Where where) {
    if (key && is_autograd_key(key)) {
      if (std::string_view(key) != kAutogradPrefix) {
        opwright::throw_error("NotImplementedError", name, ": register a kernel for ", key,
                              " in the block TORCH_LIBRARY_IMPL(", block_.name_space, ", ", key,
                              ", m)");
      }
      implement(kAutogradKernelSlot, name, c10::RecordedFunction<F>{std::move(function)}, where);
    } else if (key && std::string_view(key) != kCompositeKey) {
      implement(key, name, without_key_set(std::move(function)), where);
    } else {
      implement(key, name, c10::RecordedFunction<F>{std::move(function)}, where);
    }
  }
  // A plain function stays one: it is called without a closure.
  template <class F>
  static auto without_key_set(F function) {
    using Plain = typename opwright::SignatureOf<c10::RecordedFunction<F>>::Type;
    if constexpr (std::is_same_v<Plain, typename opwright::SignatureOf<F>::Type>) {
      return function;
    } else {
      return c10::RecordedFunction<F>{std::move(function)};
    }
  }
  [[nodiscard]] opwright::Library block() const { return {registrar_, block_}; }

 protected:
  // The same for another slot.
  template <class F>
  void implement(const char* slot, const std::string& name, F function, Where where) {
    OpwLibrary block = block_;
    block.slot = slot;
    opwright::Library(registrar_, block).impl(name, std::move(function), where);
  }

  const OpwLibrary& block_;  // NOLINT: read by AutogradLibrary

 private:
  OpwRegistrar* registrar_;
};

// The `m` of TORCH_LIBRARY_IMPL(ns, Autograd, m), AutogradCPU, ...
class AutogradLibrary : public Library {
 public:
  using Library::impl;
  using Library::Library;

  template <class F>
    requires opwright::Boxable<F>
  AutogradLibrary& impl(const std::string& name, F function,
                        std::source_location where = std::source_location::current()) {
    const bool has_namespace = name.find("::") != std::string::npos;
    const std::string op = has_namespace ? name : std::string(block_.name_space) + "::" + name;
    implement(kAutogradKernelSlot, name, make_autograd_kernel(op, device(), std::move(function)),
              where);
    return *this;
  }

 private:
  // None for a key of all devices.
  [[nodiscard]] std::optional<c10::DeviceType> device() const {
    std::string_view key = block_.slot;
    key.remove_prefix(kAutogradPrefix.size());
    if (key.empty() || key == "Other" || key == "Functionality") return std::nullopt;
    return c10::device_type_of_key(key);
  }
};

template <bool kIsAutograd>
using LibraryOf = std::conditional_t<kIsAutograd, AutogradLibrary, Library>;
}  // namespace torch

#define TORCH_LIBRARY(ns, m) \
  OPWRIGHT_FACADE_BLOCK_(::torch::Library, kOpwLibraryDefinitions, #ns, nullptr, __COUNTER__, m)
#define TORCH_LIBRARY_FRAGMENT(ns, m) \
  OPWRIGHT_FACADE_BLOCK_(::torch::Library, kOpwLibraryFragment, #ns, nullptr, __COUNTER__, m)
#define TORCH_LIBRARY_IMPL(ns, key, m)                                        \
  static_assert(::std::string_view(#key) != "ADInplaceOrView",                \
                "TORCH_LIBRARY_IMPL(" #ns                                     \
                ", ADInplaceOrView, m): leave this block out; Opwright sees " \
                "writes and views from the schema");                          \
  OPWRIGHT_FACADE_BLOCK_(::torch::LibraryOf<::torch::is_autograd_key(#key)>,  \
                         kOpwLibraryImplementations, #ns, #key, __COUNTER__, m)

#define TORCH_FN(function) (&function)
#define TORCH_SELECTIVE_NAME(name) name
#define TORCH_SELECTIVE_SCHEMA(schema) schema
