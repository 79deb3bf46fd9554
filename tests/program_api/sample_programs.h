// Programs for the tests of the C interface and of the command, one for each case that a caller can
// encounter.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "opwright/dispatch/interpreter.h"
#include "opwright/functions.h"
#include "opwright/program/export/export_session.h"
#include "opwright/program/export/exported_program.h"
#include "opwright/program/export/program_object.h"
#include "opwright/registration/operator_handle.h"
#include "opwright/runtime/program.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright::testing {

inline ExportedProgramPtr exported(const Program& program) {
  return program_of(program.value().get());
}

// relu(x @ weight + bias); weight is 3 x 2 ones, bias [1, -100].
inline ExportedProgramPtr export_linear() {
  const Tensor weight = ones({3, 2});
  Tensor bias = ones({2});
  bias.mutable_data<float>()[1] = -100;
  return exported(export_program([&](const Tensor& x) { return relu(mm(x, weight) + bias); },
                                 {.names = {"x"},
                                  .dynamic = {{"x", 0, Dim::named("batch", 2, 64)}},
                                  .state = {{"linear.weight", weight}, {"linear.bias", bias}}},
                                 ones({4, 3})));
}

// x + steps, where steps is one more in each run.
inline ExportedProgramPtr export_counter() {
  Tensor steps = zeros({});
  return exported(export_program(
      [&](const Tensor& x) {
        steps.add_(1);
        return x + steps;
      },
      {.names = {"x"}, .state = {{"steps", steps, false}}}, ones({2})));
}

// Returns its input, the transposed input, a parameter and a product.
inline ExportedProgramPtr export_views() {
  const Tensor weight = ones({2});
  return exported(export_program(
      [&](const Tensor& x) { return std::vector<Tensor>{x, t(x), alias(weight), x * weight}; },
      {.names = {"x"}, .state = {{"weight", weight}}}, ones({3, 2})));
}

// Adds one to `x` in place and returns its sum.
inline ExportedProgramPtr export_writer() {
  return exported(export_program(
      [](Tensor x) {
        x.add_(1);
        return sum(x);
      },
      {.names = {"x"}}, ones({2, 2})));
}

// x + uniform numbers.
inline ExportedProgramPtr export_noise() {
  return exported(export_program([](const Tensor& x) { return x + rand_like(x); }, {.names = {"x"}},
                                 ones({4})));
}

// audio::soft_clip of examples/first_operator, which must be loaded.
inline ExportedProgramPtr export_clip() {
  static OperatorHandle<Tensor(const Tensor&, double)> soft_clip("audio::soft_clip");
  return exported(export_program([](const Tensor& x) { return soft_clip(x, 2.0); },
                                 {.names = {"x"}, .dynamic = {{"x", 0, Dim::named("length")}}},
                                 ones({5})));
}

// f(batch={"mask": float32[rows, 2]}, n, mode="sum") -> mask + n, 2 * n, 7, 0.5, True, None, "done"
inline ExportedProgramPtr export_mixed() {
  ExportSession session;
  const ExportSession::DimAt rows{0, Dim::named("rows")};
  session.add_tensor(ones({3, 2}), "batch[\"mask\"]", std::span(&rows, 1));
  const SymInt n = session.add_int(5, "n", Dim::named("n", 1, 10));
  session.add_constant(Value(std::string("sum")), "mode");
  const std::vector<Tensor> own = session.enter();
  Tensor shifted;
  {
    const InterpreterScope scope(session.level());
    shifted = own[0] + sum(ones({n}));
  }
  const SymInt twice = 2 * n;
  const std::vector<Value> results = {
      Value(shifted), Value(twice), Value(int64_t{7}),         Value(0.5),
      Value(true),    Value(),      Value(std::string("done"))};
  std::vector<OpwValue> outputs;
  for (const Value& result : results) outputs.push_back(result.get());
  return session.finish(outputs);
}

// A copy, for each dtype.
inline ExportedProgramPtr export_copy(DType dtype) {
  const Tensor x = zeros({2, 3}, dtype);
  return exported(export_program(
      [](const Tensor& each) { return clone(each); },
      {.names = {"x"},
       .dynamic = {{"x", 0, Dim::named("rows", 0)}, {"x", 1, Dim::named("columns", 0)}}},
      x));
}

}  // namespace opwright::testing
