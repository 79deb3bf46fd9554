#include "bridges/torch/python/rule.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <structmember.h>

#include "bridges/torch/given_error.h"
#include "bridges/torch/python/argument_frame.h"
#include "bridges/torch/python/errors.h"
#include "bridges/torch/python/object_context.h"
#include "bridges/torch/python/object_values.h"
#include "bridges/torch/python/reference.h"
#include "bridges/torch/python/rule_plan.h"
#include "bridges/torch/torch_operator.h"
#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/value.h"

namespace opwright::torch_bridge {
namespace {

struct Rule {
  TorchOperator& op;
  std::string slot;
  const OpwRecord& record;
  RulePlan plan;
  std::vector<Reference> names;  // of the arguments

  [[nodiscard]] bool is_kernel() const { return plan.is_own && slot != "Fake"; }
};

struct RuleObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  Rule* rule;
};
PyTypeObject* rule_type = nullptr;

// ---- Arguments ----

constexpr size_t kInlineArguments = 16;

// The caller's value for each argument of the plan; null if not given.
class GivenArguments {
 public:
  GivenArguments(const Rule& rule, PyObject* const* args, size_t num_positional, PyObject* keywords)
      : rule_(rule) {
    const size_t num_planned = rule.plan.arguments.size();
    if (num_positional > num_planned && !rule.plan.has_rest) {
      throw_error("TypeError", rule.op.description.name, ": ", rule.slot, " takes ", num_planned,
                  " arguments, got ", num_positional);
    }
    size_ = num_positional > num_planned ? num_positional : num_planned;
    if (size_ > kInlineArguments) more_.resize(size_);
    for (size_t i = 0; i < num_positional; ++i) all()[i] = args[i];
    if (keywords) bind_keywords(args + num_positional, keywords);
  }

  [[nodiscard]] size_t size() const { return size_; }
  PyObject** all() { return more_.empty() ? inline_ : more_.data(); }

 private:
  void bind_keywords(PyObject* const* values, PyObject* keywords) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(keywords); ++i) {
      PyObject* name = PyTuple_GET_ITEM(keywords, i);
      const size_t place = place_of(name);
      if (all()[place]) {
        throw_error("TypeError", rule_.op.description.name, ": argument '", PyUnicode_AsUTF8(name),
                    "' is given twice");
      }
      all()[place] = values[i];
    }
  }
  [[nodiscard]] size_t place_of(PyObject* name) const {
    const auto& names = rule_.names;
    for (size_t i = 0; i < names.size(); ++i) {
      if (names[i].get() == name) return i;
    }
    for (size_t i = 0; i < names.size(); ++i) {
      if (PyUnicode_Compare(names[i].get(), name) == 0) return i;
    }
    throw_error("TypeError", rule_.op.description.name, " has no argument '",
                PyUnicode_AsUTF8(name), "'");
  }

  const Rule& rule_;
  size_t size_ = 0;
  PyObject* inline_[kInlineArguments] = {};
  std::vector<PyObject*> more_;
};

// Adds the argument's name to the error.
[[noreturn]] void throw_for_argument(const Rule& rule, size_t place, const Error& error) {
  if (error.get()->payload) throw error;
  const std::string name =
      place < rule.plan.arguments.size() ? rule.plan.arguments[place].name : std::to_string(place);
  throw_error(error.kind(), rule.op.description.name, ": argument '", name, "': ", error.text());
}

// One call: its arguments as values, then its results.
class RuleCall {
 public:
  explicit RuleCall(const Rule& rule) : rule_(rule) {}
  RuleCall(const RuleCall&) = delete;
  RuleCall& operator=(const RuleCall&) = delete;
  ~RuleCall() {
    for (uint32_t i = 0; i < num_results_; ++i) release_value(results()[i]);
  }

  void read(GivenArguments& given) {
    num_args_ = static_cast<uint32_t>(given.size());
    if (num_args_ > kInlineArguments) more_args_.resize(num_args_);
    for (size_t i = 0; i < given.size(); ++i) {
      try {
        args()[i] = read_one(i, given.all()[i]);
      } catch (const Error& error) {
        throw_for_argument(rule_, i, error);
      }
    }
  }

  void run() {
    const uint32_t wanted = rule_.plan.num_results;
    if (wanted > kInlineResults) more_results_.resize(wanted);
    num_results_ = wanted;
    const OpwRecord& record = rule_.record;
    if (record.function(&record, args(), num_args_, results(), num_results_) != 0) throw_given();
    if (rule_.plan.is_own) require_results();
  }

