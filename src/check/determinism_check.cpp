// determinism: the same input gives the same result, whatever ran before and on however many
// threads.
#include <memory>
#include <optional>
#include <string>

#include "opwright/base/thread_pool.h"
#include "opwright/check/check.h"
#include "opwright/check/comparison.h"
#include "opwright/check/outcome.h"
#include "opwright/dispatch/operator.h"
#include "opwright/error.h"
#include "opwright/tag.h"

namespace opwright {
namespace {

// A sum whose order is left to chance differs in most runs only.
constexpr int kRunsOfGiven = 8;
constexpr int kRunsOfOthers = 2;

class [[nodiscard]] NumThreadsScope {
 public:
  explicit NumThreadsScope(int count) : previous_(num_threads()) { set_num_threads(count); }
  ~NumThreadsScope() { set_num_threads(previous_); }
  NumThreadsScope(const NumThreadsScope&) = delete;
  NumThreadsScope& operator=(const NumThreadsScope&) = delete;

 private:
  int previous_;
};

std::optional<std::string> find_difference_in(const Outcome& again, const CheckInput& input,
                                              const ComparisonOptions& options) {
  if (again.error) return concatenate("it raises ", again.error->kind(), ": ", again.error->text());
  return find_difference(again, input.plain(), options);
}

class DeterminismCheck final : public Check {
 public:
  std::optional<std::string> find_reason_to_skip(const Operator& op) override {
    if (op.tags().has(Tag::Nondeterministic)) return "it has the tag nondeterministic";
    return std::nullopt;
  }

  std::optional<Fault> look(const CheckInput& input) override {
    if (input.plain().is_refused()) return std::nullopt;
    if (auto fault = look_at_runs(input)) return fault;
    if (auto fault = look_at_seeds(input)) return fault;
    if (is_in_parallel_body()) return std::nullopt;  // which cannot change the threads
    return look_at_threads(input);
  }

 private:
  static std::optional<Fault> look_at_runs(const CheckInput& input) {
    const int runs = input.is_given() ? kRunsOfGiven : kRunsOfOthers;
    for (int i = 0; i < runs; ++i) {
      const Outcome again = run_example(input.example().copy());
      const auto difference = find_difference_in(again, input, {.tolerance = Tolerance{}});
      if (!difference) continue;
      return Fault{"differs-between-runs",
                   concatenate(input.op().name(),
                               " does not give the same twice for the same input: ", *difference,
                               "\n  Keep no state between calls, add in a fixed order, draw from "
                               "the generator; or give the operator the tag nondeterministic.")};
    }
    return std::nullopt;
  }

  static std::optional<Fault> look_at_seeds(const CheckInput& input) {
    const Operator& op = input.op();
    // One that is seen through draws by operators that say so themselves.
    if (op.tags().has(Tag::NondeterministicSeeded) || op.seen_through_body()) return std::nullopt;
    const Outcome again = run_example(input.example().copy(), kUsualSeed + 1);
    const auto difference = find_difference_in(again, input, {.tolerance = Tolerance{}});
    if (!difference) return std::nullopt;
    return Fault{
        "differs-between-runs",
        concatenate(op.name(),
                    " draws random numbers and does not say so: with another "
                    "seed, ",
                    *difference, "\n  Give the operator the tag nondeterministic_seeded.")};
  }

  static std::optional<Fault> look_at_threads(const CheckInput& input) {
    const int usual = num_threads();
    for (const int count : {1, 3}) {
      if (count == usual) continue;
      const NumThreadsScope scope(count);
      const Outcome again = run_example(input.example().copy());
      const auto difference = find_difference_in(again, input, input.comparison());
      if (!difference) continue;
      return Fault{
          "differs-by-threads",
          concatenate(input.op().name(), " gives another result on ", count,
                      count == 1 ? " thread" : " threads", " than on ", usual, ": ", *difference,
                      "\n  Let no chunk of a parallel loop depend on how many there are, or write "
                      "what another one writes.")};
    }
    return std::nullopt;
  }
};

[[maybe_unused]] const bool kIsRegistered =
    (register_check(
         {.name = "determinism",
          .about = "the same result in every run and on any number of threads",
          .make = []() -> std::unique_ptr<Check> { return std::make_unique<DeterminismCheck>(); },
          .place = 40}),
     true);

}  // namespace
}  // namespace opwright
