#include "opwright/base/given_error.h"

#include <thread>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/error.h"

namespace opwright {
namespace {

int given_dropped = 0;
Error given_error_with_payload() {
  static int payload;
  return Error("ValueError", "bad", &given_dropped, &payload, [](void*) { ++given_dropped; });
}

TEST(GivenError, IsTakenOnce) {
  give_error(Error("ValueError", "bad").share());

  const Error error = Error::take(take_error());
  EXPECT_STREQ(error.text(), "bad");
  EXPECT_EQ(take_error(), nullptr);
}

TEST(GivenError, IsThrownAsTheSameObject) {
  const Error error("KeyError", "no such name");
  give_error(error.share());
  try {
    throw_given_error();
  } catch (const Error& thrown) {
    EXPECT_EQ(thrown.get(), error.get());
  }
}

TEST(GivenError, IsReplacedByALaterOne) {
  given_dropped = 0;
  give_error(given_error_with_payload().share());
  give_error(Error("TypeError", "later").share());

  EXPECT_EQ(given_dropped, 1);
  EXPECT_ERROR(require_ok(1), "TypeError", "later");
}

TEST(GivenError, IsReportedWhenItIsMissing) {
  EXPECT_ERROR(require_ok(1), "RuntimeError", "a host function failed without an error");
}

TEST(GivenError, BelongsToOneThread) {
  give_error(Error("ValueError", "mine").share());
  std::thread([] { EXPECT_EQ(take_error(), nullptr); }).join();
  EXPECT_ERROR(throw_given_error(), "ValueError", "mine");
}

TEST(GivenError, IsReleasedAtTheEndOfItsThread) {
  given_dropped = 0;
  std::thread([] { give_error(given_error_with_payload().share()); }).join();
  EXPECT_EQ(given_dropped, 1);
}

}  // namespace
}  // namespace opwright
