#include "opwright/symbolic/expression/expression_pool.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "opwright/base/hash.h"
#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symbolic/expression/interval.h"
#include "opwright/symbolic/expression/symbol.h"
#include "opwright/symint.h"

namespace opwright {
namespace {

constexpr size_t kFirstSlots = 128;  // a power of two
constexpr size_t kFirstBytes = 8192;

uint64_t hash_expression(const Expression& wanted) {
  uint64_t hash =
      hash_combine(static_cast<uint64_t>(wanted.kind), static_cast<uint64_t>(wanted.constant));
  for (const OpwSymWord operand : wanted.operands) {
    hash = hash_combine(hash, static_cast<uint64_t>(operand));
  }
  for (const SumTerm& term : wanted.terms) {
    hash = hash_combine(hash, reinterpret_cast<uintptr_t>(term.monomial));
    hash = hash_combine(hash, static_cast<uint64_t>(term.coefficient));
  }
  return hash;
}

bool is_same(const Expression& a, const Expression& b) {
  return a.hash == b.hash && a.kind == b.kind && a.constant == b.constant &&
         std::ranges::equal(a.operands, b.operands) && std::ranges::equal(a.terms, b.terms);
}

// A letter and its number, so that s2 comes before s10; other names come later, ordered by text.
uint64_t key_of(const std::string& name) {
  constexpr size_t kMostDigits = 9;
  const bool is_short = name.size() >= 2 && name.size() <= kMostDigits + 1;
  const auto is_digit = [](unsigned char c) { return std::isdigit(c) != 0; };
  if (!is_short || !std::all_of(name.begin() + 1, name.end(), is_digit)) return UINT64_MAX;
  const auto letter = static_cast<uint64_t>(static_cast<unsigned char>(name[0]));
  return letter << 32 | static_cast<uint64_t>(std::atoll(name.c_str() + 1));
}

uint32_t depth_of(const Expression& wanted) {
  uint32_t depth = 0;
  for (const OpwSymWord operand : wanted.operands) {
    if (is_symbolic(operand)) depth = std::max(depth, expression_of(operand).depth);
  }
  for (const SumTerm& term : wanted.terms) depth = std::max(depth, term.monomial->depth);
  OPWRIGHT_CHECK_KIND("OverflowError", depth < kMostDepth, "a symbolic int is nested more than ",
                      kMostDepth, " operations deep");
  return depth + 1;
}

uint32_t size_of(const Expression& wanted) {
  uint64_t size = 1;
  for (const OpwSymWord operand : wanted.operands) {
    size += is_symbolic(operand) ? expression_of(operand).size : 1;
  }
  for (const SumTerm& term : wanted.terms) size += term.monomial->size;
  OPWRIGHT_CHECK_KIND("OverflowError", size <= kMostNodes, "a symbolic int has more than ",
                      kMostNodes, " operations");
  return static_cast<uint32_t>(size);
}

uint32_t degree_of(const Expression& wanted) {
  if (wanted.kind == ExpressionKind::Product) return static_cast<uint32_t>(wanted.operands.size());
  uint32_t degree = 1;
  for (const SumTerm& term : wanted.terms) degree = std::max(degree, term.monomial->degree);
  return degree;
}

template <class T>
std::span<const T> copy_span(std::pmr::memory_resource& memory, std::span<const T> from) {
  if (from.empty()) return {};
  auto* to = static_cast<T*>(memory.allocate(from.size_bytes(), alignof(T)));
  std::uninitialized_copy(from.begin(), from.end(), to);
  return {to, from.size()};
}

}  // namespace

ExpressionPool::ExpressionPool(ShapeEnv* environment, const OpwSymTable* table)
    : environment_(environment), table_(table), memory_(kFirstBytes), slots_(kFirstSlots) {}

Expression& ExpressionPool::copy(const Expression& wanted) {
  void* memory = memory_.allocate(sizeof(Expression), alignof(Expression));
  auto* made = ::new (memory) Expression(wanted);
  made->table = table_;
  made->environment = environment_;
  made->id = count_++;
  made->operands = copy_span(memory_, wanted.operands);
  made->terms = copy_span(memory_, wanted.terms);
  return *made;
}

const Expression& ExpressionPool::make_symbol(uint32_t place, const std::string& name,
                                              SymRange range) {
  Expression wanted{};
  wanted.kind = ExpressionKind::Symbol;
  wanted.symbol = place;
  wanted.depth = 1;
  wanted.size = 1;
  wanted.degree = 1;
  wanted.name = &name;
  wanted.name_key = key_of(name);
  wanted.range = range;
  return copy(wanted);
}

const Expression& ExpressionPool::intern_operands(ExpressionKind kind,
                                                  std::span<const OpwSymWord> operands) {
  Expression wanted{};
  wanted.kind = kind;
  wanted.operands = operands;
  return intern(wanted);
}

const Expression& ExpressionPool::intern_sum(std::span<const SumTerm> terms, int64_t constant) {
  Expression wanted{};
  wanted.kind = ExpressionKind::Sum;
  wanted.terms = terms;
  wanted.constant = constant;
  return intern(wanted);
}

const Expression& ExpressionPool::intern(const Expression& wanted) {
  Expression key = wanted;
  key.hash = hash_expression(key);
  const size_t mask = slots_.size() - 1;
  size_t slot = key.hash & mask;
  for (; slots_[slot]; slot = (slot + 1) & mask) {
    if (is_same(*slots_[slot], key)) return *slots_[slot];
  }
  key.depth = depth_of(key);
  key.size = size_of(key);
  key.degree = degree_of(key);
  key.range = range_by_parts(key, [](OpwSymWord word) { return made_range(word); });
  const Expression& made = copy(key);
  slots_[slot] = &made;
  if (2 * size_t{count_} > slots_.size()) grow();
  return made;
}

void ExpressionPool::grow() {
  std::vector<const Expression*> larger(2 * slots_.size());
  const size_t mask = larger.size() - 1;
  for (const Expression* expression : slots_) {
    if (!expression) continue;
    size_t slot = expression->hash & mask;
    while (larger[slot]) slot = (slot + 1) & mask;
    larger[slot] = expression;
  }
  slots_ = std::move(larger);
}

}  // namespace opwright
