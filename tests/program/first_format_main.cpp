// Writes the program of tests/program/first_format_1_0.opw: first_format <path>.
//
// The stored file is never rewritten; this documents its contents, and makes one for a later
// format.
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "opwright/autograd/history.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/functions.h"
#include "opwright/program/export/export_session.h"
#include "opwright/program/export/signature.h"
#include "opwright/program/file/program_file.h"
#include "opwright/runtime/program.h"
#include "opwright/value.h"
#include "program/kept_operator.h"

namespace opwright {
namespace {

ExportedProgramPtr kept_program() {
  const Tensor weight = add(arange(6, DType::Float32).reshape({3, 2}), -2.0);
  set_requires_grad(weight, true);
  Tensor count = zeros({2});
  const Tensor cache = ones({2});
  const Tensor grid = arange(6, DType::Float32).reshape({2, 3}).t();
  const Tensor table = arange(4).reshape({2, 2});
  ExportSession session;
  session.add_state({"layer.weight", weight}, InputKind::Parameter);
  session.add_state({"twin.weight", weight}, InputKind::Parameter);
  session.add_state({"count", count}, InputKind::Buffer);
  session.add_state({"grid", grid}, InputKind::Buffer);
  session.add_state({"column", grid.select(1, 1)}, InputKind::Buffer);
  session.add_state({"cache", cache}, InputKind::Buffer, false);
  const std::vector<ExportSession::DimAt> dims = {{0, Dim::named("rows", 1, 64)}};
  session.add_tensor(ones({4, 3}), "batch[\"x\"]", dims);
  const SymInt times = session.add_int(3, "times", Dim::named("times", 1));
  session.add_constant(Value(std::string("mean")), "mode");
  session.add_constant(Value(0.5), "rate");
  const std::vector<Tensor> inputs = session.enter();
  std::vector<Value> outputs;
  {
    const InterpreterScope scope(session.level());
    const Tensor product = mm(inputs[0], weight);
    count.add_(cache);
    outputs.emplace_back(add(testing::KeptOperator::call(product, 3.0, false), count));
    outputs.emplace_back(mul(masked_select(product, gt(product, 0)), 2));
    outputs.emplace_back(mm(table, table.t()));
    outputs.emplace_back(ones(std::vector<SymInt>{times, 2}));
    outputs.emplace_back(std::string("done"));
  }
  std::vector<OpwValue> given;
  for (const Value& output : outputs) given.push_back(output.get());
  return session.finish(given, {.arguments = "((batch={\"x\": *}, times=*), {mode=*, rate=*})",
                                .results = "[*, *, *, {\"sizes\": *, \"text\": *}]"});
}

}  // namespace
}  // namespace opwright

int main(int argc, char** argv) {
  if (argc != 2) return std::puts("first_format: name the file to write"), 1;
  const opwright::testing::KeptOperator op;
  save_program(*opwright::kept_program(), argv[1]);
  return 0;
}
