#include "bridges/onnxruntime/ort_operator.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "bridges/onnxruntime/attribute_value.h"
#include "bridges/onnxruntime/infer_outputs.h"
#include "bridges/onnxruntime/node_kernel.h"
#include "bridges/onnxruntime/ort_api.h"
#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/runtime/bridge.h"
#include "opwright/runtime/onnx.h"

namespace opwright::ort_bridge {
namespace {

// ONNX Runtime rejects an absent variadic input, so a list with holes is declared as this many
// optional inputs.
constexpr size_t kMostWithHoles = 64;

const char* get_name(const OrtCustomOp* op) { return OrtOperator::from(op).form.name.c_str(); }
const char* get_provider(const OrtCustomOp* /*op*/) { return nullptr; }  // the CPU's
OrtDType get_any_type(const OrtCustomOp* /*op*/, size_t /*index*/) { return OrtDType::Undefined; }
size_t get_input_count(const OrtCustomOp* op) { return OrtOperator::from(op).inputs.size(); }
size_t get_output_count(const OrtCustomOp* op) { return OrtOperator::from(op).outputs.size(); }
OrtPresence get_input_presence(const OrtCustomOp* op, size_t index) {
  return OrtOperator::from(op).inputs[index];
}
OrtPresence get_output_presence(const OrtCustomOp* op, size_t index) {
  return OrtOperator::from(op).outputs[index];
}
int get_default_memory(const OrtCustomOp* /*op*/, size_t /*index*/) { return 0; }
int get_zero(const OrtCustomOp* /*op*/) { return 0; }
int get_one(const OrtCustomOp* /*op*/) { return 1; }
int get_greatest(const OrtCustomOp* /*op*/) { return std::numeric_limits<int>::max(); }

constexpr OrtCustomOp kFunctions{.version = kOldestOrtApi,
                                 .create_kernel = nullptr,
                                 .get_name = &get_name,
                                 .get_provider = &get_provider,
                                 .get_input_type = &get_any_type,
                                 .get_input_count = &get_input_count,
                                 .get_output_type = &get_any_type,
                                 .get_output_count = &get_output_count,
                                 .compute = nullptr,
                                 .destroy_kernel = &destroy_kernel,
                                 .get_input_presence = &get_input_presence,
                                 .get_output_presence = &get_output_presence,
                                 .get_input_memory = &get_default_memory,
                                 .get_least_variadic_inputs = &get_zero,
                                 .are_variadic_inputs_alike = &get_zero,
                                 .get_least_variadic_outputs = &get_zero,
                                 .are_variadic_outputs_alike = &get_zero,
                                 .create_kernel_v2 = &create_kernel,
                                 .compute_v2 = &compute,
                                 .infer_outputs = &infer_outputs,
                                 .get_first_version = &get_one,
                                 .get_last_version = &get_greatest,
                                 .later = {}};

}  // namespace

OrtOperator::OrtOperator(OperatorDescription of, onnx::NodeForm node, const OrtApi& ort,
                         const OpwRecord* function)
    : OrtCustomOp(kFunctions),
      description(std::move(of)),
      form(std::move(node)),
      api(ort),
      kernel(function),
      in_core(description.name) {
  for (size_t i = 0; i < description.results.size(); ++i) {
    if (description.results[i].written_argument >= 0) continue;
    results.push_back(i);
    has_list_result = has_list_result || description.results[i].type.is_list;
  }
  for (size_t i = 0; i < description.arguments.size(); ++i) {
    if (description.arguments[i].is_written) written.push_back(i);
  }
  require_callable();
  declare_inputs();
  declare_outputs();
}

void OrtOperator::require_callable() const {
  std::vector<bool> is_given(description.arguments.size());
  for (const uint32_t index : form.inputs) {
    is_given[index] = true;
    OPWRIGHT_CHECK_TYPE(description.arguments[index].type.kind == ValueKind::Tensor,
                        name_argument(description, index), " is a ",
                        description.arguments[index].type.text,
                        ", which a node of ONNX Runtime must have as an attribute");
  }
  for (const auto& each : form.attributes) {
    is_given[each.argument] = true;
    const ArgumentDescription& argument = description.arguments[each.argument];
    OPWRIGHT_CHECK_TYPE(can_be_attribute(argument.type) || argument.default_value,
                        name_argument(description, each.argument), " is a ", argument.type.text,
                        ", which a node of ONNX Runtime cannot have");
  }
  for (size_t i = 0; i < is_given.size(); ++i) {
    const ArgumentDescription& argument = description.arguments[i];
    OPWRIGHT_CHECK_TYPE(is_given[i] || argument.default_value || argument.type.is_optional,
                        name_argument(description, i), " has no default, and the node ",
                        form.domain, "::", form.name, " does not give it");
    OPWRIGHT_CHECK_TYPE(!argument.is_written || (is_given[i] && !argument.type.is_optional),
                        name_argument(description, i), " is a written ", argument.type.text,
                        ", which a node of ONNX Runtime cannot have");
  }
  for (const ResultDescription& each : description.results) {
    OPWRIGHT_CHECK_TYPE(each.type.kind == ValueKind::Tensor && !each.type.has_optional_elements,
                        description.name, ": it returns a ", each.type.text,
                        ", but a node of ONNX Runtime returns tensors only");
  }
  OPWRIGHT_CHECK_TYPE(!results.empty() || !written.empty(), description.name,
                      ": it returns nothing, but a node of ONNX Runtime must have an output");
}

// A list takes any number of inputs, so everything from the first list on is one variadic input.
void OrtOperator::declare_inputs() {
  size_t place = 0;
  for (; place < form.inputs.size(); ++place) {
    const ValueType& type = description.arguments[form.inputs[place]].type;
    if (type.is_list) break;
    inputs.push_back(type.is_optional ? OrtPresence::Optional : OrtPresence::Required);
  }
  if (place == form.inputs.size()) return;
  const bool has_holes = std::any_of(
      form.inputs.begin() + static_cast<ptrdiff_t>(place), form.inputs.end(), [&](uint32_t index) {
        const ValueType& type = description.arguments[index].type;
        return type.has_optional_elements || (type.is_optional && !type.is_list);
      });
  if (has_holes) {
    inputs.resize(inputs.size() + kMostWithHoles, OrtPresence::Optional);
  } else {
    inputs.push_back(OrtPresence::Variadic);
  }
}

void OrtOperator::declare_outputs() {
  const auto declare = [&](bool is_list) {
    if (!outputs.empty() && outputs.back() == OrtPresence::Variadic) return;
    if (is_list) {
      outputs.push_back(OrtPresence::Variadic);
    } else {  // a model may omit trailing ones
      outputs.push_back(outputs.empty() ? OrtPresence::Required : OrtPresence::Optional);
    }
  };
  for (const size_t each : results) declare(description.results[each].type.is_list);
  for (const size_t each : written) declare(description.arguments[each].type.is_list);
}

size_t OrtOperator::num_result_outputs(size_t num_outputs, size_t num_written) const {
  if (!has_list_result) return results.size();
  OPWRIGHT_CHECK_TYPE(num_outputs >= num_written, description.name, ": it writes ", num_written,
                      " tensors, but the node has ", num_outputs, " outputs");
  return num_outputs - num_written;
}

}  // namespace opwright::ort_bridge
