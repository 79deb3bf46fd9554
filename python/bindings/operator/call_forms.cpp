#include "bindings/operator/call_forms.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>

#include "bindings/object/method.h"
#include "bindings/object/scalar_types.h"
#include "bindings/object/sym_int.h"
#include "bindings/operator/call.h"
#include "bindings/tensor/nested_data.h"
#include "opwright/dispatch/property.h"
#include "opwright/schema/type.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

using Overloads = std::span<const BindingPlan* const>;

// A copy of a call's arguments, to be changed.
class ChangedCall {
 public:
  explicit ChangedCall(const GivenArguments& given)
      : num_positional_(given.num_positional), names_(nb::borrow(given.names)) {
    const size_t count = given.num_positional + given.num_keywords();
    for (size_t i = 0; i < count; ++i) objects_.push_back(nb::borrow(given.objects[i]));
  }

  [[nodiscard]] size_t size() const { return objects_.size(); }
  [[nodiscard]] PyObject* object(size_t place) const { return objects_[place].ptr(); }
  // The argument of `plan` at that place; num_args() if there is none.
  [[nodiscard]] size_t index_in(const BindingPlan& plan, size_t place) const {
    if (place < num_positional_) return place;
    return plan.find_name(keyword(place));
  }
  [[nodiscard]] PyObject* keyword(size_t place) const {
    return PyTuple_GET_ITEM(names_.ptr(), static_cast<Py_ssize_t>(place - num_positional_));
  }
  [[nodiscard]] size_t num_positional() const { return num_positional_; }

  void replace(size_t place, nb::object object) { objects_[place] = std::move(object); }
  // One object in place of the positional ones from `first` on.
  void join_positional(size_t first, nb::object object) {
    std::vector<nb::object> joined(objects_.begin(),
                                   objects_.begin() + static_cast<ptrdiff_t>(first));
    joined.push_back(std::move(object));
    joined.insert(joined.end(), objects_.begin() + static_cast<ptrdiff_t>(num_positional_),
                  objects_.end());
    objects_ = std::move(joined);
    num_positional_ = first + 1;
  }
  void rename(size_t place, const char* name) {
    nb::list names;
    for (size_t i = num_positional_; i < objects_.size(); ++i) {
      if (i == place)
        names.append(nb::str(name));
      else
        names.append(nb::handle(keyword(i)));
    }
    names_ = nb::tuple(names);
  }
  nb::object take_keyword(size_t place) {
    nb::list names;
    for (size_t i = num_positional_; i < objects_.size(); ++i) {
      if (i != place) names.append(nb::handle(keyword(i)));
    }
    names_ = nb::len(names) == 0 ? nb::object() : nb::object(nb::tuple(names));
    nb::object taken = objects_[place];
    objects_.erase(objects_.begin() + static_cast<ptrdiff_t>(place));
    return taken;
  }

  void add_keyword(const std::string& name, nb::object object) {
    nb::list names;
    for (size_t i = num_positional_; i < objects_.size(); ++i) names.append(nb::handle(keyword(i)));
    names.append(nb::str(name.c_str()));
    names_ = nb::tuple(names);
    objects_.push_back(std::move(object));
  }

  // Borrows from this object, until the next call.
  [[nodiscard]] GivenArguments given() {
    pointers_.clear();
    for (const nb::object& each : objects_) pointers_.push_back(each.ptr());
    return {pointers_.data(), num_positional_, names_.ptr()};
  }

 private:
  std::vector<nb::object> objects_;
  size_t num_positional_;
  nb::object names_;  // a tuple, or null
  std::vector<PyObject*> pointers_;
};

bool is_number(PyObject* object) {
  return PyLong_Check(object) || PyFloat_Check(object) || PyComplex_Check(object) ||
         is_sym_int(object);
}

// ---- Numbers and tensors ----

// Whether the operator computes with numbers: an overload takes a number as an operand.
bool computes_with_numbers(Overloads overloads) {
  return std::ranges::any_of(overloads, [](const BindingPlan* plan) {
    return plan->op().tags().has(Tag::Pointwise) &&
           (plan->takes_scalar_at(0) || plan->takes_scalar_at(1));
  });
}

// The number as a tensor of the dtype that a sum with `other` has.
nb::object tensor_of_number(PyObject* number, PyObject* other) {
  // -0.0, or 0 of another dtype: adding it changes no number.
  const nb::object nothing = own(PyObject_CallMethod(other, "new_full", "(()d)", -0.0));
  return own(PyNumber_Add(nothing.ptr(), number));
}

PyObject* find_tensor(const ChangedCall& call) {
  for (size_t i = 0; i < call.size(); ++i) {
    if (is_tensor(call.object(i))) return call.object(i);
  }
  return nullptr;
}

