// Events: markers of a queue.
#pragma once

#include <cstdint>

#include "opwright/c_api.h"

namespace opwright::opencl {

// The functions of the table; those that can fail throw.
void record_event(int32_t index, OpwStream* stream, OpwEvent** event);
void wait_event(int32_t index, OpwStream* stream, OpwEvent* event);
void synchronize_event(OpwEvent* event);
void free_event(OpwEvent* event);
void query_event(OpwEvent* event, int32_t* has_come);
void event_time(OpwEvent* from, OpwEvent* to, double* milliseconds);

}  // namespace opwright::opencl
