// The error that a function of the bridge gave on this thread; one for both tables.
#pragma once

#include "opwright/c_api.h"

namespace opwright::torch_bridge {

// Takes over one count; drops the one that was given before.
void give_error(OpwError* error) noexcept;
// Owned, or null.
[[nodiscard]] OpwError* take_given_error() noexcept;

// Gives the exception that is being handled; returns 1.
int give_current_exception() noexcept;
// Throws what was given: as Error, for callers inside the bridge.
[[noreturn]] void throw_given();

// The same two as functions of an OpwHost.
void give_host_error(const OpwHost* host, OpwError* error);
OpwError* take_host_error(const OpwHost* host);

}  // namespace opwright::torch_bridge
