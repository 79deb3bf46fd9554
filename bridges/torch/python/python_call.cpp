#include "bridges/torch/python/python_call.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bridges/torch/python/argument_frame.h"
#include "bridges/torch/python/errors.h"
#include "bridges/torch/python/lock.h"
#include "bridges/torch/python/object_tensor.h"
#include "bridges/torch/python/object_values.h"
#include "bridges/torch/python/reference.h"
#include "bridges/torch/torch_operator.h"
#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/runtime/bridge.h"
#include "opwright/value.h"

namespace opwright::torch_bridge {
namespace {

// The objects of a call's arguments, with one free slot in front, as vectorcall allows.
class ObjectArguments {
 public:
  ObjectArguments(const OpwValue* args, uint32_t num_args) {
    if (num_args >= kInline) more_.resize(num_args + 1);
    for (; size_ < num_args; ++size_) first()[size_] = object_of_value(args[size_]);
  }
  ObjectArguments(const ObjectArguments&) = delete;
  ObjectArguments& operator=(const ObjectArguments&) = delete;
  ~ObjectArguments() {
    for (uint32_t i = 0; i < size_; ++i) Py_XDECREF(first()[i]);
  }
  [[nodiscard]] PyObject** first() { return (more_.empty() ? inline_ : more_.data()) + 1; }

 private:
  static constexpr uint32_t kInline = 12;
  uint32_t size_ = 0;
  PyObject* inline_[kInline + 1] = {};
  std::vector<PyObject*> more_;
};

// ---- Imports ----

// How an import of a binary is called through Python.
struct PythonImport {
  OperatorDescription description;
  Reference callable;
  Reference keywords;  // names of the keyword arguments; may be null
};
using PythonImports = std::vector<std::unique_ptr<PythonImport>>;

PyObject* operator_resolver = nullptr;

// Under the GIL; never destroyed, since the interpreter ends before statics do.
std::map<const TorchLibrary*, PythonImports>& imports_by_library() {
  static auto* imports = new std::map<const TorchLibrary*, PythonImports>;
  return *imports;
}

Reference keywords_of(const OperatorDescription& description) {
  std::vector<std::string> names;
  for (const ArgumentDescription& each : description.arguments) {
    if (each.is_keyword_only) names.push_back(each.name);
  }
  if (names.empty()) return {};
  Reference tuple = require_new(PyTuple_New(static_cast<Py_ssize_t>(names.size())));
  for (size_t i = 0; i < names.size(); ++i) {
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i),
                     require(PyUnicode_InternFromString(names[i].c_str())));
  }
  return tuple;
}

PythonImport& resolve_import(const TorchLibrary& library, uint32_t index) {
  PythonImports& imports = imports_by_library()[&library];
  imports.resize(library.contents.imports.size());
  if (index >= imports.size()) throw_error("IndexError", "the binary has no import ", index);
  if (imports[index]) [[likely]]
    return *imports[index];
  const std::string& name = library.contents.imports[index].name;
  if (!operator_resolver)
    throw_error("RuntimeError", "nothing was set that finds torch's operators by their names");
  auto import = std::make_unique<PythonImport>();
  import->description = describe_operator(name);
  import->keywords = keywords_of(import->description);
  import->callable = require_new(PyObject_CallFunction(operator_resolver, "s", name.c_str()));
  if (!imports[index]) imports[index] = std::move(import);  // the resolver may have run others
  return *imports[index];
}

// The sizes and memory of a tensor that torch wrote may have changed.
void forget_written(const PythonImport& import, const OpwValue* args, uint32_t num_args) {
  for (uint32_t i = 0; i < num_args && i < import.description.arguments.size(); ++i) {
    if (import.description.arguments[i].is_written && args[i].tag == kOpwTensor)
      forget_readings(args[i].as_tensor);
  }
}

// The result of a function of the host may be of any type.
OpwValue give_result(PyObject* object, const ValueType& type) {
  if (type.kind != ValueKind::Any) return give_object(object, type);
  ArgumentFrame frame;
  return copy_value(lend_untyped(object, frame));
}

// Names of the keyword-only arguments among the first `num_args`.
Reference used_keywords(const PythonImport& import, uint32_t num_args) {
  if (!import.keywords) return {};
  const auto num_positional = static_cast<Py_ssize_t>(import.description.arguments.size()) -
                              PyTuple_GET_SIZE(import.keywords.get());
  const Py_ssize_t used = static_cast<Py_ssize_t>(num_args) - num_positional;
  if (used <= 0) return {};
  return require_new(PyTuple_GetSlice(import.keywords.get(), 0, used));
}

}  // namespace

Reference call_python(PyObject* callable, const OpwValue* args, uint32_t num_args,
                      PyObject* keywords) {
  ObjectArguments objects(args, num_args);
  const size_t num_keywords =
      keywords ? static_cast<size_t>(PyTuple_GET_SIZE(keywords)) : size_t{0};
  return require_new(PyObject_Vectorcall(callable, objects.first(),
                                         (num_args - num_keywords) | PY_VECTORCALL_ARGUMENTS_OFFSET,
                                         keywords));
}

void take_results(const Reference& object, const std::vector<ResultDescription>& types,
                  OpwValue* results, uint32_t num_results, GiveObject give) {
  if (num_results == 0) return;
  if (num_results == 1) {
    results[0] = give(object.get(), types[0].type);
    return;
  }
  const Reference all =
      require_new(PySequence_Fast(object.get(), "several results are given as a tuple"));
  if (PySequence_Fast_GET_SIZE(all.get()) != static_cast<Py_ssize_t>(num_results)) {
    throw_error("TypeError", "expected ", num_results, " results, got ",
                static_cast<int64_t>(PySequence_Fast_GET_SIZE(all.get())));
  }
  for (uint32_t i = 0; i < num_results; ++i) {
    results[i] =
        give(PySequence_Fast_GET_ITEM(all.get(), static_cast<Py_ssize_t>(i)), types[i].type);
  }
}

void set_resolver(PyObject* new_resolver) {
  Py_XDECREF(std::exchange(operator_resolver, Py_NewRef(new_resolver)));
  imports_by_library().clear();
}

void call_resolved(TorchLibrary& library, uint32_t index, const OpwValue* args, uint32_t num_args,
                   OpwValue* results, uint32_t num_results) {
  const LockScope lock;
  const PythonImport& import = resolve_import(library, index);
  const Reference keywords = used_keywords(import, num_args);
  const Reference result = call_python(import.callable.get(), args, num_args, keywords.get());
  take_results(result, import.description.results, results, num_results, give_result);
  forget_written(import, args, num_args);
}

}  // namespace opwright::torch_bridge
