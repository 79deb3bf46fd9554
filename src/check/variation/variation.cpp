#include "opwright/check/variation/variation.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "opwright/check/example/example_key.h"
#include "opwright/check/values/random_source.h"
#include "opwright/check/variation/number_variation.h"
#include "opwright/check/variation/size_ties.h"
#include "opwright/check/variation/size_variation.h"
#include "opwright/check/variation/stride_variation.h"
#include "opwright/check/variation/value_variation.h"
#include "opwright/check/variation/variation_step.h"
#include "opwright/check/variation/wild_variation.h"

namespace opwright {
namespace {

constexpr int kMostAttempts = 200;  // to find something new

// The steps of one kind, and how many of them a round uses.
struct Kind {
  VariationSteps steps;
  size_t per_round;
  size_t taken = 0;
};

// The first ones of each kind, the next ones of each kind, ...
VariationSteps in_rounds(std::vector<Kind> kinds) {
  VariationSteps order;
  for (bool is_done = false; !is_done;) {
    is_done = true;
    for (Kind& kind : kinds) {
      for (size_t i = 0; i < kind.per_round && kind.taken < kind.steps.size(); ++i) {
        order.push_back(kind.steps[kind.taken++]);
        is_done = false;
      }
    }
  }
  return order;
}

VariationSteps joined(std::initializer_list<VariationSteps> lists) {
  VariationSteps all;
  for (const VariationSteps& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

}  // namespace

struct Variations::State {
  State(const Example& example, VariationOptions given_options)
      : options(given_options),
        rng(options.seed),
        given{.example = example, .change = ""},
        base(given) {
    seen.insert(key_of(example));
    if (options.is_wild) return;
    ties = find_size_ties(example);
    if (count_elements(ties, ties.sizes) > kMostVariedElements) {
      base = reduce(given, ties, kMostVariedElements, rng);
      ties.sizes = ties.sizes_in(base.example);
    }
    make_steps();
  }

  void make_steps() {
    const Example& example = base.example;
    SizeSteps sizes = size_steps(example, ties);
    const VariationSteps dtypes = dtype_steps(example);
    const VariationSteps specials = special_value_steps(example);
    const VariationSteps strides = stride_steps(example);
    const VariationSteps offsets = offset_steps(example);
    const VariationSteps repeats = repeat_steps(example);
    const VariationSteps sharing = sharing_steps(example);
    const VariationSteps gradients = gradient_steps(example);
    const VariationSteps numbers = number_steps(example);
    // Ordered so that none undoes an earlier one.
    kinds = {{random_size_step(example, ties)},
             dtypes,
             {fresh_values_step()},
             specials,
             joined({strides, offsets, repeats}),
             sharing,
             gradients,
             numbers};
    const size_t num_sizes = std::clamp<size_t>((sizes.zeros.size() + 1) / 2, 2, 4);
    singles = in_rounds({{std::move(sizes.zeros), num_sizes},
                         {std::move(sizes.ones), num_sizes},
                         {std::move(sizes.others), 2},
                         {strides, 2},
                         {offsets, 1},
                         {repeats, 1},
                         {dtypes, 1},
                         {specials, 2},
                         {numbers, 1},
                         {sharing, 1},
                         {gradients, 1}});
  }

  // Combines several changes at random.
  [[nodiscard]] std::optional<Draft> combine() {
    Draft draft = rng.one_in(32) ? given : base;  // large examples are slow
    const uint64_t share = static_cast<uint64_t>(rng.between(2, 5));
    for (const VariationSteps& steps : kinds) {
      if (steps.empty() || !rng.one_in(share)) continue;
      if (std::optional<Draft> next = rng.choose(steps)(draft, rng)) draft = std::move(*next);
    }
    return draft;
  }

  [[nodiscard]] std::optional<Draft> combine_wildly() {
    std::optional<Draft> draft = change_wildly(given, rng);
    if (draft && rng.one_in(3)) draft = change_wildly(*draft, rng);
    return draft;
  }

  [[nodiscard]] std::optional<Draft> attempt() {
    if (options.is_wild) return combine_wildly();
    if (!is_base_given) {
      is_base_given = true;
      return base;
    }
    if (next_single < singles.size()) return singles[next_single++](base, rng);
    return combine();
  }

  VariationOptions options;
  RandomSource rng;
  Draft given;
  Draft base;  // the starting point of steps: the given example, or a smaller one
  SizeTies ties;
  VariationSteps singles;
  size_t next_single = 0;
  bool is_base_given = false;
  std::vector<VariationSteps> kinds;
  std::unordered_set<std::string> seen;
};

Variations::Variations(const Example& given, VariationOptions options)
    : state_(std::make_unique<State>(given, options)) {}
Variations::~Variations() = default;

std::optional<Example> Variations::next() {
  for (int attempts = 0; attempts < kMostAttempts;) {
    if (state_->next_single >= state_->singles.size()) ++attempts;
    const std::optional<Draft> draft = state_->attempt();
    if (!draft || !state_->seen.insert(key_of(draft->example)).second) continue;
    return draft->example.changed_by(draft->change);
  }
  return std::nullopt;
}

}  // namespace opwright
