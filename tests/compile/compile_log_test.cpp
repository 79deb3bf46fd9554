#include "opwright/compile/compile_log.h"

#include <gtest/gtest.h>

#include "base/expect_error.h"

namespace opwright {
namespace {

TEST(CompileLog, ReadsAListOfTopics) {
  EXPECT_EQ(parse_log_topics(""), 0u);
  EXPECT_EQ(parse_log_topics("code"), 1u);
  EXPECT_EQ(parse_log_topics("guards,code"), 5u);
  EXPECT_EQ(parse_log_topics("all"), 15u);
}

TEST(CompileLog, NamesTheTopicsThatThereAre) {
  EXPECT_ERROR((void)parse_log_topics("code,guard"), "ValueError",
               "OPWRIGHT_LOG: there is no topic 'guard', only code, nests, guards, breaks and all");
}

TEST(CompileLog, WritesLinesUnderTheirTopic) {
  ::testing::internal::CaptureStderr();
  write_log(LogTopic::Nests, "rows 2\n%0 = load 0\n");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "opwright nests: rows 2\n    %0 = load 0\n");
}

}  // namespace
}  // namespace opwright
