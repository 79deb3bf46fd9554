// Truncated and modified files: an error or a printable program, never anything else.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/program/export/exported_program.h"
#include "opwright/program/file/program_file.h"
#include "program/program_files.h"

namespace opwright {
namespace {

using testing::exported;
using testing::FileParts;

// A program with every feature of files.
std::string rich_file() {
  Tensor count = zeros({2});
  const Tensor tied = ones({2});
  const Tensor table = arange(4).reshape({2, 2});
  return write_program(*exported(export_program(
      [&](const Tensor& x) {
        count.add_(tied);
        const Tensor found = masked_select(x, gt(x, 0));
        return std::vector<Tensor>{mul(add(x, count), tied), mul(found, 2), mm(table, table.t())};
      },
      {.names = {"x"},
       .dynamic = {{"x", 0, Dim::named("rows", 1, 64)}},
       .state = {{"count", count, false}, {"tied", tied}, {"twin", tied}}},
      ones({3, 2}))));
}

enum class ReadOutcome : uint8_t { Program, Refused };

// The result of reading the bytes; anything but a program or an expected error fails the test.
ReadOutcome outcome_of(const std::string& bytes) {
  try {
    const ExportedProgramPtr program = read_program(bytes, "net.opw");
    const std::string again = write_program(*program);
    EXPECT_EQ(to_text(*read_program(again, "again.opw")), to_text(*program));
    return ReadOutcome::Program;
  } catch (const Error& error) {
    const std::string_view kind = error.kind();
    EXPECT_TRUE(kind == "ValueError" || kind == "NotImplementedError") << error.text();
    EXPECT_TRUE(std::string_view(error.text()).starts_with("net.opw: ")) << error.text();
    return ReadOutcome::Refused;
  }
}

// Replacements for a number or sign of the text.
void change(std::string& text, std::mt19937& random) {
  constexpr std::string_view kSigns = "0123456789-%\"\\()[]{}:,.#? \nabx_";
  const size_t place = random() % text.size();
  switch (random() % 6) {
    case 0:
      text[place] = kSigns[random() % kSigns.size()];
      break;
    case 1:
      text.erase(place, 1 + random() % 8);
      break;
    case 2:
      text.insert(place, 1, kSigns[random() % kSigns.size()]);
      break;
    case 3:
      text.insert(place, text.substr(random() % text.size(), random() % 40));
      break;
    case 4:
      text.insert(place, std::to_string(int64_t{1} << (random() % 63)));
      break;
    default:
      text[place] = static_cast<char>(random());
  }
}

TEST(ProgramFileDamage, AFileCutAnywhereIsRefused) {
  const std::string file = rich_file();
  ASSERT_EQ(outcome_of(file), ReadOutcome::Program);
  for (size_t length = 0; length < file.size(); ++length) {
    ASSERT_EQ(outcome_of(file.substr(0, length)), ReadOutcome::Refused) << length;
  }
}

TEST(ProgramFileDamage, AnyChangedByteThatMattersIsFound) {
  const std::string file = rich_file();
  const FileParts parts(file);
  const size_t text_end = 64 + parts.text.size();
  const size_t data_begin = file.size() - parts.data.size();
  for (size_t place = 0; place < text_end; ++place) {
    std::string damaged = file;
    damaged[place] ^= static_cast<char>(1 << (place % 8));
    ASSERT_EQ(outcome_of(damaged), ReadOutcome::Refused) << place;
  }
  for (size_t place = data_begin; place < file.size(); ++place) {
    std::string damaged = file;
    damaged[place] ^= 1;
    (void)outcome_of(damaged);  // padding between two blocks is not checked
  }
}

TEST(ProgramFileDamage, HeadersOfAnyNumbersAreRefusedOrRight) {
  const std::string file = rich_file();
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    std::string changed = file;
    const size_t place = 8 + random() % 48;
    const uint64_t number = uint64_t{random()} << (random() % 40);
    std::memcpy(&changed[place], &number, std::min<size_t>(sizeof(number), 56 - place));
    const uint32_t sum = checksum(std::string_view(changed).substr(0, 60));
    std::memcpy(&changed[60], &sum, sizeof(sum));
    (void)outcome_of(changed);
  }
}

TEST(ProgramFileDamage, TextsOfAnyChangesAreRefusedOrPrograms) {
  const FileParts parts(rich_file());
  std::mt19937 random(2);
  size_t num_programs = 0;
  for (int i = 0; i < 6000; ++i) {
    FileParts changed = parts;
    for (size_t n = 1 + random() % 3; n > 0; --n) change(changed.text, random);
    num_programs += outcome_of(changed.bytes()) == ReadOutcome::Program ? 1 : 0;
  }
  EXPECT_GT(num_programs, 100u);
}

TEST(ProgramFileDamage, LinesInAnyOrderAreRefusedOrPrograms) {
  const FileParts parts(rich_file());
  const size_t graph = parts.text.find("\ngraph(") + 1;
  std::mt19937 random(3);
  for (int i = 0; i < 500; ++i) {
    std::vector<std::string> lines;
    for (size_t begin = 0; begin < graph;) {
      const size_t end = parts.text.find('\n', begin) + 1;
      lines.push_back(parts.text.substr(begin, end - begin));
      begin = end;
    }
    std::swap(lines[random() % lines.size()], lines[random() % lines.size()]);
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(random() % lines.size()));
    FileParts changed = parts;
    changed.text.clear();
    for (const std::string& line : lines) changed.text += line;
    changed.text += parts.text.substr(graph);
    (void)outcome_of(changed.bytes());
  }
}

}  // namespace
}  // namespace opwright
