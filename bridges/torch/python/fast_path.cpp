#include "bridges/torch/python/fast_path.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <structmember.h>

#include "bridges/torch/given_error.h"
#include "bridges/torch/handle_tensor.h"
#include "bridges/torch/python/argument_frame.h"
#include "bridges/torch/python/errors.h"
#include "bridges/torch/python/lock.h"
#include "bridges/torch/python/object_values.h"
#include "bridges/torch/python/plain_tensor.h"
#include "bridges/torch/python/reference.h"
#include "bridges/torch/python/torch_objects.h"
#include "bridges/torch/stable_abi.h"
#include "bridges/torch/torch_internals.h"
#include "bridges/torch/torch_operator.h"
#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/runtime/bridge.h"
#include "opwright/value.h"

namespace opwright::torch_bridge {
namespace {

constexpr size_t kMaxArguments = 12;
constexpr size_t kMaxResults = 6;
constexpr uint32_t kMaxTensors = 12;
// A kernel over more elements than this runs without the GIL.
constexpr int64_t kLongKernel = 32768;

struct Fast {
  TorchOperator& op;
  Reference fallback;
  Reference recorded;               // runs calls that need a gradient; null: use the fallback
  const OpwRecord* cpu = nullptr;   // over handles
  const OpwRecord* cuda = nullptr;  // the same
  bool is_possible = false;         // the fast path supports the schema
  std::vector<Reference> names;     // of the arguments
};

struct FastObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  Fast* fast;
};
PyTypeObject* fast_type = nullptr;

// Makes the GPU of a call's tensors the current one.
class DeviceScope {
 public:
  explicit DeviceScope(OpwDevice device) {
    if (device.type == kOpwDeviceCuda) {
      require_success(torch_abi.new_device_guard(device.index, &guard_),
                      "changing to the tensors' device");
    }
  }
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;
  ~DeviceScope() {
    if (guard_) torch_abi.delete_device_guard(guard_);
  }

 private:
  DeviceGuard* guard_ = nullptr;
};

// One call, as long as nothing makes it unsafe.
class FastCall {
 public:
  explicit FastCall(const Fast& fast) : fast_(fast), description_(fast.op.description) {}
  FastCall(const FastCall&) = delete;
  FastCall& operator=(const FastCall&) = delete;
  ~FastCall() {
    for (size_t i = 0; i < description_.results.size(); ++i) release_value(results_[i]);
  }

  // Whether the kernel may run. Raises nothing: the fallback reports errors.
  bool read(PyObject* const* args, size_t num_positional, PyObject* keywords) {
    if (!bind(args, num_positional, keywords)) return false;
    try {
      for (size_t i = 0; i < description_.arguments.size(); ++i) {
        if (!read_one(i)) return false;
      }
    } catch (const Error&) {
      return false;
    }
    return num_tensors_ > 0 && record() != nullptr;
  }

  // Whether the call must be recorded: an argument requires grad.
  [[nodiscard]] bool needs_recording() const { return needs_recording_; }

  PyObject* run() {
    run_kernel();
    for (uint32_t i = 0; i < num_tensors_; ++i) {
      if (is_written_[i]) raise_version(views_[i].handle);
    }
    return take_results();
  }

 private:
  [[nodiscard]] const OpwRecord* record() const {
    return plainness_ == Plainness::Cuda ? fast_.cuda : fast_.cpu;
  }

  bool bind(PyObject* const* args, size_t num_positional, PyObject* keywords) {
    const size_t size = description_.arguments.size();
    if (num_positional > size) return false;
    for (size_t i = 0; i < size; ++i) given_[i] = i < num_positional ? args[i] : nullptr;
    if (!keywords) [[likely]]
      return true;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(keywords); ++i) {
      const size_t place = place_of(PyTuple_GET_ITEM(keywords, i));
      if (place == size || given_[place]) return false;
      given_[place] = args[num_positional + static_cast<size_t>(i)];
    }
    return true;
  }

  [[nodiscard]] size_t place_of(PyObject* name) const {
    size_t i = 0;
    while (i < fast_.names.size() && fast_.names[i].get() != name) ++i;
    return i;
  }

  bool read_one(size_t place) {
    const ArgumentDescription& argument = description_.arguments[place];
    PyObject* object = given_[place];
    if (!object) {
      if (!argument.default_value) return false;
      args_[place] = *argument.default_value;
      return true;
    }
    if (argument.type.kind == ValueKind::Tensor && object != Py_None) {
      if (argument.type.is_list) return read_list(place, object, argument.is_written);
      args_[place] = OpwValue{};
      args_[place].tag = kOpwTensor;
      args_[place].as_tensor = show(object, argument.is_written);
      return args_[place].as_tensor != nullptr;
    }
    args_[place] = lend_object(object, argument.type, frame_);
    return true;
  }

