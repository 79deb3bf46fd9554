// EXPECT_ERROR(statement, kind, text): the statement throws an opwright::Error of that kind with
// exactly that message (text and notes); EXPECT_ERROR_CONTAINS checks for a part of the text.
#pragma once

#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "opwright/error.h"

namespace opwright::testing {

// The error that `function` throws, if any.
template <class Function>
std::optional<Error> error_of(Function function) {
  try {
    function();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

}  // namespace opwright::testing

#define OPWRIGHT_EXPECT_ERROR_(statement, error_kind, compare)                \
  do {                                                                        \
    const auto thrown_error =                                                 \
        ::opwright::testing::error_of([&] { static_cast<void>(statement); }); \
    if (!thrown_error) {                                                      \
      ADD_FAILURE() << #statement " threw no error";                          \
    } else {                                                                  \
      EXPECT_STREQ(thrown_error->kind(), error_kind);                         \
      const std::string thrown_text = thrown_error->message();                \
      compare;                                                                \
    }                                                                         \
  } while (false)

#define EXPECT_ERROR(statement, error_kind, expected) \
  OPWRIGHT_EXPECT_ERROR_(statement, error_kind, EXPECT_EQ(thrown_text, expected))
#define EXPECT_ERROR_CONTAINS(statement, error_kind, part) \
  OPWRIGHT_EXPECT_ERROR_(statement, error_kind,            \
                         EXPECT_NE(thrown_text.find(part), std::string::npos) << thrown_text)
