// One operator through every mode and host there is, with a table of what worked.
//
//   tour libsoft_clip.so
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "opwright/dispatch/call.h"
#include "opwright/dispatch/registry.h"
#include "opwright/functions.h"
#include "opwright/runtime.h"
#include "opwright/tensor/dlpack.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/wrapper.h"

namespace {

using namespace opwright;  // NOLINT(google-build-using-namespace): a program of one file

struct Row {
  std::string mode;
  std::string outcome;
};
std::vector<Row> rows;

// Runs one stop of the tour; what it throws is its outcome.
template <class Stop>
void visit(const char* mode, Stop stop) {
  std::printf("\n--- %s\n", mode);
  try {
    stop();
    rows.push_back({mode, "works"});
  } catch (const Error& error) {
    std::printf("%s: %s\n", error.kind(), error.message().c_str());
    rows.push_back({mode, "FAILED"});
  }
}

Tensor soft_clip(const Tensor& x, double limit) {
  return imported<"audio::soft_clip", Tensor(const Tensor&, double)>(x, limit);
}

Tensor samples() {
  const int64_t size = 4;
  Tensor x = make_empty(std::span(&size, 1), DType::Float32);
  for (int i = 0; i < 4; ++i) x.mutable_data<float>()[i] = static_cast<float>(i - 1);
  return x;
}

void expect(bool holds, const char* what) {
  if (!holds) throw Error("AssertionError", what);
}

// A transform of the tour's own: keeps a log of what passes through it.
class Log : public Interpreter {
 public:
  using Interpreter::Interpreter;
  const char* name() const override { return "log"; }
  Tensor wrap(Tensor inner) { return make_wrapper(this, std::move(inner)); }
  void process(const Operator& op, Arguments args, Results results) override {
    std::printf("  log: %s\n", op.name().c_str());
    std::vector<OpwValue> inner(args.begin(), args.end());
    for (OpwValue& value : inner) {
      if (value.tag == kOpwTensor && impl(value.as_tensor).home == this) {
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
         "2 * tanh(2 / 2) was expected");
}

void run_under_transforms() {
  auto outer = make_intrusive<Log>(nullptr);
  auto inner = make_intrusive<Log>(outer.get());
  const InterpreterScope scope(inner.get());
  const Tensor y = soft_clip(inner->wrap(outer->wrap(samples())), 2);
  expect(impl(y).home == inner.get(), "the result belongs to the innermost transform");
}

void run_fake() {
  const int64_t sizes[] = {1024, 1024, 1024};
  const Tensor shape =
      make_fake(std::span<const int64_t>(sizes), DType::Float32, Device(kOpwDeviceCuda, 0));
  const Tensor y = soft_clip(shape, 2);
  std::printf("%s, with no memory and no such device here\n", concatenate(y).c_str());
  expect(y.is_fake() && y.numel() == shape.numel(), "the shape of the input was expected");
}

void exchange() {
  const Tensor y = soft_clip(samples(), 2);
  const Tensor back = from_dlpack(to_dlpack_versioned(y));
  expect(back.data() == y.data(), "the same memory was expected");
  std::printf("out and in through DLPack without a copy: %s\n", concatenate(back).c_str());
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
  visit("eager, on cpu", run_eagerly);
  visit("under two nested transforms", run_under_transforms);
  visit("fake: shapes without memory", run_fake);
  visit("exchange by DLPack", exchange);
  visit("a user's mistake", show_an_error);

  for (const char* coming : {"train", "vmap", "trace and export", "compile", "Python", "PyTorch",
                             "JAX", "ONNX Runtime"}) {
    rows.push_back({coming, "to come"});
  }
  std::printf("\n%-32s %s\n", "audio::soft_clip", "");
  int failures = 0;
  for (const Row& row : rows) {
    std::printf("%-32s %s\n", row.mode.c_str(), row.outcome.c_str());
    failures += row.outcome == "FAILED" ? 1 : 0;
  }
  return failures == 0 ? 0 : 1;
}
