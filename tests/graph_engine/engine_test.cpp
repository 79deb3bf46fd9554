// Graphs of the engine GE, run by a vendor's library (tests/operators/ge_stand_in.cpp) and by
// operators.
//
// Covers: src/graph_engine/*.
#include "opwright/graph_engine/engine.h"

#include <dlfcn.h>

#include <cstdint>
#include <fstream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/convert/ge/graph_conversion.h"
#include "opwright/convert/ge/model.h"
#include "opwright/convert/ge/prototype.h"
#include "opwright/dispatch/registry.h"
#include "opwright/dispatch/slot.h"
#include "opwright/functions.h"
#include "opwright/graph_engine/backend.h"
#include "opwright/graph_engine/vendor_library.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright::graph_engine {
namespace {

const std::string kStandIn = OPWRIGHT_TEST_OPERATORS "/libge_stand_in.so";

constexpr const char* kSum =
    "graph(%x: float32[s0], %y: float32[s0]) -> (%relu) {\n"
    "  symbol s0 in [1, inf], hint 3, from x.size(0)\n"
    "  %add: float32[s0] = aten::add.Tensor(%x, %y, alpha=1)\n"
    "  %relu: float32[s0] = aten::relu(%add)\n"
    "}\n";

std::vector<Tensor> run_engine(const Executable& executable, const std::vector<Tensor>& inputs,
                               size_t num_results = 1) {
  std::vector<OpwValue> arguments;
  for (const Tensor& each : inputs) arguments.push_back(ValueOf<Tensor>::lend(each));
  std::vector<OpwValue> results(num_results);
  executable.run(arguments, results);
  std::vector<Tensor> tensors;
  for (const OpwValue& each : results)
    tensors.push_back(ValueOf<Tensor>::read(Value::take(each).get()));
  return tensors;
}

std::vector<float> elements(const Tensor& tensor) {
  const Tensor dense = tensor.contiguous();
  return {dense.data<float>(), dense.data<float>() + dense.numel()};
}

Tensor float_list(const std::vector<float>& values) {
  Tensor tensor = empty({static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), tensor.mutable_data<float>());
  return tensor;
}

// What the fake library logged since the last call.
std::string take_record() {
  void* handle = dlopen(kStandIn.c_str(), RTLD_NOW | RTLD_LOCAL);
  const std::string text =
      reinterpret_cast<const char* (*)()>(dlsym(handle, "ge_stand_in_record"))();
  reinterpret_cast<void (*)()>(dlsym(handle, "ge_stand_in_forget"))();
  return text;
}

TEST(VendorLibrary, BuildsOnceAndRunsInTwoPhases) {
  (void)take_record();
  {
    const EngineExecutable executable(parse_graph(kSum), {.library = kStandIn});

    EXPECT_EQ(elements(run_engine(executable, {float_list({1, -5, 2}), float_list({1, 1, 1})})[0]),
              (std::vector<float>{2, 0, 3}));
    EXPECT_EQ(elements(run_engine(executable, {float_list({1, 2}), float_list({3, 4})})[0]),
              (std::vector<float>{4, 6}));
  }
  EXPECT_EQ(take_record(),
            "build Data Data Add Relu NetOutput on 0\n"
            "workspace of 2 inputs\nexecute\nworkspace of 2 inputs\nexecute\nrelease\n");
}

TEST(VendorLibrary, GetsItsOptions) {
  (void)take_record();
  const EngineExecutable executable(
      parse_graph(kSum), {.library = kStandIn, .options = {{"precision", "high"}, {"log", "1"}}});

  EXPECT_EQ(take_record(), "build Data Data Add Relu NetOutput on 0 precision=high log=1\n");
}

TEST(VendorLibrary, GetsInputsWithoutGaps) {
  const EngineExecutable executable(parse_graph(kSum), {.library = kStandIn});
  const Tensor wide = float_list({1, 9, 2, 9}).view({2, 2}).select(1, 0);

  EXPECT_EQ(elements(run_engine(executable, {wide, float_list({1, 1})})[0]),
            (std::vector<float>{2, 3}));
}

TEST(VendorLibrary, IsNamedWhenItIsNotThere) {
  EXPECT_ERROR_CONTAINS(VendorLibrary::open("libge_nowhere.so"), "OSError",
                        "GE: the engine's library libge_nowhere.so cannot be opened: "
                        "libge_nowhere.so: cannot open shared object file");
}

TEST(VendorLibrary, TellsAllFunctionsThatItLacks) {
  const std::string other = OPWRIGHT_TEST_OPERATORS "/libaclnn_stand_in.so";
  EXPECT_ERROR(VendorLibrary::open(other), "ImportError",
               "GE: " + other +
                   " is not a library of a graph engine: it does not have opw_ge_version, "
                   "opw_ge_message, opw_ge_build, opw_ge_workspace, opw_ge_execute, "
                   "opw_ge_release\n"
                   "  opwright/ge_engine.h describes such libraries.");
}

TEST(VendorLibrary, ItsStatusAndMessageAreTheError) {
  const GraphPtr graph =
      parse_graph("graph(%x: float32[2]) -> (%neg) {\n  %neg: float32[2] = aten::neg(%x)\n}\n");
  EXPECT_ERROR_CONTAINS(EngineExecutable(graph, {.library = kStandIn}), "RuntimeError",
                        "GE: building the graph failed with status 145000 in " + kStandIn +
                            ": E89999: no operator Neg for node ");

  const EngineExecutable ints(
      parse_graph("graph(%x: int64[2]) -> (%add) {\n"
                  "  %add: int64[2] = aten::add.Tensor(%x, %x, alpha=1)\n}\n"),
      {.library = kStandIn});
  EXPECT_ERROR(run_engine(ints, {ones({2}, DType::Int64)}), "RuntimeError",
               "GE: querying the workspace of a run failed with status 145001 in " + kStandIn +
                   ": E10002: input 0 has dtype 9, only 0 is known");
}

TEST(OperatorGraph, RunsCallsByTheOperatorsThatTheyWereConvertedFrom) {
  const EngineExecutable executable(parse_graph(kSum), {});

  EXPECT_EQ(elements(run_engine(executable, {float_list({1, -5, 2}), float_list({1, 1, 1})})[0]),
            (std::vector<float>{2, 0, 3}));
  EXPECT_NE(executable.built().describe().find("(Add): operator aten::add.Tensor"),
            std::string::npos)
      << executable.built().describe();
}

TEST(OperatorGraph, ServesAllSizesThatTheSymbolsTake) {
  const EngineExecutable executable(parse_graph(kSum), {});

  for (int64_t size = 1; size < 5; ++size)
    EXPECT_EQ(run_engine(executable, {ones({size}), ones({size})})[0].size(0), size);
}

TEST(OperatorGraph, RefusesSizesThatTheProgramWasNotMadeFor) {
  const EngineExecutable executable(parse_graph(kSum), {});

  EXPECT_ERROR_CONTAINS(run_engine(executable, {ones({3}), ones({4})}), "ValueError", "y");
}

// Adds a hundred, to show that it ran.
Tensor marked_add(const Tensor& x1, const Tensor& x2) { return x1 + x2 + 100.0; }

TEST(OperatorGraph, PrefersTheKernelUnderTheOpsOwnName) {
  ASSERT_TRUE(find_prototype("Add"));
  const Registration kernel = Registry::get().implement("ge::Add", Slot::Cpu, &marked_add);

  const EngineExecutable executable(parse_graph(kSum), {});

  EXPECT_EQ(elements(run_engine(executable, {float_list({1, -500}), float_list({1, 1})})[0]),
            (std::vector<float>{102, 0}));
  EXPECT_NE(executable.built().describe().find("(Add): kernel ge::Add"), std::string::npos);
  EXPECT_NE(executable.built().describe().find("(Relu): operator aten::relu"), std::string::npos);
}

TEST(OperatorGraph, WritesWhatTheProgramWrites) {
  const GraphPtr graph = parse_graph(
      "graph(%x: float32[2]) -> (%mul) {\n"
      "  %mul: float32[2] = aten::mul.Tensor(%x, %x)\n"
      "  %copy_: float32[2] = aten::copy_(%x, %mul)\n"
      "}\n");
  const EngineExecutable executable(graph, {});
  const Tensor x = float_list({2, 3});

  const std::vector<Tensor> results = run_engine(executable, {x});

  EXPECT_EQ(elements(results[0]), (std::vector<float>{4, 9}));
  EXPECT_EQ(elements(x), (std::vector<float>{4, 9}));
}

}  // namespace
}  // namespace opwright::graph_engine
