// ReadObserver: watches the Python code of a captured function and notes the state that it reads.
//
// While it is active, Python reports each instruction of the function, and of all that it calls,
// before the instruction runs. The observer looks at the instruction's operands and notes what it
// reads or changes of objects that existed before (ReadGuards). Code of this package is not
// watched: it reads nothing that a program changes, except what it is given. Whatever cannot be
// guarded ends the graph: a C function that is not known to only compute, an iterator that lives
// outside, I/O.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <Python.h>
#include <nanobind/nanobind.h>

#include "bindings/compile/created_objects.h"
#include "bindings/compile/function_state.h"
#include "bindings/compile/instruction.h"
#include "bindings/compile/instruction_events.h"
#include "bindings/compile/read_guards.h"
#include "bindings/compile/type_kind.h"
#include "opwright/base/source_site.h"

namespace opwright::python {

// Whether an object is a tensor, or a tuple that holds one: as a key it stands for its identity.
[[nodiscard]] bool holds_tensor(PyObject* object);

class ReadObserver {
 public:
  // Ends the graph for a cause, "it calls time.time", and its line; may throw.
  using EndGraph = std::function<void(SourceSite site, const std::string& cause)>;
  // Notes reads in `reads`; those of containers among the arguments, which have guards of their
  // own, in `given`. `state` watches modules; what it guards is not noted again.
  ReadObserver(ReadGuards& reads, ReadGuards& given, FunctionState& state, EndGraph end_graph);
  ~ReadObserver() { stop(); }
  ReadObserver(const ReadObserver&) = delete;
  ReadObserver& operator=(const ReadObserver&) = delete;

  // Whether Python can report instructions on this thread now: not within a trace function.
  [[nodiscard]] static bool is_possible() noexcept;

  // A function of functools.lru_cache that gets a tensor is captured like any other, with a warning
  // that its cache is not used; otherwise it ends the graph.
  void capture_cached_functions() noexcept { captures_cached_ = true; }
  // An argument of the call, and its name.
  void add_argument(PyObject* object, const std::string& name);
  // May be called again after stop(): what was created before stays new.
  void start();
  // The function that is captured, which no instruction calls; after start().
  void add_function(PyObject* function);
  void stop() noexcept;

  // Code in its scope is not observed: that of a backend.
  class [[nodiscard]] PauseScope {
   public:
    PauseScope() noexcept;
    ~PauseScope();
    PauseScope(const PauseScope&) = delete;
    PauseScope& operator=(const PauseScope&) = delete;

   private:
    ReadObserver* paused_;  // null: none was active
  };

  // Whether an object was created while it was active.
  [[nodiscard]] bool has_created(PyObject* object) const { return created_->contains(object); }
  // The line that may have caused a difference: the last that used what it names.
  [[nodiscard]] SourceSite line_of(const std::string& difference) const;

 private:
  struct Step;
  using Objects = std::span<PyObject* const>;
  struct CodeInfo {
    nanobind::object keep;
    std::vector<Instruction> instructions;
    bool is_observed = true;
    bool is_apart = false;
  };

  static int report(PyObject* unused, PyFrameObject* frame, int what, PyObject* argument);
  static int report_instruction(PyFrameObject* frame);
  // Runs a step of an event; nonzero: an exception is set.
  int run(void (ReadObserver::*step)(PyFrameObject*), PyFrameObject* frame) noexcept;
  void begin_frame(PyFrameObject* frame);
  void end_frame(const PyFrameObject* frame) noexcept;
  [[nodiscard]] const CodeInfo& look_up(PyFrameObject* frame);
  void observe(PyFrameObject* frame);
  void observe_result(const Step& now);
  void observe_names(const Step& now);
  void observe_operands(const Step& now);
  void observe_subscript(const Step& now, bool is_write);
  void observe_call(const Step& now);
  void observe_call_with_tuple(const Step& now);
  void observe_match(const Step& now);
  void observe_import(PyObject* name);

