#include "opwright/compile/capture/size_guards.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "opwright/base/small_vector.h"
#include "opwright/error.h"
#include "opwright/symint.h"

namespace opwright {
namespace {

std::string range_text(const Symbol& symbol) {
  const std::string greatest =
      symbol.range.greatest == INT64_MAX ? "inf" : std::to_string(symbol.range.greatest);
  return concatenate(symbol.name, " in [", symbol.range.least, ", ", greatest, "], from ",
                     symbol.source);
}

}  // namespace

SizeGuards::SizeGuards(const Graph& graph, size_t num_arguments) : plan_(graph.input_plan()) {
  uint32_t argument = 0;
  size_t slot = 0;
  for (const GraphValue* input : graph.inputs()) {
    const size_t place = slot++;
    if (input->node().role() != InputRole::Argument || argument == num_arguments) continue;
    for (const SymbolBinding& binding : plan_->bindings[place])
      sources_.push_back(source_of(binding, argument, plan_->symbols));
    for (uint32_t i = 0; i < plan_->expected.size(); ++i) {
      const InputPlan::Expected& one = plan_->expected[i];
      if (one.place != place || !one.shown.expression.is_symbolic()) continue;
      expected_.push_back({argument, {one.shown.part, one.shown.dim}, i});
    }
    ++argument;
  }
  if (!graph.shape_env() || sources_.empty()) return;
  env_ = graph.shape_env();
  num_guards_ = env_->guards().size();
  const auto is_shown = [&](const std::string& name) {
    return std::ranges::any_of(
        sources_, [&](const SymbolSource& each) { return plan_->symbols[each.symbol] == name; });
  };
  for (uint32_t i = 0; i < plan_->guards.size(); ++i) {
    const auto names = graph.shape_env()->free_symbols(plan_->guards[i].condition);
    if (std::ranges::all_of(names, is_shown)) guards_.push_back(i);
  }
  for (uint32_t i = 0; i < plan_->ranges.size(); ++i) {
    const std::string& name = plan_->ranges[i].name;
    const auto place = std::ranges::find(plan_->symbols, name) - plan_->symbols.begin();
    if (is_shown(name)) ranges_.push_back({static_cast<uint32_t>(place), i});
  }
}

int64_t SizeGuards::find_failure(std::span<const OpwValue> arguments) const {
  SmallVector<int64_t, 16> symbols(plan_->symbols.size(), 0);
  for (const SymbolSource& source : sources_) {
    if (!read_symbol(source, arguments[source.slot], symbols[source.symbol])) return 0;
  }
  const std::span<const int64_t> known(symbols.data(), symbols.size());
  SmallVector<int64_t, 32> values(plan_->expected.size(), 0);
  plan_->sizes->run(known, {values.data(), values.size()});
  for (size_t i = 0; i < expected_.size(); ++i) {
    int64_t number = 0;
    const Expected& one = expected_[i];
    const bool holds =
        read_number(arguments[one.argument], one.place, number) && number == values[one.index];
    if (!holds) return static_cast<int64_t>(i);
  }
  size_t first = expected_.size();
  SmallVector<int64_t, 16> conditions(plan_->guards.size(), 0);
  plan_->conditions->run(known, {conditions.data(), conditions.size()});
  for (size_t i = 0; i < guards_.size(); ++i) {
    if (conditions[guards_[i]] == 0) return static_cast<int64_t>(first + i);
  }
  first += guards_.size();
  for (size_t i = 0; i < ranges_.size(); ++i) {
    const SymRange& range = plan_->ranges[ranges_[i].index].range;
    const int64_t value = symbols[ranges_[i].symbol];
    if (value < range.least || value > range.greatest) return static_cast<int64_t>(first + i);
  }
  known_symbols_.assign(symbols.begin(), symbols.end());
  known_sizes_.assign(values.begin(), values.end());
  return -1;
}

bool SizeGuards::are_known(std::span<const OpwValue> arguments) const noexcept {
  if (known_symbols_.empty()) return false;
  for (const SymbolSource& source : sources_) {
    int64_t value = 0;
    if (!read_symbol(source, arguments[source.slot], value) ||
        value != known_symbols_[source.symbol])
      return false;
  }
  for (const Expected& one : expected_) {
    int64_t number = 0;
    if (!read_number(arguments[one.argument], one.place, number) ||
        number != known_sizes_[one.index])
      return false;
  }
  return true;
}

bool SizeGuards::check(std::span<const OpwValue> arguments) const {
  if (is_empty() || are_known(arguments)) return true;
  try {
    return find_failure(arguments) < 0;
  } catch (const Error&) {  // a division by zero, an overflow
    return false;
  }
}

std::string SizeGuards::describe(size_t guard) const {
  if (guard < expected_.size()) {
    const InputPlan::Expected& one = plan_->expected[expected_[guard].index];
    return concatenate(opwright::describe(*one.input, one.shown), " is ", one.shown.expression);
  }
  guard -= expected_.size();
  if (guard < guards_.size()) {
    const Guard& asked = plan_->guards[guards_[guard]];
    std::string text = concatenate(asked.condition);
    if (asked.user.is_known()) text += concatenate(", required at ", asked.user);
    return text;
  }
  return range_text(plan_->ranges[ranges_[guard - guards_.size()].index]);
}

std::string SizeGuards::find_difference(std::span<const OpwValue> arguments) const {
  if (is_empty()) return "";
  try {
    const int64_t failed = find_failure(arguments);
    return failed < 0 ? "" : "this does not hold: " + describe(static_cast<size_t>(failed));
  } catch (const Error& error) {
    return concatenate("sizes cannot be computed: ", error.text());
  }
}

std::string SizeGuards::text() const {
  std::string text;
  if (is_empty()) return text;
  const size_t count = expected_.size() + guards_.size() + ranges_.size();
  for (size_t i = 0; i < count; ++i) text += describe(i) + "\n";
  return text;
}

}  // namespace opwright
