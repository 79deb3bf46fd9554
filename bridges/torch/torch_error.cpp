#include "bridges/torch/torch_error.h"

#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "bridges/torch/python_hooks.h"
#include "opwright/error.h"

namespace opwright::torch_bridge {
namespace {

// A std::bad_alloc has no text of its own.
class OutOfMemory : public std::bad_alloc {
 public:
  explicit OutOfMemory(std::string text) : text_(std::move(text)) {}
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

}  // namespace

void throw_to_torch(const Error& error) {
  if (python_hooks.throw_to_torch) python_hooks.throw_to_torch(error);
  const std::string_view kind = error.kind();
  const std::string message = error.message();
  if (kind == "ValueError") throw std::invalid_argument(message);
  if (kind == "IndexError") throw std::out_of_range(message);
  if (kind == "OverflowError") throw std::overflow_error(message);
  if (kind == "MemoryError") throw OutOfMemory(message);
  throw std::runtime_error(kind == "RuntimeError" ? message : concatenate(kind, ": ", message));
}

}  // namespace opwright::torch_bridge
