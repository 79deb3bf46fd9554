// The compile backend "ge": converts a captured graph for the engine GE, builds and runs it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/c_api.h"
#include "opwright/compile/backend/executable.h"
#include "opwright/convert/ge/model.h"
#include "opwright/graph_engine/engine.h"
#include "opwright/graph_engine/engine_program.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/value.h"
#include "opwright/visibility.h"

namespace opwright::graph_engine {

class OPWRIGHT_EXPORT EngineExecutable final : public Executable {
 public:
  // NotImplementedError for an operator without a rule, with the user's line.
  EngineExecutable(const GraphPtr& graph, const EngineConfig& config);

  void run(std::span<const OpwValue> arguments, std::span<OpwValue> results) const override;
  [[nodiscard]] std::vector<Section> describe() const override;

  [[nodiscard]] size_t num_results() const { return program_.num_results(); }
  [[nodiscard]] const GeGraphPtr& graph() const noexcept { return graph_; }
  [[nodiscard]] const BuiltGraph& built() const noexcept { return *built_; }

 private:
  EngineProgram program_;
  GeGraphPtr graph_;
  BuiltGraphPtr built_;
};
using EngineExecutablePtr = IntrusivePtr<const EngineExecutable>;

}  // namespace opwright::graph_engine
