// The exports of libopwright_onnxruntime.so: the entry point that ONNX Runtime looks up, the one of
// opwright/onnxruntime.h, and the functions with which python/opwright/onnxruntime.py prepares a
// registration.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "bridges/onnxruntime/model_lines.h"
#include "bridges/onnxruntime/ort_api.h"
#include "bridges/onnxruntime/ort_status.h"
#include "bridges/onnxruntime/registration.h"
#include "bridges/operators/last_error.h"
#include "opwright/error.h"
#include "opwright/runtime/bridge.h"
#include "opwright/runtime/onnxruntime.h"

namespace opwright::ort_bridge {
namespace {

constexpr const char* kVariable = "OPWRIGHT_ONNXRUNTIME_LIBRARIES";

// Prepared by Python for the next RegisterCustomOps of this thread.
thread_local std::optional<Registration> prepared;

// 'libcst.so:libaudio.so'.
Registration read_paths(std::string_view paths) {
  Registration all;
  while (!paths.empty()) {
    const size_t end = paths.find(':');
    const std::string_view path = paths.substr(0, end);
    if (!path.empty()) all.add_binary(std::string(path));
    paths = end == std::string_view::npos ? std::string_view() : paths.substr(end + 1);
  }
  return all;
}

Registration read_environment() {
  const char* paths = std::getenv(kVariable);
  OPWRIGHT_CHECK_VALUE(paths && *paths != '\0',
                       "no operators to register: the environment variable ", kVariable,
                       " names no binaries ('libcst.so:libaudio.so')");
  return read_paths(paths);
}

// `make` returns a Registration.
template <class Make>
OrtStatus* give(OrtSessionOptions* options, const OrtApiBase* base, const Make& make) noexcept {
  constexpr uint32_t kAnyVersion = 1;  // can create a status
  OrtApi api(base->get_api(kAnyVersion), kAnyVersion);
  return status_from(api, [&] {
    const ForeignCallScope scope;
    api = open_api(*base);
    make().give_to(options, api);
  });
}

}  // namespace
}  // namespace opwright::ort_bridge

using opwright::bridges::last_error;
using opwright::bridges::status_of;
using opwright::ort_bridge::prepared;
using opwright::ort_bridge::Registration;

extern "C" {

OrtStatus* RegisterCustomOps(OrtSessionOptions* options, const OrtApiBase* api) {
  return opwright::ort_bridge::give(options, api, [] {
    if (prepared) return *std::exchange(prepared, std::nullopt);
    return opwright::ort_bridge::read_environment();
  });
}

OrtStatus* opw_onnxruntime_register(OrtSessionOptions* options, const OrtApiBase* api,
                                    const char* paths) {
  return opwright::ort_bridge::give(options, api,
                                    [&] { return opwright::ort_bridge::read_paths(paths); });
}

// ---- For Python: 0, or 1 with the error in opw_onnxruntime_error_kind and _message, valid until
// the next call of this thread ----

void opw_onnxruntime_begin(uint64_t options_number) {
  prepared.emplace();
  prepared->set_options_number(options_number);
}
void opw_onnxruntime_cancel() { prepared.reset(); }
int opw_onnxruntime_add_binary(const char* path) {
  return status_of([&] { prepared->add_binary(path); });
}
int opw_onnxruntime_add_operator(const char* name) {
  return status_of([&] { prepared->add_operator(name); });
}
int opw_onnxruntime_add_line(const char* line) {
  return status_of([&] { prepared->add_line(line); });
}
int opw_onnxruntime_add_model(const char* path) {
  return status_of([&] {
    for (const std::string& each : opwright::ort_bridge::read_model_file_lines(path))
      prepared->add_line(each);
  });
}
int opw_onnxruntime_add_model_bytes(const char* bytes, size_t size) {
  return status_of([&] {
    for (const std::string& each : opwright::ort_bridge::read_model_lines({bytes, size}))
      prepared->add_line(each);
  });
}
void opw_onnxruntime_leave_out(const char* node) { prepared->leave_out(node); }
// `take` is called with "domain::Name" for each node.
int opw_onnxruntime_nodes(void (*take)(const char* node)) {
  return status_of([&] {
    for (const std::string& each : prepared->nodes()) take(each.c_str());
  });
}
const char* opw_onnxruntime_error_kind() { return last_error().kind.c_str(); }
const char* opw_onnxruntime_error_message() { return last_error().message.c_str(); }

}  // extern "C"
