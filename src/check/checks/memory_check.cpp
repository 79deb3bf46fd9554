// memory: finds reads and writes outside the arguments, and results that are not written.
//
// The operator runs several times on guarded copies of its arguments. Only the contents of guards
// and of new memory differ between runs, so a different result depends on them.
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "opwright/base/thread_state.h"
#include "opwright/check/example/check.h"
#include "opwright/check/example/comparison.h"
#include "opwright/check/example/outcome.h"
#include "opwright/check/memory/fault_catcher.h"
#include "opwright/check/memory/forked_run.h"
#include "opwright/check/memory/guarded_example.h"
#include "opwright/check/memory/guarded_memory.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/property.h"
#include "opwright/error.h"
#include "opwright/tag.h"
#include "opwright/tensor/poison.h"

namespace opwright {
namespace {

// Large and finite, with different signs, as floats of any width and as ints.
constexpr uint8_t kPoison = 0x7b;
constexpr uint8_t kOtherPoison = 0xfa;

std::optional<std::string> find_exact_difference(const Outcome& is, const Outcome& should) {
  if (is.is_refused() && should.is_refused()) return std::nullopt;
  if (is.is_refused()) return concatenate("it raises ", is.error->kind(), ": ", is.error->text());
  if (should.is_refused()) return "it no longer raises an error";
  return find_difference(is, should, {.tolerance = Tolerance{}});
}

// The state of checking one input.
class Trial {
 public:
  Trial(const CheckInput& input, TensorGroups groups) : input_(input), groups_(std::move(groups)) {}

  std::optional<Fault> run() {
    const std::optional<Outcome> first = call({.poison = kPoison});
    if (!first || first->is_refused()) return std::move(fault_);
    if (!call({.poison = kPoison, .end = ProtectedEnd::First})) return std::move(fault_);
    if (input_.op().tags().has(Tag::Nondeterministic)) return std::nullopt;
    const std::optional<Outcome> again = call({.poison = kPoison});
    // Results that differ by themselves are reported by another check.
    if (!again || find_exact_difference(*again, *first)) return std::move(fault_);
    if (auto fault = compare_poisons(*first)) return fault;
    if (has_property(input_.op(), Property::ReadsStorage)) return std::nullopt;
    for (const GuardPattern pattern : {GuardPattern::Low, GuardPattern::Spreading}) {
      if (auto fault = compare_patterns(*first, pattern)) return fault;
    }
    return std::nullopt;
  }

 private:
  struct Conditions {
    uint8_t poison = kPoison;
    ProtectedEnd end = ProtectedEnd::Last;
    std::vector<GuardPatterns> patterns = {};  // empty: High everywhere
  };

  // nullopt if there is a fault, which is then in `fault_`.
  std::optional<Outcome> call(Conditions conditions) {
    if (conditions.patterns.empty())
      conditions.patterns = {groups_.size(), GuardPatterns::all(GuardPattern::High)};
    const GuardedExample guarded(input_.example(), groups_, conditions.patterns, conditions.end);
    std::optional<Outcome> outcome;
    const ThreadState state = thread_state();
    std::optional<MemoryFault> fault;
    {
      const PoisonScope poison(conditions.poison);
      fault = catch_fault(
          [&](const void* address) { return guarded.find_protected(address).has_value(); },
          [&] { outcome = run_example(guarded.example()); });
    }
    thread_state() = state;
    if (fault) {
      leave_child_after_answer();
      report_access(*guarded.find_protected(fault->address), fault->is_write);
      return std::nullopt;
    }
    if (const auto damage = guarded.find_damage()) {
      report_damage(*damage);
      return std::nullopt;
    }
    return outcome;
  }

  std::optional<Fault> compare_poisons(const Outcome& first) {
    const std::optional<Outcome> other = call({.poison = kOtherPoison});
    if (!other) return std::move(fault_);
    const auto difference = find_exact_difference(*other, first);
    if (!difference || !is_caused_by({.poison = kOtherPoison}, first)) return std::move(fault_);
    // Neither value is right: only the position matters.
    const std::string place = difference->substr(0, difference->find(" is "));
    return Fault{"unwritten-result",
                 concatenate(input_.op().name(), " uses new memory that it did not write: ", place,
                             " depends on its previous contents\n  Write every element that "
                             "empty() returned, or start from zeros(); if it is meant to leave "
                             "them unwritten, give the operator the tag nondeterministic.")};
  }