bool is_int_tensor(PyObject* object) {
  if (!is_tensor(object)) return false;
  const Tensor tensor = handle_of(object);
  if (!is_integral(tensor.dtype())) return false;
  return tensor.dim() == 0 ||
         (tensor.dim() == 1 && !tensor.sym_size(0).is_symbolic() && tensor.size(0) == 1);
}

// The ints of a list in which some are tensors; null if there is no such tensor.
nb::object read_int_tensors(PyObject* list) {
  if (!PyList_Check(list) && !PyTuple_Check(list)) return {};
  PyObject** elements = PySequence_Fast_ITEMS(list);
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(list);
  if (std::none_of(elements, elements + count, &is_int_tensor)) return {};
  nb::list read;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* element = PySequence_Fast_GET_ITEM(list, i);
    read.append(is_int_tensor(element) ? own(PyObject_CallMethod(element, "item", nullptr))
                                       : nb::borrow(element));
  }
  return read;
}

// Exchanges numbers and tensors of zero dimensions, and Python's types for dtypes, where `plan`
// requires it; whether any was.
bool exchange_numbers(const BindingPlan& plan, bool may_be_operand, ChangedCall& call) {
  bool is_changed = false;
  for (size_t place = 0; place < call.size(); ++place) {
    PyObject* object = call.object(place);
    const size_t index = call.index_in(plan, place);
    if (plan.takes_number_at(index) && is_tensor(object) && handle_of(object).dim() == 0 &&
        !handle_of(object).requires_grad()) {
      call.replace(place, own(PyObject_CallMethod(object, "item", nullptr)));
      is_changed = true;
    } else if (may_be_operand && plan.takes_tensor_at(index) && is_number(object)) {
      PyObject* other = find_tensor(call);
      if (!other && is_sym_int(object)) return false;
      call.replace(place, other ? tensor_of_number(object, other)
                                : own(wrap(tensor_of_nested(object, std::nullopt, "a number"))));
      is_changed = true;
    } else if (plan.is_int_list(index)) {
      nb::object ints = read_int_tensors(object);
      if (!ints.is_valid()) continue;
      call.replace(place, std::move(ints));
      is_changed = true;
    } else if (plan.takes_dtype_at(index) && PyType_Check(object)) {
      call.replace(place, own(to_python(parse_dtype(object))));
      is_changed = true;
    }
  }
  return is_changed;
}

// ---- Lists without brackets ----

// Whether positional arguments from `first` on are ints, or tensors.
bool are_ints(const ChangedCall& call, size_t first) {
  if (call.num_positional() <= first) return false;
  for (size_t i = first; i < call.num_positional(); ++i) {
    PyObject* object = call.object(i);
    if (is_tensor(object) ? !is_int_tensor(object) : !PyIndex_Check(object)) return false;
  }
  return true;
}
bool are_tensors(const ChangedCall& call) {
  if (call.num_positional() == 0) return false;
  for (size_t i = 0; i < call.num_positional(); ++i) {
    if (!is_tensor(call.object(i))) return false;
  }
  return true;
}

// `are_sizes`: integer tensors are read.
nb::object tuple_from(const ChangedCall& call, size_t first, bool are_sizes) {
  nb::object tuple = own(PyTuple_New(static_cast<Py_ssize_t>(call.num_positional() - first)));
  for (size_t i = first; i < call.num_positional(); ++i) {
    PyObject* object = call.object(i);
    PyObject* element = are_sizes && is_int_tensor(object)
                            ? require(PyObject_CallMethod(object, "item", nullptr))
                            : Py_NewRef(object);
    PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i - first), element);
  }
  return tuple;
}

void join_lists(Overloads overloads, ChangedCall& call) {
  for (const BindingPlan* plan : overloads) {
    const size_t last = plan->op().schema().num_positional() - 1;
    const bool joins_ints = plan->takes_ints_at(last) && are_ints(call, last);
    if (!joins_ints && !(plan->takes_only_tensors() && are_tensors(call))) continue;
    const size_t first = joins_ints ? last : 0;
    return call.join_positional(first, tuple_from(call, first, joins_ints));
  }
}

// ---- Keywords ----

struct KeywordName {
  const char* numpy;
  const char* ours;
};
constexpr KeywordName kKeywordNames[] = {
    {"axis", "dim"}, {"keepdims", "keepdim"}, {"input", "self"}, {"x", "self"}, {"x2", "other"}};

bool takes_keyword(Overloads overloads, PyObject* name) {
  return std::ranges::any_of(overloads, [&](const BindingPlan* plan) {
    return plan->find_name(name) != plan->num_args();
  });
}

