// threads: runs the same call on several threads at once, each on its own arguments.
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "opwright/base/thread_pool.h"
#include "opwright/base/thread_state.h"
#include "opwright/c_api.h"
#include "opwright/check/example/check.h"
#include "opwright/check/example/comparison.h"
#include "opwright/check/example/example.h"
#include "opwright/check/example/outcome.h"
#include "opwright/check/memory/clock.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/tag.h"
#include "opwright/tensor.h"
#include "opwright/tensor/poison.h"
#include "opwright/tensor/storage.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright {
namespace {

constexpr int kThreads = 4;
// Rounds of calls; fewer when time runs out, but at least the minimum.
constexpr int kRoundsOfGiven = 50;
constexpr int kRoundsOfOthers = 5;
constexpr int kLeastRounds = 6;
constexpr std::chrono::milliseconds kMostTimeOfGiven{60};
constexpr std::chrono::milliseconds kMostTimeOfOthers{10};
constexpr uint32_t kMostThreadsInputs = 5;  // threads cost more than most calls

// Releases the host language's lock while the caller waits: a kernel may need it.
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

template <class T>
void halve(std::span<std::byte> bytes) {
  T* numbers = reinterpret_cast<T*>(bytes.data());
  for (size_t i = 0; i < bytes.size() / sizeof(T); ++i) numbers[i] = static_cast<T>(numbers[i] / 2);
}

// The same with other values: half of each float, which is usually as valid. Calls on equal values
// could overwrite shared state unnoticed.
Example with_other_values(const Example& example) {
  Example other = example.copy();
  std::set<const Storage*> done;
  for (const Tensor& tensor : other.tensors()) {
    const Storage& storage = *impl(tensor).storage;
    if (tensor.device().type != kOpwDeviceCpu || !done.insert(&storage).second) continue;
    const std::span bytes(static_cast<std::byte*>(storage.data), storage.nbytes);
    if (tensor.dtype() == DType::Float32) halve<float>(bytes);
    if (tensor.dtype() == DType::Float64) halve<double>(bytes);
    if (tensor.dtype() == DType::Float16) halve<Half>(bytes);
    if (tensor.dtype() == DType::BFloat16) halve<BFloat16>(bytes);
  }
  return other;
}

// Rounds of calls that start together.
class Crowd {
 public:
  explicit Crowd(const CheckInput& input)
      : input_(input),
        other_(with_other_values(input.example()), false, input.settings()),
        most_rounds_(input.is_given() ? kRoundsOfGiven : kRoundsOfOthers),
        most_time_(input.is_given() ? kMostTimeOfGiven : kMostTimeOfOthers),
        round_(kThreads, RoundEnd{this}) {}

  // The first difference from a plain call.
  std::optional<std::string> run() {
    const ThreadState state = thread_state();
    const bool has_other = !other_.plain().is_refused();
    measure();
    {
      const WaitScope wait;
      std::vector<std::jthread> threads;
      for (int i = 0; i < kThreads; ++i) {
        const CheckInput& input = has_other && i % 2 == 1 ? other_ : input_;
        threads.emplace_back([&, i] {
          const ThreadStateScope scope(state);
          call_in_rounds(input, i);
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

  void measure() {
    const Example example = input_.example().copy();
    const Clock::time_point start = Clock::now();
    (void)run_example(example);
    length_ = Clock::now() - start;
  }

  void end_round() noexcept {
    round_start_ = Clock::now();
    if (rounds_ == 0) start_ = round_start_;
    const bool is_late = rounds_ >= kLeastRounds && round_start_ - start_ > most_time_;
    goes_on_ = rounds_++ < most_rounds_ && !is_late && !has_found_.load();
  }

  // In every second round the calls start one after the other: in lockstep they may all take the
  // same path.
  void wait_for_turn(int thread) const {
    if (rounds_ % 2 == 1) return;
    const Clock::time_point turn = round_start_ + length_ * thread / kThreads;
    while (Clock::now() < turn) std::this_thread::yield();
  }

  void call_in_rounds(const CheckInput& input, int thread) {
    std::optional<Example> example;
    for (;;) {
      // Copied each time: generators advance, and the operator may write what it should not.
      note_failure([&] { example = input.example().copy(); });
      round_.arrive_and_wait();
      if (!goes_on_) return;
      wait_for_turn(thread);
      note_failure([&] {
        const Outcome outcome = run_example(*example);
        if (outcome.error) {
          note(concatenate("it raises ", outcome.error->kind(), ": ", outcome.error->text()));
        } else if (auto difference = find_difference(outcome, input.plain(), input.comparison())) {
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
  CheckInput other_;
  int most_rounds_;
  Clock::duration most_time_;
  Clock::duration length_{};  // of one call
  // Written while all threads wait for the round's end.
  int rounds_ = 0;
  Clock::time_point start_;
  Clock::time_point round_start_;
  bool goes_on_ = true;
  std::barrier<RoundEnd> round_;
  std::atomic<bool> has_found_ = false;
  std::mutex mutex_;
  std::optional<std::string> difference_;
};

// Results that differ by themselves, or with the contents of new memory, are reported by another
// check.
bool differs_alone(const CheckInput& input) {
  constexpr int kRuns = 20;
  for (int i = 0; i < kRuns; ++i) {
    const PoisonScope poison(static_cast<uint8_t>(i % 2 == 0 ? 0x7b : 0xfa));
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
                 concatenate(input.op().name(), " returns a different result while ", kThreads,
                             " threads call it at once: ", *difference,
                             "\n  Keep the state of a call in local variables, or protect shared "
                             "state with a mutex.")};
  }
};

[[maybe_unused]] const bool kIsThreadsCheckRegistered =
    (register_check(
         {.name = "threads",
          .about = "the same result from several threads at once",
          .make = []() -> std::unique_ptr<Check> { return std::make_unique<ThreadsCheck>(); },
          .place = 90,
          .most_inputs = kMostThreadsInputs}),
     true);

}  // namespace
}  // namespace opwright
