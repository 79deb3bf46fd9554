#include "command/options.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include "command/option_reader.h"
#include "opwright/error.h"
#include "opwright/runtime/onnx.h"

namespace opwright::command {
namespace {

constexpr int64_t kMostRuns = 10'000'000;  // their times are stored
constexpr int64_t kMostThreads = 4096;

void take_program(std::string& program, const std::string& word) {
  if (!program.empty())
    throw UsageError(concatenate("one program at a time, got ", program, " and ", word));
  program = word;
}

void require_program(const std::string& program, bool wants_help) {
  if (program.empty() && !wants_help) throw UsageError("name a program: a file that export saved");
}

// Returns whether the option is one of inputs and outputs.
bool read_data_option(OptionReader& reader, RunOptions& options) {
  const std::string& name = reader.word();
  if (name == "--library" || name == "-l") {
    options.libraries.push_back(reader.take_value());
  } else if (name == "--input" || name == "-i") {
    options.inputs.push_back(reader.take_value());
  } else if (name == "--output" || name == "-o") {
    options.outputs.push_back(reader.take_value());
  } else if (name == "--size") {
    options.sizes.push_back(reader.take_value());
  } else if (name == "--random") {
    reader.refuse_value();
    options.fills_randomly = true;
  } else if (name == "--seed") {
    options.seed = static_cast<uint64_t>(reader.take_int(0, std::numeric_limits<int64_t>::max()));
  } else {
    return false;
  }
  return true;
}

// Returns whether the option is one of how to run.
bool read_run_option(OptionReader& reader, RunOptions& options) {
  const std::string& name = reader.word();
  if (name == "--repeat") {
    options.repeat = reader.take_int(1, kMostRuns);
  } else if (name == "--warmup") {
    options.warmup = reader.take_int(0, kMostRuns);
  } else if (name == "--threads") {
    options.threads = static_cast<int>(reader.take_int(1, kMostThreads));
  } else if (name == "--profile") {
    options.profiles = true;
    options.trace_path = reader.take_value_ending(".json").value_or("");
  } else if (name == "--help" || name == "-h") {
    options.wants_help = true;
  } else {
    return false;
  }
  return true;
}

// Returns whether the option is one of `opwright onnx`.
bool read_onnx_option(OptionReader& reader, OnnxOptions& options) {
  const std::string& word = reader.word();
  if (word == "--output" || word == "-o") {
    options.output = reader.take_value();
  } else if (word == "--opset") {
    options.opset = reader.take_int(onnx::kOldestOpset, onnx::kNewestOpset);
  } else if (word == "--function") {
    options.functions.push_back(reader.take_value());
  } else if (word == "--library" || word == "-l") {
    options.libraries.push_back(reader.take_value());
  } else if (word == "--text") {
    reader.refuse_value();
    options.wants_text = true;
  } else if (word == "--help" || word == "-h") {
    options.wants_help = true;
  } else {
    return false;
  }
  return true;
}

}  // namespace

RunOptions parse_run_options(std::span<const std::string> words) {
  RunOptions options;
  OptionReader reader(words);
  while (reader.next()) {
    if (!reader.is_option()) {
      take_program(options.program, reader.word());
    } else if (!read_data_option(reader, options) && !read_run_option(reader, options)) {
      reader.refuse_option({"--library", "--input", "--output", "--size", "--random", "--seed",
                            "--repeat", "--warmup", "--threads", "--profile", "--help"});
    }
  }
  require_program(options.program, options.wants_help);
  return options;
}

OnnxOptions parse_onnx_options(std::span<const std::string> words) {
  OnnxOptions options;
  OptionReader reader(words);
  while (reader.next()) {
    if (!reader.is_option()) {
      take_program(options.program, reader.word());
    } else if (!read_onnx_option(reader, options)) {
      reader.refuse_option({"--output", "--opset", "--function", "--library", "--text", "--help"});
    }
  }
  require_program(options.program, options.wants_help);
  return options;
}

ConvertOptions parse_convert_options(std::span<const std::string> words) {
  ConvertOptions options;
  OptionReader reader(words);
  while (reader.next()) {
    if (!reader.is_option()) {
      if (!options.output.empty())
        throw UsageError(concatenate("two files are expected, got also ", reader.word()));
      (options.program.empty() ? options.program : options.output) = reader.word();
    } else if (reader.word() == "--library" || reader.word() == "-l") {
      options.libraries.push_back(reader.take_value());
    } else if (reader.word() == "--help" || reader.word() == "-h") {
      options.wants_help = true;
    } else {
      reader.refuse_option({"--library", "--help"});
    }
  }
  require_program(options.program, options.wants_help);
  if (options.output.empty() && !options.wants_help)
    throw UsageError("name the file to write: NAME.pt2 or NAME.opw");
  return options;
}

ShowOptions parse_show_options(std::span<const std::string> words) {
  ShowOptions options;
  OptionReader reader(words);
  while (reader.next()) {
    if (!reader.is_option()) {
      take_program(options.program, reader.word());
    } else if (reader.word() == "--help" || reader.word() == "-h") {
      options.wants_help = true;
    } else {
      reader.refuse_option({"--help"});
    }
  }
  require_program(options.program, options.wants_help);
  return options;
}

}  // namespace opwright::command