  PyObject* take_results() {
    if (num_results_ == 0) Py_RETURN_NONE;
    if (num_results_ == 1) return object_of_value(results()[0]);
    Reference tuple = require_new(PyTuple_New(num_results_));
    for (uint32_t i = 0; i < num_results_; ++i)
      PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), object_of_value(results()[i]));
    return tuple.give();
  }

 private:
  static constexpr uint32_t kInlineResults = 8;

  OpwValue* args() { return more_args_.empty() ? inline_args_ : more_args_.data(); }
  OpwValue* results() { return more_results_.empty() ? inline_results_ : more_results_.data(); }

  OpwValue read_one(size_t place, PyObject* object) {
    if (place >= rule_.plan.arguments.size()) return lend_untyped(object, frame_);
    const RuleArgument& argument = rule_.plan.arguments[place];
    if (!object) {
      if (argument.default_value) return *argument.default_value;
      throw_error("TypeError", "it is missing");
    }
    if (argument.kind == RuleArgument::Kind::Typed) [[likely]]
      return lend_object(object, argument.type, frame_);
    if (argument.kind == RuleArgument::Kind::Untyped) return lend_untyped(object, frame_);
    context_.emplace(object, rule_.op.description);
    OpwValue value{};
    value.tag = kOpwObject;
    value.as_object = reinterpret_cast<OpwObject*>(static_cast<OpwContext*>(&*context_));
    return value;
  }

  void require_results() {
    const auto& types = rule_.op.description.results;
    for (uint32_t i = 0; i < num_results_; ++i) {
      const OpwValue& result = results()[i];
      const bool is_missing = (result.tag == kOpwNone && !types[i].type.is_optional) ||
                              (result.tag == kOpwTensor && !result.as_tensor);
      if (!is_missing) continue;
      throw_error("RuntimeError", rule_.op.description.name, ": the function for ", rule_.slot,
                  " returned nothing for result ", i, ", which is a ", types[i].type.text);
    }
  }

  const Rule& rule_;
  ArgumentFrame frame_;
  std::optional<ObjectContext> context_;
  uint32_t num_args_ = 0;
  uint32_t num_results_ = 0;
  OpwValue inline_args_[kInlineArguments];
  OpwValue inline_results_[kInlineResults] = {};
  std::vector<OpwValue> more_args_;
  std::vector<OpwValue> more_results_;
};

PyObject* run_rule(const Rule& rule, PyObject* const* args, size_t num_positional,
                   PyObject* keywords) {
  require_present(rule.op);
  GivenArguments given(rule, args, num_positional, keywords);
  RuleCall call(rule);
  call.read(given);
  try {
    call.run();
  } catch (Error& error) {
    error.add_note("operator", concatenate("in the ", rule.is_kernel() ? "kernel" : "rule", " for ",
                                           rule.slot, " of ", rule.op.description.name));
    throw;
  }
  return call.take_results();
}

PyObject* call_rule(PyObject* self, PyObject* const* args, size_t num_args, PyObject* keywords) {
  const Rule& rule = *reinterpret_cast<RuleObject*>(self)->rule;
  return raising([&] {
    return run_rule(rule, args, static_cast<size_t>(PyVectorcall_NARGS(num_args)), keywords);
  });
}

// ---- The type ----

void drop_rule(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  delete reinterpret_cast<RuleObject*>(self)->rule;
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* show_rule(PyObject* self) {
  const Rule& rule = *reinterpret_cast<RuleObject*>(self)->rule;
  return PyUnicode_FromFormat("<rule for %s of %s>", rule.slot.c_str(),
                              rule.op.description.name.c_str());
}

PyMemberDef rule_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(RuleObject, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
constexpr char kRuleText[] =
    "The function of an operator binary in one slot, over torch's objects.\n\n"
    "Kernels and fake kernels take the operator's arguments, by position or name, and return its\n"
    "results: None, an object, or a tuple. Other rules take theirs by position.";
PyType_Slot rule_slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(drop_rule)},
                            {Py_tp_repr, reinterpret_cast<void*>(show_rule)},
                            {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                            {Py_tp_members, rule_members},
                            {Py_tp_doc, const_cast<char*>(kRuleText)},
                            {0, nullptr}};
PyType_Spec rule_spec = {
    "opwright._torch.Rule", sizeof(RuleObject), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    rule_slots};

}  // namespace

PyObject* make_rule(TorchOperator& op, const std::string& slot) {
  const OpwRecord* record = op.over_objects(slot);
  if (!record) Py_RETURN_NONE;
  RulePlan plan = plan_rule(op.description, slot);
  std::vector<Reference> names;
  for (const RuleArgument& each : plan.arguments)
    names.push_back(require_new(PyUnicode_InternFromString(each.name.c_str())));
  auto* object = reinterpret_cast<RuleObject*>(require(rule_type->tp_alloc(rule_type, 0)));
  object->vectorcall = call_rule;
  object->rule = new Rule{op, slot, *record, std::move(plan), std::move(names)};
  return reinterpret_cast<PyObject*>(object);
}

void require_present(const TorchOperator& op) {
  if (op.is_removed) [[unlikely]] {
    throw_error("RuntimeError", op.description.name,
                " was removed from torch; load its library or register it again");
  }
}

void add_rule_type(PyObject* module) {
  rule_type = reinterpret_cast<PyTypeObject*>(require(PyType_FromSpec(&rule_spec)));
  require_no_error(PyModule_AddObjectRef(module, "Rule", reinterpret_cast<PyObject*>(rule_type)));
}

}  // namespace opwright::torch_bridge
