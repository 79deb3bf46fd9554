// libFuzzer: any bytes are loaded or rejected with our own error. Loaded code is not run.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "opwright/compile/object/object_code.h"
#include "opwright/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    (void)opwright::ObjectCode::load(std::as_bytes(std::span(data, size)));
  } catch (const opwright::Error& error) {
    if (!std::string_view(error.what()).starts_with("object code is refused: ")) std::abort();
  }
  return 0;
}
