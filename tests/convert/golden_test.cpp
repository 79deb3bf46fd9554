// Runs tests/golden/onnx/<opset>/*.txt: a graph, a line of dashes, its conversion to a model.
//
// Covers: src/convert/tensor_text, src/convert/onnx/*, src/convert/onnx/model/*.
#include <cstdint>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "convert/model_text.h"
#include "golden/golden_file.h"

namespace opwright::onnx {
namespace {

class ModelGolden : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(ModelGolden, IsTheModelOfTheFile) {
  const opwright::testing::GoldenFile file = opwright::testing::read_golden(GetParam());
  const int64_t opset = std::stoll(GetParam().parent_path().filename());

  EXPECT_EQ(testing::convert_text(opset, file.given), file.expected);
}

INSTANTIATE_TEST_SUITE_P(Files, ModelGolden,
                         ::testing::ValuesIn(opwright::testing::golden_files("onnx")),
                         [](const auto& file) {
                           return "Opset" + file.param.parent_path().filename().string() + "_" +
                                  file.param.stem().string();
                         });

}  // namespace
}  // namespace opwright::onnx
