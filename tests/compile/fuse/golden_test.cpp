// Runs tests/golden/nest/<vector bytes>/*.txt: a nest, a line of dashes, its IR.
// tools/update_golden regenerates them.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "compile/nest_text.h"
#include "opwright/compile/fuse/nest.h"
#include "opwright/compile/llvm/emit_llvm.h"

namespace opwright {
namespace {

constexpr std::string_view kDivider = "\n----\n";

std::vector<std::filesystem::path> golden_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("tests/golden/nest")) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

class NestGolden : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(NestGolden, GivesTheIrOfTheFile) {
  std::ostringstream read;
  read << std::ifstream(GetParam()).rdbuf();
  const std::string text = read.str();
  const size_t divider = text.find(kDivider);
  ASSERT_NE(divider, std::string::npos) << GetParam() << " has no line of dashes";
  const auto vector_bytes =
      static_cast<uint32_t>(std::stoi(GetParam().parent_path().filename().string()));
  const Nest nest = testing::parse_nest(text.substr(0, divider));

  const EmittedNest emitted = emit_llvm(nest, {.vector_bytes = vector_bytes});

  EXPECT_EQ(to_text(nest), text.substr(0, divider + 1));
  EXPECT_EQ("; scratch " + std::to_string(emitted.scratch_bytes) + "\n" + emitted.ir,
            text.substr(divider + kDivider.size()));
}

INSTANTIATE_TEST_SUITE_P(Files, NestGolden, ::testing::ValuesIn(golden_files()),
                         [](const auto& file) {
                           return file.param.stem().string() + "_" +
                                  file.param.parent_path().filename().string();
                         });

}  // namespace
}  // namespace opwright
