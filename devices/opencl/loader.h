// The OpenCL functions, looked up by name in the ICD loader on first use of the device, so that a
// package with this plug-in loads on machines without OpenCL.
#pragma once

#include <string>

#include <CL/cl.h>

namespace opwright::opencl {

#define OPWRIGHT_OPENCL_FUNCTIONS(each)                                                          \
  each(clGetPlatformIDs) each(clGetPlatformInfo) each(clGetDeviceIDs) each(clGetDeviceInfo)      \
      each(clCreateContext) each(clCreateCommandQueueWithProperties) each(clReleaseCommandQueue) \
          each(clFinish) each(clFlush) each(clSVMAlloc) each(clSVMFree) each(clEnqueueSVMMemcpy) \
              each(clEnqueueSVMMemFill) each(clEnqueueMarkerWithWaitList)                        \
                  each(clEnqueueBarrierWithWaitList) each(clWaitForEvents) each(clGetEventInfo)  \
                      each(clGetEventProfilingInfo) each(clReleaseEvent)                         \
                          each(clCreateProgramWithSource) each(clBuildProgram)                   \
                              each(clGetProgramBuildInfo) each(clReleaseProgram)                 \
                                  each(clCreateKernel) each(clSetKernelArg)                      \
                                      each(clSetKernelArgSVMPointer) each(clGetKernelInfo)       \
                                          each(clEnqueueNDRangeKernel)

struct OpenClFunctions {
#define OPWRIGHT_OPENCL_MEMBER(name) decltype(&::name) name = nullptr;
  OPWRIGHT_OPENCL_FUNCTIONS(OPWRIGHT_OPENCL_MEMBER)
#undef OPWRIGHT_OPENCL_MEMBER
};

struct Loader {
  OpenClFunctions functions;
  std::string problem;  // empty if all functions exist
};

// Opened once, never closed. Any thread.
const Loader& loader();
// The functions of a loader without a problem.
const OpenClFunctions& opencl();

// "CL_OUT_OF_RESOURCES (-5)".
std::string status_name(cl_int status);
// RuntimeError with what failed and the status, unless that is CL_SUCCESS.
void check_status(cl_int status, const char* what);

}  // namespace opwright::opencl
