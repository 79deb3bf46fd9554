// onnx: a call becomes an ONNX model, with results of the right types and sizes, also at other
// sizes, and with all arguments of the operator. If models can be run, they return what the call
// returns.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/check/example/check.h"
#include "opwright/check/example/outcome.h"
#include "opwright/check/example/tensor_call.h"
#include "opwright/check/variation/other_sizes.h"
#include "opwright/convert/converter.h"
#include "opwright/convert/onnx/graph_conversion.h"
#include "opwright/convert/onnx/model/model.h"
#include "opwright/convert/onnx/onnx_converter.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/property.h"
#include "opwright/error.h"
#include "opwright/onnx_model/onnx_call.h"
#include "opwright/runtime/onnx.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/tag.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright {
namespace {

constexpr int kMostOtherSizes = 2;
constexpr uint32_t kMostOnnxInputs = 8;
// More than the error of rounding to float32.
constexpr double kMostLoss = 1.0 / (1 << 23);

bool has_own_rule(const Operator& op) {
  return find_converter(op, onnx::kEngine, onnx::kDefaultOpset).is_there();
}

bool loses_digits(double value) {
  if (!std::isfinite(value)) return false;
  const auto kept = static_cast<double>(static_cast<float>(value));
  return std::abs(kept - value) > kMostLoss * std::abs(value);
}

// The model's node for the operator, if it is a single node.
std::optional<onnx::NodeForm> find_form(const Operator& op, const onnx::Model& model) {
  for (const auto& [key, value] : model.state().metadata) {
    if (key != onnx::kOperatorsKey) continue;
    const std::string start = op.name() + " = ";
    std::string_view lines = value;
    while (!lines.empty()) {
      const std::string_view line = lines.substr(0, lines.find('\n'));
      lines.remove_prefix(std::min(line.size() + 1, lines.size()));
      if (line.starts_with(start))
        return onnx::parse_node_form(line.substr(start.size()), op.name());
    }
  }
  return std::nullopt;
}

class OnnxCheck : public Check {
 public:
  std::optional<std::string> find_reason_to_skip(const Operator& op) override {
    if (op.tags().has(Tag::DataDependentOutput)) return "its results are numbers read from data";
    if (op.tags().has(Tag::NondeterministicSeeded) || op.tags().has(Tag::Nondeterministic))
      return "it draws random numbers, which no model does the same way";
    const TraceOptions trace = onnx::trace_options(onnx::kDefaultOpset);
    if (is_builtin(op) && !has_own_rule(op) && !trace.decompose.contains(&op))
      return concatenate("it has no rule for ONNX opset ", onnx::kDefaultOpset);
    return std::nullopt;
  }

  std::optional<Fault> look(const CheckInput& input) override {
    const Example& example = input.example();
    if (holds_objects(example)) return leave_out("an argument is an object, e.g. a Generator");
    const DistinctTensors distinct(example);
    const bool is_shared =
        distinct.share_memory() || distinct.get().size() != example.tensors().size();
    if (input.op().writes_arguments() && is_shared) return std::nullopt;
    const Outcome plain = run_compared(example);
    if (plain.is_refused()) return std::nullopt;
    std::optional<ExportedCall> exported;
    try {
      exported.emplace(export_for_onnx(example));
    } catch (const Error&) {
      return std::nullopt;  // reported by the check of exports
    }
    try {
      const onnx::Model model = to_model(*exported);
      return look(input, plain, {std::move(*exported), model});
    } catch (const Error& error) {
      return refusal(input.op(), error);
    }
  }

  std::vector<Fault> remarks(const Operator& op) override {
    std::vector<Fault> remarks = std::move(remarks_);
    if (num_left_out_ != 0) {
      remarks.push_back(
          {"onnx-left-out", concatenate(op.name(), ": ", num_left_out_,
                                        num_left_out_ == 1 ? " input was" : " inputs were",
                                        " not exported as ONNX: ", why_left_out_)});
    }
    return remarks;
  }

 private:
  std::optional<Fault> leave_out(const std::string& why) {
    if (num_left_out_++ == 0) why_left_out_ = why;
    return std::nullopt;
  }

