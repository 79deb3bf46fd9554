// The internals of a ShapeEnv, for the files that implement it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "opwright/base/hash.h"
#include "opwright/base/source_site.h"
#include "opwright/c_api.h"
#include "opwright/symbolic/expression/canonical.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symbolic/expression/expression_parser.h"
#include "opwright/symbolic/expression/expression_pool.h"
#include "opwright/symbolic/facts/facts.h"
#include "opwright/symbolic/shape_env/shape_env.h"

namespace opwright {

// The functions of the core's symbols (shape_env_table.cpp).
[[nodiscard]] const OpwSymTable& shape_env_table() noexcept;

struct ShapeEnv::State final : SymbolFinder {
  struct Made {  // a symbol as it was created
    std::string name;
    std::optional<int64_t> hint;
    std::string source;
    SourceSite made_at;
    const Expression* expression = nullptr;
  };
  // Caches the last result of each of a few operations; expressions never change their form.
  struct Remembered {
    OpwSymWord a = 0;
    OpwSymWord b = 0;
    OpwSymWord result = 0;
    OpwSymOp op{};
  };

  State(ShapeEnv* environment, ShapeEnvOptions given);
  ~State() override;

  [[nodiscard]] const Expression* find(std::string_view name) const override;
  // Throws ValueError for a name that exists or that cannot be parsed.
  const Expression& add_symbol(Made made, SymRange range);
  [[nodiscard]] std::string unused_name(char letter, size_t* next) const;

  // The value in this run; nullopt if it contains an unbacked symbol.
  [[nodiscard]] std::optional<int64_t> hint(OpwSymWord word) const;
  [[nodiscard]] std::optional<bool> holds_now(OpwSymWord condition) const;
  // Assumes the condition, which holds in this run.
  void record_guard(OpwSymWord condition, const char* file, uint32_t line);
  void keep(Guard guard);
  void keep(RuntimeAssert assertion);
  // Throws RuntimeError for a query that is decided only at run time.
  [[noreturn]] void refuse(const char* what, OpwSymWord word, const char* file,
                           uint32_t line) const;

  ShapeEnvOptions options;
  ExpressionPool pool;
  NoRanges no_ranges;
  MadeRanges made_ranges;
  Canonical canonical{pool, made_ranges};
  Canonical reader{pool, no_ranges};
  Facts facts{pool};
  std::deque<Made> symbols;                   // a deque: its strings must not move
  std::vector<std::optional<int64_t>> hints;  // by symbol
  std::unordered_map<std::string, const Expression*, StringHash, std::equal_to<>> by_name;
  std::unordered_map<int64_t, const Expression*> by_hint;  // sizes
  uint32_t read_at = 0;  // the number of facts that read back unchanged
  size_t next_backed = 0;
  size_t next_unbacked = 0;
  // Their conditions hold no counts: otherwise the environment would keep itself alive.
  std::vector<Guard> guards;
  std::vector<RuntimeAssert> asserts;
  std::array<Remembered, 512> remembered{};
};

// A symbolic word as a handle.
[[nodiscard]] inline SymInt handle_of(OpwSymWord word) { return SymInt::borrow(word); }

}  // namespace opwright
