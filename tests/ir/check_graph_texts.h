// Include it in one source of a test binary: every graph that its tests create must parse back from
// its text.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "opwright/ir/graph/text_check.h"

namespace opwright::testing {

class GraphTextListener : public ::testing::EmptyTestEventListener {
 public:
  void OnTestEnd(const ::testing::TestInfo& /*test*/) override {
    for (const std::string& failure : take_graph_text_failures()) ADD_FAILURE() << failure;
  }

  // Registers one for the life of the process; gtest deletes it.
  static bool install() {
    set_checks_graph_texts(true);
    ::testing::UnitTest::GetInstance()->listeners().Append(new GraphTextListener);
    return true;
  }
};

namespace {
[[maybe_unused]] const bool kChecksGraphTexts = GraphTextListener::install();
}

}  // namespace opwright::testing
