// Prints the cost per node in a chain of 1,000: `plan_time [elements] [add|relu|view]`.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "opwright/dispatch/call.h"
#include "opwright/error.h"
#include "opwright/ir/graph/evaluate.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/run/plan.h"
#include "opwright/tensor/factory.h"

namespace opwright {
namespace {

constexpr int kNodes = 1000;

// The minimum over the rounds, in ns per node.
template <class Body>
double time_of(const Body& body) {
  double least = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 100; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    body();
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - begin;
    least = std::min(least, spent.count() / kNodes);
  }
  return least;
}

std::string chain_of(const std::string& op, int64_t elements) {
  const std::string type = concatenate("float32[", elements, "]");
  std::string text = concatenate("graph(%x: ", type, ", %y: ", type, ") -> (%v", kNodes, ") {\n");
  for (int i = 1; i <= kNodes; ++i) {
    const std::string input = i == 1 ? "%x" : concatenate("%v", i - 1);
    std::string call = concatenate("aten::relu(", input, ")");
    if (op == "add") call = concatenate("aten::add.Tensor(", input, ", %y)");
    if (op == "view") call = concatenate("aten::view(", input, ", [", elements, "])");
    text += concatenate("  %v", i, ": ", type, " = ", call, "  # model.py:", i, "\n");
  }
  return text + "}\n";
}

// The same calls without a graph.
void call_directly(const Node& node, const OpwValue& x, const OpwValue& y, bool with_kernel) {
  std::vector<OpwValue> args;
  for (const NodeArgument& argument : node.args()) args.push_back(argument.constant().get());
  if (args.size() > 1 && node.args()[1].kind() == NodeArgument::Kind::Value) args[1] = y;
  const OpwRecord* kernel = node.op().record(Slot::Cpu);
  OpwValue current = copy_value(x);
  for (int i = 0; i < kNodes; ++i) {
    args[0] = current;
    OpwValue result{};
    if (with_kernel) {
      kernel->function(kernel, args.data(), static_cast<uint32_t>(args.size()), &result, 1);
    } else {
      call(node.op(), args, {&result, 1});
    }
    release_value(current);
    current = result;
  }
  release_value(current);
}

void print_times(const std::string& op, int64_t elements) {
  const GraphPtr graph = parse_graph(chain_of(op, elements));
  const Plan plan(graph);
  std::vector<Value> inputs;
  for (int i = 0; i < 2; ++i) {
    Tensor input = make_empty(std::span(&elements, 1), DType::Float32);
    std::fill_n(input.mutable_data<float>(), elements, 1.0F);
    inputs.emplace_back(input);
  }
  const OpwValue given[] = {inputs[0].get(), inputs[1].get()};
  const Node& node = graph->find("v1")->node();
  OpwValue result{};
  std::printf("kernels   %7.1f ns\n",
              time_of([&] { call_directly(node, given[0], given[1], true); }));
  std::printf("call      %7.1f ns\n",
              time_of([&] { call_directly(node, given[0], given[1], false); }));
  std::printf("evaluate  %7.1f ns\n", time_of([&] { (void)evaluate(*graph, given); }));
  std::printf("plan      %7.1f ns\n", time_of([&] {
                plan.run(given, std::span(&result, 1));
                release_value(result);
              }));
  std::printf("placed    %zu bytes for %zu\n", plan.memory().placed_bytes,
              plan.memory().value_bytes);
}

}  // namespace
}  // namespace opwright

int main(int argc, char** argv) {
  opwright::print_times(argc > 2 ? argv[2] : "add", argc > 1 ? std::atoi(argv[1]) : 4);
  return 0;
}
