// The exports of libopwright_jax.so: the handler that XLA calls, one for all operators, and the
// functions with which python/opwright/jax.py loads and registers.
#include <cstddef>
#include <string>
#include <string_view>

#include "bridges/jax/jax_call.h"
#include "bridges/jax/jax_operator.h"
#include "bridges/jax/jax_pullback.h"
#include "bridges/jax/xla_arguments.h"
#include "bridges/jax/xla_ffi.h"
#include "bridges/operators/last_error.h"
#include "opwright/error.h"
#include "opwright/runtime/bridge.h"

namespace opwright::jax_bridge {
namespace {

// Whether XLA only queries the handler's metadata.
bool answer_metadata(const XlaCallFrame& frame) {
  for (XlaExtension* each = frame.extensions; each; each = each->next) {
    if (each->type != XlaExtensionType::Metadata) continue;
    XlaMetadata& metadata = *reinterpret_cast<XlaMetadataExtension*>(each)->metadata;
    metadata.api_version.major_version = kXlaMajorVersion;
    metadata.api_version.minor_version = kXlaMinorVersion;
    metadata.traits = 0;
    return true;
  }
  return false;
}

struct CodeOfKind {
  std::string_view kind;
  XlaErrorCode code;
};
constexpr CodeOfKind kCodes[] = {
    {"ValueError", XlaErrorCode::InvalidArgument},
    {"TypeError", XlaErrorCode::InvalidArgument},
    {"AttributeError", XlaErrorCode::NotFound},
    {"MemoryError", XlaErrorCode::ResourceExhausted},
    {"IndexError", XlaErrorCode::OutOfRange},
    {"OverflowError", XlaErrorCode::OutOfRange},
    {"NotImplementedError", XlaErrorCode::Unimplemented},
};

XlaError* give_error(const XlaApi& api, const Error& error) {
  const std::string message = concatenate(error.kind(), ": ", error.message());
  XlaErrorCreateArgs args{.struct_size = offsetof(XlaErrorCreateArgs, code) + sizeof(XlaErrorCode),
                          .extensions = nullptr,
                          .message = message.c_str(),
                          .code = XlaErrorCode::Internal};
  for (const CodeOfKind& each : kCodes) {
    if (each.kind == error.kind()) args.code = each.code;
  }
  return api.create_error(&args);
}

std::string_view read_name(const XlaAttributes& attributes) {
  const XlaAttribute found = find_attribute(attributes, "_operator");
  OPWRIGHT_CHECK_TYPE(found.value && found.type == XlaAttributeType::String,
                      "a call of Opwright's handler needs the string attribute '_operator', the "
                      "name of the operator");
  const auto* text = static_cast<const XlaText*>(found.value);
  return {text->characters, text->length};
}

void run_frame(const XlaCallFrame& frame) {
  JaxOperator& op = find_operator(read_name(frame.attributes));
  const bool is_pullback = find_attribute(frame.attributes, "_pullback").value != nullptr;
  try {
    if (is_pullback) {
      run_pullback(op, frame);
    } else {
      run_call(op, frame);
    }
  } catch (...) {
    Error error = current_error();
    error.add_note("operator", concatenate("in ", op.description.name, ", called by jax"));
    throw error;
  }
}

}  // namespace
}  // namespace opwright::jax_bridge

using opwright::jax_bridge::XlaCallFrame;
using opwright::jax_bridge::XlaError;

extern "C" {

XlaError* opw_jax_handler(XlaCallFrame* frame) {
  using namespace opwright::jax_bridge;  // NOLINT(google-build-using-namespace)
  if (answer_metadata(*frame) || frame->stage != XlaStage::Execute) return nullptr;
  try {
    const opwright::ForeignCallScope scope;
    run_frame(*frame);
    return nullptr;
  } catch (...) {
    return give_error(*frame->api, opwright::current_error());
  }
}

// Returns 0, or 1 with the error in opw_jax_error_kind and _message, valid until the next call of
// this thread.
int opw_jax_register(const char* name) {
  return opwright::bridges::status_of([&] { opwright::jax_bridge::register_operator(name); });
}

// `take` is called with the name of each registered operator.
int opw_jax_load(const char* path, void (*take)(const char* name)) {
  return opwright::bridges::status_of([&] {
    for (const std::string& name : opwright::jax_bridge::load_operators(path)) take(name.c_str());
  });
}

const char* opw_jax_error_kind() { return opwright::bridges::last_error().kind.c_str(); }
const char* opw_jax_error_message() { return opwright::bridges::last_error().message.c_str(); }

}  // extern "C"
