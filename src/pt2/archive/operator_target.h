// How an archive names operators: aten::add.Tensor is "torch.ops.aten.add.Tensor", and audio::gain
// is "torch.ops.audio.gain.default".
#pragma once

#include <string>
#include <string_view>

#include "opwright/schema/schema.h"

namespace opwright::pt2 {

[[nodiscard]] bool is_operator_target(std::string_view target) noexcept;
// "aten::add.Tensor". ValueError for a target that does not name an operator.
[[nodiscard]] std::string operator_of_target(std::string_view target);
[[nodiscard]] std::string target_of_operator(const opwright::OperatorName& name);

}  // namespace opwright::pt2
