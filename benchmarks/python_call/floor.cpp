// The minimum cost of a call from Python into C++: a bare METH_FASTCALL function, and nanobind
// functions.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace {

struct Box {
  float values[4]{};
};

PyObject* fastcall(PyObject* /*module*/, PyObject* const* /*args*/, Py_ssize_t /*num_args*/) {
  Py_RETURN_NONE;
}

PyMethodDef method = {"fastcall", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(fastcall)),
                      METH_FASTCALL, nullptr};

}  // namespace

NB_MODULE(floor, m) {
  m.attr("fastcall") = nb::steal(PyCFunction_New(&method, nullptr));
  nb::class_<Box>(m, "Box").def(nb::init<>());
  m.def("axpy_", [](Box& x, const Box& y, double alpha) {
    for (int i = 0; i < 4; ++i) x.values[i] += static_cast<float>(alpha) * y.values[i];
  });
  m.def("axpy", [](const Box& x, const Box& y, double alpha) {
    Box result;
    for (int i = 0; i < 4; ++i) {
      result.values[i] = x.values[i] + static_cast<float>(alpha) * y.values[i];
    }
    return result;
  });
}
