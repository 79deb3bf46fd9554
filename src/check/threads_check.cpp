// threads: the same call on several threads at once, each on its own arguments.
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "opwright/base/thread_pool.h"
#include "opwright/base/thread_state.h"
#include "opwright/check/check.h"
#include "opwright/check/comparison.h"
#include "opwright/check/example.h"
#include "opwright/check/outcome.h"
#include "opwright/dispatch/operator.h"
#include "opwright/error.h"
#include "opwright/tag.h"

namespace opwright {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kThreads = 4;
constexpr int kRoundsOfGiven = 50;
constexpr int kRoundsOfOthers = 5;
constexpr std::chrono::milliseconds kMostTime{60};
constexpr uint32_t kMostInputs = 6;  // threads cost more than most calls

// The host language's lock is given away while the caller waits: a kernel may need it.
class [[nodiscard]] WaitScope {
 public:
  WaitScope() : token_(wait_hooks().before ? wait_hooks().before() : nullptr) {}
  ~WaitScope() {
    if (wait_hooks().after) wait_hooks().after(token_);
  }
  WaitScope(const WaitScope&) = delete;
  WaitScope& operator=(const WaitScope&) = delete;

 private:
  void* token_;
};

// Rounds of calls that begin together.
class Crowd {
 public:
  explicit Crowd(const CheckInput& input)
      : input_(input),
        rounds_left_(input.is_given() ? kRoundsOfGiven : kRoundsOfOthers),
        until_(Clock::now() + kMostTime),
        round_(kThreads, RoundEnd{this}) {}

  // The first difference to a plain call.
  std::optional<std::string> run() {
    const ThreadState state = thread_state();
    {
      const WaitScope wait;
      std::vector<std::jthread> threads;
      for (int i = 0; i < kThreads; ++i) {
        threads.emplace_back([&] {
          const ThreadStateScope scope(state);
          call_in_rounds();
        });
      }
    }
    return std::move(difference_);
  }

 private:
  struct RoundEnd {
    Crowd* crowd;
    void operator()() noexcept { crowd->end_round(); }
  };

  void end_round() noexcept {
    const bool is_over = --rounds_left_ < 0 || has_found_.load() || Clock::now() > until_;
    goes_on_ = !is_over;
  }

  void call_in_rounds() {
    const bool is_kept = !input_.op().writes_arguments();
    std::optional<Example> example;
    for (;;) {
      note_failure([&] {
        if (!example || !is_kept) example = input_.example().copy();
      });
      round_.arrive_and_wait();
      if (!goes_on_) return;
      note_failure([&] {
        const Outcome outcome = run_example(*example);
        if (outcome.error) {
          note(concatenate("it raises ", outcome.error->kind(), ": ", outcome.error->text()));
        } else if (auto difference =
                       find_difference(outcome, input_.plain(), input_.comparison())) {
          note(std::move(*difference));
        }
      });
    }
  }

  template <class Body>
  void note_failure(const Body& body) {
    try {
      body();
    } catch (const std::exception& error) {
      note(concatenate("it raises ", error.what()));
    }
  }

  void note(std::string difference) {
    const std::lock_guard lock(mutex_);
    if (!has_found_.exchange(true)) difference_ = std::move(difference);
  }

  const CheckInput& input_;
  int rounds_left_;
  Clock::time_point until_;
  bool goes_on_ = true;  // written while all threads wait for the round's end
  std::barrier<RoundEnd> round_;
  std::atomic<bool> has_found_ = false;
  std::mutex mutex_;
  std::optional<std::string> difference_;
};

// What differs by itself is the finding of another check.
bool differs_alone(const CheckInput& input) {
  constexpr int kRuns = 20;
  for (int i = 0; i < kRuns; ++i) {
    const Outcome again = run_example(input.example().copy());
    if (again.error || find_difference(again, input.plain(), input.comparison())) return true;
  }
  return false;
}

class ThreadsCheck final : public Check {
 public:
  std::optional<std::string> find_reason_to_skip(const Operator& op) override {
    if (op.tags().has(Tag::Nondeterministic)) return "it has the tag nondeterministic";
    return std::nullopt;
  }

  std::optional<Fault> look(const CheckInput& input) override {
    if (input.plain().is_refused()) return std::nullopt;
    const auto difference = Crowd(input).run();
    if (!difference || differs_alone(input)) return std::nullopt;
    return Fault{"differs-in-threads",
                 concatenate(input.op().name(), " gives another result while ", kThreads,
                             " threads call it at once: ", *difference,
                             "\n  Keep what a call works on in variables of its own, or guard what "
                             "all calls share by a mutex.")};
  }
};

[[maybe_unused]] const bool kIsRegistered =
    (register_check(
         {.name = "threads",
          .about = "the same result from several threads at once",
          .make = []() -> std::unique_ptr<Check> { return std::make_unique<ThreadsCheck>(); },
          .place = 150,
          .most_inputs = kMostInputs}),
     true);

}  // namespace
}  // namespace opwright
