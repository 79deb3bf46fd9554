// Tests the public opwright/error.h from the core's side.
#include "opwright/error.h"

#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"

namespace opwright {
namespace {

int dropped = 0;
int payload_value = 0;
Error error_with_payload() {
  return Error("ValueError", "bad", &dropped, &payload_value, [](void*) { ++dropped; });
}

// An error of another binary: its release is not ours.
struct ForeignError : OpwError {
  static inline int alive = 0;
  static OpwError* make() {
    ++alive;
    static const OpwNote note = {"line", "at kernel.cpp:3"};
    auto* error = new ForeignError{};
    error->struct_size = sizeof(OpwError);
    error->count = 1;
    error->release = [](OpwError* self) {
      self->drop_payload(self->payload);
      delete static_cast<ForeignError*>(self);
      --alive;
    };
    error->kind = "IndexError";
    error->text = "index 4 is out of range";
    error->message = "index 4 is out of range\n  at kernel.cpp:3";
    error->notes = &note;
    error->num_notes = 1;
    error->payload_type = &dropped;
    error->payload = &payload_value;
    error->drop_payload = [](void*) { ++dropped; };
    return error;
  }
};

TEST(Error, HasAKindAndAText) {
  const Error error("ValueError", "limit must be positive");
  EXPECT_STREQ(error.kind(), "ValueError");
  EXPECT_STREQ(error.text(), "limit must be positive");
  EXPECT_STREQ(error.what(), "limit must be positive");
}

TEST(Error, ShowsItsNotesInnermostFirst) {
  Error error("ValueError", "bad");
  error.add_note("argument", "argument 'x'");
  error.add_note("operator", "in audio::gain");

  EXPECT_EQ(error.message(), "bad\n  argument 'x'\n  in audio::gain");
  EXPECT_STREQ(error.what(), "bad\n  argument 'x'\n  in audio::gain");
  EXPECT_STREQ(error.text(), "bad");
  EXPECT_STREQ(error.note("operator"), "in audio::gain");
  EXPECT_EQ(error.note("line"), nullptr);
}

TEST(Error, SharesOneObjectBetweenCopies) {
  const Error error("ValueError", "bad");
  const Error copy = error;
  EXPECT_EQ(copy.get(), error.get());
  EXPECT_EQ(error.get()->count, 2u);
}

TEST(Error, AddsANoteToOneOfTwoCopiesOnly) {
  const Error error("ValueError", "bad");
  Error copy = error;
  copy.add_note("operator", "in audio::gain");

  EXPECT_EQ(error.message(), "bad");
  EXPECT_EQ(copy.message(), "bad\n  in audio::gain");
}

TEST(Error, DropsItsPayloadOnce) {
  dropped = 0;
  {
    const Error error = error_with_payload();
    Error copy = error;
    copy.add_note("operator", "in audio::gain");
    Error second = copy;
    second.add_note("operator", "in audio::mix");
    EXPECT_EQ(second.get()->payload, &payload_value);
    EXPECT_EQ(second.get()->payload_type, &dropped);
    EXPECT_EQ(dropped, 0);
  }
  EXPECT_EQ(dropped, 1);
}

TEST(Error, TakesOverAForeignErrorAndReleasesIt) {
  dropped = 0;
  {
    const Error error = Error::take(ForeignError::make());
    EXPECT_STREQ(error.kind(), "IndexError");
    EXPECT_EQ(error.message(), "index 4 is out of range\n  at kernel.cpp:3");
  }
  EXPECT_EQ(ForeignError::alive, 0);
  EXPECT_EQ(dropped, 1);
}

TEST(Error, CopiesAForeignErrorToAddANoteAndKeepsItsPayload) {
  dropped = 0;
  {
    Error error = Error::take(ForeignError::make());
    error.add_note("operator", "in audio::gain");
    EXPECT_STREQ(error.what(), "index 4 is out of range\n  at kernel.cpp:3\n  in audio::gain");
    EXPECT_EQ(error.get()->payload, &payload_value);
    EXPECT_EQ(ForeignError::alive, 1);
  }
  EXPECT_EQ(ForeignError::alive, 0);
  EXPECT_EQ(dropped, 1);
}

TEST(Error, CanBeHeldByManyThreads) {
  dropped = 0;
  {
    const Error error = error_with_payload();
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([error] {
        Error mine = error;
        mine.add_note("thread", "seen by a thread");
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(dropped, 1);
}

TEST(CurrentError, TranslatesWhatIsBeingHandled) {
  const auto translate = [](auto thrown) {
    try {
      throw thrown;
    } catch (...) {
      return current_error();
    }
  };
  EXPECT_STREQ(translate(Error("KeyError", "k")).kind(), "KeyError");
  EXPECT_STREQ(translate(std::bad_alloc()).kind(), "MemoryError");
  EXPECT_STREQ(translate(std::out_of_range("far")).text(), "far");
  EXPECT_STREQ(translate(7).text(), "an exception that is not a std::exception");
}

TEST(Check, ThrowsAKindWithTheTextsOfItsParts) {
  EXPECT_ERROR([] { OPWRIGHT_CHECK(false, "gain: factor must be positive, got ", -1.5); }(),
               "RuntimeError", "gain: factor must be positive, got -1.5");
  EXPECT_ERROR([] { OPWRIGHT_CHECK_VALUE(false, 1, ' ', true, ' ', 0.5f); }(), "ValueError",
               "1 true 0.5");
  EXPECT_ERROR([] { OPWRIGHT_CHECK_TYPE(false); }(), "TypeError", "");
  EXPECT_ERROR([] { OPWRIGHT_CHECK_INDEX(false, std::string("far")); }(), "IndexError", "far");
  EXPECT_NO_THROW(OPWRIGHT_CHECK(true));
}

TEST(Check, AssertionsNameTheConditionAndTheLine) {
  EXPECT_ERROR_CONTAINS(
      [] { OPWRIGHT_ASSERT(1 + 1 == 3); }(), "AssertionError",
      "internal error, please report it: 1 + 1 == 3 at tests/base/error_test.cpp:");
}

TEST(Text, WritesTheShortestDoubleThatReadsBack) {
  EXPECT_EQ(concatenate(0.1, " ", 1.0, " ", 1.0 / 3, " ", 1e300),
            "0.1 1 0.33333333333333331 1e+300");
}

}  // namespace
}  // namespace opwright
