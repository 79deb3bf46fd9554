#include "bridges/torch/thunks.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

#include "bridges/torch/stable_abi.h"
#include "bridges/torch/stack_call.h"
#include "bridges/torch/torch_operator.h"
#include "opwright/error.h"

namespace opwright::torch_bridge {
namespace {

ThunkSlot slots[kNumThunks];
size_t num_taken = 0;

template <size_t kIndex>
void run_thunk(StableValue* stack, uint64_t /*num_args*/, uint64_t /*num_results*/) {
  run_stack_call(slots[kIndex], stack);
}

template <size_t... kIndex>
constexpr std::array<StableKernel, sizeof...(kIndex)> list_thunks(std::index_sequence<kIndex...>) {
  return {&run_thunk<kIndex>...};
}
constexpr std::array<StableKernel, kNumThunks> kThunks =
    list_thunks(std::make_index_sequence<kNumThunks>{});

}  // namespace

StableKernel take_thunk(TorchOperator& op, Thunk thunk, const std::string& key) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  for (size_t i = 0; i < num_taken; ++i) {
    const ThunkSlot& slot = slots[i];
    if (slot.op == &op && slot.thunk == thunk && slot.key == key) return kThunks[i];
  }
  OPWRIGHT_CHECK(num_taken < kNumThunks, op.description.name, " cannot be registered for ", key,
                 ": all ", kNumThunks, " functions that the bridge to torch has are taken");
  slots[num_taken] = {.op = &op, .thunk = thunk, .key = key};
  return kThunks[num_taken++];
}

}  // namespace opwright::torch_bridge
