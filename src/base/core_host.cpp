#include "opwright/base/core_host.h"

#include <cstdint>

#include "opwright/base/given_error.h"
#include "opwright/base/thread_pool.h"
#include "opwright/c_api.h"
#include "opwright/error.h"

namespace opwright {
namespace {

void give(const OpwHost* /*host*/, OpwError* error) { give_error(error); }

OpwError* take(const OpwHost* /*host*/) { return take_error(); }

int loop(const OpwHost* /*host*/, int64_t size, int64_t grain, OpwLoopBody body, void* context) {
  return status_of([&] {
    parallel_for(size, grain,
                 [&](int64_t begin, int64_t end) { require_ok(body(context, begin, end)); });
  });
}

// A loaded binary gets a copy of this table whose `call` knows its imports.
int call_import(const OpwHost* /*host*/, uint32_t index, const OpwValue* /*args*/,
                uint32_t /*num_args*/, OpwValue* /*results*/, uint32_t /*num_results*/) {
  return status_of([&] {
    throw_error("RuntimeError", "call: operator import ", index,
                " was used outside of a loaded binary");
  });
}

constinit const OpwHost kCoreHost{.struct_size = sizeof(OpwHost),
                                  .abi_major = OPW_ABI_MAJOR,
                                  .abi_minor = OPW_ABI_MINOR,
                                  .name = "opwright",
                                  .instance = nullptr,
                                  .give_error = &give,
                                  .take_error = &take,
                                  .parallel_for = &loop,
                                  .call = &call_import};

}  // namespace

const OpwHost& core_host() noexcept { return kCoreHost; }

}  // namespace opwright