  // Values that a built-in rule or the node of the schema cannot hold are a limit of ONNX.
  std::optional<Fault> refusal(const Operator& op, const Error& error) {
    const std::string_view kind = error.kind();
    const bool is_limit = kind == "NotImplementedError" || kind == "TypeError";
    if (is_builtin(op) || (is_limit && !has_own_rule(op))) return leave_out(text_of(error));
    return Fault{"onnx-raised",
                 concatenate(op.name(), " cannot be exported as ONNX: ", text_of(error))};
  }

  std::optional<Fault> look(const CheckInput& input, const Outcome& plain, const OnnxCall& call) {
    if (auto fault = find_wrong_outputs(input, plain, call)) return fault;
    if (!is_builtin(input.op())) note_arguments(input.example(), call.model);
    const std::shared_ptr<OnnxReferee> referee = onnx_referee();
    // Runs of built-in rules are tested elsewhere, on inputs of more than one operator.
    const bool is_run =
        referee && !is_builtin(input.op()) && !referee->find_reason_to_skip(input.op()).has_value();
    if (is_run) {
      if (auto fault = find_wrong_run(input, plain, call, *referee)) return fault;
    }
    if (input.settings().is_harmful) return std::nullopt;
    return look_at_other_sizes(input, call, is_run ? referee.get() : nullptr);
  }

  // ---- What the model declares about its outputs ----

  static std::optional<std::string> find_difference_of_outputs(const Outcome& plain,
                                                               const OnnxCall& call,
                                                               const SymbolValues& values) {
    const std::vector<Tensor> results = plain.result_tensors();
    const std::vector<onnx::ValueInfo>& outputs = call.model.state().graph.outputs;
    if (outputs.size() < results.size()) {
      return concatenate("it has ", outputs.size(), " outputs, and the call gives ", results.size(),
                         " tensors");
    }
    for (size_t i = 0; i < results.size(); ++i) {
      if (outputs[i].dtype != results[i].dtype()) {
        return concatenate("output ", i + 1, " is ", outputs[i].dtype, ", and the call gives ",
                           results[i].dtype());
      }
      if (outputs[i].dims.size() != results[i].sizes().size()) {
        return concatenate("output ", i + 1, " has ", outputs[i].dims.size(),
                           " dimensions, and the result has ", results[i].sizes().size());
      }
      for (size_t dim = 0; dim < outputs[i].dims.size(); ++dim) {
        const std::optional<int64_t> said =
            size_of(call.exported.env(), outputs[i].dims[dim], values);
        if (!said || *said == results[i].sizes()[dim]) continue;
        return concatenate("dimension ", dim, " of output ", i + 1, " is ", *said,
                           ", and the call gives ", results[i].sizes()[dim]);
      }
    }
    return std::nullopt;
  }
  // nullopt for a data-dependent size.
  static std::optional<int64_t> size_of(const ShapeEnv& env, const onnx::Dimension& dim,
                                        const SymbolValues& values) {
    if (dim.name.empty()) return dim.size;
    return evaluate_size(env, env.parse(dim.name), values);
  }

  static std::optional<Fault> find_wrong_outputs(const CheckInput& input, const Outcome& plain,
                                                 const OnnxCall& call) {
    const SymbolValues values = values_of(size_symbols(input.example(), call.exported.forms()));
    const auto difference = find_difference_of_outputs(plain, call, values);
    if (!difference) return std::nullopt;
    return Fault{"onnx-wrong-outputs",
                 concatenate("the ONNX model of ", input.op().name(),
                             " declares the fake kernel's results, which are wrong: ", *difference,
                             "\n  Fix the fake kernel; opcheck's check \"fake\" says more.")};
  }

  // ---- What the node holds ----

  void note(std::string kind, std::string message) {
    const bool is_known =
        std::ranges::any_of(remarks_, [&](const Fault& each) { return each.kind == kind; });
    if (!is_known) remarks_.push_back({std::move(kind), std::move(message)});
  }

