#include "bridges/torch/given_error.h"

#include <utility>

#include "opwright/c_api.h"
#include "opwright/error.h"

namespace opwright::torch_bridge {
namespace {

struct GivenError {
  OpwError* error = nullptr;
  ~GivenError() { give_error(nullptr); }
};
thread_local GivenError given_error;

}  // namespace

void give_error(OpwError* error) noexcept {
  OpwError* before = std::exchange(given_error.error, error);
  if (before && __atomic_fetch_sub(&before->count, 1, __ATOMIC_ACQ_REL) == 1) {
    before->release(before);
  }
}

OpwError* take_given_error() noexcept { return std::exchange(given_error.error, nullptr); }

int give_current_exception() noexcept {
  give_error(current_error().share());
  return 1;
}

void throw_given() {
  OpwError* error = take_given_error();
  if (!error) throw Error("RuntimeError", "a function of the torch bridge failed without an error");
  throw Error::take(error);
}

void give_host_error(const OpwHost* /*host*/, OpwError* error) { give_error(error); }
OpwError* take_host_error(const OpwHost* /*host*/) { return take_given_error(); }

}  // namespace opwright::torch_bridge
