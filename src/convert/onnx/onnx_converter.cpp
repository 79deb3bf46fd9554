#include "opwright/convert/onnx/onnx_converter.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/convert/converter.h"
#include "opwright/convert/onnx/rules/rules.h"
#include "opwright/convert/trace_choice.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/registry.h"
#include "opwright/error.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/node.h"
#include "opwright/runtime/onnx.h"
#include "opwright/transforms/trace/make_fx.h"
#include "opwright/transforms/trace/trace.h"

namespace opwright::onnx {
namespace {

void register_builtin_rules() {
  for (const RuleFamily family : kRuleFamilies) {
    for (const BuiltinRule& each : family()) {
      register_converter(each.op,
                         make_intrusive<FunctionConverter>(each.rule, each.since_opset, true))
          .keep();
    }
  }
}

const AddedEngine kAdded({kEngine, &register_builtin_rules});

// The registrations of register_symbolic, for removing them.
struct Symbolics {
  std::mutex mutex;
  std::map<std::pair<std::string, int64_t>, std::vector<Registration>> registrations;
};
Symbolics& symbolics() {
  static auto* kept = new Symbolics();  // static objects of programs may unregister late
  return *kept;
}

}  // namespace

TraceOptions trace_options(int64_t opset) { return choose_trace(kEngine, opset); }

GraphPtr trace_part(const GraphPtr& graph, int64_t opset, const Operator* also) {
  TraceSessionOptions options;
  options.functional = true;
  options.keeps_custom_whole = true;
  options.is_part = true;
  options.trace = trace_options(opset);
  if (also) options.trace.decompose.insert(also);
  for (const Node* node = graph->first(); node; node = node->next()) {
    if (node->kind() == NodeKind::Call && options.trace.decompose.contains(&node->op()))
      return retrace(*graph, std::move(options));
  }
  return graph;
}

void register_symbolic(const std::string& op, int64_t opset, Rule rule) {
  Registration made = register_converter(op, make_intrusive<FunctionConverter>(rule, opset));
  const std::lock_guard lock(symbolics().mutex);
  symbolics().registrations[{op, opset}].push_back(std::move(made));
}

void unregister_symbolic(const std::string& op, int64_t opset) {
  std::vector<Registration> removed;  // destroyed outside the lock
  const std::lock_guard lock(symbolics().mutex);
  const auto found = symbolics().registrations.find({op, opset});
  OPWRIGHT_CHECK_VALUE(found != symbolics().registrations.end(), "ONNX: no symbolic of ", op,
                       " was registered for opset ", opset);
  removed = std::move(found->second);
  symbolics().registrations.erase(found);
}

}  // namespace opwright::onnx
