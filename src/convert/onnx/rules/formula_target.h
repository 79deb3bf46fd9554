// Creates nodes for the terms of a formula.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/dtype.h"
#include "opwright/ops/engine/pointwise/formula_reader.h"
#include "opwright/runtime/onnx.h"
#include "opwright/scalar.h"

namespace opwright::onnx {

// Whether a formula is a single ONNX node.
[[nodiscard]] bool is_one_node(std::string_view formula);

class NodeTarget final : public FormulaTarget {
 public:
  struct Term {
    OnnxValue value;
    DType dtype;
  };
  // `dtype` as in formula_value.
  NodeTarget(GraphBuilder& g, DType dtype, std::span<const Scalar> numbers)
      : g_(g), dtype_(dtype), numbers_(numbers) {}

  // The next of x, y, z.
  void add_operand(OnnxValue value, DType dtype) { operands_.push_back(add(value, dtype)); }
  [[nodiscard]] const Term& at(uint32_t term) const { return terms_[term]; }

  std::optional<uint32_t> operand(size_t index) override;
  std::optional<uint32_t> number(size_t index) override;
  uint32_t literal(double value) override;
  std::optional<uint32_t> apply(std::string_view name, std::span<const uint32_t> args) override;
  [[nodiscard]] bool is_truth(uint32_t term) const override {
    return terms_[term].dtype == DType::Bool;
  }
  uint32_t to_number(uint32_t truth) override;
  uint32_t to_truth(uint32_t number) override;

 private:
  struct Applied {
    std::string name;
    std::vector<uint32_t> args;
    uint32_t term;
  };
  uint32_t add(OnnxValue value, DType dtype);
  uint32_t add_node(std::string_view type, std::span<const uint32_t> args, DType dtype,
                    std::vector<Attribute> attributes = {});
  std::optional<uint32_t> make(std::string_view name, std::span<const uint32_t> args);
  uint32_t read_with(std::string_view formula, std::span<const uint32_t> args);

  GraphBuilder& g_;
  DType dtype_;
  std::span<const Scalar> numbers_;
  std::vector<uint32_t> operands_;
  std::vector<Term> terms_;
  std::vector<Applied> applied_;  // without duplicates
};

}  // namespace opwright::onnx
