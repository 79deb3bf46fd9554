// What the core registers when the registry is first used, and not when the core is loaded: a
// program that only imports the package does not pay for 700 operators.
#pragma once

#include <atomic>

namespace opwright {

using FirstUseStep = void (*)(void* context);

// Runs `step(context)` when Registry::get() is next called, after the steps that were given before;
// at once when such a call is past.
void at_first_use(FirstUseStep step, void* context = nullptr);

extern std::atomic<bool> first_use_steps_wait;
// Runs the steps that wait; other threads that come meanwhile wait for the end.
void run_first_use_steps();

}  // namespace opwright
