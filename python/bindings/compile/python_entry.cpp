#include "bindings/compile/python_entry.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>

#include "bindings/interpreter/error.h"
#include "bindings/interpreter/lock.h"
#include "bindings/object/method.h"
#include "bindings/object/scalar_types.h"
#include "bindings/object/sym_int.h"
#include "bindings/object/tensor_object.h"
#include "bindings/object/value.h"
#include "bindings/pytree/pytree.h"
#include "opwright/error.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

bool touch_much_memory(std::span<const OpwValue> tensors) {
  size_t bytes = 0;
  for (const OpwValue& value : tensors) {
    const Storage* storage = static_cast<const TensorImpl*>(value.as_tensor)->storage;
    bytes += storage ? storage->nbytes : 0;
  }
  return bytes >= kManyBytes;
}

bool is_constant(PyObject* leaf) {
  PyTypeObject* type = Py_TYPE(leaf);
  return leaf == Py_None || PyLong_Check(leaf) || PyFloat_Check(leaf) || PyComplex_Check(leaf) ||
         PyUnicode_Check(leaf) || PyBytes_Check(leaf) || leaf == Py_Ellipsis ||
         PyModule_Check(leaf) || type == dtype_type || type == device_type ||
         type == memory_format_type || type == layout_type;
}

}  // namespace

// ---- Results ----

bool PythonResults::fits(PyObject* leaf) {
  return is_tensor(leaf) || is_sym_int(leaf) || is_constant(leaf);
}

std::string PythonResults::find_unfit(PyObject* returned) {
  if (is_tensor(returned)) return "";
  const FlatTree flat = tree_flatten(returned);
  for (size_t i = 0; i < flat.leaves.size(); ++i) {
    PyObject* leaf = flat.leaves[i].ptr();
    if (fits(leaf)) continue;
    return concatenate(flat.spec.leaf_path(i, "result"), " of type ", class_name(leaf));
  }
  return "";
}

PythonResults::PythonResults(PyObject* returned) {
  if (is_tensor(returned)) {
    is_one_ = true;
    values_.push_back(nb::borrow(returned));
    return;
  }
  FlatTree flat = tree_flatten(returned);
  for (size_t i = 0; i < flat.leaves.size(); ++i) {
    PyObject* leaf = flat.leaves[i].ptr();
    const bool is_value = is_tensor(leaf) || is_sym_int(leaf);
    constants_.push_back(is_value ? nb::object() : flat.leaves[i]);
    if (is_value) values_.push_back(flat.leaves[i]);
  }
  spec_ = std::move(flat.spec);
}

PyObject* PythonResults::take_one(OpwValue& value) noexcept { return take_to_python(value); }

PyObject* PythonResults::take_tree(std::span<OpwValue> values) const noexcept {
  std::vector<nb::object> leaves;
  size_t next = 0;
  const auto make = [&]() -> PyObject* {
    for (const nb::object& constant : constants_) {
      if (constant.is_valid()) {
        leaves.push_back(constant);
        continue;
      }
      OpwValue value = values[next];
      values[next++] = OpwValue{};
      leaves.push_back(own(take_to_python(value)));
    }
    const nb::object tree = tree_unflatten(leaves, *spec_);
    return rebuild_.is_valid() ? require(PyObject_CallOneArg(rebuild_.ptr(), tree.ptr()))
                               : Py_NewRef(tree.ptr());
  };
  PyObject* made = guarded(make);
  for (OpwValue& value : values.subspan(next)) release_value(value);
  return made;
}

int PythonResults::traverse(visitproc visit, void* arg) const {
  Py_VISIT(rebuild_.ptr());
  for (const nb::object& constant : constants_) Py_VISIT(constant.ptr());
  return 0;
}

// ---- Guards ----

PythonEntry::PythonEntry(PyObject* function, const GivenArguments& given,
                         const std::vector<std::string>& names)
    : num_positional_(given.num_positional) {
  positional_.reserve(num_positional_);
  for (size_t i = 0; i < num_positional_; ++i) {
    positional_.emplace_back(given.objects[i], names[i], tensors_);
    state_.add_object(given.objects[i], names[i], tensors_);
  }
  for (size_t i = 0; i < given.num_keywords(); ++i) {
    PyObject* name = PyTuple_GET_ITEM(given.names, static_cast<Py_ssize_t>(i));
    const char* text = PyUnicode_AsUTF8(name);
    if (!text) throw_python_error();
    PyObject* object = given.objects[num_positional_ + i];
    keywords_.push_back({nb::borrow(name), ObjectGuard(object, text, tensors_)});
    state_.add_object(object, text, tensors_);
  }
  state_.add_function(function, tensors_);
  num_tensors_ = tensors_.all().size();
}

bool PythonEntry::check_keywords(const GivenArguments& given, OpwValue* values) const {
  if (given.num_keywords() != keywords_.size()) return false;
  for (size_t i = 0; i < keywords_.size(); ++i) {
    PyObject* wanted = keywords_[i].name.ptr();
    size_t place = i;  // most calls use the same order
    if (PyTuple_GET_ITEM(given.names, static_cast<Py_ssize_t>(i)) != wanted) {
      for (place = 0; place < keywords_.size(); ++place) {
        PyObject* name = PyTuple_GET_ITEM(given.names, static_cast<Py_ssize_t>(place));
        if (name == wanted || PyUnicode_Compare(name, wanted) == 0) break;
      }
      if (place == keywords_.size()) return false;
    }
    if (!keywords_[i].guard.check(given.objects[num_positional_ + place], values)) return false;
  }
  return true;
}