  bool read_list(size_t place, PyObject* object, bool is_written) {
    if (!PyList_Check(object) && !PyTuple_Check(object)) return false;
    const auto length = static_cast<size_t>(PySequence_Fast_GET_SIZE(object));
    auto** tensors = frame_.allocate<OpwTensor*>(length);
    for (size_t i = 0; i < length; ++i) {
      tensors[i] = show(PySequence_Fast_ITEMS(object)[i], is_written);
      if (!tensors[i]) return false;
    }
    args_[place] = OpwValue{};
    args_[place].tag = kOpwTensorList;
    args_[place].length = static_cast<uint32_t>(length);
    args_[place].as_tensors = tensors;
    return true;
  }

  // Null for a tensor that is not plain, is on another device, or needs a gradient.
  OpwTensor* show(PyObject* object, bool is_written) {
    const TorchObjects& torch = torch_objects();
    if (num_tensors_ == kMaxTensors) return nullptr;
    if (Py_TYPE(object) != torch.tensor && Py_TYPE(object) != torch.parameter) return nullptr;
    AtenTensorHandle handle = handle_inside(object);
    const Plainness plainness = handle ? plainness_of(handle) : Plainness::Other;
    if (plainness == Plainness::Other || needs_gradient(handle, false)) return nullptr;
    needs_recording_ = needs_recording_ || needs_gradient(handle, is_grad_enabled_);
    if (needs_recording_ && !fast_.recorded) return nullptr;
    HandleTensor& view = views_[num_tensors_];
    show_handle(view, handle, is_written);
    if (num_tensors_ > 0 &&
        (plainness != plainness_ || view.dl.device.index != views_[0].dl.device.index))
      return nullptr;
    plainness_ = plainness;
    is_written_[num_tensors_++] = is_written;
    return &view;
  }

  [[nodiscard]] bool is_long() const {
    int64_t elements = 0;
    for (uint32_t i = 0; i < num_tensors_; ++i) {
      int64_t product = 1;
      for (int32_t dim = 0; dim < views_[i].dl.ndim; ++dim) product *= views_[i].dl.shape[dim];
      elements += product;
    }
    return elements > kLongKernel;
  }

  void run_kernel() {
    const DeviceScope device(views_[0].dl.device);
    const UnlockScope unlocked(is_long());
    const OpwRecord* kernel = record();
    if (kernel->function(kernel, args_, static_cast<uint32_t>(description_.arguments.size()),
                         results_, static_cast<uint32_t>(description_.results.size())) != 0)
      throw_given();
  }

  // The argument itself if the schema says so.
  PyObject* take_result(size_t place) {
    const ResultDescription& result = description_.results[place];
    const bool is_missing = (results_[place].tag == kOpwNone && !result.type.is_optional) ||
                            (results_[place].tag == kOpwTensor && !results_[place].as_tensor);
    if (is_missing) {
      throw_error("RuntimeError", description_.name, " returned nothing for result ", place,
                  ", which is a ", result.type.text);
    }
    if (result.written_argument >= 0 && given_[result.written_argument])
      return Py_NewRef(given_[result.written_argument]);
    return object_of_value(results_[place]);
  }

  PyObject* take_results() {
    const size_t size = description_.results.size();
    if (size == 0) Py_RETURN_NONE;
    if (size == 1) return take_result(0);
    Reference tuple = require_new(PyTuple_New(static_cast<Py_ssize_t>(size)));
    for (size_t i = 0; i < size; ++i)
      PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), take_result(i));
    return tuple.give();
  }

  const Fast& fast_;
  const OperatorDescription& description_;
  const bool is_grad_enabled_ = torch_abi.is_grad_enabled();
  Plainness plainness_ = Plainness::Other;
  bool needs_recording_ = false;
  uint32_t num_tensors_ = 0;
  bool is_written_[kMaxTensors];
  PyObject* given_[kMaxArguments];
  OpwValue args_[kMaxArguments];
  OpwValue results_[kMaxResults] = {};
  ArgumentFrame frame_;
  HandleTensor views_[kMaxTensors];
};

