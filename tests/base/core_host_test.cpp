#include "opwright/base/core_host.h"

#include <atomic>

#include <gtest/gtest.h>

#include "base/expect_error.h"

namespace opwright {
namespace {

TEST(CoreHost, SaysWhoItIs) {
  EXPECT_STREQ(core_host().name, "opwright");
  EXPECT_EQ(core_host().struct_size, sizeof(OpwHost));
  EXPECT_EQ(core_host().abi_minor, OPW_ABI_MINOR);
}

TEST(CoreHost, HasNoImportsOfItsOwn) {
  const OpwHost& host = core_host();

  EXPECT_ERROR(require_ok(host.call(&host, 3, nullptr, 0, nullptr, 0)), "RuntimeError",
               "call: operator import 3 was used outside of a loaded binary");
}

TEST(CoreHost, KeepsTheErrorThatWasGiven) {
  const OpwHost& host = core_host();
  const Error error("ValueError", "mine");

  host.give_error(&host, error.share());
  OpwError* taken = host.take_error(&host);

  EXPECT_EQ(taken, error.get());
  EXPECT_EQ(host.take_error(&host), nullptr);
  (void)Error::take(taken);
}

TEST(CoreHost, RunsALoopOverAllOfItsRange) {
  const OpwHost& host = core_host();
  std::atomic<int64_t> sum = 0;
  const OpwLoopBody body = [](void* context, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) *static_cast<std::atomic<int64_t>*>(context) += i;
    return 0;
  };

  require_ok(host.parallel_for(&host, 1000, 10, body, &sum));

  EXPECT_EQ(sum.load(), 499500);
}

TEST(CoreHost, GivesTheErrorOfALoopsBody) {
  const OpwHost& host = core_host();
  const OpwLoopBody body = [](void*, int64_t, int64_t) {
    core_host().give_error(&core_host(), Error("ValueError", "bad chunk").share());
    return 1;
  };

  EXPECT_ERROR(require_ok(host.parallel_for(&host, 1000, 10, body, nullptr)), "ValueError",
               "bad chunk");
}

}  // namespace
}  // namespace opwright
