// determinism: the same input returns the same result, independent of earlier calls and of the
// number of threads.
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "opwright/base/thread_pool.h"
#include "opwright/check/example/check.h"
#include "opwright/check/example/comparison.h"
#include "opwright/check/example/example.h"
#include "opwright/check/example/outcome.h"
#include "opwright/check/memory/clock.h"
#include "opwright/dispatch/operator.h"
#include "opwright/error.h"
#include "opwright/tag.h"
#include "opwright/tensor/poison.h"

namespace opwright {
namespace {

// A sum in random order differs only in some runs, so cheap calls are repeated more often.
struct Runs {
  int least;
  int most;
  std::chrono::microseconds time;  // if exceeded, only the least number of runs
};
constexpr Runs kRunsOfGiven{8, 100, std::chrono::milliseconds(10)};
constexpr Runs kRunsOfOthers{2, 10, std::chrono::milliseconds(1)};

class [[nodiscard]] NumThreadsScope {
 public:
  explicit NumThreadsScope(int count) : previous_(num_threads()) { set_num_threads(count); }
  ~NumThreadsScope() { set_num_threads(previous_); }
  NumThreadsScope(const NumThreadsScope&) = delete;
  NumThreadsScope& operator=(const NumThreadsScope&) = delete;

 private:
  int previous_;
};

// New memory has the same contents in every run: reads of it are reported by another check.
Outcome run_again(const CheckInput& input, uint64_t seed = kUsualSeed) {
  const Example example = input.example().copy();
  const PoisonScope poison(0x7b);
  return run_example(example, seed);
}

std::optional<std::string> find_repeat_difference(const Outcome& again, const Outcome& first,
                                                  const ComparisonOptions& options) {
  if (again.error) return concatenate("it raises ", again.error->kind(), ": ", again.error->text());
  return find_difference(again, first, options);
}

class DeterminismCheck final : public Check {
 public:
  std::optional<std::string> find_reason_to_skip(const Operator& op) override {
    if (op.tags().has(Tag::Nondeterministic)) return "it has the tag nondeterministic";
    return std::nullopt;
  }

  std::optional<Fault> look(const CheckInput& input) override {
    if (input.plain().is_refused()) return std::nullopt;
    const Outcome first = run_again(input);
    if (auto fault = look_at_runs(input, first)) return fault;
    if (auto fault = look_at_seeds(input, first)) return fault;
    if (is_in_parallel_body()) return std::nullopt;  // the number of threads cannot change there
    return look_at_threads(input, first);
  }

 private:
  static Fault differs_between_runs(const CheckInput& input, const std::string& difference) {
    return Fault{"differs-between-runs",
                 concatenate(input.op().name(),
                             " returns different results for the same input: ", difference,
                             "\n  Keep no state between calls, add in a fixed order, draw from the "
                             "generator; or give the operator the tag nondeterministic.")};
  }

  static std::optional<Fault> look_at_runs(const CheckInput& input, const Outcome& first) {
    if (first.error) return differs_between_runs(input, *find_repeat_difference(first, first, {}));
    const Runs& runs = input.is_given() ? kRunsOfGiven : kRunsOfOthers;
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < runs.most; ++i) {
      if (i >= runs.least && Clock::now() - start > runs.time) break;
      const Outcome again = run_again(input);
      const auto difference = find_repeat_difference(again, first, {.tolerance = Tolerance{}});
      if (!difference) continue;
      return differs_between_runs(input, *difference);
    }
    return std::nullopt;
  }

  static std::optional<Fault> look_at_seeds(const CheckInput& input, const Outcome& first) {
    const Operator& op = input.op();
    // A composite that is seen through draws by operators that have the tag themselves.
    if (op.tags().has(Tag::NondeterministicSeeded) || op.seen_through_body()) return std::nullopt;
    const Outcome again = run_again(input, kUsualSeed + 1);
    const auto difference = find_repeat_difference(again, first, {.tolerance = Tolerance{}});
    if (!difference) return std::nullopt;
    return Fault{
        "differs-between-runs",
        concatenate(op.name(),
                    " draws random numbers without declaring it: with another "
                    "seed, ",
                    *difference, "\n  Give the operator the tag nondeterministic_seeded.")};
  }

  static std::optional<Fault> look_at_threads(const CheckInput& input, const Outcome& first) {
    const int usual = num_threads();
    for (const int count : {1, 3}) {
      if (count == usual) continue;
      const NumThreadsScope scope(count);
      const Outcome again = run_again(input);
      const auto difference = find_repeat_difference(again, first, input.comparison());
      if (!difference) continue;
      return Fault{
          "differs-by-threads",
          concatenate(input.op().name(), " returns a different result on ", count,
                      count == 1 ? " thread" : " threads", " than on ", usual, ": ", *difference,
                      "\n  Chunks of a parallel loop must not depend on their number, or write "
                      "the same memory.")};
    }
    return std::nullopt;
  }
};

[[maybe_unused]] const bool kIsDeterminismCheckRegistered =
    (register_check(
         {.name = "determinism",
          .about = "the same result in every run and on any number of threads",
          .make = []() -> std::unique_ptr<Check> { return std::make_unique<DeterminismCheck>(); },
          .place = 80}),
     true);

}  // namespace
}  // namespace opwright
