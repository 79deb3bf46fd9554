// What this thread is executing: the active transform, modes, grad mode, the host instance.
//
// Trivial data of at most 64 bytes in initial-exec TLS, so that a call reads it with one load.
// State that needs a destructor is reached through a pointer here and registered by its creator.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "opwright/c_api.h"
#include "opwright/visibility.h"

namespace opwright {

class Interpreter;
class Mode;

// Reasons for a call to leave the fast path.
enum Attention : uint32_t {
  kAttentionInterpreter = 1,
  kAttentionModes = 2,
  kAttentionGradOff = 4,
  kAttentionInference = 8,
  kAttentionBelowRecording = 16,
  kAttentionMakesFakes = 32,
  kAttentionInsideInference = 64,  // a transform records; inference mode is on outside of it
};

struct ThreadState {
  // Written only by the setters, which update `attention`.
  Interpreter* current;     // the innermost transform, or null: eager
  Mode* modes;              // the innermost mode, or null
  const OpwHost* instance;  // the host that this thread works for, or null: the core's own
  uint32_t attention;       // a set of Attention; the flags exist only here

  [[nodiscard]] bool needs_attention() const noexcept { return attention != 0; }
  [[nodiscard]] bool grad_is_enabled() const noexcept { return !has(kAttentionGradOff); }
  [[nodiscard]] bool is_inference() const noexcept { return has(kAttentionInference); }
  // Whether tensors that were made in inference mode may be written.
  [[nodiscard]] bool may_write_inference() const noexcept {
    return (attention & (kAttentionInference | kAttentionInsideInference)) != 0;
  }

  // Inside a fake kernel: factories create tensors without memory.
  [[nodiscard]] bool makes_fakes() const noexcept { return has(kAttentionMakesFakes); }

  // Each setter returns the previous value.
  Interpreter* set_current(Interpreter* interpreter) noexcept {
    put(kAttentionInterpreter, interpreter != nullptr);
    return std::exchange(current, interpreter);
  }
  Mode* set_modes(Mode* innermost) noexcept {
    put(kAttentionModes, innermost != nullptr);
    return std::exchange(modes, innermost);
  }
  const OpwHost* set_instance(const OpwHost* host) noexcept {
    return std::exchange(instance, host);
  }
  bool set_grad_enabled(bool enabled) noexcept { return !put(kAttentionGradOff, !enabled); }
  bool set_inference(bool enabled) noexcept { return put(kAttentionInference, enabled); }

 private:
  friend class AttentionScope;
  [[nodiscard]] bool has(Attention bit) const noexcept { return (attention & bit) != 0; }
  // Branch-free: every call under a transform enters and leaves an interpreter.
  bool put(Attention bit, bool on) noexcept {
    const bool previous = has(bit);
    attention = (attention & ~static_cast<uint32_t>(bit)) | static_cast<uint32_t>(on) * bit;
    return previous;
  }
};
static_assert(sizeof(ThreadState) <= 64);
static_assert(std::is_trivial_v<ThreadState>);

// constinit lets other files skip the check for a constructor.
OPWRIGHT_EXPORT extern constinit thread_local ThreadState this_thread_state
    __attribute__((tls_model("initial-exec")));

inline ThreadState& thread_state() noexcept {
  ThreadState* state = &this_thread_state;
#ifdef __SANITIZE_ADDRESS__
  asm("" : "+r"(state));  // GCC 12 with UBSan takes the address for null in some destructors
#endif
  return *state;
}

// Switches one attention bit until the end of the scope.
class [[nodiscard]] AttentionScope {
 public:
  AttentionScope(Attention bit, bool on) noexcept
      : bit_(bit), previous_(thread_state().put(bit, on)) {}
  ~AttentionScope() { thread_state().put(bit_, previous_); }
  AttentionScope(const AttentionScope&) = delete;
  AttentionScope& operator=(const AttentionScope&) = delete;

 private:
  Attention bit_;
  bool previous_;
};

// Runs the rest of the scope with a copy of another thread's state. The copy is shallow: the other
// thread keeps its interpreters and modes alive until the scope ends.
class [[nodiscard]] ThreadStateScope {
 public:
  explicit ThreadStateScope(const ThreadState& state) noexcept
      : previous_(std::exchange(thread_state(), state)) {}
  ~ThreadStateScope() { thread_state() = previous_; }
  ThreadStateScope(const ThreadStateScope&) = delete;
  ThreadStateScope& operator=(const ThreadStateScope&) = delete;

 private:
  ThreadState previous_;
};

}  // namespace opwright
