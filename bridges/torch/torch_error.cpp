#include "bridges/torch/torch_error.h"

#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

#include "opwright/error.h"

namespace opwright::torch_bridge {

void throw_to_torch(const Error& error) {
  const std::string_view kind = error.kind();
  const std::string message = error.message();
  if (kind == "ValueError") throw std::invalid_argument(message);
  if (kind == "IndexError") throw std::out_of_range(message);
  if (kind == "OverflowError") throw std::overflow_error(message);
  if (kind == "MemoryError") throw std::bad_alloc();
  throw std::runtime_error(kind == "RuntimeError" ? message : concatenate(kind, ": ", message));
}

}  // namespace opwright::torch_bridge
