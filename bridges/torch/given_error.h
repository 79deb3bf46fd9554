// The error that a function of the bridge set on this thread; shared by both tables.
#pragma once

#include "opwright/c_api.h"

namespace opwright::torch_bridge {

// Takes over one count; drops an error that was set before.
void give_error(OpwError* error) noexcept;
// Owned, or null.
[[nodiscard]] OpwError* take_given_error() noexcept;

// Sets the exception that is being handled; returns 1.
int give_current_exception() noexcept;
// Throws the error that was set as Error, for callers inside the bridge.
[[noreturn]] void throw_given();

// The same two as functions of an OpwHost.
void give_host_error(const OpwHost* host, OpwError* error);
OpwError* take_host_error(const OpwHost* host);

}  // namespace opwright::torch_bridge
