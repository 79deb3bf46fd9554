// The expressions of one environment, each created once: equal content is the same node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <string>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symbolic/expression/symbol.h"

namespace opwright {

class ShapeEnv;

class ExpressionPool {
 public:
  ExpressionPool(ShapeEnv* environment, const OpwSymTable* table);
  ExpressionPool(const ExpressionPool&) = delete;
  ExpressionPool& operator=(const ExpressionPool&) = delete;

  // A new symbol; `name` outlives the pool.
  [[nodiscard]] const Expression& make_symbol(uint32_t place, const std::string& name,
                                              SymRange range);
  // For any kind except Symbol and Sum; the operands are in canonical order.
  [[nodiscard]] const Expression& intern_operands(ExpressionKind kind,
                                                  std::span<const OpwSymWord> operands);
  [[nodiscard]] const Expression& intern_sum(std::span<const SumTerm> terms, int64_t constant);

  [[nodiscard]] size_t size() const noexcept { return count_; }

 private:
  [[nodiscard]] const Expression& intern(const Expression& wanted);
  [[nodiscard]] Expression& copy(const Expression& wanted);
  void grow();

  ShapeEnv* environment_;
  const OpwSymTable* table_;
  std::pmr::monotonic_buffer_resource memory_;
  std::vector<const Expression*> slots_;  // open addressing; null: free
  uint32_t count_ = 0;
};

}  // namespace opwright
