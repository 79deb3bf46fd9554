// Registering, removing and calling from many threads at once. Runs under the thread sanitizer.
#include <atomic>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "dispatch/test_operators.h"
#include "opwright/dispatch/call.h"

namespace opwright::testing {
namespace {

constexpr int kThreads = 8;
constexpr int kRounds = 300;

struct CountedClosure {
  std::atomic<int>* live;
  explicit CountedClosure(std::atomic<int>* counter) : live(counter) { ++*live; }
  CountedClosure(const CountedClosure& other) : live(other.live) { ++*live; }
  CountedClosure& operator=(const CountedClosure&) = delete;
  ~CountedClosure() { --*live; }
  Tensor operator()(const Tensor& x, const Tensor& y) const {
    EXPECT_GT(live->load(), 0);  // the sanitizers would detect a dropped closure here
    return add_kernel(x, y);
  }
};

template <class Body>
void run_threads(Body body) {
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) threads.emplace_back([&body, t] { body(t); });
  for (std::thread& thread : threads) thread.join();
}

TEST(ManyThreads, CallWhileOthersReplaceTheKernel) {
  const TestOperators operators;
  std::atomic<int> live{0};
  std::atomic<int> calls{0};
  run_threads([&](int t) {
    const Tensor x = tensor({1, 2});
    const Tensor y = tensor({10, 20});
    for (int round = 0; round < kRounds; ++round) {
      if (t % 4 == 0) {
        auto replaced = Registry::get().implement("test::add", Slot::Cpu, CountedClosure(&live));
        EXPECT_EQ(values_of(TestOperators::add(x, y)), (std::vector<float>{11, 22}));
      } else {
        EXPECT_EQ(values_of(TestOperators::add(x, y)), (std::vector<float>{11, 22}));
        ++calls;
      }
    }
  });
  EXPECT_EQ(live.load(), 0);
  EXPECT_EQ(calls.load(), kThreads * 3 / 4 * kRounds);
}

TEST(ManyThreads, LookUpAndCallWhileOthersDefineAndRemove) {
  const TestOperators operators;
  std::atomic<int> found{0};
  std::atomic<int> missed{0};
  run_threads([&](int t) {
    std::mt19937 random(static_cast<unsigned>(t));
    const Tensor x = tensor({1, 2});
    OperatorHandle<Tensor(const Tensor&)> coming("test::coming_and_going");
    for (int round = 0; round < kRounds; ++round) {
      if (t == 0) {
        const auto defined = Registry::get().define("test::coming_and_going(Tensor x) -> Tensor");
        const auto kernel = Registry::get().implement(
            "test::coming_and_going", Slot::Cpu,
            [owned = std::string("captured")](const Tensor& input) { return input; });
        std::this_thread::yield();
      } else if (t == 1) {
        const auto own =
            Registry::get().define(concatenate("test::op_", random() % 50, "(Tensor x) -> Tensor"));
      } else {
        try {
          EXPECT_EQ(coming(x).get(), x.get());
          ++found;
        } catch (
            const Error& error) {  // removed, not defined, or without its kernel at this moment
          ++missed;
        }
      }
    }
  });
  EXPECT_EQ(found + missed, (kThreads - 2) * kRounds);
  EXPECT_EQ(Registry::get().find("test::coming_and_going"), nullptr);
}

TEST(ManyThreads, EachHaveAnInterpreterOfTheirOwn) {
  const TestOperators operators;
  class Counting : public Interpreter {
   public:
    using Interpreter::Interpreter;
    const char* name() const override { return "counting"; }
    void process(const Operator& op, Arguments args, Results results) override {
      ++calls;
      const ParentScope scope(*this);
      call(op, args, results);
    }
    int calls = 0;
  };
  run_threads([&](int t) {
    const Tensor x = tensor({1});
    auto level = make_intrusive<Counting>(nullptr);
    {
      const InterpreterScope scope(level.get());
      for (int i = 0; i <= t; ++i) TestOperators::add(x, x);
    }
    EXPECT_EQ(level->calls, t + 1);
  });
}

}  // namespace
}  // namespace opwright::testing