  void note_arguments(const Example& example, const onnx::Model& model) {
    const Operator& op = example.op();
    const std::optional<onnx::NodeForm> form = find_form(op, model);
    if (!form) return;
    const std::string node = concatenate(form->domain, "::", form->name);
    for (uint32_t i = 0; i < op.num_arguments(); ++i) {
      const Argument& argument = op.schema().arguments[i];
      const bool is_input = std::ranges::find(form->inputs, i) != form->inputs.end();
      const auto attribute =
          std::ranges::find(form->attributes, i, &onnx::NodeForm::NamedArgument::argument);
      if (is_input) continue;
      if (attribute == form->attributes.end()) {
        if (example.values()[i].is_none()) continue;
        note("onnx-drops-argument",
             concatenate(op.name(), ": its ONNX node ", node, " does not hold the argument '",
                         argument.name,
                         "', so what runs the model cannot know it\n  Add it to the symbolic: "
                         "g.op(\"",
                         node, "\", ..., ", argument.name, "_f=", argument.name, ")."));
      } else if (const auto lost = find_lost_number(example.values()[i].get())) {
        note("onnx-float-attribute",
             concatenate(op.name(), ": '", argument.name, "' is ", *lost, ", and the attribute '",
                         attribute->attribute, "' of its ONNX node ", node, " holds ",
                         static_cast<double>(static_cast<float>(*lost)),
                         ": attributes are float32"));
      }
    }
  }
  static std::optional<double> find_lost_number(const OpwValue& value) {
    if (value.tag == kOpwFloat) {
      const double number = ValueOf<double>::read(value);
      return loses_digits(number) ? std::optional(number) : std::nullopt;
    }
    if (value.tag != kOpwFloatList) return std::nullopt;
    for (const double number : ValueOf<std::vector<double>>::read(value)) {
      if (loses_digits(number)) return number;
    }
    return std::nullopt;
  }

  // ---- Runs ----

  // "" if they agree; nullopt if the model cannot be run.
  static std::optional<std::string> compare_run(const CheckInput& input, const Example& example,
                                                const Outcome& plain, const OnnxCall& call,
                                                OnnxReferee& referee) {
    const HostAnswer answer = run_model(referee, call, example);
    if (!answer.left_out.empty()) return std::nullopt;
    if (answer.outcome.error) return concatenate("it raises ", text_of(*answer.outcome.error));
    return find_difference(answer.outcome, plain, input.comparison()).value_or("");
  }

  static std::optional<Fault> find_wrong_run(const CheckInput& input, const Outcome& plain,
                                             const OnnxCall& call, OnnxReferee& referee) {
    const auto found = compare_run(input, input.example(), plain, call, referee);
    if (!found || found->empty()) return std::nullopt;
    return Fault{"onnx-differs",
                 concatenate("the ONNX model of ", input.op().name(),
                             " differs in ONNX Runtime from the call: ", *found,
                             "\n  Look at its symbolic: order of inputs, names and values of "
                             "attributes, outputs.")};
  }

  static std::optional<Fault> look_at_other_sizes(const CheckInput& input, const OnnxCall& call,
                                                  OnnxReferee* referee) {
    const SymbolicForms forms = call.exported.forms();
    const auto found = find_fault_at_other_sizes(
        {input.example(), call.exported.env(), forms}, input.settings().seed, kMostOtherSizes,
        [&](const Example& resized, const SymbolValues& values) -> std::optional<std::string> {
          const Outcome plain = run_compared(resized);
          if (plain.is_refused()) return std::nullopt;
          if (auto difference = find_difference_of_outputs(plain, call, values)) return difference;
          if (!referee) return "";
          return compare_run(input, resized, plain, call, *referee);
        });
    if (!found) return std::nullopt;
    return Fault{"onnx-differs-at-other-size",
                 concatenate("the ONNX model of ", input.op().name(),
                             " is right for the sizes given, but", found->where, ": ", found->what,
                             "\n  A symbolic that reads sizes as numbers fixes them; take them "
                             "from the graph.")};
  }

  std::vector<Fault> remarks_;
  uint32_t num_left_out_ = 0;
  std::string why_left_out_;
};

[[maybe_unused]] const bool kIsOnnxCheckRegistered =
    (register_check({.name = "onnx",
                     .about = "the ONNX model of a call declares and returns what the call does",
                     .make = [] { return std::unique_ptr<Check>(new OnnxCheck()); },
                     .place = 79,
                     .shrinks_here = true,
                     .most_inputs = kMostOnnxInputs}),
     true);

}  // namespace
}  // namespace opwright
