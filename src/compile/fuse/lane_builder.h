// LaneBuilder: adds lanes to a nest, each expression once.
//
// Values of half precision are float32 lanes, rounded to the half's values.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "opwright/compile/fuse/fusion_target.h"
#include "opwright/compile/fuse/nest.h"
#include "opwright/dtype.h"
#include "opwright/scalar.h"

namespace opwright {

// The dtype in which a nest computes values of a dtype.
[[nodiscard]] constexpr DType lane_dtype(DType dtype) noexcept {
  return dtype == DType::Float16 || dtype == DType::BFloat16 ? DType::Float32 : dtype;
}

class LaneBuilder {
 public:
  LaneBuilder(std::vector<Lane>& lanes, const FusionTarget& target)
      : lanes_(lanes), target_(target) {}

  // The index of the new lane, or of an equal one.
  uint32_t load(uint32_t operand, DType memory);
  uint32_t number(uint32_t index);
  uint32_t constant(double number, DType dtype);
  uint32_t constant(const Scalar& number, DType dtype);
  // The arguments have one dtype, except for the condition of Select. The result has that dtype, or
  // bool for comparisons.
  uint32_t apply(LaneOp op, std::initializer_list<uint32_t> args);
  // The value rounded as a tensor of the dtype would hold it.
  uint32_t convert(uint32_t lane, DType dtype);

  [[nodiscard]] DType dtype(uint32_t lane) const { return lanes_[lane].dtype; }
  [[nodiscard]] bool is_constant(uint32_t lane) const {
    return lanes_[lane].op == LaneOp::Constant;
  }
  // False if a requested lane cannot be emitted. The lanes are then unusable.
  [[nodiscard]] bool can_be_emitted() const noexcept { return can_be_emitted_; }
  void refuse() noexcept { can_be_emitted_ = false; }

 private:
  uint32_t add(Lane lane);
  [[nodiscard]] bool holds_half(uint32_t lane, DType half) const;

  std::vector<Lane>& lanes_;
  const FusionTarget& target_;
  std::vector<std::optional<DType>> halves_;  // whose values a lane is known to hold
  bool can_be_emitted_ = true;
};

}  // namespace opwright