PyObject* call_fast(PyObject* self, PyObject* const* args, size_t num_args, PyObject* keywords) {
  const Fast& fast = *reinterpret_cast<FastObject*>(self)->fast;
  const auto num_positional = static_cast<size_t>(PyVectorcall_NARGS(num_args));
  bool is_taken = false;
  bool is_recorded = false;
  PyObject* result = raising([&]() -> PyObject* {
    if (!fast.is_possible || fast.op.is_removed || !is_idle_thread()) return nullptr;
    FastCall call(fast);
    if (!call.read(args, num_positional, keywords)) return nullptr;
    is_recorded = call.needs_recording();
    is_taken = !is_recorded;
    return is_taken ? call.run() : nullptr;
  });
  if (is_taken || PyErr_Occurred()) return result;
  // The step takes all arguments by position.
  is_recorded = is_recorded && !keywords && num_positional == fast.op.description.arguments.size();
  const Reference& next = is_recorded ? fast.recorded : fast.fallback;
  return PyObject_Vectorcall(next.get(), args, num_args, keywords);
}

// ---- The type ----

int visit_fast(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  const Fast* fast = reinterpret_cast<FastObject*>(self)->fast;
  if (fast) Py_VISIT(fast->fallback.get());
  if (fast) Py_VISIT(fast->recorded.get());
  return 0;
}

int clear_fast(PyObject* self) {
  Fast* fast = reinterpret_cast<FastObject*>(self)->fast;
  if (fast) fast->fallback = Reference::borrow(Py_None);
  if (fast) fast->recorded = Reference();
  return 0;
}

void drop_fast(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  delete reinterpret_cast<FastObject*>(self)->fast;
  type->tp_free(self);
  Py_DECREF(type);
}

// The hash of what it replaces: torch keys tables by it.
Py_hash_t hash_fast(PyObject* self) {
  return PyObject_Hash(reinterpret_cast<FastObject*>(self)->fast->fallback.get());
}

PyMemberDef fast_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(FastObject, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
constexpr char kFastText[] =
    "Runs an operator's kernel without torch's dispatcher where that is safe.\n\n"
    "A call that needs a gradient goes to the recording callable, if given. Any other goes to "
    "the\n"
    "fallback: with subclasses, fake or meta tensors, or while a mode, a transform, a tracer, a\n"
    "profiler or autocast is active.";
PyType_Slot fast_slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(drop_fast)},
                            {Py_tp_traverse, reinterpret_cast<void*>(visit_fast)},
                            {Py_tp_clear, reinterpret_cast<void*>(clear_fast)},
                            {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                            {Py_tp_hash, reinterpret_cast<void*>(hash_fast)},
                            {Py_tp_members, fast_members},
                            {Py_tp_doc, const_cast<char*>(kFastText)},
                            {0, nullptr}};
PyType_Spec fast_spec = {"opwright._torch.Fast", sizeof(FastObject), 0,
                         Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                             Py_TPFLAGS_DISALLOW_INSTANTIATION,
                         fast_slots};

// A schema whose values can all be read here; views need torch's own bookkeeping.
bool is_possible(const OperatorDescription& op) {
  if (op.arguments.size() > kMaxArguments || op.results.size() > kMaxResults) return false;
  bool writes = false;
  for (const ArgumentDescription& each : op.arguments) {
    writes = writes || each.is_written;
    const ValueKind kind = each.type.kind;
    if (kind == ValueKind::Generator || kind == ValueKind::Any || kind == ValueKind::Other)
      return false;
    if (each.type.kind == ValueKind::Tensor && each.type.has_optional_elements) return false;
  }
  for (const ResultDescription& each : op.results) {
    if (each.viewed_argument >= 0) return false;
  }
  return !writes || can_raise_versions();
}

// The kernel of a device, or a body for all devices.
const OpwRecord* find_kernel(TorchOperator& op, const char* device) {
  for (const char* slot :
       {device, "AllDevices", "CompositeExplicitAutograd", "CompositeImplicitAutograd"}) {
    if (const OpwRecord* found = op.over_handles(slot)) return found;
  }
  return nullptr;
}

}  // namespace

PyObject* make_fast(TorchOperator& op, PyObject* fallback, PyObject* recorded) {
  auto* object = reinterpret_cast<FastObject*>(require(fast_type->tp_alloc(fast_type, 0)));
  object->vectorcall = call_fast;
  object->fast = new Fast{op,
                          Reference::borrow(fallback),
                          recorded ? Reference::borrow(recorded) : Reference(),
                          find_kernel(op, "CPU"),
                          find_kernel(op, "CUDA"),
                          is_possible(op.description),
                          {}};
  for (const ArgumentDescription& each : op.description.arguments) {
    object->fast->names.push_back(Reference::take(PyUnicode_InternFromString(each.name.c_str())));
  }
  return reinterpret_cast<PyObject*>(object);
}

void add_fast_type(PyObject* module) {
  fast_type = reinterpret_cast<PyTypeObject*>(require(PyType_FromSpec(&fast_spec)));
  require_no_error(PyModule_AddObjectRef(module, "Fast", reinterpret_cast<PyObject*>(fast_type)));
}

}  // namespace opwright::torch_bridge
