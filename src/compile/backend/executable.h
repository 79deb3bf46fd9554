// Executable: a captured graph made ready to run on plain tensors. What a backend gives.
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
  // `arguments` are the graph's inputs that are arguments, in order; `results` has room for its
  // outputs but the states of random numbers, and is the caller's afterwards. Called where no
  // transform is active and no argument is wrapped or fake; sizes meet the graph's guards. Nothing
  // is recorded.
  virtual void run(std::span<const OpwValue> arguments, std::span<OpwValue> results) const = 0;
  // For explain(): sections of text, each with its title.
  struct Section {
    std::string title;
    std::string text;
  };
  [[nodiscard]] virtual std::vector<Section> describe() const { return {}; }
};
using ExecutablePtr = IntrusivePtr<const Executable>;

// From a functional graph (writes at its end alone), which does not change from here on. Inputs
// that it writes share no memory with others in any run.
using Backend = std::function<ExecutablePtr(const GraphPtr& graph)>;

// ValueError for a name that is taken.
OPWRIGHT_EXPORT void register_backend(std::string name, Backend backend);
// ValueError with the names there are.
[[nodiscard]] OPWRIGHT_EXPORT Backend find_backend(std::string_view name);

}  // namespace opwright
