// Executable: a captured graph, ready to run on plain tensors. Made by a backend.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/value.h"
#include "opwright/visibility.h"

namespace opwright {

class OPWRIGHT_EXPORT Executable : public Counted<Executable> {
 public:
  virtual ~Executable() = default;
  // `arguments` are the graph's inputs of role argument, in order; `results` has room for its
  // outputs without the states of random numbers, and the caller then owns them. Called outside all
  // transforms, with no wrapped or fake arguments, and with sizes that satisfy the graph's guards.
  // Nothing is recorded.
  virtual void run(std::span<const OpwValue> arguments, std::span<OpwValue> results) const = 0;
  // For explain(): sections of text, each with a title.
  struct Section {
    std::string title;
    std::string text;
  };
  [[nodiscard]] virtual std::vector<Section> describe() const { return {}; }
};
using ExecutablePtr = IntrusivePtr<const Executable>;

// Compiles a functional graph (which writes only at its end) that does not change afterwards.
// Inputs that it writes share no memory with others in any run.
using Backend = std::function<ExecutablePtr(const GraphPtr& graph)>;

// ValueError if the name is taken.
OPWRIGHT_EXPORT void register_backend(std::string name, Backend backend);
// ValueError with the known names.
[[nodiscard]] OPWRIGHT_EXPORT Backend find_backend(std::string_view name);

}  // namespace opwright
