#include "devices/opencl/event.h"

#include <cstdint>

#include <CL/cl.h>

#include "devices/opencl/device.h"
#include "devices/opencl/loader.h"
#include "devices/opencl/stream.h"
#include "opwright/c_api.h"
#include "opwright/error.h"

struct OpwEvent {
  cl_event event;
  int32_t index;  // of the device
};

namespace opwright::opencl {
namespace {

bool has_come(const OpwEvent& event) {
  (void)find_device(event.index);
  cl_int state = CL_QUEUED;
  check_status(opencl().clGetEventInfo(event.event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state,
                                       &state, nullptr),
               "clGetEventInfo");
  OPWRIGHT_CHECK(state >= 0, "opencl: the work before an event of opencl:", event.index,
                 " failed with ", status_name(state));
  return state == CL_COMPLETE;
}

cl_ulong end_of(const OpwEvent& event) {
  OPWRIGHT_CHECK(has_come(event),
                 "opencl: the time of an event is known when it has come; synchronize it first");
  cl_ulong nanoseconds = 0;
  check_status(opencl().clGetEventProfilingInfo(event.event, CL_PROFILING_COMMAND_END,
                                                sizeof nanoseconds, &nanoseconds, nullptr),
               "clGetEventProfilingInfo");
  return nanoseconds;
}

}  // namespace

void record_event(int32_t index, OpwStream* stream, OpwEvent** event) {
  cl_command_queue queue = queue_of(find_device(index), stream);
  cl_event marker = nullptr;
  check_status(opencl().clEnqueueMarkerWithWaitList(queue, 0, nullptr, &marker),
               "clEnqueueMarkerWithWaitList");
  // Another queue may wait for it before this one is waited for.
  check_status(opencl().clFlush(queue), "clFlush");
  *event = new OpwEvent{marker, index};
}

void wait_event(int32_t index, OpwStream* stream, OpwEvent* event) {
  cl_command_queue queue = queue_of(find_device(index), stream);
  if (event->index == index) {
    check_status(opencl().clEnqueueBarrierWithWaitList(queue, 1, &event->event, nullptr),
                 "clEnqueueBarrierWithWaitList");
  } else {  // of another context
    check_status(opencl().clWaitForEvents(1, &event->event), "clWaitForEvents");
  }
}

void synchronize_event(OpwEvent* event) {
  (void)find_device(event->index);
  check_status(opencl().clWaitForEvents(1, &event->event), "clWaitForEvents");
}

void free_event(OpwEvent* event) {
  if (event == nullptr) return;
  if (find_device_or_null(event->index) != nullptr) opencl().clReleaseEvent(event->event);
  delete event;
}

void query_event(OpwEvent* event, int32_t* result) { *result = has_come(*event) ? 1 : 0; }

void event_time(OpwEvent* from, OpwEvent* to, double* milliseconds) {
  const cl_ulong begin = end_of(*from);
  const cl_ulong end = end_of(*to);
  *milliseconds = static_cast<double>(static_cast<int64_t>(end - begin)) * 1e-6;
}

}  // namespace opwright::opencl
