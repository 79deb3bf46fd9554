// Errors as statuses of ONNX Runtime.
#pragma once

#include "bridges/onnxruntime/ort_api.h"
#include "opwright/error.h"

namespace opwright::ort_bridge {

// The caller owns it. The text is "TypeError: <message>".
[[nodiscard]] OrtStatus* make_status(const OrtApi& api, const Error& error);

// Null, or the status of the exception that `body` threw.
template <class Body>
OrtStatus* status_from(const OrtApi& api, const Body& body) noexcept {
  try {
    body();
    return nullptr;
  } catch (...) {
    return make_status(api, current_error());
  }
}

}  // namespace opwright::ort_bridge
