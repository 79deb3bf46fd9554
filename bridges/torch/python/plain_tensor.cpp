#include "bridges/torch/python/plain_tensor.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "bridges/torch/python/errors.h"
#include "bridges/torch/python/reference.h"
#include "bridges/torch/python/torch_objects.h"
#include "bridges/torch/stable_abi.h"

namespace opwright::torch_bridge {
namespace {

// ---- Tensors ----

struct Sample {
  const char* object;
  uint64_t tensor;  // the address that torch reports
};

uint64_t word_at(const char* object, size_t offset) {
  uint64_t word = 0;
  std::memcpy(&word, object + offset, sizeof word);
  return word;
}

std::vector<Sample> read_samples(PyObject* samples) {
  std::vector<Sample> read;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(samples); ++i) {
    PyObject* each = PyTuple_GET_ITEM(samples, i);
    read.push_back({reinterpret_cast<const char*>(PyTuple_GET_ITEM(each, 0)),
                    PyLong_AsUnsignedLongLong(PyTuple_GET_ITEM(each, 1))});
  }
  if (PyErr_Occurred()) throw take_python_error();
  return read;
}

// The offset of the tensor in its Python object; 0 if unknown.
size_t find_tensor_offset() {
  const Reference tuple = require_new(PyObject_CallNoArgs(torch_objects().samples));
  const std::vector<Sample> samples = read_samples(tuple.get());
  constexpr size_t kLastOffset = sizeof(PyObject) + sizeof(uint64_t);
  for (size_t offset = sizeof(PyObject); offset <= kLastOffset; offset += sizeof(uint64_t)) {
    if (std::all_of(samples.begin(), samples.end(), [&](const Sample& each) {
          return word_at(each.object, offset) == each.tensor;
        }))
      return offset;
  }
  return 0;
}

// ---- Threads ----

// The dispatch keys that a thread includes and excludes; both are zero if nothing is active.
struct ThreadKeys {
  uint64_t included = 0;
  uint64_t excluded = 0;
  friend bool operator==(const ThreadKeys&, const ThreadKeys&) = default;
};
ThreadKeys keys_of_inference;
thread_local const ThreadKeys* keys_of_thread = nullptr;
int64_t (*count_function_modes)() = nullptr;
bool (*is_profiled)() = nullptr;

const ThreadKeys* thread_keys() {
  if (!keys_of_thread) [[unlikely]] {
    keys_of_thread = static_cast<const ThreadKeys*>(
        find_torch_symbol("_ZN3c104impl26raw_local_dispatch_key_setE"));
  }
  return keys_of_thread;
}

PyObject* note_inference_keys(PyObject* /*self*/, PyObject* /*unused*/) {
  keys_of_inference = *thread_keys();
  Py_RETURN_NONE;
}
PyMethodDef note_inference_method = {"note_inference_keys", note_inference_keys, METH_NOARGS,
                                     nullptr};

// Whether threads can be queried; records the keys of inference mode, which needs an idle thread.
bool learn_threads() {
  count_function_modes = reinterpret_cast<int64_t (*)()>(
      find_torch_symbol("_ZN2at4impl22PythonTorchFunctionTLS9stack_lenEv"));
  is_profiled = reinterpret_cast<bool (*)()>(find_torch_symbol("_ZN2at12hasCallbacksEv"));
  if (!count_function_modes || !is_profiled || !thread_keys() || *thread_keys() != ThreadKeys{})
    return false;
  const Reference note = require_new(PyCFunction_New(&note_inference_method, nullptr));
  (void)require_new(PyObject_CallOneArg(torch_objects().under_inference, note.get()));
  return true;
}

}  // namespace

AtenTensorHandle handle_inside(PyObject* tensor) {
  constexpr size_t kUnsought = SIZE_MAX;
  static size_t offset = kUnsought;  // not guarded: making samples can release the GIL
  if (offset == kUnsought) [[unlikely]]
    offset = find_tensor_offset();
  if (offset == 0) return nullptr;
  return reinterpret_cast<AtenTensorHandle>(reinterpret_cast<char*>(tensor) + offset);
}

bool is_idle_thread() {
  static bool is_learnt = false;
  if (!is_learnt) [[unlikely]] {
    is_learnt = learn_threads();
    if (!is_learnt) return false;
  }
  const ThreadKeys& now = *thread_keys();
  return (now == ThreadKeys{} || now == keys_of_inference) && count_function_modes() == 0 &&
         !is_profiled();
}

}  // namespace opwright::torch_bridge
