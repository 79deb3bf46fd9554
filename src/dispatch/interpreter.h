// The chain of active transforms on this thread.
//
// A transform (vmap, grad, trace, ...) is an Interpreter. While one is current it receives every
// operator call; it runs its rule with its parent current, so transforms nest in the order the user
// wrote them.
#pragma once

#include "opwright/base/thread_state.h"
#include "opwright/dispatch/arguments.h"
#include "opwright/tensor/level.h"
#include "opwright/visibility.h"

namespace opwright {

class Operator;

// What a transform does in addition to processing calls; plain data, since every call under it
// reads it.
struct InterpreterTraits {
  bool lifts = false;             // turns foreign arguments into its own (trace, functionalize)
  bool adopts_histories = false;  // including their outer autograd histories (a capture)
  bool restores_grad_mode =
      false;  // enabled grad mode itself, so lower levels get the previous one (grad, jvp)
};

// Reference-counted through Level: an escaped wrapper keeps its interpreter alive, so that the
// error can still name it. An interpreter that holds its own wrappers (a memo of what it lifted)
// releases them when its transform ends.
class OPWRIGHT_EXPORT Interpreter : public Level {
 public:
  explicit Interpreter(Interpreter* parent, InterpreterTraits traits = {})
      : parent_(parent), traits_(traits) {}

  // Runs `op` with this transform's meaning. Called with this interpreter current.
  virtual void process(const Operator& op, Arguments args, Results results) = 0;

  // Turns arguments of other levels into its own, before the autograd step sees them; called if
  // traits().lifts. Each replaced value stays valid until the call returns: the interpreter owns
  // it.
  virtual void lift(std::span<OpwValue> /*args*/) {}
  // The tensor that a foreign tensor was lifted to; null: not lifted yet.
  [[nodiscard]] virtual OpwTensor* find_twin(const OpwTensor* /*foreign*/) const { return nullptr; }

  // Whether composite operators reach process() instead of running their body.
  [[nodiscard]] virtual bool keeps_whole(const Operator& /*op*/) const { return false; }
  // The same where gradients are recorded. Recording goes through the body of a composite that has
  // no formula, since that is how it is trained. A capture whose result is trained later, from
  // outside, keeps the operator; a backward inside of it is then refused at such an operator.
  [[nodiscard]] virtual bool keeps_whole_while_recording(const Operator& /*op*/) const {
    return false;
  }

  // Whether the autograd step may record at this level (func.grad's own backward: no).
  [[nodiscard]] bool records() const { return records_; }
  void set_records(bool records) { records_ = records; }

  [[nodiscard]] InterpreterTraits traits() const { return traits_; }
  [[nodiscard]] bool grad_mode_at_entry() const { return grad_mode_at_entry_; }

  // Null: eager execution. Skips a transform that ended early.
  [[nodiscard]] Interpreter* parent() const { return without_ended(parent_); }

  // Ends a transform in the middle of its function: from here on calls go to `outside`. Scopes do
  // not make it current again; calls of transforms inside it still reach process(), which passes
  // them on.
  void end_early(Interpreter* outside) noexcept {
    parent_ = outside;
    traits_ = {};
    has_ended_ = true;
  }
  [[nodiscard]] bool has_ended() const { return has_ended_; }
  [[nodiscard]] static Interpreter* without_ended(Interpreter* level) noexcept {
    while (level && level->has_ended_) [[unlikely]]
      level = level->parent_;
    return level;
  }

 private:
  friend class ParentScope;
  friend class ReentryScope;

  Interpreter* parent_;  // null: eager execution
  InterpreterTraits traits_;
  bool records_ = true;
  bool has_ended_ = false;
  bool grad_mode_at_entry_ = thread_state().grad_is_enabled();
};

// Thrown by a level that ended early out of the call it received: `call` repeats the call at the
// level outside.
struct LevelEnded {};

// The innermost active transform of this thread, or null when running eagerly.
inline Interpreter* current_interpreter() noexcept { return thread_state().current; }

// Whether the transform is `level` or is outside it.
inline bool is_in_chain(const Level* wanted, const Interpreter* level) noexcept {
  for (; level; level = level->parent()) {
    if (level == wanted) return true;
  }
  return false;
}

// Makes `interpreter` current until the end of the scope.
class [[nodiscard]] InterpreterScope {
 public:
  explicit InterpreterScope(Interpreter* interpreter) noexcept
      : previous_(thread_state().set_current(interpreter)) {}
  ~InterpreterScope() { thread_state().set_current(Interpreter::without_ended(previous_)); }
  InterpreterScope(const InterpreterScope&) = delete;
  InterpreterScope& operator=(const InterpreterScope&) = delete;

 private:
  Interpreter* previous_;
};

// Disables recording at this level until the end of the scope; lower levels still record.
class [[nodiscard]] UnrecordedLevelScope {
 public:
  explicit UnrecordedLevelScope(Interpreter& level) noexcept
      : level_(level), recorded_(level.records()) {
    level.set_records(false);
  }
  ~UnrecordedLevelScope() { level_.set_records(recorded_); }
  UnrecordedLevelScope(const UnrecordedLevelScope&) = delete;
  UnrecordedLevelScope& operator=(const UnrecordedLevelScope&) = delete;

 private:
  Interpreter& level_;
  bool recorded_;
};

// Makes a transform that ended current again, on top of the currently active ones: a pull-back runs
// where it is called. A transform that is still active stays in place.
class [[nodiscard]] ReentryScope {
 public:
  explicit ReentryScope(Interpreter& interpreter) noexcept
      : interpreter_(interpreter),
        parent_(interpreter.parent_),
        grad_mode_at_entry_(interpreter.grad_mode_at_entry_),
        scope_(current_interpreter()) {
    if (!is_in_chain(&interpreter, current_interpreter())) {
      interpreter.parent_ = current_interpreter();
      interpreter.grad_mode_at_entry_ = thread_state().grad_is_enabled();
    }
    thread_state().set_current(&interpreter);
  }
  ~ReentryScope() {
    interpreter_.parent_ = parent_;
    interpreter_.grad_mode_at_entry_ = grad_mode_at_entry_;
  }
  ReentryScope(const ReentryScope&) = delete;
  ReentryScope& operator=(const ReentryScope&) = delete;

 private:
  Interpreter& interpreter_;
  Interpreter* parent_;
  bool grad_mode_at_entry_;
  InterpreterScope scope_;  // last: restores the previous interpreter first
};

// Enters the level below while a rule runs: the parent is current, and grad mode is as it was
// before this level enabled it.
class [[nodiscard]] ParentScope {
 public:
  explicit ParentScope(const Interpreter& interpreter) noexcept : scope_(interpreter.parent_) {
    if (interpreter.traits().restores_grad_mode) [[unlikely]] {
      grad_was_enabled_ = thread_state().set_grad_enabled(thread_state().grad_is_enabled() &&
                                                          interpreter.grad_mode_at_entry());
      restores_ = true;
    }
  }
  ~ParentScope() {
    if (restores_) [[unlikely]]
      thread_state().set_grad_enabled(grad_was_enabled_);
  }
  ParentScope(const ParentScope&) = delete;
  ParentScope& operator=(const ParentScope&) = delete;

 private:
  InterpreterScope scope_;
  bool restores_ = false;
  bool grad_was_enabled_ = true;
};

}  // namespace opwright
