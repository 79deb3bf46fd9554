// The parsed command line.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace opwright::command {

// An invalid command line: exit code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// `opwright run`
struct RunOptions {
  std::string program;
  std::vector<std::string> libraries;
  std::vector<std::string> inputs;   // "x=x.npy", "n=5", or "x.npy": the next one in order
  std::vector<std::string> outputs;  // "y=y.npy" or "y.npy"
  std::vector<std::string> sizes;    // "batch=8"
  bool fills_randomly = false;
  std::optional<uint64_t> seed;
  std::optional<int> threads;
  int64_t warmup = 0;
  int64_t repeat = 0;  // 0: only the first run
  bool profiles = false;
  std::string trace_path;  // empty: no trace file
  bool wants_help = false;
};
[[nodiscard]] RunOptions parse_run_options(std::span<const std::string> words);

// `opwright onnx`
struct OnnxOptions {
  std::string program;
  std::string output;  // empty: next to the program
  std::optional<int64_t> opset;
  std::vector<std::string> functions;
  std::vector<std::string> libraries;
  bool wants_text = false;
  bool wants_help = false;
};
[[nodiscard]] OnnxOptions parse_onnx_options(std::span<const std::string> words);

// `opwright convert`
struct ConvertOptions {
  std::string program;
  std::string output;
  std::vector<std::string> libraries;
  bool wants_help = false;
};
// UsageError also if a file is missing.
[[nodiscard]] ConvertOptions parse_convert_options(std::span<const std::string> words);

// `opwright show`
struct ShowOptions {
  std::string program;
  bool wants_help = false;
};
[[nodiscard]] ShowOptions parse_show_options(std::span<const std::string> words);

}  // namespace opwright::command
