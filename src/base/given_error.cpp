// One pending error per thread, and the core's throw_given_error().
#include "opwright/base/given_error.h"

#include <utility>

#include "opwright/c_api.h"
#include "opwright/error.h"

namespace opwright {
namespace {

constinit thread_local OpwError* pending_error __attribute__((tls_model("initial-exec"))) = nullptr;

void release(OpwError* error) noexcept {
  if (error) Error::take(error);
}

// Releases an error that was not taken before the thread ended.
struct PendingErrorCloser {
  ~PendingErrorCloser() { release(take_error()); }
};

}  // namespace

void give_error(OpwError* error) noexcept {
  // Only this path uses the object with a destructor; take_error() reads a plain pointer.
  static thread_local PendingErrorCloser closer;
  (void)closer;
  release(std::exchange(pending_error, error));
}

OpwError* take_error() noexcept { return std::exchange(pending_error, nullptr); }

void throw_given_error() {
  OpwError* error = take_error();
  if (!error) throw Error("RuntimeError", "a host function failed without an error");
  throw Error::take(error);
}

}  // namespace opwright
