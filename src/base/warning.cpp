#include "opwright/base/warning.h"

#include <atomic>
#include <cstdio>

namespace opwright {
namespace {

std::atomic<WarningHandler> current_handler{nullptr};

}  // namespace

void warn(const char* category, const std::string& text) {
  if (const WarningHandler handler = current_handler.load(std::memory_order_acquire)) {
    handler(category, text);
  } else {
    std::fprintf(stderr, "%s: %s\n", category, text.c_str());
  }
}

void set_warning_handler(WarningHandler handler) noexcept {
  current_handler.store(handler, std::memory_order_release);
}

}  // namespace opwright
