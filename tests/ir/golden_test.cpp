// Runs tests/golden/graph/<pass>/*.txt: a graph, a line of dashes, the graph after the pass.
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "golden/golden_file.h"
#include "ir/graph_passes.h"

namespace opwright {
namespace {

class GraphGolden : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(GraphGolden, GivesTheGraphOfTheFile) {
  const testing::GraphOperators operators;
  const testing::GoldenFile file = testing::read_golden(GetParam());
  const std::string pass = GetParam().parent_path().filename();

  EXPECT_EQ(testing::run_pass(pass, file.given), file.expected);
}

INSTANTIATE_TEST_SUITE_P(Files, GraphGolden, ::testing::ValuesIn(testing::golden_files("graph")),
                         [](const auto& file) {
                           return file.param.parent_path().filename().string() + "_" +
                                  file.param.stem().string();
                         });

}  // namespace
}  // namespace opwright
