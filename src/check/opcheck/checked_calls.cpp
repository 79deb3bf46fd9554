#include "opwright/check/opcheck/checked_calls.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/base/source_site.h"
#include "opwright/base/user_line.h"
#include "opwright/c_api.h"
#include "opwright/check/example/example.h"
#include "opwright/check/opcheck/run_opcheck.h"
#include "opwright/dispatch/arguments.h"
#include "opwright/dispatch/operator.h"
#include "opwright/error.h"
#include "opwright/runtime/opcheck.h"
#include "opwright/schema/constant.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/value.h"

namespace opwright {
namespace {

bool has_own_memory(const Example& example) {
  const auto is_meta = [](const Value& value) {
    return value.tag() == kOpwDeviceValue && value.get().as_device.type == kOpwDeviceMeta;
  };
  const auto is_plain = [](const Tensor& each) {
    return !each.is_fake() && !impl(each).is_wrapper();
  };
  return std::ranges::all_of(example.tensors(), is_plain) &&
         std::ranges::none_of(example.values(), is_meta);
}

// Everything except the values of tensors.
std::string signature_of(const Example& example) {
  std::string signature = example.op().name();
  for (const Value& value : example.values()) {
    signature += "|";
    append_value_text(signature, value.get());
  }
  for (const Tensor& tensor : example.tensors()) {
    signature += concatenate("|", tensor.dtype(), to_text(tensor.sizes()),
                             to_text(tensor.strides()), tensor.requires_grad());
  }
  return signature;
}

}  // namespace

CheckedCalls::CheckedCalls(std::vector<std::string> namespaces, OpcheckOptions options)
    : namespaces_(std::move(namespaces)), options_(std::move(options)) {}

bool CheckedCalls::is_wanted(const Operator& op) const {
  return std::ranges::find(namespaces_, op.schema().name.name_space) != namespaces_.end();
}

bool CheckedCalls::process(const Operator& op, Arguments args, Results /*results*/) {
  if (!is_wanted(op)) return false;
  const Example given(op, args);
  if (!has_own_memory(given) || !seen_.insert(signature_of(given)).second) return false;
  const SourceSite line = current_user_line();
  try {
    CheckReport report = check(given.copy(), options_);
    ++num_checked_;
    if (!report.ok()) failures_.push_back({.line = line, .report = std::move(report)});
  } catch (const Error& error) {
    // The call itself raises the operator's error.
    if (std::string_view(error.kind()) != "ValueError") throw;
  }
  return false;
}

CheckReport CheckedCalls::check(const Example& given, const OpcheckOptions& options) {
  return run_opcheck(given, options);
}

}  // namespace opwright
