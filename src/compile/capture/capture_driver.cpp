#include "opwright/compile/capture/capture_driver.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/base/warning.h"
#include "opwright/compile/backend/evaluated_graph.h"
#include "opwright/compile/compile_log.h"
#include "opwright/error.h"
#include "opwright/ir/graph/graph.h"

namespace opwright {
namespace {

constexpr size_t kMostReasons = 256;

void append_reason(std::vector<std::string>& reasons, std::string reason) {
  if (reasons.size() == kMostReasons) reasons.erase(reasons.begin());
  reasons.push_back(std::move(reason));
}

std::vector<Value> values_of(std::span<const CapturedArgument> arguments) {
  std::vector<Value> values;
  for (const CapturedArgument& each : arguments) values.emplace_back(each.tensor);
  return values;
}

bool has_calls(const Graph& graph) {
  for (const Node* node = graph.first(); node; node = node->next()) {
    if (node->kind() == NodeKind::Call) return true;
  }
  return false;
}

}  // namespace

CaptureDriver::CaptureDriver(CaptureOptions options)
    : options_(std::move(options)), sizes_(options_.dynamic) {}

void CaptureDriver::note_reason(const CapturedCall& call) {
  std::optional<std::string> reason = call.find_difference();
  if (!reason) return;
  log(LogTopic::Guards, call.function_name(), " is compiled again: ", *reason);
  append_reason(reasons_, std::move(*reason));
}

// Later calls of this guard set run eagerly from the start.
void CaptureDriver::note_break(CapturedCall& call, std::span<const CapturedArgument> arguments,
                               const std::string& reason) {
  const bool is_reported = call.insert_eager(reason, arguments);
  log(LogTopic::Breaks, call.function_name(), " runs eagerly: ", reason);
  if (!is_reported) return;
  if (std::ranges::find(breaks_, reason) != breaks_.end()) return;  // already reported
  append_reason(breaks_, reason);
  warn("PerformanceWarning",
       concatenate("compile: ", call.function_name(), " runs eagerly for such arguments: ", reason,
                   "\n  Put that code into an operator of its own with a fake kernel "
                   "(opwright.library.custom_op, register_fake); fullgraph=True makes this an "
                   "error."));
}

bool CaptureDriver::capture(CapturedCall& call) {
  note_reason(call);
  std::vector<CapturedArgument> arguments;
  for (const CapturedCall::Given& each : call.tensors())
    arguments.push_back({each.tensor, each.name, sizes_.note(each.name, each.tensor)});
  if (const std::string unfit = call.find_unfit(); !unfit.empty()) {
    if (options_.fullgraph) throw full_graph_error(unfit);
    note_break(call, arguments, unfit);
    call.run_eagerly();
    return false;
  }
  Capture capture;
  for (const CapturedArgument& each : arguments)
    capture.add_tensor(each.tensor, each.name, each.dynamic);
  call.prepare(capture);
  {
    BreakScope breaks(capture.session(), values_of(arguments), {.fullgraph = options_.fullgraph});
    call.run(capture, breaks);
    breaks.check();
    if (breaks.has_broken()) {
      note_break(call, arguments, to_text(*breaks.reason()));
      return false;
    }
  }
  return finish(call, capture, arguments);
}

bool CaptureDriver::finish(CapturedCall& call, Capture& capture,
                           std::span<const CapturedArgument> arguments) {
  try {
    const std::vector<OpwValue> outputs = call.outputs();
    // Inputs and constants need no backend; PyTorch makes a graph of a function that returns one
    // input.
    const bool is_trivial =
        !has_calls(capture.session().trace().graph()) && !call.returns_one_tensor();
    auto compiled = std::make_unique<CompiledEntry>(
        capture, arguments, outputs, is_trivial ? Backend(&evaluate_graph) : options_.backend);
    call.drop_results();
    call.insert_compiled(std::move(compiled));
    ++num_compiles_;
    return true;
  } catch (const Error& error) {
    if (options_.fullgraph || std::string_view(error.kind()) != "GraphBreakError") throw;
    const std::string text = error.text();
    note_break(call, arguments, text.substr(0, text.find('\n')));
  }
  // The failed attempt consumed the trace's tape, so the function runs again: its effects on the
  // state of the host language happen twice, this once.
  call.drop_results();
  call.run_eagerly();
  return false;
}

void CaptureDriver::reset() {
  reasons_.clear();
  breaks_.clear();
  num_compiles_ = 0;
  sizes_ = SizeHistory(options_.dynamic);
}

}  // namespace opwright
