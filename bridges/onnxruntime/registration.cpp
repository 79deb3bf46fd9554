#include "bridges/onnxruntime/registration.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bridges/onnxruntime/node_call.h"
#include "bridges/onnxruntime/node_form.h"
#include "bridges/onnxruntime/ort_api.h"
#include "bridges/onnxruntime/ort_operator.h"
#include "bridges/operators/host_binaries.h"
#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/runtime/bridge.h"
#include "opwright/runtime/onnx.h"
#include "opwright/runtime/runtime.h"

namespace opwright::ort_bridge {
namespace {

std::string node_name(const onnx::NodeForm& form) { return form.domain + "::" + form.name; }

// By table, operator with its schema and kernel, and form: a redefined operator is a different one.
using OperatorKey = std::tuple<const void*, std::string, const OpwRecord*, std::string>;

struct Known {
  std::mutex mutex;
  std::map<OperatorKey, OrtOperator*> operators;
  std::map<std::pair<uint64_t, std::string>, OrtDomain*> domains;  // by number of the options
};
Known& known() {
  static auto* instance = new Known;
  return *instance;
}

bridges::HostBinaries& binaries() {
  static auto* instance = new bridges::HostBinaries("onnxruntime", &call_from_node);
  return *instance;
}

std::unique_ptr<OrtOperator> make_operator(const std::string& name, const onnx::NodeForm& form,
                                           const OrtApi& api) {
  OperatorDescription description = describe_operator(name);
  const OpwRecord* kernel = binaries().find_kernel(description);
  return std::make_unique<OrtOperator>(std::move(description), form, api, kernel);
}

const OrtOperator* keep_operator(const std::string& name, const onnx::NodeForm& form,
                                 const OrtApi& api) {
  std::unique_ptr<OrtOperator> made = make_operator(name, form, api);
  const OperatorKey key{api.table(), made->description.schema, made->kernel,
                        onnx::to_text(form, name)};
  OrtOperator*& kept = known().operators[key];
  if (!kept) kept = made.release();
  return kept;
}

// The domain of the options; created and added to them if it is new.
OrtDomain* open_domain(const std::string& name, uint64_t options_number, OrtSessionOptions* options,
                       const OrtApi& api) {
  OrtDomain* made = nullptr;
  OrtDomain*& kept = options_number == 0 ? made : known().domains[{options_number, name}];
  if (kept) return kept;
  api.require(entry::kCreateDomain, name.c_str(), &kept);
  api.require(entry::kAddDomain, options, kept);
  return kept;
}

}  // namespace

void Registration::add_form(const std::string& op, onnx::NodeForm form) {
  (void)make_operator(op, form, OrtApi());  // throws if it cannot be called
  for (const Node& each : nodes_) {
    if (each.form.domain != form.domain || each.form.name != form.name) continue;
    OPWRIGHT_CHECK_VALUE(each.op == op, "the node ", node_name(form), " is ", each.op,
                         " already, so that it cannot be ", op, " as well");
    return;
  }
  nodes_.push_back({op, std::move(form)});
}

void Registration::add_operator(const std::string& name) {
  const OperatorDescription description = describe_operator(name);
  for (onnx::NodeForm& each : list_forms(description)) add_form(description.name, std::move(each));
}

void Registration::add_binary(const std::string& path) {
  load_library(path);  // also if it was unloaded since
  for (const std::string& name : binaries().open(path).contents().operators) {
    try {
      add_operator(name);
    } catch (const Error& error) {
      if (std::string_view(error.kind()) != "TypeError") throw;
    }
  }
}

void Registration::add_line(const std::string& line) {
  const NodeLine read = read_line(line);
  add_form(read.op, onnx::parse_node_form(read.form, read.op));
}

std::vector<std::string> Registration::nodes() const {
  std::vector<std::string> names;
  for (const Node& each : nodes_) names.push_back(node_name(each.form));
  return names;
}

void Registration::leave_out(const std::string& node) {
  std::erase_if(nodes_, [&](const Node& each) { return node_name(each.form) == node; });
}

void Registration::give_to(OrtSessionOptions* options, const OrtApi& api) const {
  const std::lock_guard lock(known().mutex);
  std::map<std::string, std::vector<const OrtOperator*>> by_domain;
  for (const Node& each : nodes_)
    by_domain[each.form.domain].push_back(keep_operator(each.op, each.form, api));
  for (const auto& [name, operators] : by_domain) {
    OrtDomain* domain = open_domain(name, options_number_, options, api);
    for (const OrtOperator* each : operators)
      api.require(entry::kAddToDomain, domain, static_cast<const OrtCustomOp*>(each));
  }
}

}  // namespace opwright::ort_bridge
