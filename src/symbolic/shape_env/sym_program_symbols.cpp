// SymProgram over values that are themselves symbols.
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "opwright/base/small_vector.h"
#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/symbolic/shape_env/sym_program.h"
#include "opwright/symint.h"

namespace opwright {

void SymProgram::run(std::span<const SymInt> symbols, std::span<SymInt> values) const {
  if (const auto plain = as_plain(symbols)) {
    std::vector<int64_t> numbers(values.size());
    run(*plain, numbers);
    for (size_t i = 0; i < values.size(); ++i) values[i] = SymInt(numbers[i]);
    return;
  }
  OPWRIGHT_CHECK_VALUE(symbols.size() == symbols_.size() && values.size() == num_values_,
                       "a program of ", symbols_.size(), " symbols and ", num_values_,
                       " values was given ", symbols.size(), " and room for ", values.size());
  SmallVector<SymInt, 16> stack;
  size_t done = 0;
  for (const Step& step : steps_) {
    switch (step.kind) {
      case Step::Kind::Constant:
        stack.push_back(SymInt(step.operand));
        break;
      case Step::Kind::Symbol:
        stack.push_back(symbols[static_cast<size_t>(step.operand)]);
        break;
      case Step::Kind::Apply: {
        const auto op = static_cast<OpwSymOp>(step.operand);
        SymInt right;
        if (op != kOpwSymNot) {
          right = std::move(stack.back());
          stack.pop_back();
        }
        stack.back() = apply_sym(op, stack.back(), right);
        break;
      }
      case Step::Kind::End:
        values[done++] = std::move(stack.back());
        stack.clear();
        break;
    }
  }
}

}  // namespace opwright