void rename_keywords(Overloads overloads, ChangedCall& call) {
  for (size_t place = call.num_positional(); place < call.size(); ++place) {
    if (takes_keyword(overloads, call.keyword(place))) continue;
    for (const KeywordName& each : kKeywordNames) {
      if (PyUnicode_CompareWithASCIIString(call.keyword(place), each.numpy) != 0) continue;
      if (takes_keyword(overloads, nb::str(each.ours).ptr())) call.rename(place, each.ours);
      break;
    }
  }
}

// The names of the arguments that the operator writes, if all of them need a keyword.
std::vector<std::string> out_names(const BindingPlan* plan) {
  std::vector<std::string> names;
  for (const Argument& argument : plan->op().schema().arguments) {
    if (!argument.is_written()) continue;
    if (!argument.is_keyword_only) return {};
    names.push_back(argument.name);
  }
  return names;
}

// `out=(values, indices)`: a tensor for each argument that an overload writes. The calls that this
// can stand for, one for each set of names.
std::vector<ChangedCall> spread_out(Overloads overloads, const ChangedCall& call) {
  size_t place = call.num_positional();
  while (place < call.size() && PyUnicode_CompareWithASCIIString(call.keyword(place), "out") != 0)
    ++place;
  if (place == call.size()) return {};
  PyObject* given = call.object(place);
  if (!PyTuple_Check(given) && !PyList_Check(given)) return {};
  const auto count = static_cast<size_t>(PySequence_Fast_GET_SIZE(given));
  std::vector<std::vector<std::string>> known;
  std::vector<ChangedCall> calls;
  for (const BindingPlan* plan : overloads) {
    std::vector<std::string> names = out_names(plan);
    if (names.size() != count || count < 2 || std::ranges::find(known, names) != known.end())
      continue;
    ChangedCall spread = call;
    (void)spread.take_keyword(place);
    for (size_t i = 0; i < count; ++i) {
      spread.add_keyword(names[i],
                         nb::borrow(PySequence_Fast_GET_ITEM(given, static_cast<Py_ssize_t>(i))));
    }
    known.push_back(std::move(names));
    calls.push_back(std::move(spread));
  }
  return calls;
}

bool makes_tensor(const BindingPlan* plan) {
  const auto& returns = plan->op().schema().returns;
  if (returns.empty() || returns.front().type.kind() != TypeKind::Tensor) return false;
  return !plan->op().takes_tensors() || has_property(plan->op(), Property::Factory);
}

// The value of `requires_grad=`, which is removed from the call; null if it is not given.
nb::object take_requires_grad(Overloads overloads, ChangedCall& call) {
  if (std::ranges::none_of(overloads, &makes_tensor)) return {};
  for (size_t place = call.num_positional(); place < call.size(); ++place) {
    if (PyUnicode_CompareWithASCIIString(call.keyword(place), "requires_grad") == 0)
      return call.take_keyword(place);
  }
  return {};
}

}  // namespace

bool run_exact(Overloads overloads, const GivenArguments& given, PyObject*& result) {
  for (const BindingPlan* plan : overloads) {
    OpwValue values[64];  // an operator has at most 64 arguments; not initialized
    PlanMemory memory;
    if (!plan->bind(given, values, memory)) continue;
    result = run_bound(*plan, values);
    return true;
  }
  return false;
}

PyObject* call_with_numbers(Overloads overloads, const GivenArguments& given) {
  bool is_bound = false;
  PyObject* result = bind_and_run(overloads, given, is_bound);
  if (is_bound || result) return result;
  const Error problem = take_python_error();  // raised if no other form fits
  const bool may_be_operand = computes_with_numbers(overloads);
  for (const BindingPlan* plan : overloads) {
    ChangedCall call(given);
    if (!exchange_numbers(*plan, may_be_operand, call)) continue;
    result = bind_and_run({&plan, 1}, call.given(), is_bound);
    if (is_bound) return result;
    PyErr_Clear();
  }
  raise(problem);
  return nullptr;
}

PyObject* call_in_any_form(Overloads overloads, const GivenArguments& given) {
  ChangedCall call(given);
  const nb::object requires_grad = take_requires_grad(overloads, call);
  rename_keywords(overloads, call);
  join_lists(overloads, call);
  PyObject* made = nullptr;
  std::vector<ChangedCall> spread = spread_out(overloads, call);
  for (ChangedCall& each : spread) {
    if (run_exact(overloads, each.given(), made)) return made;
  }
  if (!spread.empty()) return call_with_numbers(overloads, spread.front().given());
  if (!run_exact(overloads, call.given(), made)) made = call_with_numbers(overloads, call.given());
  if (!requires_grad.is_valid() || !made) return made;
  const nb::object owned = nb::steal(made);
  require_no_error(PyObject_SetAttrString(made, "requires_grad", requires_grad.ptr()));
  return Py_NewRef(made);
}

}  // namespace opwright::python
