#include "bridges/onnxruntime/ort_api.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "opwright/error.h"

namespace opwright::ort_bridge {
namespace {

constexpr uint32_t kNewestKnownApi = 25;

// 31 for "1.31.1"; 0 for a text of another form. Requesting a version that does not exist would
// print a complaint.
uint32_t api_version(std::string_view version) {
  const size_t first = version.find('.');
  if (first == std::string_view::npos) return 0;
  uint32_t minor = 0;
  std::from_chars(version.data() + first + 1, version.data() + version.size(), minor);
  return minor;
}

}  // namespace

void OrtApi::throw_status(OrtStatus* status) const {
  const std::string text = call(entry::kGetErrorMessage, status);
  call(entry::kReleaseStatus, status);
  throw_error("RuntimeError", "ONNX Runtime: ", text);
}

OrtApi open_api(const OrtApiBase& base) {
  const char* text = base.get_version();
  const uint32_t version =
      std::clamp(api_version(text ? text : ""), kOldestOrtApi, kNewestKnownApi);
  const void* table = base.get_api(version);
  OPWRIGHT_CHECK_KIND("ImportError", table, "ONNX Runtime ", text ? text : "(no version)",
                      " is too old for Opwright's operators, which need 1.", kOldestOrtApi,
                      " or newer\n  pip install --upgrade onnxruntime");
  return {table, version};
}

}  // namespace opwright::ort_bridge
