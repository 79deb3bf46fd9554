// Runs tests/golden/ge/*.txt: a graph, a line of dashes, its conversion to the engine's graph.
#include <filesystem>

#include <gtest/gtest.h>

#include "convert/ge_text.h"
#include "golden/golden_file.h"

namespace opwright::graph_engine {
namespace {

class GeGolden : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(GeGolden, IsTheGraphOfTheFile) {
  const opwright::testing::GoldenFile file = opwright::testing::read_golden(GetParam());

  EXPECT_EQ(testing::convert_text(file.given), file.expected);
}

INSTANTIATE_TEST_SUITE_P(Files, GeGolden,
                         ::testing::ValuesIn(opwright::testing::golden_files("ge")),
                         [](const auto& file) { return file.param.stem().string(); });

}  // namespace
}  // namespace opwright::graph_engine
