// Runs graphs of the engine GE, with a vendor's library or with Opwright's own operators.
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

// A graph that is ready to run many times.
class BuiltGraph : public Counted<BuiltGraph> {
 public:
  virtual ~BuiltGraph() = default;
  // `arguments` are the program's inputs of role argument, in order; `results` has room for its
  // outputs, which the caller then owns. Sizes may differ between runs if the program has symbols.
  // Thread-safe.
  virtual void run(std::span<const OpwValue> arguments, std::span<OpwValue> results) const = 0;
  // One line per op: what runs it.
  [[nodiscard]] virtual std::string describe() const = 0;
};
using BuiltGraphPtr = IntrusivePtr<const BuiltGraph>;

// Key-value pairs that a vendor's library understands.
using EngineOptions = std::vector<std::pair<std::string, std::string>>;

struct EngineConfig {
  std::string library = {};  // library path (opwright/ge_engine.h); empty: Opwright's operators
  EngineOptions options = {};
};

// Builds for the device of its tensors. NotImplementedError for an op that neither has a kernel
// there nor comes from an operator that has one.
[[nodiscard]] BuiltGraphPtr build(const GeGraphPtr& graph, Device device,
                                  const EngineConfig& config);

// The two implementations. OSError, ImportError and RuntimeError come from a vendor's library.
[[nodiscard]] BuiltGraphPtr build_by_library(const GeGraphPtr& graph, Device device,
                                             const EngineConfig& config);
[[nodiscard]] BuiltGraphPtr build_by_operators(const GeGraphPtr& graph, Device device);

}  // namespace opwright::graph_engine
