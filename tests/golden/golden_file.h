// Files of tests/golden: a text, a line of dashes, what it becomes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace opwright::testing {

struct GoldenFile {
  std::string given;
  std::string expected;
};

inline GoldenFile read_golden(const std::filesystem::path& path) {
  constexpr std::string_view kDivider = "\n----\n";
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  const std::string whole = text.str();
  const size_t divider = whole.find(kDivider);
  if (divider == std::string::npos)
    throw std::runtime_error(path.string() + " has no line of dashes");
  return {whole.substr(0, divider), whole.substr(divider + kDivider.size())};
}

// All below a folder of tests/golden.
inline std::vector<std::filesystem::path> golden_files(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator("tests/golden/" + folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace opwright::testing
