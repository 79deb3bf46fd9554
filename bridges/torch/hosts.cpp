#include "bridges/torch/hosts.h"

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "bridges/torch/given_error.h"
#include "bridges/torch/imports.h"
#include "bridges/torch/python_hooks.h"
#include "bridges/torch/stable_abi.h"
#include "bridges/torch/torch_operator.h"
#include "opwright/c_api.h"
#include "opwright/error.h"

namespace opwright::torch_bridge {

PythonHooks python_hooks;

namespace {

// A loop over torch's threads; errors of workers are rethrown on the caller's thread.
struct TorchLoop {
  OpwLoopBody body;
  void* context;
  std::atomic<OpwError*> error{nullptr};  // the first

  void run(int64_t begin, int64_t end) {
    if (error.load(std::memory_order_relaxed) || body(context, begin, end) == 0) return;
    OpwError* given = take_given_error();
    OpwError* none = nullptr;
    if (!error.compare_exchange_strong(none, given)) give_error(given), give_error(nullptr);
  }
  static void run_chunk(int64_t begin, int64_t end, void* loop) {
    static_cast<TorchLoop*>(loop)->run(begin, end);
  }
};

int run_parallel_loop(const OpwHost* /*host*/, int64_t size, int64_t grain, OpwLoopBody body,
                      void* context) {
  TorchLoop loop{.body = body, .context = context};
  const int64_t chunk = std::max<int64_t>(grain, 1);
  if (!torch_abi.parallel_for || size <= chunk) {
    loop.run(0, size);
  } else if (torch_abi.parallel_for(0, size, chunk, &TorchLoop::run_chunk, &loop) != 0) {
    give_error(Error("RuntimeError", torch_error_text("a parallel loop")).share());
    return 1;
  }
  OpwError* error = loop.error.load();
  if (!error) return 0;
  give_error(error);
  return 1;
}

int call_object_import(const OpwHost* host, uint32_t index, const OpwValue* args, uint32_t num_args,
                       OpwValue* results, uint32_t num_results) {
  if (!python_hooks.call_object_import) {
    give_error(Error("RuntimeError", "a rule was run over Python objects without Python").share());
    return 1;
  }
  return python_hooks.call_object_import(host, index, args, num_args, results, num_results);
}

OpwHost make_host(TorchLibrary& library, decltype(OpwHost::call) call) {
  return {.struct_size = sizeof(OpwHost),
          .abi_major = OPW_ABI_MAJOR,
          .abi_minor = OPW_ABI_MINOR,
          .name = "torch",
          .instance = &library,
          .give_error = &give_host_error,
          .take_error = &take_host_error,
          .parallel_for = &run_parallel_loop,
          .call = call};
}

}  // namespace

void make_hosts(TorchLibrary& library) {
  library.handles = make_host(library, &call_import);
  library.objects = make_host(library, &call_object_import);
}

}  // namespace opwright::torch_bridge
