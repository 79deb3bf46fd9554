#include "loader.h"

#include <dlfcn.h>

#include <array>
#include <string>

#include <CL/cl.h>

#include "opwright/error.h"

namespace opwright::opencl {
namespace {

constexpr const char* kLibrary = "libOpenCL.so.1";

Loader open_loader() {
  Loader opened;
  void* library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = dlerror();
    opened.problem = concatenate("the ICD loader ", kLibrary, " cannot be opened (",
                                 reason != nullptr ? reason : "no reason given",
                                 "); install it (Debian: ocl-icd-libopencl1) and a runtime, e.g. "
                                 "pocl-opencl-icd");
    return opened;
  }
#define OPWRIGHT_OPENCL_FIND(name)                                                        \
  opened.functions.name =                                                                 \
      reinterpret_cast<decltype(opened.functions.name)>(dlsym(library, #name));           \
  if (opened.functions.name == nullptr && opened.problem.empty()) {                       \
    opened.problem = concatenate("the ICD loader ", kLibrary, " has no function ", #name, \
                                 "; OpenCL 2.0 is needed (Debian: ocl-icd-libopencl1)");  \
  }
  OPWRIGHT_OPENCL_FUNCTIONS(OPWRIGHT_OPENCL_FIND)
#undef OPWRIGHT_OPENCL_FIND
  return opened;
}

struct StatusName {
  cl_int status;
  const char* name;
};
#define OPWRIGHT_OPENCL_STATUS(name) \
  StatusName { name, #name }
constexpr auto kStatusNames = std::to_array<StatusName>({
    OPWRIGHT_OPENCL_STATUS(CL_DEVICE_NOT_FOUND),
    OPWRIGHT_OPENCL_STATUS(CL_DEVICE_NOT_AVAILABLE),
    OPWRIGHT_OPENCL_STATUS(CL_COMPILER_NOT_AVAILABLE),
    OPWRIGHT_OPENCL_STATUS(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    OPWRIGHT_OPENCL_STATUS(CL_OUT_OF_RESOURCES),
    OPWRIGHT_OPENCL_STATUS(CL_OUT_OF_HOST_MEMORY),
    OPWRIGHT_OPENCL_STATUS(CL_PROFILING_INFO_NOT_AVAILABLE),
    OPWRIGHT_OPENCL_STATUS(CL_MEM_COPY_OVERLAP),
    OPWRIGHT_OPENCL_STATUS(CL_BUILD_PROGRAM_FAILURE),
    OPWRIGHT_OPENCL_STATUS(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    OPWRIGHT_OPENCL_STATUS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    OPWRIGHT_OPENCL_STATUS(CL_COMPILE_PROGRAM_FAILURE),
    OPWRIGHT_OPENCL_STATUS(CL_LINKER_NOT_AVAILABLE),
    OPWRIGHT_OPENCL_STATUS(CL_LINK_PROGRAM_FAILURE),
    OPWRIGHT_OPENCL_STATUS(CL_INVALID_VALUE),
    OPWRIGHT_OPENCL_STATUS(CL_INVALID_DEVICE_TYPE),
    OPWRIGHT_OPENCL_STATUS(CL_INVALID_PLATFORM),
    OPWRIGHT_OPENCL_STATUS(CL_INVALID_DEVICE),
    OPWRIGHT_OPENCL_STATUS(CL_INVALID_CONTEXT),
    OPWRIGHT_OPENCL_STATUS(CL_INVALID_QUEUE_PROPERTIES),
    OPWRIGHT_OPENCL_STATUS(CL_INVALID_COMMAND_QUEUE),
    OPWRIGHT_OPENCL_STATUS(CL_INVALID_MEM_OBJECT),
    OPWRIGHT_OPENCL_STATUS(CL_INVALID_BINARY),
    OPWRIGHT_OPENCL_STATUS(CL_INVALID_BUILD_OPTIONS),
    OPWRIGHT_OPENCL_STATUS(CL_INVALID_PROGRAM),
    OPWRIGHT_OPENCL_STATUS(CL_INVALID_PROGRAM_EXECUTABLE),
    OPWRIGHT_OPENCL_STATUS(CL_INVALID_KERNEL_NAME),
    OPWRIGHT_OPENCL_STATUS(CL_INVALID_KERNEL_DEFINITION),
    OPWRIGHT_OPENCL_STATUS(CL_INVALID_KERNEL),
    OPWRIGHT_OPENCL_STATUS(CL_INVALID_ARG_INDEX),
    OPWRIGHT_OPENCL_STATUS(CL_INVALID_ARG_VALUE),
    OPWRIGHT_OPENCL_STATUS(CL_INVALID_ARG_SIZE),
    OPWRIGHT_OPENCL_STATUS(CL_INVALID_KERNEL_ARGS),
    OPWRIGHT_OPENCL_STATUS(CL_INVALID_WORK_DIMENSION),
    OPWRIGHT_OPENCL_STATUS(CL_INVALID_WORK_GROUP_SIZE),
    OPWRIGHT_OPENCL_STATUS(CL_INVALID_WORK_ITEM_SIZE),
    OPWRIGHT_OPENCL_STATUS(CL_INVALID_GLOBAL_OFFSET),
    OPWRIGHT_OPENCL_STATUS(CL_INVALID_EVENT_WAIT_LIST),
    OPWRIGHT_OPENCL_STATUS(CL_INVALID_EVENT),
    OPWRIGHT_OPENCL_STATUS(CL_INVALID_OPERATION),
    OPWRIGHT_OPENCL_STATUS(CL_INVALID_BUFFER_SIZE),
    OPWRIGHT_OPENCL_STATUS(CL_INVALID_GLOBAL_WORK_SIZE),
    OPWRIGHT_OPENCL_STATUS(CL_INVALID_PROPERTY),
    OPWRIGHT_OPENCL_STATUS(CL_INVALID_COMPILER_OPTIONS),
    OPWRIGHT_OPENCL_STATUS(CL_INVALID_LINKER_OPTIONS),
    StatusName{-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
});
#undef OPWRIGHT_OPENCL_STATUS

}  // namespace

const Loader& loader() {
  static const Loader& opened = *new Loader(open_loader());
  return opened;
}

const OpenClFunctions& opencl() { return loader().functions; }

std::string status_name(cl_int status) {
  for (const StatusName& entry : kStatusNames) {
    if (entry.status == status) return concatenate(entry.name, " (", status, ")");
  }
  return concatenate("status ", status);
}

void check_status(cl_int status, const char* what) {
  OPWRIGHT_CHECK(status == CL_SUCCESS, "opencl: ", what, " failed with ", status_name(status));
}

}  // namespace opwright::opencl
