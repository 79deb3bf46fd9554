#include "bridges/torch/torch_error.h"

#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

#include "bridges/torch/stable_abi.h"
#include "opwright/error.h"

namespace opwright::torch_bridge {

void throw_to_torch(const Error& error) {
  const std::string_view kind = error.kind();
  const std::string message = error.message();
  if (kind == "ValueError") throw std::invalid_argument(message);
  if (kind == "IndexError") throw std::out_of_range(message);
  if (kind == "OverflowError") throw std::overflow_error(message);
  if (kind == "MemoryError") throw std::bad_alloc();
  const std::string text = kind == "RuntimeError" ? message : concatenate(kind, ": ", message);
  torch_abi.check(false, "opwright", __FILE__, __LINE__, text.c_str());
  std::abort();  // torch throws
}

}  // namespace opwright::torch_bridge
