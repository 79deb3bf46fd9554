// Runs tests/golden/schema/*.txt: a schema, a line of dashes, its canonical text or the error.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "opwright/schema/parser.h"

namespace opwright {
namespace {

constexpr std::string_view kDivider = "\n----\n";

std::vector<std::string> golden_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator("tests/golden/schema"))
    files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

std::string read(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

std::string print(const std::string& input) {
  try {
    return to_text(parse_schema(input)) + "\n";
  } catch (const Error& error) {
    return concatenate(error.kind(), ": ", error.text(), "\n");
  }
}

class SchemaGolden : public ::testing::TestWithParam<std::string> {};

TEST_P(SchemaGolden, PrintsTheCanonicalText) {
  const std::string text = read(GetParam());
  const size_t divider = text.find(kDivider);
  ASSERT_NE(divider, std::string::npos) << GetParam() << " has no line of dashes";

  EXPECT_EQ(print(text.substr(0, divider)), text.substr(divider + kDivider.size()));
}

INSTANTIATE_TEST_SUITE_P(Files, SchemaGolden, ::testing::ValuesIn(golden_files()),
                         [](const auto& file) {
                           return std::filesystem::path(file.param).stem().string();
                         });

}  // namespace
}  // namespace opwright
