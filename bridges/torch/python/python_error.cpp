#include "bridges/torch/python/python_error.h"

#include <cstdio>
#include <exception>
#include <string>
#include <utility>

#include "bridges/torch/python/errors.h"
#include "bridges/torch/python/lock.h"
#include "bridges/torch/python/reference.h"

// torch does not export its C++ class for Python exceptions. C++ matches exceptions of other
// libraries by the names of their classes, so this class, with the same name and layout
// (torch/csrc/Exceptions.h), is caught as if it were torch's.
// NOLINTNEXTLINE(readability-identifier-naming)
struct __attribute__((visibility("default"))) python_error : std::exception {
  python_error() = default;
  python_error(python_error&& other) noexcept
      : type(std::exchange(other.type, nullptr)),
        value(std::exchange(other.value, nullptr)),
        traceback(std::exchange(other.traceback, nullptr)),
        message(std::move(other.message)) {}
  python_error(const python_error&) = delete;
  python_error& operator=(const python_error&) = delete;
  python_error& operator=(python_error&&) = delete;
  ~python_error() override {
    for (PyObject* object : {type, value, traceback}) {
      if (object) opwright::torch_bridge::drop_reference(object);
    }
  }
  [[nodiscard]] const char* what() const noexcept override { return message.c_str(); }

  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* traceback = nullptr;
  std::string message;
};

namespace opwright::torch_bridge {
namespace {

// The layout of python_error was tested with 2.11 and 2.13; a newer torch may have another.
constexpr int kMajor = 2;
constexpr int kNewestMinor = 13;

python_error make_python_error(const Error& error) {
  const LockScope lock;
  python_error result;
  raise(error);
  PyErr_Fetch(&result.type, &result.value, &result.traceback);
  result.message = error.message();
  return result;
}

}  // namespace

bool torch_carries_python_errors() {
  const Reference torch = Reference::take(PyImport_ImportModule("torch"));
  const Reference version =
      Reference::take(torch ? PyObject_GetAttrString(torch.get(), "__version__") : nullptr);
  const char* text = version ? PyUnicode_AsUTF8(version.get()) : nullptr;
  int major = 0;
  int minor = 0;
  const bool is_read = text && std::sscanf(text, "%d.%d", &major, &minor) == 2;
  PyErr_Clear();
  return is_read && major == kMajor && minor <= kNewestMinor;
}

void throw_python_error(const Error& error) { throw make_python_error(error); }

}  // namespace opwright::torch_bridge
