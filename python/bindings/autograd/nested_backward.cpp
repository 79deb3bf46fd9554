#include "bindings/autograd/nested_backward.h"

#include <exception>
#include <thread>

#include "bindings/interpreter/lock.h"
#include "opwright/autograd/saved_hooks.h"
#include "opwright/autograd/tape.h"
#include "opwright/base/thread_state.h"

namespace opwright::python {

void run_on_another_thread(void (*function)(const void* context), const void* context) {
  const ThreadState state = thread_state();
  SavedTensorHooks* hooks = saved_tensor_hooks();
  const bool finds_anomalies = anomaly_mode();
  const auto run = [&] {
    const LockScope lock;
    const ThreadStateScope scope(state);
    set_saved_tensor_hooks(hooks);
    set_anomaly_mode(finds_anomalies);
    function(context);
  };
  std::exception_ptr error;
  {
    const HoldCallsScope held;
    const UnlockScope unlocked;
    std::thread worker([&] {
      try {
        run();
      } catch (...) {
        error = std::current_exception();
      }
    });
    worker.join();
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace opwright::python
