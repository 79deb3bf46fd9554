#include "bindings/compile/code_maker.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <Python.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "bindings/compile/read_observer.h"
#include "bindings/interpreter/error.h"
#include "bindings/interpreter/lock.h"
#include "opwright/compile/llvm/emit_llvm.h"
#include "opwright/compile/object/code_maker.h"
#include "opwright/compile/object/object_code.h"
#include "opwright/error.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

// The result of a function of opwright._compile.llvm; the GIL is held.
nb::object call_llvm(const char* function) {
  const nb::object module = nb::steal(require(PyImport_ImportModule("opwright._compile.llvm")));
  const ReadObserver::PauseScope unobserved;
  return nb::steal(require(PyObject_CallMethod(module.ptr(), function, nullptr)));
}
nb::object call_llvm(const char* function, std::string_view ir) {
  const nb::object module = nb::steal(require(PyImport_ImportModule("opwright._compile.llvm")));
  const nb::object text = nb::steal(
      require(PyUnicode_FromStringAndSize(ir.data(), static_cast<Py_ssize_t>(ir.size()))));
  const ReadObserver::PauseScope unobserved;
  return nb::steal(require(PyObject_CallMethod(module.ptr(), function, "O", text.ptr())));
}

std::string str_text(const nb::object& object) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(object.ptr(), &size);
  if (!text) throw_python_error();
  return {text, static_cast<size_t>(size)};
}

std::vector<std::byte> make_object(std::string_view ir) {
  const LockScope lock;
  const nb::object object = call_llvm("make_object", ir);
  if (object.is_none()) return {};
  char* data = nullptr;
  Py_ssize_t size = 0;
  require_no_error(PyBytes_AsStringAndSize(object.ptr(), &data, &size));
  std::vector<std::byte> bytes(static_cast<size_t>(size));
  std::memcpy(bytes.data(), data, bytes.size());
  return bytes;
}

std::string make_assembly(std::string_view ir) {
  const LockScope lock;
  return str_text(call_llvm("make_assembly", ir));
}

ObjectMaker find_llvmlite() {
  const LockScope lock;
  const nb::object version = call_llvm("find_version");
  if (version.is_none()) return {};
  return {.name = "llvmlite",
          .version = str_text(version),
          .make = &make_object,
          .assembly = &make_assembly};
}

// For tests and tools; keeps the code alive.
struct CodeHandle {
  ObjectCodePtr code;
  [[nodiscard]] std::optional<uint64_t> address(const std::string& name) const {
    const ObjectCode::Function function = code->find(name);
    if (!function) return std::nullopt;
    return reinterpret_cast<uintptr_t>(function);
  }
};

}  // namespace

void bind_code_maker(nb::module_& m) {
  set_object_maker(&find_llvmlite);
  nb::class_<CodeHandle>(m, "ObjectCode", "Machine code in memory; it lives as long as this.")
      .def("address", &CodeHandle::address, nb::arg("name"),
           "The address of a function; None if there is no such function.");
  m.def(
      "code_for",
      [](const std::string& ir) -> std::optional<CodeHandle> {
        ObjectCodePtr code = code_for(ir);
        if (!code) return std::nullopt;
        return CodeHandle{std::move(code)};
      },
      nb::arg("ir"), "Compile LLVM IR; None if no compiler is available.");
  m.def("assembly_for", &assembly_for, nb::arg("ir"),
        "Compile LLVM IR to assembly; empty if no compiler is available.");
  m.def("object_maker_name", &object_maker_name,
        "The compiler: llvmlite with its version, or the path of LLVM; empty if there is none.");
  m.def(
      "code_vector_bytes",
      [] {
        EmitTarget target;
        return find_emit_target(target) ? target.vector_bytes : 0;
      },
      "The vector size of compiled code; 0 if this processor is not supported.");
  m.def("drop_unused_code", &drop_unused_code, "Free code that no compiled function uses.");
}

}  // namespace opwright::python
