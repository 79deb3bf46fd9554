// Parses nests from the text that to_text writes, for tests.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/compile/fuse/nest.h"
#include "opwright/dtype.h"
#include "opwright/error.h"

namespace opwright::testing {
inline std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words(1);
  for (const char letter : line) {
    if (letter != ' ' && letter != ',' && letter != '[' && letter != ']')
      words.back() += letter;
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

inline int64_t int_of(const std::string& word) { return std::strtoll(word.c_str(), nullptr, 10); }

inline DType dtype_named(const std::string& name) {
  for (const DTypeName& entry : kDTypes) {
    if (name == entry.name) return entry.dtype;
  }
  throw_error("ValueError", concatenate("no dtype is called ", name));
}

inline LaneOp op_named(const std::string& name) {
  for (int op = 0; op <= static_cast<int>(LaneOp::FoldOr); ++op) {
    if (name == lane_op_name(static_cast<LaneOp>(op))) return static_cast<LaneOp>(op);
  }
  throw_error("ValueError", concatenate("no lane operation is called ", name));
}

class NestParser {
 public:
  Nest parse(std::string_view text) {
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      parse_line(words_of(text.substr(0, end)));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return nest_;
  }

 private:
  void parse_line(const std::vector<std::string>& words) {
    if (words.empty() || words[0] == "#") return;
    if (words[0] == "rows") return parse_loops(words);
    if (words[0] == "operand") return parse_operand(words);
    if (words[0] == "store") {
      nest_.stores.push_back(
          {.operand = static_cast<uint32_t>(int_of(words[1])), .lane = lane_of(words[2])});
      return;
    }
    parse_lane(words);
  }

  NestExtent extent_of(const std::string& word) {
    if (word[0] != 'n') return {.fixed = int_of(word)};
    const auto number = static_cast<uint32_t>(int_of(word.substr(1)));
    nest_.num_numbers = std::max(nest_.num_numbers, number + 1);
    return {.fixed = -1, .number = number};
  }

  void parse_loops(const std::vector<std::string>& words) {
    std::vector<NestExtent>* loops = &nest_.rows;
    nest_.folds_columns = words.back() == "folded";
    for (size_t i = 1; i < words.size(); ++i) {
      if (words[i] == "folded") return;
      if (words[i] == "depth") {
        loops = &nest_.depth;
      } else if (words[i] == "columns") {
        nest_.columns = extent_of(words[++i]);
      } else {
        loops->push_back(extent_of(words[i]));
      }
    }
  }

  void parse_operand(const std::vector<std::string>& words) {
    NestOperand operand;
    size_t place = 2;
    operand.is_written = words[place] == "written";
    if (operand.is_written) ++place;
    operand.dtype = dtype_named(words[place++]);
    for (; place < words.size(); ++place) {
      const bool is_fixed = words[place] != "?";
      operand.strides.push_back({is_fixed, is_fixed ? int_of(words[place]) : 0});
    }
    nest_.operands.push_back(operand);
  }

  static uint32_t lane_of(const std::string& word) {
    return static_cast<uint32_t>(int_of(word.substr(1)));
  }

  // %2 float32 = add %0 %1
  void parse_lane(const std::vector<std::string>& words) {
    OPWRIGHT_CHECK_VALUE(words.size() > 3 && words[2] == "=", "no line of a nest: ", words[0]);
    Lane lane{.op = op_named(words[3]), .dtype = dtype_named(words[1])};
    size_t place = 4;
    if (lane.op == LaneOp::Load) lane.operand = static_cast<uint32_t>(int_of(words[place++]));
    if (lane.op == LaneOp::Number) lane.integer = extent_of(words[place++]).number;
    if (lane.op == LaneOp::RoundHalf) lane.half = dtype_named(words[place++]);
    if (lane.op == LaneOp::Constant) {
      lane.number = std::strtod(words[place].c_str(), nullptr);
      lane.integer = int_of(words[place++]);
    }
    for (; place < words.size(); ++place) lane.args.push_back(lane_of(words[place]));
    nest_.lanes.push_back(lane);
  }

  Nest nest_;
};

// Throws ValueError with the line that it does not understand. The number of call numbers is that
// of the highest one named.
[[nodiscard]] inline Nest parse_nest(std::string_view text) { return NestParser().parse(text); }

}  // namespace opwright::testing
