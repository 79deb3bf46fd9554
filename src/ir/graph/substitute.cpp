// substitute: replaces the symbols of an expression with values.
#include <span>
#include <string>
#include <vector>

#include "opwright/error.h"
#include "opwright/ir/graph/evaluate.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symbolic/shape_env/sym_program.h"
#include "opwright/symint.h"

namespace opwright {

SymInt substitute(const ShapeEnv& env, const SymInt& expression, const SymbolValues& values) {
  if (!expression.is_symbolic()) return expression;
  const std::vector<std::string> names = env.free_symbols(expression);
  std::vector<SymInt> symbols;
  for (const std::string& name : names) {
    const auto found = values.find(name);
    OPWRIGHT_CHECK_KIND("KeyError", found != values.end(), "graph: the symbol ", name,
                        " has no value yet");
    symbols.push_back(found->second);
  }
  if (names.size() == 1 && env.symbol(names[0]).word() == expression.word()) return symbols[0];
  const SymProgram program(std::span(&expression, 1), names);
  SymInt result;
  program.run(std::span<const SymInt>(symbols), std::span(&result, 1));
  return result;
}

}  // namespace opwright
