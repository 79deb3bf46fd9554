// The stored program of the first format: it must always load and run.
#include <cstdint>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "opwright/functions.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/program/export/exported_program.h"
#include "opwright/program/export/signature.h"
#include "opwright/program/file/program_file.h"
#include "opwright/runtime/runtime.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/value.h"
#include "program/kept_operator.h"
#include "program/program_files.h"

namespace opwright {
namespace {

constexpr const char* kPath = "tests/program/first_format_1_0.opw";

Tensor tensor_of(const Value& value) { return Tensor::borrow(value.get().as_tensor); }

std::vector<Value> run_first_format(const ExportedProgram& program, const Tensor& x,
                                    int64_t times) {
  const std::vector<Value> inputs = {Value(x), Value(times), Value(std::string("mean")),
                                     Value(0.5)};
  std::vector<OpwValue> given;
  for (const Value& input : inputs) given.push_back(input.get());
  return program.run(given);
}

TEST(FirstFormat, TheKeptFileIsTheOneOfTheFirstDay) {
  const std::string file = testing::contents_of(kPath);
  EXPECT_EQ(file.size(), 4464u);
  EXPECT_EQ(checksum(file), 0x0071db87);
}

TEST(FirstFormat, TheKeptProgramLoadsWithAllItsParts) {
  const testing::KeptOperator op;
  const ExportedProgramPtr program = load_program_file(kPath, {.check_tensors = true});
  EXPECT_EQ(to_text(program->graph()), testing::contents_of("tests/program/first_format_1_0.txt"));
  std::string inputs;
  for (const InputSpec& input : program->signature().inputs) inputs += input.target + ";";
  EXPECT_EQ(inputs, "layer.weight;count;grid;column;cache;captured;batch[\"x\"];times;mode;rate;");
  std::string state;
  for (const NamedTensor& named : program->state()) state += named.name + ";";
  EXPECT_EQ(state, "layer.weight;twin.weight;count;grid;column;");
  EXPECT_EQ(program->state()[0].tensor.get(), program->state()[1].tensor.get());
  EXPECT_TRUE(program->state()[0].tensor.requires_grad());
  EXPECT_EQ(to_text(program->state()[3].tensor),
            "tensor([[0., 3.],\n        [1., 4.],\n        [2., 5.]])");
  EXPECT_EQ(to_text(program->state()[4].tensor), "tensor([3., 4., 5.])");
  EXPECT_EQ(impl(program->state()[3].tensor).storage, impl(program->state()[4].tensor).storage);
  EXPECT_EQ(to_text(tensor_of(program->example_inputs()[0])), to_text(ones({4, 3})));
  EXPECT_EQ(program->structure().arguments, "((batch={\"x\": *}, times=*), {mode=*, rate=*})");
  EXPECT_EQ(program->structure().results, "[*, *, *, {\"sizes\": *, \"text\": *}]");
}

TEST(FirstFormat, TheKeptProgramRuns) {
  const testing::KeptOperator op;
  const ExportedProgramPtr program = load_program_file(kPath);
  const Tensor x = add(arange(6, DType::Float32).reshape({2, 3}), 0.5);
  const std::vector<Value> results = run_first_format(*program, x, 1);
  EXPECT_EQ(to_text(tensor_of(results[0]).detach()),
            "tensor([[13.0000, 26.5000],\n        [13.0000, 53.5000]])");
  EXPECT_EQ(to_text(tensor_of(results[1]).detach()), "tensor([ 8., 17.,  8., 35.])");
  EXPECT_EQ(to_text(tensor_of(results[2])), "tensor([[ 1,  3],\n        [ 3, 13]])");
  EXPECT_EQ(to_text(tensor_of(results[3])), "tensor([[1., 1.]])");
  EXPECT_EQ(ValueOf<std::string_view>::read(results[4].get()), "done");
  EXPECT_EQ(to_text(program->state()[2].tensor), "tensor([1., 1.])");
}

TEST(FirstFormat, TheKeptProgramNamesTheOperatorThatItNeeds) {
  EXPECT_EQ(testing::error_of([] { (void)load_program_file(kPath); }),
            "NotImplementedError: tests/program/first_format_1_0.opw: the program calls operators "
            "that are not available:\n  kept::scale(Tensor x, float by=2.0, *, bool twice=False) "
            "-> Tensor, from libkept.so\nload their libraries first: "
            "opwright.load_library(\"libkept.so\"), or `opwright run` with --library libkept.so");
}

}  // namespace
}  // namespace opwright
