// Rules of the engine "onnx".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "opwright/convert/converter.h"
#include "opwright/dispatch/operator.h"
#include "opwright/onnx.h"

namespace opwright::onnx {

inline constexpr const char* kEngine = "onnx";

class OnnxConverter : public Converter {
 public:
  explicit OnnxConverter(int64_t since_opset, bool is_builtin = false)
      : Converter(kEngine, since_opset, is_builtin) {}

  // Adds the nodes of one call; a value for each value of the call's node (Rule).
  [[nodiscard]] virtual OnnxValues convert(GraphBuilder& g, const Call& call) const = 0;
};

// A rule that is a plain function.
class FunctionConverter final : public OnnxConverter {
 public:
  FunctionConverter(Rule rule, int64_t since_opset, bool is_builtin = false)
      : OnnxConverter(since_opset, is_builtin), rule_(rule) {}
  [[nodiscard]] OnnxValues convert(GraphBuilder& g, const Call& call) const override {
    return rule_(g, call);
  }

 private:
  Rule rule_;
};

// The operators that have a rule in an opset, of those that a trace would take apart: its
// composites stay whole for it.
[[nodiscard]] std::vector<const Operator*> whole_operators(int64_t opset);
// Those that have none but can be taken apart.
[[nodiscard]] std::vector<const Operator*> parted_operators(int64_t opset);

}  // namespace opwright::onnx
