#include "opwright/compile/fuse/formula.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "opwright/compile/fuse/nest.h"
#include "opwright/ops/engine/pointwise/formula_reader.h"

namespace opwright {
namespace {

class LaneTarget final : public FormulaTarget {
 public:
  LaneTarget(LaneBuilder& lanes, std::span<const uint32_t> operands,
             std::span<const Scalar> numbers, DType compute)
      : lanes_(lanes), operands_(operands), numbers_(numbers), compute_(compute) {}

  std::optional<uint32_t> operand(size_t index) override {
    return index < operands_.size() ? std::optional(operands_[index]) : std::nullopt;
  }
  std::optional<uint32_t> number(size_t index) override {
    if (index >= numbers_.size()) return std::nullopt;
    return lanes_.constant(numbers_[index], compute_);
  }
  uint32_t literal(double value) override { return lanes_.constant(value, compute_); }

  std::optional<uint32_t> apply(std::string_view name, std::span<const uint32_t> args) override {
    for (auto op = LaneOp::Add; !is_fold(op); op = static_cast<LaneOp>(static_cast<int>(op) + 1)) {
      if (name != lane_op_name(op)) continue;
      if (args.size() == 1) return lanes_.apply(op, {args[0]});
      if (args.size() == 2) return lanes_.apply(op, {args[0], args[1]});
      if (args.size() == 3) return lanes_.apply(op, {args[0], args[1], args[2]});
    }
    return std::nullopt;
  }

  [[nodiscard]] bool is_truth(uint32_t term) const override {
    return lanes_.dtype(term) == DType::Bool;
  }
  uint32_t to_number(uint32_t truth) override { return lanes_.convert(truth, compute_); }
  uint32_t to_truth(uint32_t number) override {
    return lanes_.apply(LaneOp::NotEqual, {number, lanes_.constant(0.0, lanes_.dtype(number))});
  }

 private:
  LaneBuilder& lanes_;
  std::span<const uint32_t> operands_;
  std::span<const Scalar> numbers_;
  DType compute_;
};

}  // namespace

uint32_t add_formula(LaneBuilder& lanes, std::string_view text, std::span<const uint32_t> operands,
                     std::span<const Scalar> numbers, DType compute) {
  LaneTarget target(lanes, operands, numbers, compute);
  return read_formula(target, text);
}

}  // namespace opwright
