// Registrations of the core that run when the registry is first used instead of when the core is
// loaded: a program that only imports the package does not pay for 700 operators.
#pragma once

#include <atomic>

namespace opwright {

using FirstUseStep = void (*)(void* context);

// Runs `step(context)` at the next call of Registry::get(), after the steps added before;
// immediately if there was such a call already.
void at_first_use(FirstUseStep step, void* context = nullptr);

extern std::atomic<bool> first_use_steps_wait;
// Runs the pending steps; other threads that arrive meanwhile wait until they are done.
void run_first_use_steps();

}  // namespace opwright
