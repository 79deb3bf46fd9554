// Streams and events of the table.
//
// A freed stream is kept and reused: memory that was allocated on it is freed on it, maybe later
// than the stream itself.
#pragma once

#include <cstdint>

#include "opwright/c_api.h"

namespace opwright::cuda {

// Makes later work on `later`, a stream of the device `later_index`, wait for the work submitted to
// `earlier` of the device `earlier_index` so far.
void order_streams(int32_t earlier_index, OpwStream* earlier, int32_t later_index,
                   OpwStream* later);

// Functions of the table.
OpwStream* current_stream_cuda(int32_t index);
OpwStream* set_current_stream_cuda(int32_t index, OpwStream* stream);
int new_stream_cuda(const OpwHost* host, int32_t index, int32_t priority, OpwStream** stream);
void free_stream_cuda(int32_t index, OpwStream* stream);
int synchronize_cuda(const OpwHost* host, int32_t index);
int synchronize_stream_cuda(const OpwHost* host, int32_t index, OpwStream* stream);

int record_event_cuda(const OpwHost* host, int32_t index, OpwStream* stream, OpwEvent** event);
int wait_event_cuda(const OpwHost* host, int32_t index, OpwStream* stream, OpwEvent* event);
int synchronize_event_cuda(const OpwHost* host, OpwEvent* event);
int query_event_cuda(const OpwHost* host, OpwEvent* event, int32_t* has_come);
int event_time_cuda(const OpwHost* host, OpwEvent* from, OpwEvent* to, double* milliseconds);
void free_event_cuda(OpwEvent* event);

}  // namespace opwright::cuda
