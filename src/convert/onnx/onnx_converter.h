// Rules of the engine "onnx".
#pragma once

#include <cstdint>

#include "opwright/convert/converter.h"
#include "opwright/dispatch/operator.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/runtime/onnx.h"
#include "opwright/transforms/trace/trace.h"
#include "opwright/visibility.h"

namespace opwright::onnx {

inline constexpr const char* kEngine = "onnx";

class OPWRIGHT_EXPORT OnnxConverter : public Converter {
 public:
  explicit OnnxConverter(int64_t since_opset, bool is_builtin = false)
      : Converter(kEngine, since_opset, is_builtin) {}

  // Adds the nodes of one call; returns a value per value of the call's node (Rule).
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

// Options to trace a program for an opset: operators that have a rule stay whole, those without one
// that are made of others are decomposed.
[[nodiscard]] OPWRIGHT_EXPORT TraceOptions trace_options(int64_t opset);
// A sub-graph, traced with these options if that changes it; `also` is always decomposed.
[[nodiscard]] GraphPtr trace_part(const GraphPtr& graph, int64_t opset,
                                  const Operator* also = nullptr);

}  // namespace opwright::onnx
