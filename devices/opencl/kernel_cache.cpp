#include "devices/opencl/kernel_cache.h"

#include <cstddef>
#include <memory>
#include <string>

#include <CL/cl.h>

#include "devices/opencl/loader.h"
#include "opwright/error.h"

namespace opwright::opencl {
namespace {

struct ProgramRelease {
  void operator()(cl_program program) const { opencl().clReleaseProgram(program); }
};
using OwnedProgram = std::unique_ptr<_cl_program, ProgramRelease>;

}  // namespace

std::string KernelCache::build_log(cl_program program) const {
  size_t size = 0;
  opencl().clGetProgramBuildInfo(program, id_, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
  std::string log(size, '\0');
  if (size != 0)
    opencl().clGetProgramBuildInfo(program, id_, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
  while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
  return log;
}

std::unique_ptr<Kernel> KernelCache::build(const KernelText& text) const {
  const char* source = text.source.c_str();
  cl_int status = CL_SUCCESS;
  const OwnedProgram program(
      opencl().clCreateProgramWithSource(context_, 1, &source, nullptr, &status));
  check_status(status, "clCreateProgramWithSource");
  status = opencl().clBuildProgram(program.get(), 1, &id_, text.options.c_str(), nullptr, nullptr);
  OPWRIGHT_CHECK(status == CL_SUCCESS, "opencl: ", text.what, " cannot be built, ",
                 status_name(status), "; the compiler says:\n", build_log(program.get()));
  auto kernel = std::make_unique<Kernel>();
  kernel->what = text.what;
  kernel->kernel = opencl().clCreateKernel(program.get(), text.name.c_str(), &status);
  OPWRIGHT_CHECK(status != CL_INVALID_KERNEL_NAME, "opencl: the source has no kernel '", text.name,
                 "'; write it as __kernel void ", text.name, "(...)");
  check_status(status, "clCreateKernel");
  check_status(
      opencl().clGetKernelInfo(kernel->kernel, CL_KERNEL_NUM_ARGS, sizeof kernel->num_arguments,
                               &kernel->num_arguments, nullptr),
      "clGetKernelInfo");
  return kernel;
}

KernelCall& KernelCall::memory(const void* pointer) {
  const cl_int status = opencl().clSetKernelArgSVMPointer(kernel_.kernel, next_, pointer);
  OPWRIGHT_CHECK_TYPE(status == CL_SUCCESS, "opencl: argument ", next_ + 1, " of ", kernel_.what,
                      " does not accept memory: ", status_name(status));
  ++next_;
  return *this;
}

KernelCall& KernelCall::bytes(const void* value, size_t size) {
  const cl_int status = opencl().clSetKernelArg(kernel_.kernel, next_, size, value);
  OPWRIGHT_CHECK_TYPE(status == CL_SUCCESS, "opencl: argument ", next_ + 1, " of ", kernel_.what,
                      " does not accept a value of ", size, " bytes: ", status_name(status));
  ++next_;
  return *this;
}

void KernelCall::run(cl_command_queue queue, const WorkSize& global, const WorkSize& local) {
  const cl_int status =
      opencl().clEnqueueNDRangeKernel(queue, kernel_.kernel, 3, nullptr, global.data(),
                                      local[0] != 0 ? local.data() : nullptr, 0, nullptr, nullptr);
  OPWRIGHT_CHECK(status == CL_SUCCESS, "opencl: the launch of ", kernel_.what, " (", global[0],
                 " x ", global[1], " x ", global[2], " work-items in groups of ", local[0], " x ",
                 local[1], " x ", local[2], ") failed with ", status_name(status));
}

}  // namespace opwright::opencl
