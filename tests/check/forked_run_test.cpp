#include "opwright/check/memory/forked_run.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "opwright/base/thread_pool.h"
#include "opwright/error.h"

namespace opwright {
namespace {

TEST(ForkedRun, GivesWhatEachPieceOfWorkGave) {
  const auto answers = run_forked(3, [](size_t i) { return "piece " + std::to_string(i); });

  ASSERT_EQ(answers.size(), 3u);
  EXPECT_EQ(answers[0]->text, "piece 0");
  EXPECT_EQ(answers[2]->text, "piece 2");
  EXPECT_EQ(answers[2]->signal, 0);
}

TEST(ForkedRun, ChangesNothingHere) {
  int here = 1;

  (void)run_forked(1, [&](size_t) { return std::to_string(here = 2); });

  EXPECT_EQ(here, 1);
}

TEST(ForkedRun, CarriesTextThatIsLongerThanAPipeHolds) {
  const auto answers = run_forked(2, [](size_t) { return std::string(1 << 20, 'x'); });

  EXPECT_EQ(answers[1]->text.size(), size_t{1} << 20);
}

TEST(ForkedRun, GoesOnInAnotherChildAfterACrash) {
  const auto answers = run_forked(3, [](size_t i) -> std::string {
    if (i == 1) std::raise(SIGFPE);
    return "fine";
  });

  EXPECT_EQ(answers[0]->text, "fine");
  EXPECT_EQ(answers[1]->signal, SIGFPE);
  EXPECT_EQ(answers[2]->text, "fine");
}

TEST(ForkedRun, TellsTheAddressThatCouldNotBeRead) {
  const auto answers = run_forked(1, [](size_t) -> std::string {
    const volatile char* nothing = reinterpret_cast<const char*>(0x1230);
    return {*nothing};
  });

  EXPECT_EQ(answers[0]->signal, SIGSEGV);
  EXPECT_EQ(answers[0]->address, reinterpret_cast<const void*>(0x1230));
}

TEST(ForkedRun, StopsAfterSoManyChildren) {
  const auto answers = run_forked(4, [](size_t) -> std::string { std::abort(); }, 20, 2);

  EXPECT_EQ(answers[0]->signal, SIGABRT);
  EXPECT_EQ(answers[1]->signal, SIGABRT);
  EXPECT_EQ(answers[2], std::nullopt);
  EXPECT_EQ(answers[3], std::nullopt);
}

TEST(ForkedRun, EndsWorkThatTakesTooLong) {
  const auto answers = run_forked(
      2,
      [](size_t i) -> std::string {
        if (i == 0) std::this_thread::sleep_for(std::chrono::hours(1));
        return "fine";
      },
      0.05);

  EXPECT_TRUE(answers[0]->is_late);
  EXPECT_EQ(answers[1]->text, "fine");
}

TEST(ForkedRun, TellsThatTheWorkLeft) {
  const auto answers = run_forked(1, [](size_t) -> std::string { _exit(0); });

  EXPECT_EQ(answers[0]->signal, kLeftWithoutSignal);
}

TEST(ForkedRun, ThrowsWhatTheWorkThrows) {
  try {
    (void)run_forked(1, [](size_t) -> std::string { throw Error("IndexError", "too far"); });
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.kind(), "IndexError");
    EXPECT_STREQ(error.text(), "too far");
  }
}

TEST(ForkedRun, TakesAnotherChildWhenTheWorkAsksForIt) {
  int calls = 0;
  const auto answers = run_forked(2, [&](size_t) {
    leave_child_after_answer();
    return std::to_string(++calls);
  });

  EXPECT_EQ(answers[0]->text, "1");
  EXPECT_EQ(answers[1]->text, "1");
}

TEST(ForkedRun, PrintsNothing) {
  ::testing::internal::CaptureStdout();

  (void)run_forked(1, [](size_t) -> std::string {
    std::cout << "from the child" << std::endl;
    return {};
  });

  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
}

#ifndef __SANITIZE_THREAD__  // which ends a child that starts threads
TEST(ForkedRun, RunsParallelLoopsInTheChild) {
  const auto sum = [](size_t) {
    std::atomic<int64_t> total = 0;
    parallel_for(1000, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) total += i;
    });
    return std::to_string(total.load());
  };
  ASSERT_EQ(sum(0), "499500");

  EXPECT_EQ(run_forked(1, sum)[0]->text, "499500");
}
#endif

}  // namespace
}  // namespace opwright
