#include "opwright/onnx_model/onnx_model.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/convert/onnx/exporter.h"
#include "opwright/convert/onnx/model/model.h"
#include "opwright/convert/onnx/model/model_bytes.h"
#include "opwright/convert/onnx/onnx_converter.h"
#include "opwright/error.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/node.h"
#include "opwright/program/export/exported_program.h"
#include "opwright/program/export/program_object.h"
#include "opwright/program/export/signature.h"
#include "opwright/runtime/onnx.h"
#include "opwright/runtime/program.h"
#include "opwright/transforms/trace/trace.h"

namespace opwright {
namespace {

using onnx::ModelInput;
using onnx::ModelOptions;
using onnx::ModelOutput;
using onnx::ModelRequest;

bool has_operators_to_part(const Graph& graph, const TraceOptions& trace) {
  for (const Node* node = graph.first(); node; node = node->next()) {
    if (node->kind() == NodeKind::Call && trace.decompose.contains(&node->op())) return true;
  }
  return false;
}

void check_count(const char* what, const std::vector<std::string>& names, size_t wanted) {
  OPWRIGHT_CHECK_VALUE(names.empty() || names.size() == wanted, "ONNX: ", names.size(), " ", what,
                       " names were given, but the program has ", wanted, " ", what, "s");
}

class Request {
 public:
  Request(const ExportedProgram& program, const ModelOptions& options)
      : program_(program),
        request_{.graph = program.graph(), .inputs = {}, .outputs = {}, .options = options} {
    add_inputs();
    add_outputs();
  }
  [[nodiscard]] const ModelRequest& get() const { return request_; }

 private:
  void add_inputs() {
    std::vector<ModelInput> stored;
    const auto& names = request_.options.input_names;
    size_t given = 0;
    for (const InputSpec& spec : program_.signature().inputs) {
      if (spec.value.empty()) continue;  // a constant of the call
      const GraphValue* value = program_.graph().find(spec.value);
      OPWRIGHT_CHECK_KIND("NotImplementedError", spec.kind != InputKind::RandomState,
                          "ONNX: the program draws random numbers, which no model can do the same "
                          "way\n  Export the module in eval mode, or take them as an input.");
      if (spec.kind == InputKind::UserInput) {
        request_.inputs.push_back(
            {.value = value,
             .name = given < names.size() ? names[given] : onnx_input_name(spec.target)});
        ++given;
      } else {
        stored.push_back({.value = value,
                          .name = spec.target,
                          .stored = value->node().bound(),
                          .is_given = is_written(spec)});
      }
    }
    check_count("input", names, given);
    request_.inputs.insert(request_.inputs.end(), stored.begin(), stored.end());
  }

  [[nodiscard]] bool is_written(const InputSpec& spec) const {
    return std::ranges::any_of(program_.signature().outputs, [&](const OutputSpec& output) {
      return output.kind != OutputKind::UserOutput && output.target == spec.target;
    });
  }

  void add_outputs() {
    const auto& names = request_.options.output_names;
    std::vector<ModelOutput> written;
    size_t given = 0;
    size_t place = 0;
    for (const OutputSpec& spec : program_.signature().outputs) {
      if (spec.kind != OutputKind::UserOutput) {
        written.push_back({.value = NodeArgument::of(*program_.graph().find(spec.value)),
                           .name = onnx_input_name(spec.target) + "_out"});
        continue;
      }
      const size_t index = place++;
      if (spec.value.empty() && !is_shown(spec.constant)) continue;  // None, a string
      NodeArgument value = spec.value.empty()
                               ? NodeArgument::constant(spec.constant)
                               : NodeArgument::of(*program_.graph().find(spec.value));
      request_.outputs.push_back(
          {.value = std::move(value),
           .name = given < names.size() ? names[given] : concatenate("output_", index)});
      ++given;
    }
    check_count("output", names, given);
    request_.outputs.insert(request_.outputs.end(), written.begin(), written.end());
  }

  static bool is_shown(const Value& constant) {
    const uint32_t tag = constant.tag();
    return tag == kOpwInt || tag == kOpwSymInt || tag == kOpwFloat || tag == kOpwBool;
  }

  const ExportedProgram& program_;
  ModelRequest request_;
};

}  // namespace

std::string onnx_input_name(const std::string& target) {
  std::string name;
  for (const char character : target) {
    if (character == '[' || character == '.') {
      name += '.';
    } else if (character != '"' && character != ']' && character != '\'') {
      name += character;
    }
  }
  return name;
}

onnx::Model to_onnx_model(const ExportedProgram& program, const ModelOptions& options) {
  const TraceOptions trace = onnx::trace_options(options.opset);
  ExportedProgramPtr parted;
  if (has_operators_to_part(program.graph(), trace)) parted = program.trace_again(trace);
  const Request request(parted ? *parted : program, options);
  return onnx::Model(
      std::make_shared<const onnx::Model::State>(onnx::convert_graph(request.get())));
}

namespace onnx {

Model to_model(const Program& program, const ModelOptions& options) {
  return to_onnx_model(*program_of(program.value().get()), options);
}

void Model::save(const std::string& path) const { onnx::save(*state_, path); }
std::string Model::bytes() const { return to_bytes(*state_); }
std::string Model::text() const { return to_text(*state_); }

}  // namespace onnx
}  // namespace opwright
