#include "bridges/onnxruntime/node_form.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/error.h"
#include "opwright/runtime/bridge.h"
#include "opwright/runtime/onnx.h"

namespace opwright::ort_bridge {
namespace {

constexpr std::string_view kFunctional = "_functional_";

std::string trim(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

}  // namespace

std::vector<onnx::NodeForm> list_forms(const OperatorDescription& op) {
  std::vector<onnx::NodeForm> forms = onnx::node_forms(op.name);
  const bool writes = std::ranges::any_of(
      op.arguments, [](const ArgumentDescription& each) { return each.is_written; });
  if (!writes) return forms;
  onnx::NodeForm sibling = forms.back();  // the schema's own form
  sibling.name.insert(0, kFunctional);
  forms.push_back(std::move(sibling));
  return forms;
}

NodeLine read_line(const std::string& line) {
  const size_t middle = line.find('=');
  OPWRIGHT_CHECK_VALUE(middle != std::string::npos, "the line '", line,
                       "' does not describe the node of an operator; write it as 'ns::op = "
                       "domain::Name(input, ..., attribute=argument, ...)'");
  NodeLine read{trim(line.substr(0, middle)), trim(line.substr(middle + 1))};
  const size_t base = read.op.find("::");
  const bool is_sibling =
      base != std::string::npos && read.op.compare(base + 2, kFunctional.size(), kFunctional) == 0;
  if (is_sibling) read.op.erase(base + 2, kFunctional.size());
  return read;
}

}  // namespace opwright::ort_bridge
