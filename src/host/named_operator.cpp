// Looks up operators of the core by name, for bridges.
#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include "opwright/c_api.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/record.h"
#include "opwright/dispatch/registry.h"
#include "opwright/host/host_functions.h"
#include "opwright/runtime/bridge.h"

namespace opwright {

NamedOperator::NamedOperator(std::string name) : name_(std::move(name)) {}

void NamedOperator::call(const OpwValue* args, uint32_t num_args, OpwValue* results,
                         uint32_t num_results) {
  if (const HostFunction* function = find_host_function(name_)) [[unlikely]]
    return function->run(args, num_args, results, num_results);
  if (epoch_.load(std::memory_order_acquire) != registry_epoch()) [[unlikely]] {
    const uint64_t epoch = registry_epoch();  // before the look-up, which a change may overtake
    op_.store(to_c(&Registry::get().require(name_)), std::memory_order_relaxed);
    epoch_.store(epoch, std::memory_order_release);
  }
  opwright::call(*from_c(op_.load(std::memory_order_relaxed)), {args, num_args},
                 {results, num_results});
}

}  // namespace opwright
