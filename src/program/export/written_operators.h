// Compares the operators of a program file with those of this process.
#pragma once

#include <deque>
#include <span>
#include <string_view>

#include "opwright/ir/text/parse.h"
#include "opwright/program/export/exported_program.h"
#include "opwright/schema/schema.h"

namespace opwright {

// The schemas that a program's calls were written under. All their operators exist and still accept
// those calls. A changed default does no harm: calls use the default they were written under.
class WrittenOperators {
 public:
  // NotImplementedError, prefixed with `origin`, for missing operators (each with its library) and
  // for those that have changed (both schemas). ValueError for text that is not a schema of its
  // operator.
  WrittenOperators(std::span<const OperatorUse> operators, std::string_view origin);

  [[nodiscard]] const WrittenSchemas& schemas() const noexcept { return schemas_; }

 private:
  std::deque<Schema> own_;  // of changed operators
  WrittenSchemas schemas_;
};

}  // namespace opwright
