// Registers thunks with torch's dispatcher.
#include <memory>
#include <string>

#include "bridges/torch/stable_abi.h"
#include "bridges/torch/stack_values.h"
#include "bridges/torch/thunks.h"
#include "bridges/torch/torch_internals.h"
#include "bridges/torch/torch_operator.h"
#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/runtime/bridge.h"

namespace opwright::torch_bridge {

struct TorchRegistration {
  LibraryBlock* block = nullptr;
};

namespace {

// Looks up the functions that the operator's thunks try first.
void prepare(TorchOperator& op) {
  if (op.plan) return;
  const OpwRecord* for_all = op.over_handles("CompositeExplicitAutograd");
  const OpwRecord* cpu = op.over_handles("CPU");
  const OpwRecord* cuda = op.over_handles("CUDA");
  op.cpu_kernel = cpu ? cpu : for_all;
  op.cuda_kernel = cuda ? cuda : for_all;
  op.composite = op.over_handles("CompositeImplicitAutograd");
  op.plan = new StackPlan(make_stack_plan(op.description));
}

}  // namespace

TorchRegistration* register_thunk(TorchOperator& op, Thunk thunk, const char* key) {
  const std::string reason = uncarried_reason(op.description);
  if (!reason.empty()) throw Error("TypeError", reason);
  find_torch_internals();
  prepare(op);
  const StableKernel kernel = take_thunk(op, thunk, key);
  auto registration = std::make_unique<TorchRegistration>();
  const OperatorDescription& description = op.description;
  require_success(torch_abi.open_implementations(description.name_space.c_str(), key,
                                                 description.site.c_str(), 0, &registration->block),
                  "registering with torch");
  const Status status =
      torch_abi.implement
          ? torch_abi.implement(registration->block, description.name.c_str(), kernel,
                                torch_abi.build_version)
          : torch_abi.implement_2_9(registration->block, description.name.c_str(), kernel);
  if (status != 0) {
    const Error error("RuntimeError", torch_error_text("registering with torch"));
    torch_abi.close_block(registration->block);
    throw error;
  }
  op.is_removed = false;
  return registration.release();
}

void delete_registration(TorchRegistration* registration) noexcept {
  if (!registration) return;
  torch_abi.close_block(registration->block);
  delete registration;
}

}  // namespace opwright::torch_bridge
