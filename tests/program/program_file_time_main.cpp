// Prints the time of saving and loading a chain of operators: program_file_time [nodes].
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "opwright/functions.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/program/file/program_file.h"
#include "opwright/runtime/program.h"
#include "program/program_files.h"

namespace {

using opwright::Tensor;

// The minimum of `repeats` runs, in microseconds.
template <class Body>
double microseconds_of(const Body& body) {
  constexpr int kRepeats = 200;
  double least = 1e300;
  for (int i = 0; i < kRepeats; ++i) {
    const auto began = std::chrono::steady_clock::now();
    body();
    const std::chrono::duration<double, std::micro> taken =
        std::chrono::steady_clock::now() - began;
    least = taken.count() < least ? taken.count() : least;
  }
  return least;
}

}  // namespace

int main(int argc, char** argv) {
  const int num_nodes = argc > 1 ? std::atoi(argv[1]) : 100;
  const auto chain = [&](const Tensor& x) {
    Tensor y = x;
    for (int i = 0; i < num_nodes; ++i) y = i % 2 == 0 ? opwright::relu(y) : opwright::add(y, x);
    return y;
  };
  const auto program = opwright::testing::exported(opwright::export_program(
      chain, {.names = {"x"}, .dynamic = {{"x", 0, opwright::Dim::named("batch")}}},
      opwright::ones({8, 16})));
  const opwright::testing::TemporaryFolder folder;
  const std::string path = folder.file("chain.opw");
  const std::string bytes = write_program(*program);
  const std::string graph = to_text(program->graph());
  std::printf("%d nodes, %zu bytes\n", num_nodes, bytes.size());
  std::printf("write      %8.1f us\n", microseconds_of([&] { (void)write_program(*program); }));
  std::printf("save       %8.1f us\n", microseconds_of([&] { save_program(*program, path); }));
  std::printf("read       %8.1f us\n",
              microseconds_of([&] { (void)opwright::read_program(bytes, "chain.opw"); }));
  std::printf("load       %8.1f us\n",
              microseconds_of([&] { (void)opwright::load_program_file(path); }));
  std::printf("of it the graph %8.1f us\n",
              microseconds_of([&] { (void)opwright::parse_graph(graph); }));
}
