#include "bridges/onnxruntime/ort_status.h"

#include <string>
#include <string_view>

#include "bridges/onnxruntime/ort_api.h"
#include "opwright/error.h"

namespace opwright::ort_bridge {
namespace {

struct CodeOfKind {
  std::string_view kind;
  OrtErrorCode code;
};
constexpr CodeOfKind kCodes[] = {
    {"ValueError", OrtErrorCode::InvalidArgument},
    {"TypeError", OrtErrorCode::InvalidArgument},
    {"IndexError", OrtErrorCode::InvalidArgument},
    {"NotImplementedError", OrtErrorCode::NotImplemented},
    {"OSError", OrtErrorCode::NoSuchFile},
    {"AttributeError", OrtErrorCode::Fail},
    {"ImportError", OrtErrorCode::Fail},
};

}  // namespace

OrtStatus* make_status(const OrtApi& api, const Error& error) {
  const std::string text = concatenate(error.kind(), ": ", error.message());
  OrtErrorCode code = OrtErrorCode::RuntimeException;
  for (const CodeOfKind& each : kCodes) {
    if (each.kind == error.kind()) code = each.code;
  }
  return api.call(entry::kCreateStatus, code, text.c_str());
}

}  // namespace opwright::ort_bridge
