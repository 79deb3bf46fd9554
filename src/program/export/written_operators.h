// The operators of a program file against those of this process.
#pragma once

#include <deque>
#include <span>
#include <string_view>

#include "opwright/ir/text/parse.h"
#include "opwright/program/export/exported_program.h"
#include "opwright/schema/schema.h"

namespace opwright {

// The schemas that a program's calls were written under, all of operators that are here and still
// take those calls. A default that changed does no harm: a call has the one it was written under.
class WrittenOperators {
 public:
  // NotImplementedError, with `origin` in front, for operators that are not here (each with the
  // library that had it) and for those that have changed (both schemas). ValueError for a text that
  // is no schema of its operator.
  WrittenOperators(std::span<const OperatorUse> operators, std::string_view origin);

  [[nodiscard]] const WrittenSchemas& schemas() const noexcept { return schemas_; }

 private:
  std::deque<Schema> own_;  // of operators that have changed
  WrittenSchemas schemas_;
};

}  // namespace opwright
