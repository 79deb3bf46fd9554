// Generates text with an exported decoder, token by token, without Python.
//
//   generate decoder.pt2 libsampling.so [--prompt TEXT] [--tokens N] [--batch N]
//            [--temperature T] [--top-k K] [--top-p P] [--seed N]
//
// It prints the first sequence as it grows, then the others, and the tokens per second.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/functions.h"
#include "opwright/grad_mode.h"
#include "opwright/opwright.h"
#include "opwright/program.h"
#include "opwright/program_api.h"
#include "opwright/runtime.h"

using opwright::DType;
using opwright::Error;
using opwright::OperatorHandle;
using opwright::Program;
using opwright::Tensor;

namespace {

OperatorHandle<Tensor(const Tensor&, const Tensor&, double, int64_t, double)> sample(
    "generate::sample");

struct Options {
  std::string prompt = "Once upon a time";
  int64_t tokens = 100;
  int64_t batch = 2;  // as the decoder was exported
  double temperature = 1.0;
  int64_t top_k = 0;
  double top_p = 1.0;
  uint64_t seed = 0;
};

// Returns false for an option that does not exist.
bool read_option(Options& options, std::string_view name, const char* value) {
  if (name == "--prompt") return options.prompt = value, true;
  if (name == "--tokens") return options.tokens = std::atoll(value), true;
  if (name == "--batch") return options.batch = std::atoll(value), true;
  if (name == "--temperature") return options.temperature = std::atof(value), true;
  if (name == "--top-k") return options.top_k = std::atoll(value), true;
  if (name == "--top-p") return options.top_p = std::atof(value), true;
  if (name == "--seed") return options.seed = std::strtoull(value, nullptr, 10), true;
  return false;
}

Tensor prompt_tokens(const Options& options) {
  const auto length = static_cast<int64_t>(options.prompt.size());
  Tensor tokens = opwright::empty({options.batch, length}, DType::Int64);
  auto* elements = tokens.mutable_data<int64_t>();
  for (int64_t i = 0; i < tokens.numel(); ++i)
    elements[i] = static_cast<unsigned char>(options.prompt[static_cast<size_t>(i % length)]);
  return tokens;
}

char printable(int64_t token) {
  return token >= 32 && token < 127 ? static_cast<char>(token) : '.';
}

// The first call of the program takes the whole prompt, each later one a single token.
void generate(const Program& program, const Options& options) {
  std::vector<std::string> texts(static_cast<size_t>(options.batch), options.prompt);
  Tensor tokens = prompt_tokens(options);
  auto next = static_cast<int64_t>(options.prompt.size());
  Tensor positions = opwright::arange(next);
  std::printf("%s", options.prompt.c_str());
  const auto start = std::chrono::steady_clock::now();
  for (int64_t step = 0; step < options.tokens; ++step) {
    const Tensor scores = program({tokens, positions}).at(0);
    const Tensor chosen = sample(scores, opwright::rand({options.batch}), options.temperature,
                                 options.top_k, options.top_p);
    const auto* elements = chosen.data<int64_t>();
    for (size_t i = 0; i < texts.size(); ++i) texts[i].push_back(printable(elements[i]));
    std::printf("%c", texts[0].back());
    std::fflush(stdout);
    tokens = chosen.unsqueeze(1);
    positions = opwright::full({1}, next++, DType::Int64);
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  std::printf("\n");
  for (size_t i = 1; i < texts.size(); ++i) std::printf("%s\n", texts[i].c_str());
  std::fprintf(stderr, "%.0f tokens per second\n",
               static_cast<double>(options.batch * options.tokens) / taken.count());
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  bool is_valid = argc >= 3 && argc % 2 == 1;
  for (int i = 3; is_valid && i < argc; i += 2)
    is_valid = read_option(options, argv[i], argv[i + 1]);
  if (!is_valid || options.prompt.empty()) {
    std::fprintf(stderr,
                 "usage: generate decoder.pt2 libsampling.so [--prompt TEXT] [--tokens N] "
                 "[--batch N] [--temperature T] [--top-k K] [--top-p P] [--seed N]\n");
    return 2;
  }
  try {
    opwright::load_library(argv[2]);
    opw_set_seed(options.seed);
    const opwright::NoGradScope no_grad;
    generate(opwright::load_program(argv[1]), options);
  } catch (const Error& error) {
    std::fprintf(stderr, "%s: %s\n", error.kind(), error.what());
    return 1;
  }
  return 0;
}
