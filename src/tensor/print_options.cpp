#include "opwright/tensor/print_options.h"

#include <mutex>
#include <utility>

#include "opwright/error.h"

namespace opwright {
namespace {

struct SharedOptions {
  std::mutex mutex;
  PrintOptions options;
};
SharedOptions& shared_options() {
  static SharedOptions shared;
  return shared;
}

constexpr int64_t kMostDigits = 40;

}  // namespace

PrintOptions print_options() {
  SharedOptions& shared = shared_options();
  const std::lock_guard lock(shared.mutex);
  return shared.options;
}

void set_print_options(const PrintOptions& options) {
  OPWRIGHT_CHECK_VALUE(options.precision >= 0 && options.precision <= kMostDigits,
                       "set_printoptions: precision must be between 0 and ", kMostDigits, ", got ",
                       options.precision);
  const std::pair<const char*, int64_t> counts[] = {{"threshold", options.threshold},
                                                    {"edgeitems", options.edge_items},
                                                    {"linewidth", options.line_width}};
  for (const auto& [name, count] : counts)
    OPWRIGHT_CHECK_VALUE(count >= 0, "set_printoptions: ", name, " must not be negative, got ",
                         count);
  SharedOptions& shared = shared_options();
  const std::lock_guard lock(shared.mutex);
  shared.options = options;
}

}  // namespace opwright
