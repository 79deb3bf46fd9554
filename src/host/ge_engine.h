// Who runs graphs of the engine GE: a vendor's library, or Opwright's own operators.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/c_api.h"
#include "opwright/convert/ge/model.h"
#include "opwright/device.h"
#include "opwright/value.h"

namespace opwright::graph_engine {

// A graph made ready to run many times.
class BuiltGraph : public Counted<BuiltGraph> {
 public:
  virtual ~BuiltGraph() = default;
  // `arguments` are the program's inputs that are arguments, in order; `results` has room for its
  // outputs and is the caller's afterwards. Sizes may differ from run to run where the program has
  // symbols. Any thread.
  virtual void run(std::span<const OpwValue> arguments, std::span<OpwValue> results) const = 0;
  // A line for each op: who runs it.
  [[nodiscard]] virtual std::string describe() const = 0;
};
using BuiltGraphPtr = IntrusivePtr<const BuiltGraph>;

// Pairs of key and value that a vendor's library understands.
using EngineOptions = std::vector<std::pair<std::string, std::string>>;

struct EngineConfig {
  std::string library = {};  // a path, as opwright/ge_engine.h; empty: Opwright's operators
  EngineOptions options = {};
};

// On the device of its tensors. NotImplementedError for an op that neither has a kernel there nor
// comes from an operator that has one.
[[nodiscard]] BuiltGraphPtr build(const GeGraphPtr& graph, Device device,
                                  const EngineConfig& config);

// The two ways. OSError, ImportError and RuntimeError of a vendor's library.
[[nodiscard]] BuiltGraphPtr build_by_library(const GeGraphPtr& graph, Device device,
                                             const EngineConfig& config);
[[nodiscard]] BuiltGraphPtr build_by_operators(const GeGraphPtr& graph, Device device);

}  // namespace opwright::graph_engine
