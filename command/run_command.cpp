// opwright run: loads a program, runs it on files, and reports the result.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "command/chrome_trace.h"
#include "command/commands.h"
#include "command/named_files.h"
#include "command/npy_file.h"
#include "command/options.h"
#include "command/profile.h"
#include "command/program_inputs.h"
#include "command/timing.h"
#include "opwright/base/thread_pool.h"
#include "opwright/dispatch/registry.h"
#include "opwright/error.h"
#include "opwright/grad_mode.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/node_text.h"
#include "opwright/program/export/exported_program.h"
#include "opwright/program_api/call_spec.h"
#include "opwright/pt2/saved_program.h"
#include "opwright/runtime/runtime.h"
#include "opwright/tensor.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/random_state.h"
#include "opwright/value.h"

namespace opwright::command {
namespace {

constexpr const char* kRunCommandHelp =
    R"(usage: opwright run PROGRAM.opw [OPTION...]

Loads a program that export saved, runs it and prints times, memory and outputs.

  --library FILE      an operator binary (.so) that the program needs; may be repeated
  --input NAME=FILE   a NumPy file (.npy) for an input, or a number for one that is an int. NAME as
                      `opwright show` prints it; without NAME= the next input in order
  --output NAME=FILE  a NumPy file for an output of the first run; without NAME= the next in order.
                      Outputs that go to no file are printed
  --random            draws the inputs that are not given: floats from the normal distribution,
                      whole numbers and bools from 0 and 1
  --size NAME=NUMBER  the size of that name for --random; else as in the other inputs or as exported
  --seed NUMBER       seed of the random numbers, those of --random and of the program
  --threads NUMBER    how many threads an operator may use
  --warmup NUMBER     runs after the first one that are not timed
  --repeat NUMBER     timed runs after those
  --profile [FILE]    runs it as often again and prints the time of each node; FILE.json gets the
                      calls for chrome://tracing or Perfetto
  --help

A program that keeps state (a cache, a counter) goes on from run to run.
)";

void say(const std::string& what, const std::string& text) { fmt::print("{:<12}{}\n", what, text); }

// A program and its inputs.
class Session {
 public:
  Session(const ExportedProgram& program, const std::vector<Value>& inputs) : program_(program) {
    std::vector<OpwValue> given;
    for (const Value& input : inputs) given.push_back(input.get());
    values_ = add_constants(program, given);
  }

  struct Timed {
    std::vector<Value> outputs;
    int64_t began;
    int64_t ended;
  };
  [[nodiscard]] Timed run(StepWatch* watch = nullptr) const {
    const NoGradScope no_grad;
    const int64_t began = now();
    std::vector<Value> outputs = program_.run(values_, watch);
    return {std::move(outputs), began, now()};
  }

 private:
  const ExportedProgram& program_;
  std::vector<OpwValue> values_;  // borrowed from the inputs
};

size_t count_calls(const Graph& graph) {
  size_t count = 0;
  for (const Node* node = graph.first(); node; node = node->next()) {
    if (node->kind() == NodeKind::Call) ++count;
  }
  return count;
}

ExportedProgramPtr load(const RunOptions& options) {
  const int64_t start = now();
  (void)Registry::get().find("aten::add.Tensor");  // registers the built-in operators
  for (const std::string& library : options.libraries) load_library(library);
  const int64_t began = now();
  ExportedProgramPtr program = load_saved_program(options.program);
  const int64_t ended = now();
  say("program", fmt::format("{}: {} calls", options.program, count_calls(program->graph())));
  say("operators", time_text(began - start));
  say("load", time_text(ended - began));
  return program;
}

Tensor tensor_of(const ValueSpec& spec, const OpwValue& output) {
  switch (output.tag) {
    case kOpwTensor:
      return Tensor::borrow(output.as_tensor);
    case kOpwInt:
    case kOpwSymInt:
    case kOpwBool:
      return make_scalar_tensor(Scalar(output.as_int), spec.dtype);
    case kOpwFloat:
      return make_scalar_tensor(Scalar(output.as_double), spec.dtype);
    default:
      throw_error("ValueError", "output '", spec.name, "' is ", tag_name(output.tag),
                  ", which no NumPy file holds");
  }
}

std::string text_of(const OpwValue& output) {
  if (output.tag == kOpwTensor) return to_text(Tensor::borrow(output.as_tensor));
  std::string text;
  append_constant_text(text, output);
  return text;
}

void give_outputs(const CallSpec& call, std::span<const NamedText> files,
                  std::span<const Value> outputs) {
  std::vector<bool> is_written(outputs.size());
  for (const NamedText& file : files) {
    const Tensor tensor = tensor_of(call.outputs[file.place], outputs[file.place].get());
    write_npy(file.text, tensor);
    is_written[file.place] = true;
    say("output", concatenate(call.outputs[file.place].name, ": ", tensor, " -> ", file.text));
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!is_written[i])
      say("output", concatenate(call.outputs[i].name, " =\n", text_of(outputs[i].get())));
  }
}

void measure(const Session& session, const RunOptions& options) {
  for (int64_t i = 0; i < options.warmup; ++i) (void)session.run();
  if (options.repeat == 0) return;
  std::vector<int64_t> times;
  for (int64_t i = 0; i < options.repeat; ++i) {
    const Session::Timed timed = session.run();
    times.push_back(timed.ended - timed.began);
  }
  say(fmt::format("{} runs", options.repeat), statistics_text(std::move(times)));
}

void profile(const Session& session, const RunOptions& options) {
  if (!options.profiles) return;
  Profile profile;
  for (int64_t i = 0; i < std::max<int64_t>(options.repeat, 1); ++i) {
    const Session::Timed timed = session.run(&profile);
    profile.finish_run(timed.began, timed.ended);
  }
  fmt::print("\n{}", table_of(profile));
  if (options.trace_path.empty()) return;
  write_chrome_trace(options.trace_path, profile);
  say("trace", options.trace_path);
}

void run(const RunOptions& options) {
  if (options.threads) set_num_threads(*options.threads);
  const ExportedProgramPtr program = load(options);
  const CallSpec call = describe_call(*program);
  const std::vector<NamedText> files = match_names("output", options.outputs, call.outputs);
  if (options.seed) seed_default_generators(*options.seed);
  const std::vector<Value> inputs = make_inputs(*program, call, options);
  const Session session(*program, inputs);
  const Session::Timed first = session.run();
  say("first run", time_text(first.ended - first.began));
  give_outputs(call, files, first.outputs);
  measure(session, options);
  profile(session, options);
  const std::string memory = peak_memory_text();
  if (!memory.empty()) say("memory", memory + " at most");
}

}  // namespace

int run_command(std::span<const std::string> words) {
  const RunOptions options = parse_run_options(words);
  if (options.wants_help) {
    std::fputs(kRunCommandHelp, stdout);
  } else {
    run(options);
  }
  return 0;
}

}  // namespace opwright::command