  std::optional<Fault> compare_patterns(const Outcome& first, GuardPattern pattern) {
    const Conditions conditions{.patterns = {groups_.size(), GuardPatterns::all(pattern)}};
    const std::optional<Outcome> other = call(conditions);
    if (!other) return std::move(fault_);
    const auto difference = find_exact_difference(*other, first);
    if (!difference || !is_caused_by(conditions, first)) return std::move(fault_);
    const std::string where = find_what_is_read(first, pattern);
    if (fault_) return std::move(fault_);
    return Fault{"reads-outside", concatenate(input_.op().name(), " reads memory ", where,
                                              ", which its result depends on: ",
                                              in_words(*other, *difference), advice())};
  }

  // Whether calls always differ from the first one under these conditions, and never under the
  // first one's: a kernel that adds in random order differs sometimes.
  bool is_caused_by(const Conditions& conditions, const Outcome& first) {
    constexpr int kTimes = 8;
    for (int i = 0; i < kTimes; ++i) {
      const std::optional<Outcome> same = call({});
      if (!same || find_exact_difference(*same, first)) return false;
      const std::optional<Outcome> other = call(conditions);
      if (!other || !find_exact_difference(*other, first)) return false;
    }
    return true;
  }

  // "between the elements of 'x'": changes the pattern of one zone of one argument at a time.
  std::string find_what_is_read(const Outcome& first, GuardPattern pattern) {
    for (size_t group = 0; group < groups_.size(); ++group) {
      for (size_t zone = 0; zone < kGuardZones; ++zone) {
        std::vector<GuardPatterns> patterns(groups_.size(), GuardPatterns::all(GuardPattern::High));
        patterns[group].of_zone[zone] = pattern;
        const std::optional<Outcome> other = call({.patterns = std::move(patterns)});
        if (!other) return {};
        if (find_exact_difference(*other, first))
          return concatenate(text_of(static_cast<GuardZone>(zone)), " of ", name_of(group));
      }
    }
    return "outside of its arguments";
  }

  // Compared with a plain call, which has neither guards nor poison; `otherwise` if they agree.
  std::string in_words(const Outcome& outcome, const std::string& otherwise) const {
    return find_exact_difference(outcome, input_.plain()).value_or(otherwise);
  }

  [[nodiscard]] std::string name_of(size_t group) const {
    return concatenate("'", input_.example().tensor_name(groups_[group].front()), "'");
  }

  // "'x', 4 bytes after the last element"
  [[nodiscard]] std::string place_text(size_t group, GuardZone zone, size_t distance) const {
    const std::string beside = text_of(zone);
    if (zone == GuardZone::Between) return concatenate(name_of(group), ", ", beside);
    const std::string far = distance == 0 ? "right" : concatenate(distance, " bytes");
    return concatenate(name_of(group), ", ", far, " ", beside);
  }

  static const char* advice() {
    return "\n  Use the sizes and strides of the tensor, or its contiguous().";
  }

  void report_access(const GuardedExample::Hit& hit, bool is_write) {
    // The address is that of the first byte.
    const size_t distance = hit.place.distance + (hit.place.zone == GuardZone::Before ? 1 : 0);
    fault_ = Fault{is_write ? "writes-outside" : "reads-outside",
                   concatenate(input_.op().name(), is_write ? " writes" : " reads", " outside of ",
                               place_text(hit.group, hit.place.zone, distance), advice())};
  }

  void report_damage(const GuardedExample::Damage& found) {
    const GuardedMemory::Place& nearest = found.damage.nearest;
    fault_ =
        Fault{"writes-outside",
              concatenate(input_.op().name(), " writes ", found.damage.bytes, " bytes outside of ",
                          place_text(found.group, nearest.zone, nearest.distance), advice())};
  }

  const CheckInput& input_;
  TensorGroups groups_;
  std::optional<Fault> fault_;
};

class MemoryCheck final : public Check {
 public:
  std::optional<Fault> look(const CheckInput& input) override {
    std::optional<TensorGroups> groups = find_tensor_groups(input.example());
    if (!groups) return std::nullopt;  // on another device
    return Trial(input, std::move(*groups)).run();
  }
};

[[maybe_unused]] const bool kIsMemoryCheckRegistered =
    (register_check(
         {.name = "memory",
          .about = "reads and writes outside of the arguments, unwritten results",
          .make = []() -> std::unique_ptr<Check> { return std::make_unique<MemoryCheck>(); },
          .place = 85,
          .runs_apart = true}),
     true);

}  // namespace
}  // namespace opwright
