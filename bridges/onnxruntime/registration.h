// Operators given to the options of a session: one domain for each that their nodes name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bridges/onnxruntime/ort_api.h"
#include "opwright/onnx.h"

namespace opwright::ort_bridge {

// What a session shall know. Nothing is given to it before all of it is there.
class Registration {
 public:
  // Loads a binary; what it defines is known in all its forms. What ONNX Runtime cannot call is
  // left out. Errors as load_library.
  void add_binary(const std::string& path);
  // An operator of the core. TypeError for one that ONNX Runtime cannot call, AttributeError where
  // there is none.
  void add_operator(const std::string& name);
  // "cst::dual_residual = rknn_cst::cstDualResidual(x, y, alpha=alpha)". Errors as add_operator.
  void add_line(const std::string& line);

  // "domain::Name" for each.
  [[nodiscard]] std::vector<std::string> nodes() const;
  // Leaves away what the session knows already.
  void leave_out(const std::string& node);

  // Domains and operators stay for ever: sessions may outlive their options.
  void give_to(OrtSessionOptions* options, const OrtApi& api) const;
  // ONNX Runtime takes a domain once. Options that get operators in several steps have a number of
  // their own, by which their domains are found again; 0: these are given once.
  void set_options_number(uint64_t number) { options_number_ = number; }

 private:
  struct Node {
    std::string op;
    onnx::NodeForm form;
  };
  // ValueError for a node that another operator is already.
  void add_form(const std::string& op, onnx::NodeForm form);

  uint64_t options_number_ = 0;
  std::vector<Node> nodes_;
};

}  // namespace opwright::ort_bridge
