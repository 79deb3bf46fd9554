// Registers operators with session options: one domain for each that their nodes name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bridges/onnxruntime/ort_api.h"
#include "opwright/runtime/onnx.h"

namespace opwright::ort_bridge {

// The operators for a session. They are passed to it all at once.
class Registration {
 public:
  // Loads a binary and adds its operators in all their forms. Skips those that ONNX Runtime cannot
  // call. Errors as load_library.
  void add_binary(const std::string& path);
  // Adds an operator of the core. TypeError if ONNX Runtime cannot call it, AttributeError if there
  // is none.
  void add_operator(const std::string& name);
  // "cst::dual_residual = rknn_cst::cstDualResidual(x, y, alpha=alpha)". Errors as add_operator.
  void add_line(const std::string& line);

  // "domain::Name" for each.
  [[nodiscard]] std::vector<std::string> nodes() const;
  // Skips what the session already knows.
  void leave_out(const std::string& node);

  // Domains and operators are never freed: sessions may outlive their options.
  void give_to(OrtSessionOptions* options, const OrtApi& api) const;
  // ONNX Runtime accepts a domain once. Options that get operators in several steps have a number,
  // by which their domains are found again; 0 means a single step.
  void set_options_number(uint64_t number) { options_number_ = number; }

 private:
  struct Node {
    std::string op;
    onnx::NodeForm form;
  };
  // ValueError for a node that already is another operator.
  void add_form(const std::string& op, onnx::NodeForm form);

  uint64_t options_number_ = 0;
  std::vector<Node> nodes_;
};

}  // namespace opwright::ort_bridge
