// PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward, "..."); } as a library
// block.
//
// Each function becomes an operator in the module's namespace: a body for all devices, with the
// schema of its C++ type and the names and defaults of py::arg. No Python is involved, so classes
// and Python objects are not available.
#pragma once

#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/compat/library_block.h"
#include "opwright/compat/pybind11/cast.h"
#include "opwright/compat/recorded_function.h"

namespace pybind11 OPWRIGHT_VISIBILITY {
// A default value in schema syntax.
inline std::string default_text(bool value) { return value ? "True" : "False"; }
inline std::string default_text(std::nullopt_t) { return "None"; }
inline std::string default_text(const char* value) {
  return opwright::concatenate('"', value, '"');
}
inline std::string default_text(const std::string& value) { return default_text(value.c_str()); }
template <class T>
  requires std::is_arithmetic_v<T>
std::string default_text(T value) {
  return opwright::concatenate(value);
}
template <class T>
std::string default_text(const std::optional<T>& value) {
  return value ? default_text(*value) : "None";
}
template <class T>
std::string default_text(const std::vector<T>& values) {
  std::string text = "[";
  for (const T& value : values)
    text.append(text.size() > 1 ? ", " : "").append(default_text(value));
  return text + "]";
}

// An argument's name, and its default if it has one.
struct arg {
  std::string name;
  std::string value{};

  explicit arg(std::string_view argument_name) : name(argument_name) {}
  template <class T>
  arg operator=(const T& default_value)
      const {  // NOLINT(misc-unconventional-assign-operator): pybind11's spelling
    arg with_default = *this;
    with_default.value = default_text(default_value);
    return with_default;
  }
  arg& noconvert(bool /*flag*/ = true) { return *this; }
  arg& none(bool /*flag*/ = true) { return *this; }
};
using arg_v = arg;
namespace literals {
inline arg operator""_a(const char* name, size_t length) { return arg({name, length}); }
}  // namespace literals

struct none {};
inline std::string default_text(none) { return "None"; }

// Whether the GIL is held is up to the host.
struct gil_scoped_release {};
struct gil_scoped_acquire {};
template <class... Guards>
struct call_guard {};

template <class T, class... Options>
class class_ {
  static_assert(sizeof(T) == 0,
                "py::class_: Opwright has no classes from C++ binaries; pass tensors and numbers");
};

// The `m` of a module.
class module_ {
 public:
  // A name with the line where it was written.
  struct Name {
    template <class Text>
    Name(const Text& name,
         std::source_location line = std::source_location::current())  // NOLINT: implicit
        : text(name), where(line) {}
    std::string text;
    std::source_location where;
  };
  // Ignores the text assigned to it.
  struct Doc {
    Doc& operator=(const char*) { return *this; }  // NOLINT(misc-unconventional-assign-operator)
  };

  module_(OpwRegistrar* registrar, const OpwLibrary& block)
      : registrar_(registrar), block_(block) {}

  template <class F, class... Extra>
  module_& def(const Name& name, F function, const Extra&... extra) {
    static_assert(opwright::Boxable<F>, "m.def: pass a function or a lambda");
    std::vector<arg> names;
    (add_name(names, extra), ...);
    opwright::Library(registrar_, block_)
        .def(name.text + with_names(opwright::infer_schema(function), names),
             c10::RecordedFunction<F>{function}, {}, name.where);
    return *this;
  }
  Doc doc() { return {}; }

 private:
  template <class Extra>
  static void add_name(std::vector<arg>& names, const Extra& extra) {
    if constexpr (std::is_same_v<Extra, arg>)
      names.push_back(extra);  // others: docs, guards, policies
  }
  // "(Tensor arg0, float arg1) -> ..." with arg0, arg1 replaced.
  static std::string with_names(std::string schema, const std::vector<arg>& names) {
    for (size_t i = 0; i < names.size(); ++i) {
      const std::string inferred = " arg" + std::to_string(i);
      const size_t at = schema.find(inferred);
      if (at == std::string::npos)
        opwright::throw_error("ValueError", "there is no argument for the name '", names[i].name,
                              "'");
      schema.replace(at, inferred.size(),
                     " " + names[i].name + (names[i].value.empty() ? "" : "=" + names[i].value));
    }
    return schema;
  }

  OpwRegistrar* registrar_;
  const OpwLibrary& block_;
};
using module = module_;

constexpr bool is_extension_named(std::string_view name) { return name != "TORCH_EXTENSION_NAME"; }
}  // namespace pybind11

#define PYBIND11_MODULE_(name, m)                                                             \
  static_assert(                                                                              \
      ::pybind11::is_extension_named(#name),                                                  \
      "compile with -DTORCH_EXTENSION_NAME=<name>: the namespace of the module's operators"); \
  OPWRIGHT_FACADE_BLOCK_(::pybind11::module_, kOpwLibraryFragment, #name, nullptr, __COUNTER__, m)
#define PYBIND11_MODULE(name, m, ...) PYBIND11_MODULE_(name, m)
