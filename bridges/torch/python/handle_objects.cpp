#include "bridges/torch/python/handle_objects.h"

#include <dlfcn.h>

#include "bridges/torch/generator_object.h"
#include "bridges/torch/python/errors.h"
#include "bridges/torch/python/plain_tensor.h"
#include "bridges/torch/python/reference.h"
#include "bridges/torch/python/torch_objects.h"
#include "bridges/torch/stable_abi.h"
#include "opwright/c_api.h"
#include "opwright/error.h"

namespace opwright::torch_bridge {
namespace {

using WrapTensor = PyObject* (*)(AtenTensorHandle tensor);
using WrapGenerator = PyObject* (*)(AtenGeneratorHandle generator);

void* find_in_python_part(const char* name) {
  void* loaded = dlopen("libtorch_python.so", RTLD_NOLOAD | RTLD_LAZY);
  return loaded ? dlsym(loaded, name) : nullptr;
}

AtenTensorHandle copy_of(AtenTensorHandle handle) {
  AtenTensorHandle result = nullptr;
  require_success(torch_abi.new_tensor_handle(handle, &result), "copying a tensor's handle");
  return result;
}

PyObject* object_by_list(AtenTensorHandle handle) {
  const Reference capsule = require_new(PyCapsule_New(copy_of(handle), nullptr, nullptr));
  const Reference capsules = require_new(Py_BuildValue("[O]", capsule.get()));
  const Reference tensors =
      require_new(PyObject_CallOneArg(torch_objects().tensors_of_handles, capsules.get()));
  return Py_NewRef(require(PyList_GetItem(tensors.get(), 0)));
}

AtenTensorHandle handle_by_list(PyObject* tensor) {
  const Reference tensors = require_new(Py_BuildValue("[O]", tensor));
  const Reference capsules =
      require_new(PyObject_CallOneArg(torch_objects().handles_of_tensors, tensors.get()));
  PyObject* capsule = require(PyList_GetItem(capsules.get(), 0));
  void* handle = PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule));
  if (!handle) throw take_python_error();
  return static_cast<AtenTensorHandle>(handle);
}

}  // namespace

PyObject* object_of_handle(AtenTensorHandle handle) {
  static const auto wrap =
      reinterpret_cast<WrapTensor>(find_in_python_part("_Z16THPVariable_WrapRKN2at10TensorBaseE"));
  return wrap ? require(wrap(handle)) : object_by_list(handle);
}

AtenTensorHandle new_handle_of_object(PyObject* tensor) {
  AtenTensorHandle inside = handle_inside(tensor);
  return inside ? copy_of(inside) : handle_by_list(tensor);
}

PyObject* object_of_generator(const OpwObject* generator) {
  static const auto wrap = reinterpret_cast<WrapGenerator>(
      find_in_python_part("_Z17THPGenerator_WrapRKN2at9GeneratorE"));
  if (!wrap) {
    throw_error("TypeError", "torch ", torch_version_text(),
                " cannot hand a generator from an operator to Python");
  }
  AtenGeneratorHandle handle = copy_generator(generator);
  PyObject* object = wrap(handle);
  (void)torch_abi.delete_generator(handle);
  return require(object);
}

}  // namespace opwright::torch_bridge