  void leave_cache_out(PyObject** callable, Objects args);
  void note_call(PyObject* callable, Objects args, PyObject* keyword_names);
  void note_class_call(PyTypeObject* type, Objects args);
  void note_native_call(PyObject* function, Objects args);
  void note_numpy_call(Objects args);
  void note_method(PyObject* self, const char* name, Objects args, PyObject* callable);
  void note_setting(PyObject* function, Objects args);
  // Whether a function of this package reads or changes a setting of the package, which is noted.
  [[nodiscard]] bool note_package_setting(PyObject* function, Objects args,
                                          PyObject* keyword_names);
  // What isinstance, issubclass and match compare with: a class, a union, a tuple of both.
  void note_tested_class(PyObject* tested);
  void note_cached_call(PyObject* callable, Objects args, PyObject* keyword_names);
  void note_arguments(Objects args);
  void note_callable_argument(PyObject* callable);
  void read_partial(PyObject* callable);
  void note_getter_call(PyObject* getter, Objects args);
  void note_abstract_class();

  void read_attribute(PyObject* owner, PyObject* name, bool is_write);
  void read_instance_attribute(PyObject* owner, PyObject* name);
  void read_attribute_of_class(PyObject* owner, PyObject* name);
  void read_attribute_of_unknown(PyObject* owner, PyObject* name);
  [[nodiscard]] nanobind::object dict_of_old(PyObject* owner);
  void read_fallback_attribute(PyObject* owner, PyObject* name, const std::string& full);
  void read_python_property(PyObject* owner, PyObject* descriptor);
  void read_native_property(PyObject* owner, PyObject* descriptor, const std::string& name);
  void read_class_attribute(PyTypeObject* type, PyObject* name);
  // The methods that instructions and C functions find on a class: __len__, __eq__, __getattr__.
  void read_special_methods(PyTypeObject* type);
  // The class of an operand, with its special methods.
  void read_class(PyObject* object);
  void read_super_attribute(PyObject* type, PyObject* self, PyObject* name);
  void read_all_attributes(PyObject* owner);
  void read_key(PyObject* dict, PyObject* key, const std::string& name);
  void read_global(PyObject* globals, PyObject* builtins, PyObject* name);
  void read_cell(PyObject* cell, const std::string& name);
  void read_contents(PyObject* object);
  void read_deep(PyObject* object, int depth);
  void end(const std::string& cause);

  [[nodiscard]] static ContentGuard::Kind content_kind(TypeKind kind);
  // Whether an argument cannot be a key of a cache outside of the trace.
  [[nodiscard]] bool is_no_key(PyObject* arg) const;
  [[nodiscard]] bool is_old(PyObject* object) const { return !created_->contains(object); }
  [[nodiscard]] ReadGuards& guards_for(PyObject* container) {
    return given_objects_.contains(container) ? given_ : reads_;
  }
  [[nodiscard]] std::string name_of(PyObject* object) const;
  void give_name(PyObject* object, const std::string& name);
  void note_line(const std::string& name);

  ReadGuards& reads_;
  ReadGuards& given_;
  FunctionState& state_;
  EndGraph end_graph_;
  InstructionEvents instructions_;
  std::unique_ptr<CreatedObjects> created_;
  std::unordered_set<PyObject*> given_objects_;
  std::unordered_set<PyTypeObject*> special_types_;  // whose special methods are noted
  bool reads_abstract_classes_ = false;
  std::unordered_map<PyObject*, std::string> names_;
  std::unordered_map<std::string, SourceSite> lines_;  // of the last write, by name
  std::unordered_map<PyCodeObject*, CodeInfo> codes_;
  struct Last {
    PyFrameObject* frame = nullptr;
    std::string name;  // of the value that the last instruction pushes; empty: none
  };
  Last last_;
  const PyFrameObject* apart_ = nullptr;  // an import or a warning: what it runs is not observed
  bool captures_cached_ = false;
  size_t num_deep_ = 0;
  bool is_active_ = false;
  bool is_installed_ = false;
  bool collects_garbage_ = false;
  Py_tracefunc previous_function_ = nullptr;
  nanobind::object previous_object_;
};

}  // namespace opwright::python
