// One operator binary through every mode of the C++ library, with a table of the outcomes.
//
//   tour libsoft_clip.so
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "opwright/compile.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/registry.h"
#include "opwright/func.h"
#include "opwright/functions.h"
#include "opwright/make_fx.h"
#include "opwright/onnx.h"
#include "opwright/opcheck.h"
#include "opwright/program.h"
#include "opwright/runtime.h"
#include "opwright/tensor/dlpack/dlpack.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/wrapper.h"
#include "opwright/vmap.h"

namespace {

using namespace opwright;  // NOLINT(google-build-using-namespace): a program of one file

struct Row {
  const char* outcome;
  const char* mode;
};
std::vector<Row> rows;
int failures = 0;

// Runs one stop of the tour and records whether it threw.
template <class Stop>
void visit(const char* mode, Stop stop) {
  std::printf("--- Opwright, C++: %s\n", mode);
  try {
    stop();
    rows.push_back({"works", mode});
  } catch (const Error& error) {
    std::printf("%s: %s\n", error.kind(), error.message().c_str());
    rows.push_back({"FAILED", mode});
    ++failures;
  }
  std::printf("\n");
}

Tensor soft_clip(const Tensor& x, double limit) {
  return imported<"audio::soft_clip", Tensor(const Tensor&, double)>(x, limit);
}

Tensor samples(int64_t size = 4) {
  Tensor x = make_empty(std::span(&size, 1), DType::Float32);
  for (int64_t i = 0; i < size; ++i) x.mutable_data<float>()[i] = static_cast<float>(i - 1);
  return x;
}

void expect(bool holds, const char* what) {
  if (!holds) throw Error("AssertionError", what);
}

// A custom transform: logs every call that passes through it.
class Log : public Interpreter {
 public:
  using Interpreter::Interpreter;
  const char* name() const override { return "log"; }
  Tensor wrap(Tensor inner) { return make_wrapper(this, std::move(inner)); }
  void process(const Operator& op, Arguments args, Results results) override {
    std::printf("  log: %s\n", op.name().c_str());
    std::vector<OpwValue> inner(args.begin(), args.end());
    for (OpwValue& value : inner) {
      if (value.tag == kOpwTensor && impl(value.as_tensor).level == this) {
        value.as_tensor = static_cast<WrapperImpl&>(impl(value.as_tensor)).inner.get();
      }
    }
    const ParentScope scope(*this);
    call(op, inner, results);
    for (OpwValue& result : results) {
      if (result.tag == kOpwTensor) result.as_tensor = wrap(Tensor::take(result.as_tensor)).give();
    }
  }
};

void run_eagerly() {
  const Tensor y = soft_clip(samples(), 2);
  std::printf("soft_clip([-1, 0, 1, 2], limit=2) = %s\n", to_text(y).c_str());
  expect(std::abs(y.data<float>()[3] - 2 * std::tanh(1.0F)) < 1e-6F,
         "the result is not 2 * tanh(2 / 2)");
}

void run_under_transforms() {
  auto outer = make_intrusive<Log>(nullptr);
  auto inner = make_intrusive<Log>(outer.get());
  const InterpreterScope scope(inner.get());
  const Tensor y = soft_clip(inner->wrap(outer->wrap(samples())), 2);
  expect(impl(y).level == inner.get(), "the result does not belong to the innermost transform");
}

void run_fake() {
  const int64_t sizes[] = {1024, 1024, 1024};
  const Tensor shape =
      make_fake(std::span<const int64_t>(sizes), DType::Float32, Device(kOpwDeviceCuda, 0));
  const Tensor y = soft_clip(shape, 2);
  std::printf("%s, no memory allocated, no CUDA device needed\n", concatenate(y).c_str());
  expect(y.is_fake() && y.numel() == shape.numel(),
         "the result does not have the shape of the input");
}

void run_traced() {
  const auto level = [](const Tensor& x) { return sum(soft_clip(x, 2)); };
  const TracedGraph traced = make_fx(level, TracingMode::Symbolic)(samples());
  std::printf("%s", traced.text().c_str());
  const Tensor x = samples(7);
  expect(equal(traced({x})[0], level(x)), "the graph gives another result at size 7");
}

void run_functionalized() {
  const auto clip_in_place = [](Tensor x) {
    x.mul_(4);
    return soft_clip(x, 2);
  };
  const TracedGraph traced = make_fx(clip_in_place, TracingMode::Symbolic)(samples());
  const TracedGraph pure = traced.functionalize();
  std::printf("%s", pure.text().c_str());
  expect(pure.text().find("aten::mul_") == std::string::npos,
         "the graph still has an in-place multiplication");
  const Tensor mine = samples(7);
  const Tensor eager = samples(7);
  expect(equal(pure({mine})[0], clip_in_place(eager)), "the functional graph gives another result");
  expect(equal(mine, eager), "the input is not updated as in eager mode");
}

void run_exported() {
  const auto level = [](const Tensor& x) { return sum(soft_clip(x, 2)); };
  const ExportOptions options{.names = {"x"}, .dynamic = {{"x", 0, Dim::named("samples")}}};
  const std::string name = "opwright_tour_" + std::to_string(getpid()) + ".opw";
  const std::string path = (std::filesystem::temp_directory_path() / name).string();
  export_program(level, options, samples()).save(path);
  const Program program = load_program(path);
  std::remove(path.c_str());
  std::printf("%s", program.text().c_str());
  const Tensor x = samples(7);
  expect(equal(program({x})[0], level(x)), "the program gives another result at size 7");
}

void run_compiled() {
  const auto limiter = [](const Tensor& x) { return sum(relu(soft_clip(x * 4.0, 2)) + 1.0); };
  auto compiled = compile(limiter);
  for (const int64_t size : {4, 7, 9}) {
    const Tensor x = samples(size);
    expect(allclose(compiled(x), limiter(x)), "compiled and eager results differ");
  }
  std::printf("three sizes, %d compilations\n",
              static_cast<int>(compiled.compiled().num_compiles()));
}

void write_onnx() {
  const auto level = [](const Tensor& x) { return sum(soft_clip(x, 2)); };
  const ExportOptions options{.names = {"x"}, .dynamic = {{"x", 0, Dim::named("samples")}}};
  const onnx::Model model = onnx::to_model(export_program(level, options, samples()));
  std::printf("%s", model.text().c_str());
  expect(model.bytes().find("soft_clip") != std::string::npos, "the model has no soft_clip node");
}

void differentiate() {
  const auto level = [](const Tensor& x) { return sum(soft_clip(x, 2)); };
  const Tensor slope = grad(level)(samples())[0];
  const auto clip = [](const Tensor& x) { return soft_clip(x, 2); };
  const Tensor moved = jvp(clip, {samples()}, {ones_like(samples())}).tangents[0];
  std::printf("grad %s\njvp  %s\n", to_text(slope).c_str(), to_text(moved).c_str());
  expect(allclose(slope, moved), "reverse and forward mode disagree");
}

void run_batched() {
  const auto clip = [](const Tensor& x) { return soft_clip(x, 2); };
  const Tensor slopes = vmap([&](const Tensor& x) { return grad(clip)(x)[0]; })(samples())[0];
  std::printf("a gradient for each sample: %s\n", to_text(slopes).c_str());
  expect(equal(vmap(clip)(samples())[0], clip(samples())), "vmap and a plain call disagree");
}

void run_opcheck() {
  const CheckReport report = opcheck("audio::soft_clip", {Value(samples()), Value(2.0)});
  report.raise_if_failed();
  std::printf("%zu checks on %u inputs found no fault\n", report.lines.size(),
              report.num_given + report.num_generated);
}

void exchange() {
  const Tensor y = soft_clip(samples(), 2);
  const Tensor back = from_dlpack(to_dlpack_versioned(y));
  expect(back.data() == y.data(), "the exchange copied the data");
  std::printf("exported and imported through DLPack without a copy: %s\n", to_text(back).c_str());
}

void show_an_error() {
  try {
    (void)soft_clip(samples(), -1);
  } catch (const Error& error) {
    std::printf("%s: %s\n", error.kind(), error.message().c_str());
    return;
  }
  throw Error("AssertionError", "a negative limit was accepted");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: tour <operator binary>\n");
    return 2;
  }
  const std::string binary = argv[1];
  visit("load the operator binary", [&] {
    std::printf("%s", to_text(describe_library(binary)).c_str());
    load_library(binary);
  });
  visit("eager call", run_eagerly);
  visit("two nested transforms", run_under_transforms);
  visit("fake tensors", run_fake);
  visit("symbolic tracing", run_traced);
  visit("functionalize", run_functionalized);
  visit("export, save, load, run", run_exported);
  visit("ONNX export", write_onnx);
  visit("compile, dynamic sizes", run_compiled);
  visit("grad and jvp", differentiate);
  visit("vmap of grad", run_batched);
  visit("opcheck", run_opcheck);
  visit("DLPack exchange without a copy", exchange);
  visit("error message", show_an_error);

  std::printf("audio::soft_clip, mode by mode:\n");
  for (const Row& row : rows) std::printf("%-8s%s\n", row.outcome, row.mode);
  return failures == 0 ? 0 : 1;
}
