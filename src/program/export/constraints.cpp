#include "opwright/program/export/constraints.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/error.h"
#include "opwright/program/export/dim.h"
#include "opwright/runtime/program.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symint.h"

namespace opwright {
namespace {

constexpr size_t kMostLines = 3;  // of the requiring lines, per dimension

// The symbol of a declared size; null if it has none of its own.
const Symbol* find_symbol(const ShapeEnv& env, const ShapeEnv::Solution& solution,
                          const DeclaredSize& declared) {
  if (!declared.size.is_symbolic()) return nullptr;
  const std::vector<std::string> names = env.free_symbols(declared.size);
  const auto found = std::ranges::find(solution.symbols, names.front(), &Symbol::name);
  return found == solution.symbols.end() ? nullptr : &*found;
}

std::optional<int64_t> fixed_value(const Symbol& symbol) {
  if (symbol.equals && !symbol.equals->is_symbolic()) return symbol.equals->word();
  if (symbol.range.least == symbol.range.greatest) return symbol.range.least;
  return std::nullopt;
}

bool mentions(const ShapeEnv& env, const SymInt& condition, std::string_view symbol) {
  const std::vector<std::string> names = env.free_symbols(condition);
  return std::ranges::find(names, symbol) != names.end();
}

// "    batch == 4, required at model.py:12 (by src/ops/engine/product/product_shape.h:39)"
std::string asking_line_text(const Guard& guard) {
  const SourceSite line = guard.user.is_known() ? guard.user : guard.asked;
  std::string text = concatenate("\n    ", guard.condition, ", required at ", line);
  const bool has_kernel =
      guard.user.is_known() && guard.asked.is_known() && guard.asked.text() != guard.user.text();
  if (has_kernel) text += concatenate(" (by ", guard.asked, ")");
  return text;
}

// The guards on a symbol that say `==`, or all others; all guards if there are none of that kind.
std::string lines_that_asked(const ShapeEnv& env, const std::string& symbol, bool equalities) {
  std::vector<const Guard*> found;
  std::vector<const Guard*> of_the_kind;
  for (const Guard& guard : env.guards()) {
    if (!mentions(env, guard.condition, symbol)) continue;
    found.push_back(&guard);
    const bool is_equality = expression_of(guard.condition.word()).kind == ExpressionKind::Equal;
    if (is_equality == equalities) of_the_kind.push_back(&guard);
  }
  if (!of_the_kind.empty()) found = std::move(of_the_kind);
  std::string text;
  for (size_t i = 0; i < std::min(found.size(), kMostLines); ++i)
    text += asking_line_text(*found[i]);
  if (found.size() > kMostLines) {
    text += concatenate("\n    and ", found.size() - kMostLines, " more");
  }
  return text;
}

Dim with_bounds(const Dim& dim, const SymRange& range) {
  const auto least = range.least > 1 ? std::optional(range.least) : dim.min();
  const auto greatest = range.greatest != INT64_MAX ? std::optional(range.greatest) : std::nullopt;
  return Dim::named(dim.name(), least, greatest);
}

// An error in one declared size, and what to write instead.
struct Violation {
  std::string what;  // empty: no error
  std::string fix;
  std::string asked = {};  // one line per guard
};

class Judge {
 public:
  Judge(const ShapeEnv& env, const std::vector<DeclaredSize>& declared)
      : env_(env), solution_(env.solve()) {
    for (const DeclaredSize& size : declared) {
      if (!size.dim.name().empty()) names_.push_back(size.dim.name());
    }
  }

  [[nodiscard]] Violation judge(const DeclaredSize& declared) const {
    const Symbol* symbol = find_symbol(env_, solution_, declared);
    if (!symbol || declared.dim.kind() == Dim::Kind::Auto) return {};
    if (const std::optional<int64_t> fixed = fixed_value(*symbol)) {
      return with_lines(fixed_violation(declared, *fixed), *symbol, true);
    }
    if (declared.dim.kind() == Dim::Kind::Dynamic) return {};
    if (symbol->equals && !follows_this_one(*symbol))
      return with_lines(derived_violation(declared, *symbol), *symbol, true);
    Violation narrow = range_violation(declared, *symbol);
    if (!narrow.what.empty()) return with_lines(std::move(narrow), *symbol, false);
    return rest_violation(declared, *symbol);
  }

 private:
  [[nodiscard]] Violation with_lines(Violation violation, const Symbol& symbol,
                                     bool equalities) const {
    violation.asked = lines_that_asked(env_, symbol.name, equalities);
    return violation;
  }

  [[nodiscard]] static Violation fixed_violation(const DeclaredSize& declared, int64_t root) {
    const Dim& dim = declared.dim;
    const int64_t size = dim.factor() * root + dim.offset();
    const char* advice = declared.given <= 1 ? "; an example of 2 or more may keep it dynamic" : "";
    if (dim.kind() == Dim::Kind::Dynamic) {
      return {concatenate(declared.place, " is ", to_text(dim), ", but the function fixes it to ",
                          size, advice),
              concatenate(declared.entry, " = ", size)};
    }
    return {concatenate(declared.place, " is ", to_text(dim), ", but the function fixes it to ",
                        size, advice),
            concatenate(dim.name(), " = ", root)};
  }

