#include "bindings/library/converter.h"

#include <cstdint>
#include <string>

#include "bindings/ge/ge_converter.h"
#include "bindings/interpreter/error.h"
#include "bindings/interpreter/source.h"
#include "bindings/object/value.h"
#include "bindings/onnx/onnx_symbolic.h"
#include "opwright/convert/converter.h"
#include "opwright/dispatch/registry.h"
#include "opwright/dispatch/slot.h"
#include "opwright/error.h"
#include "opwright/registration/converter_text.h"
#include "opwright/runtime/onnx.h"

namespace opwright::python {
namespace {

struct PythonEngine {
  const char* name;
  int64_t newest_version;
  ConverterPtr (*make)(PyObject* function, int64_t since_version);
};
constexpr PythonEngine kEngines[] = {{"onnx", onnx::kNewestOpset, &make_symbolic},
                                     {"ge", 1, &make_ge_converter}};

const PythonEngine& find_engine(const std::string& op, const std::string& name) {
  std::string known;
  for (const PythonEngine& each : kEngines) {
    if (name == each.name) return each;
    known += concatenate(known.empty() ? "'" : ", '", each.name, "'");
  }
  throw_error("ValueError", "register_converter: ", op, ": there is no engine '", name,
              "'; there are: ", known);
}

Registration implement_text(const std::string& op, const std::string& engine, int64_t since_version,
                            PyObject* text) {
  const char* node = PyUnicode_AsUTF8(text);
  if (!node) throw_python_error();
  auto* rule = new ConverterText{engine, node, since_version};
  return Registry::get().implement(
      op, Slot::Convert, {&ConverterText::call_function, rule, &ConverterText::drop, nullptr},
      caller_site());
}

}  // namespace

Registration implement_converter(const std::string& op, const std::string& engine,
                                 int64_t since_version, PyObject* rule) {
  const PythonEngine& found = find_engine(op, engine);
  OPWRIGHT_CHECK_VALUE(since_version >= 1 && since_version <= found.newest_version,
                       "register_converter: ", op, ": version ", since_version, " of '", engine,
                       "' is not known; 1 to ", found.newest_version, " are");
  if (PyUnicode_Check(rule)) return implement_text(op, engine, since_version, rule);
  OPWRIGHT_CHECK_TYPE(PyCallable_Check(rule), "register_converter: ", op,
                      ": the rule must be a function or the text of a node, got ",
                      class_name(rule));
  return register_converter(op, found.make(rule, since_version), site_of(rule));
}

}  // namespace opwright::python
