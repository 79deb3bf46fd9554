#include "opwright/check/checks/mutation_check.h"

#include <optional>
#include <utility>

#include "opwright/base/thread_state.h"
#include "opwright/check/memory/unwritten_arguments.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/mode.h"
#include "opwright/error.h"

namespace opwright {
namespace {

bool has_plain_arguments(const Operator& op, Arguments args) {
  bool has = true;
  op.visit_tensor_arguments(args, [&](uint32_t /*index*/, const OpwTensor* tensor) {
    has = has && (tensor->flags & (kOpwFlagFake | kOpwFlagWrapped)) == 0;
  });
  return has;
}

// process changes no member: workers of a parallel loop call it too.
class MutationCheck : public Mode {
 public:
  MutationCheck() = default;
  ~MutationCheck() override { leave_list(); }

  bool process(const Operator& op, Arguments args, Results results) override {
    if (!is_on_ || !has_plain_arguments(op, args)) return false;
    const UnwrittenArguments unwritten(op, args);
    if (unwritten.empty()) return false;
    call(op, args, results);
    if (const auto change = unwritten.find_change()) {
      for (OpwValue& result : results) release_value(result);
      throw_error("RuntimeError", *change);
    }
    return true;
  }

  bool set_on(bool is_on) {
    if (is_on) {
      enter_list();
    } else {
      leave_list();
    }
    return std::exchange(is_on_, is_on);
  }

 private:
  // A scope treats the current list as the modes outside its own.
  static void set_outer(Mode& mode, Mode* outer) {
    Mode* innermost = thread_state().set_modes(outer);
    {
      const ModeScope scope(mode);
    }
    thread_state().set_modes(innermost);
  }

  // Inserted outermost, so scopes of other modes end as if it had always been there.
  void enter_list() {
    Mode* last = thread_state().modes;
    if (!last) {
      thread_state().set_modes(this);
      return;
    }
    while (last != this && last->outer()) last = last->outer();
    if (last != this) set_outer(*last, this);
  }

  void leave_list() {
    if (thread_state().modes == this) {
      thread_state().set_modes(outer());
      return;
    }
    for (Mode* mode = thread_state().modes; mode; mode = mode->outer()) {
      if (mode->outer() == this) set_outer(*mode, outer());
    }
  }

  bool is_on_ = false;
};

}  // namespace

bool set_check_mutation(bool enabled) {
  thread_local MutationCheck check;
  return check.set_on(enabled);
}

}  // namespace opwright