  [[nodiscard]] Violation derived_violation(const DeclaredSize& declared,
                                            const Symbol& symbol) const {
    std::string what = concatenate(declared.place, " is ", to_text(declared.dim), ", but ",
                                   symbol.name, " must be ", *symbol.equals);
    if (!is_a_dim(*symbol.equals)) {
      return {std::move(what), concatenate(declared.dim.name(), " = Dim.DYNAMIC")};
    }
    return {std::move(what), concatenate(declared.dim.name(), " = ", *symbol.equals)};
  }

  // Whether `symbol` equals a size that no Dim declares, plus or minus a number, and no other Dim
  // equals it: then that size follows the Dim.
  [[nodiscard]] bool follows_this_one(const Symbol& symbol) const {
    const SymInt& equal = *symbol.equals;
    const std::vector<std::string> roots = env_.free_symbols(equal);
    if (roots.size() != 1 || is_declared(roots.front())) return false;
    const Expression& expression = expression_of(equal.word());
    const bool is_plain = expression.kind == ExpressionKind::Symbol;
    const bool is_shifted = expression.kind == ExpressionKind::Sum &&
                            expression.terms.size() == 1 && expression.terms[0].coefficient == 1 &&
                            expression.terms[0].monomial->kind == ExpressionKind::Symbol;
    if (!is_plain && !is_shifted) return false;
    return std::ranges::none_of(solution_.symbols, [&](const Symbol& other) {
      return other.name != symbol.name && other.equals && is_declared(other.name) &&
             mentions(env_, *other.equals, roots.front());
    });
  }

  [[nodiscard]] bool is_declared(const std::string& name) const {
    return std::ranges::find(names_, name) != names_.end();
  }

  // Whether it can be written as a Dim: batch, 2*batch + 1.
  [[nodiscard]] bool is_a_dim(const SymInt& size) const {
    const Expression* root = &expression_of(size.word());
    if (root->kind == ExpressionKind::Sum) {
      if (root->terms.size() != 1 || root->terms[0].coefficient < 1) return false;
      root = root->terms[0].monomial;
    }
    return root->kind == ExpressionKind::Symbol && is_declared(*root->name);
  }

  [[nodiscard]] static Violation range_violation(const DeclaredSize& declared,
                                                 const Symbol& symbol) {
    const Dim& dim = declared.dim;
    const bool is_higher = dim.min() && symbol.range.least > *dim.min();
    const bool is_lower = dim.max() && symbol.range.greatest < *dim.max();
    if (!is_higher && !is_lower) return {};
    std::string what =
        concatenate(declared.place, " is ", to_text(dim), ", but the function takes ", dim.name());
    if (is_higher) what += concatenate(" from ", symbol.range.least);
    if (is_lower) what += concatenate(is_higher ? " to " : " up to ", symbol.range.greatest);
    return {what + " only", definition_text(with_bounds(dim, symbol.range))};
  }

  // A condition on this symbol alone that is not a range.
  [[nodiscard]] Violation rest_violation(const DeclaredSize& declared, const Symbol& symbol) const {
    for (const Guard& guard : solution_.rest) {
      if (env_.free_symbols(guard.condition) != std::vector{symbol.name}) continue;
      return {concatenate(declared.place, " is ", to_text(declared.dim),
                          ", but the function needs ", guard.condition),
              fix_for(declared.dim, symbol, guard.condition), asking_line_text(guard)};
    }
    return {};
  }

  // "batch % 4 == 0": batch = 4*_batch; otherwise Dim.DYNAMIC, which accepts any condition.
  [[nodiscard]] std::string fix_for(const Dim& dim, const Symbol& symbol,
                                    const SymInt& condition) const {
    for (int64_t factor = 2; symbol.hint && factor <= *symbol.hint; ++factor) {
      if (*symbol.hint % factor != 0) continue;
      const SymInt rest = env_.symbol(symbol.name) % SymInt(factor);
      const SymInt multiple = apply_sym(kOpwSymEq, rest, 0);
      if (multiple.word() != condition.word()) continue;
      const std::string root = "_" + dim.name();
      const Dim part = with_bounds(
          Dim::named(root),
          {1 + (symbol.range.least - 1) / factor,
           symbol.range.greatest == INT64_MAX ? INT64_MAX : symbol.range.greatest / factor});
      return concatenate(definition_text(part), "; ", dim.name(), " = ", factor, "*", root);
    }
    return concatenate(dim.name(), " = Dim.DYNAMIC");
  }

  const ShapeEnv& env_;
  ShapeEnv::Solution solution_;
  std::vector<std::string> names_;  // of the Dims
};

}  // namespace

void check_constraints(const ShapeEnv& env, const std::vector<DeclaredSize>& declared) {
  const Judge judge(env, declared);
  std::string text;
  std::vector<std::string> fixes;
  for (const DeclaredSize& size : declared) {
    Violation violation = judge.judge(size);
    if (violation.what.empty()) continue;
    if (std::ranges::find(fixes, violation.fix) != fixes.end()) continue;
    text += concatenate("\n  ", violation.what, ":", violation.asked);
    fixes.push_back(std::move(violation.fix));
  }
  if (fixes.empty()) return;
  text += "\nUse instead:";
  for (const std::string& fix : fixes) text += "\n  " + fix;
  throw Error("ValueError",
              "export: the function does not accept all sizes that dynamic_shapes declares" + text);
}

}  // namespace opwright
