// Runs tests/golden/onnx/<opset>/*.txt: a graph, a line of dashes, the model that it becomes.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "convert/model_text.h"

namespace opwright::onnx {
namespace {

constexpr std::string_view kDivider = "\n----\n";

std::vector<std::filesystem::path> golden_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("tests/golden/onnx")) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::string read(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

class ModelGolden : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(ModelGolden, IsTheModelOfTheFile) {
  const std::string text = read(GetParam());
  const size_t divider = text.find(kDivider);
  ASSERT_NE(divider, std::string::npos) << GetParam() << " has no line of dashes";
  const int64_t opset = std::stoll(GetParam().parent_path().filename());

  EXPECT_EQ(testing::convert_text(opset, text.substr(0, divider)),
            text.substr(divider + kDivider.size()));
}

INSTANTIATE_TEST_SUITE_P(Files, ModelGolden, ::testing::ValuesIn(golden_files()),
                         [](const auto& file) {
                           return "Opset" + file.param.parent_path().filename().string() + "_" +
                                  file.param.stem().string();
                         });

}  // namespace
}  // namespace opwright::onnx
