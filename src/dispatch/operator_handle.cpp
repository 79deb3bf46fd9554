// HostOperator in the core: looks the handle's operator up in the registry.
#include "opwright/registration/operator_handle.h"

#include "opwright/dispatch/call.h"
#include "opwright/dispatch/record.h"
#include "opwright/dispatch/registry.h"
#include "opwright/dispatch/signature.h"

namespace opwright {

void HostOperator::call(const OpwValue* args, uint32_t num_args, OpwValue* results,
                        uint32_t num_results) {
  if (epoch_.load(std::memory_order_acquire) != registry_epoch()) [[unlikely]]
    resolve();
  opwright::call(*from_c(op_.load(std::memory_order_relaxed)), {args, num_args},
                 {results, num_results});
}

void HostOperator::resolve() {
  const uint64_t epoch =
      registry_epoch();  // before the lookup: a change meanwhile makes the next call resolve again
  const Operator& op = Registry::get().require(name_);
  if (to_c(&op) != op_.load(std::memory_order_relaxed)) {
    if (const auto difference = find_difference(op.schema(), signature_())) {
      throw_error("TypeError", name_,
                  ": the handle's C++ type does not match the schema: ", *difference,
                  "\n  schema: ", to_text(op.schema()), "\n  handle: ", signature_());
    }
  }
  op_.store(to_c(&op), std::memory_order_relaxed);
  epoch_.store(epoch, std::memory_order_release);
}

}  // namespace opwright
