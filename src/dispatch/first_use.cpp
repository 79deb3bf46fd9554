#include "opwright/dispatch/first_use.h"

#include <mutex>
#include <utility>
#include <vector>

namespace opwright {

std::atomic<bool> first_use_steps_wait{false};

namespace {

struct FirstUse {
  std::recursive_mutex mutex;  // the steps use the registry themselves
  std::vector<std::pair<FirstUseStep, void*>> steps;
  bool is_past = false;
};

// Created by the first static initialiser that adds a step, and never destroyed.
FirstUse& first_use() {
  static auto* state = new FirstUse;
  return *state;
}

}  // namespace

void at_first_use(FirstUseStep step, void* context) {
  {
    FirstUse& state = first_use();
    const std::lock_guard lock(state.mutex);
    if (!state.is_past) {
      state.steps.emplace_back(step, context);
      first_use_steps_wait.store(true, std::memory_order_release);
      return;
    }
  }
  step(context);
}

void run_first_use_steps() {
  FirstUse& state = first_use();
  const std::lock_guard lock(state.mutex);
  if (std::exchange(state.is_past, true)) return;  // a step that uses the registry
  for (const auto& [step, context] : std::exchange(state.steps, {})) step(context);
  first_use_steps_wait.store(false, std::memory_order_release);
}

}  // namespace opwright
