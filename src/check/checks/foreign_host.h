// Calls an operator in another host (PyTorch, JAX, ONNX Runtime), for opcheck.
//
// Each host has a check of its own name, run on request, that compares a call in the host with one
// in Opwright. The core knows no host; the Python package sets them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/check/example/example.h"
#include "opwright/check/example/outcome.h"
#include "opwright/dispatch/operator.h"
#include "opwright/visibility.h"

namespace opwright {

struct HostAnswer {
  Outcome outcome;
  // Why the host cannot run these arguments: "it has no complex64"; empty if it did.
  std::string left_out = {};
};

class OPWRIGHT_EXPORT ForeignHost {
 public:
  ForeignHost() = default;
  ForeignHost(const ForeignHost&) = delete;
  ForeignHost& operator=(const ForeignHost&) = delete;
  virtual ~ForeignHost() = default;

  // Why no call of the operator can be compared: "torch is not installed; pip install torch".
  [[nodiscard]] virtual std::optional<std::string> find_reason_to_skip(const Operator& op) = 0;
  // Calls the operator there, on a copy. Errors of the call are returned, all others thrown.
  [[nodiscard]] virtual HostAnswer run(const Example& example) = 0;
};

// "torch", "jax", "onnxruntime".
[[nodiscard]] OPWRIGHT_EXPORT std::vector<std::string> foreign_host_names();
// Sets the host that the check of that name uses; null: none. ValueError for an unknown name.
OPWRIGHT_EXPORT void set_foreign_host(std::string_view name, std::shared_ptr<ForeignHost> host);

}  // namespace opwright