bool PythonEntry::check_arguments(const GivenArguments& given, OpwValue* values) const {
  if (given.num_positional != num_positional_) return false;
  const ObjectGuard* guards = positional_.data();
  for (size_t i = 0; i < num_positional_; ++i) {
    if (!guards[i].check(given.objects[i], values)) return false;
  }
  return (!given.names && keywords_.empty()) || check_keywords(given, values);
}

bool PythonEntry::check(const GivenArguments& given, Values& values) const {
  const std::span<const OpwValue> captured =
      compiled_ ? compiled_->captured() : std::span<const OpwValue>();
  values.resize(num_tensors_ + captured.size());
  if (!check_arguments(given, values.data()) || !state_.check(values.data()) || !reads_.check())
    return false;
  if (!compiled_)
    return context_.is_current() && eager_tensors_.check({values.data(), num_tensors_});
  for (size_t i = 0; i < captured.size(); ++i) values[num_tensors_ + i] = captured[i];
  return compiled_->check({values.data(), values.size()});
}

std::string PythonEntry::find_difference(const GivenArguments& given) const {
  Values values(num_tensors_);
  if (given.num_positional != num_positional_ || given.num_keywords() != keywords_.size()) {
    return concatenate("it was called with ", num_positional_, " arguments by position and ",
                       keywords_.size(), " by name, now ", given.num_positional, " and ",
                       given.num_keywords());
  }
  for (size_t i = 0; i < num_positional_; ++i) {
    if (!positional_[i].check(given.objects[i], values.data()))
      return positional_[i].describe_difference(given.objects[i]);
  }
  if (!keywords_.empty() && !check_keywords(given, values.data()))
    return "an argument by name is another";
  if (std::string difference = state_.find_difference(values.data()); !difference.empty())
    return difference;
  if (std::string difference = reads_.find_difference(); !difference.empty()) return difference;
  if (!compiled_) {
    const std::string difference = context_.find_difference();
    return difference.empty() ? eager_tensors_.find_difference({values.data(), values.size()})
                              : difference;
  }
  for (const OpwValue& captured : compiled_->captured()) values.push_back(captured);
  return compiled_->find_difference({values.data(), values.size()});
}

std::string PythonEntry::find_own_change() const {
  Values values(num_tensors_);
  for (size_t i = 0; i < num_tensors_; ++i)
    values[i] = ValueOf<Tensor>::lend(tensors_.all()[i].tensor);
  std::string difference = state_.find_difference(values.data());
  return difference.empty() ? reads_.find_difference() : difference;
}

void PythonEntry::set_compiled(std::unique_ptr<CompiledEntry> compiled, PythonResults results) {
  compiled_ = std::move(compiled);
  results_ = std::move(results);
  tensors_ = GuardedTensors();
  reads_.finish_collecting();
}

void PythonEntry::set_eager(std::string reason, std::span<const CapturedArgument> arguments) {
  eager_reason_ = std::move(reason);
  for (const CapturedArgument& each : arguments)
    eager_tensors_.add(each.tensor, each.dynamic, each.name);
  eager_tensors_.set_num_arguments(arguments.size());
  tensors_ = GuardedTensors();
  reads_.finish_collecting();
}

PyObject* PythonEntry::run(const Values& values) const noexcept {
  const std::span<const OpwValue> arguments(values.data(), num_tensors_);
  constexpr size_t kInlineResults = 4;
  OpwValue inline_results[kInlineResults]{};
  std::vector<OpwValue> many;
  std::span<OpwValue> results(inline_results, compiled_->num_results());
  const CallFrameScope frame(arguments.data(), static_cast<uint32_t>(arguments.size()));
  try {
    if (compiled_->num_results() > kInlineResults) [[unlikely]] {
      many.resize(compiled_->num_results());
      results = many;
    }
    if (touch_much_memory({values.data(), values.size()})) [[unlikely]] {
      const HoldCallsScope held;
      const UnlockScope unlocked;
      compiled_->run(arguments, results);
    } else {
      compiled_->run(arguments, results);
    }
  } catch (...) {
    raise_current();
    return nullptr;
  }
  return results_.take(results);
}

std::string PythonEntry::guards_text() const {
  std::string text;
  const auto add = [&](const ObjectGuard& guard) {
    const std::string own = guard.text();
    if (!own.empty()) text += own + "\n";
  };
  for (const ObjectGuard& guard : positional_) add(guard);
  for (const Keyword& keyword : keywords_) add(keyword.guard);
  text += state_.text();
  text += reads_.text();
  return compiled_ ? text + compiled_->guards_text() : text;
}

int PythonEntry::traverse(visitproc visit, void* arg) const {
  for (const ObjectGuard& guard : positional_) {
    if (const int stop = guard.traverse(visit, arg)) return stop;
  }
  for (const Keyword& keyword : keywords_) {
    if (const int stop = keyword.guard.traverse(visit, arg)) return stop;
  }
  if (const int stop = results_.traverse(visit, arg)) return stop;
  if (const int stop = reads_.traverse(visit, arg)) return stop;
  return state_.traverse(visit, arg);
}

}  // namespace opwright::python
