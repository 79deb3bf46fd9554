// Programs for C: loading, descriptions, runs over the caller's memory, errors.
//
// Covers: src/program_api/*.
#include "opwright/runtime/program_api.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "host/test_host.h"
#include "opwright/dispatch/registry.h"
#include "opwright/dtype.h"
#include "opwright/fake_tensor.h"
#include "opwright/functions.h"
#include "opwright/program/file/program_file.h"
#include "opwright/registration/operator_handle.h"
#include "program_api/sample_programs.h"

namespace opwright::testing {
namespace {

// C code relies on these offsets.
static_assert(offsetof(OpwValueSpec, tag) == 4 && offsetof(OpwValueSpec, name) == 8);
static_assert(offsetof(OpwValueSpec, dtype) == 16 && offsetof(OpwValueSpec, device) == 20);
static_assert(offsetof(OpwValueSpec, ndim) == 28 && offsetof(OpwValueSpec, is_written) == 32);
static_assert(offsetof(OpwValueSpec, sizes) == 40 && offsetof(OpwValueSpec, least) == 48);
static_assert(offsetof(OpwValueSpec, greatest) == 56 && offsetof(OpwValueSpec, size_texts) == 64);

struct ReleaseProgram {
  void operator()(OpwProgram* program) const { opw_program_release(program); }
};
using ProgramHandle = std::unique_ptr<OpwProgram, ReleaseProgram>;

struct ReleaseTensor {
  void operator()(OpwTensor* tensor) const { opw_tensor_release(tensor); }
};
using TensorPointer = std::unique_ptr<OpwTensor, ReleaseTensor>;

ProgramHandle load(const ExportedProgramPtr& program) {
  const std::string bytes = write_program(*program);
  ProgramHandle loaded(opw_program_load_bytes(bytes.data(), bytes.size(), "sample.opw"));
  EXPECT_TRUE(loaded) << opw_last_error();
  return loaded;
}

// A view of the caller's array, without strides.
struct Input {
  template <class T>
  Input(std::vector<T>& elements, std::vector<int64_t> sizes) : shape(std::move(sizes)) {
    view.data = elements.data();
    view.device = {kOpwDeviceCpu, 0};
    view.ndim = static_cast<int32_t>(shape.size());
    view.dtype = to_dlpack(dtype_of<T>());
    view.shape = shape.data();
  }
  std::vector<int64_t> shape;
  OpwDlTensor view{};
};

struct Outcome {
  int status;
  std::vector<TensorPointer> outputs;
};
Outcome run(const ProgramHandle& program, std::initializer_list<OpwDlTensor> inputs) {
  std::vector<OpwTensor*> outputs(opw_program_num_outputs(program.get()));
  const std::vector<OpwDlTensor> given(inputs);
  Outcome outcome{opw_program_run(program.get(), given.data(), static_cast<uint32_t>(given.size()),
                                  outputs.data(), static_cast<uint32_t>(outputs.size())),
                  {}};
  for (OpwTensor* output : outputs) outcome.outputs.emplace_back(output);
  return outcome;
}

template <class T>
std::vector<T> elements_of(const TensorPointer& tensor) {
  const OpwDlTensor& view = *opw_tensor_view(tensor.get());
  EXPECT_EQ(from_dlpack(view.dtype), dtype_of<T>());
  int64_t count = 1;
  for (int32_t dim = view.ndim - 1; dim >= 0; --dim) {
    EXPECT_EQ(view.strides[dim], count);
    count *= view.shape[dim];
  }
  const T* first = static_cast<const T*>(view.data);
  return {first, first + count};
}

std::vector<int64_t> sizes_of(const TensorPointer& tensor) {
  const OpwDlTensor& view = *opw_tensor_view(tensor.get());
  return {view.shape, view.shape + view.ndim};
}

// ---- runs ----

TEST(ProgramApi, RunsAProgramOnTheMemoryOfTheCaller) {
  const ProgramHandle program = load(export_linear());
  std::vector<float> x = {1, 2, 3, 4, 5, 6, 0, 0, 0};
  const Outcome outcome = run(program, {Input(x, {3, 3}).view});
  ASSERT_EQ(outcome.status, 0) << opw_last_error();
  EXPECT_EQ(sizes_of(outcome.outputs[0]), (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(elements_of<float>(outcome.outputs[0]), (std::vector<float>{7, 0, 16, 0, 1, 0}));
}

TEST(ProgramApi, ReadsStridesAndAnOffset) {
  const ProgramHandle program = load(export_linear());
  std::vector<float> x = {99, 1, 4, 2, 5, 3, 6};
  Input input(x, {2, 3});
  std::array<int64_t, 2> strides = {1, 2};
  input.view.strides = strides.data();
  input.view.byte_offset = sizeof(float);
  const Outcome outcome = run(program, {input.view});
  ASSERT_EQ(outcome.status, 0) << opw_last_error();
  EXPECT_EQ(elements_of<float>(outcome.outputs[0]), (std::vector<float>{7, 0, 16, 0}));
}

TEST(ProgramApi, OutputsAreDenseAndHaveMemoryOfTheirOwn) {
  const ProgramHandle program = load(export_views());
  std::vector<float> x = {1, 2, 3, 4, 5, 6};
  const Outcome outcome = run(program, {Input(x, {3, 2}).view});
  ASSERT_EQ(outcome.status, 0) << opw_last_error();
  x.assign(6, 0);
  EXPECT_EQ(elements_of<float>(outcome.outputs[0]), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(elements_of<float>(outcome.outputs[1]), (std::vector<float>{1, 3, 5, 2, 4, 6}));
  static_cast<float*>(opw_tensor_view(outcome.outputs[2].get())->data)[0] = 50;
  std::vector<float> again = {1, 1, 1, 1, 1, 1};
  const Outcome second = run(program, {Input(again, {3, 2}).view});
  EXPECT_EQ(elements_of<float>(second.outputs[2]), (std::vector<float>{1, 1}));
  EXPECT_EQ(elements_of<float>(second.outputs[3]), (std::vector<float>{1, 1, 1, 1, 1, 1}));
}

TEST(ProgramApi, OutputsOutliveTheProgram) {
  ProgramHandle program = load(export_linear());
  std::vector<float> x(6, 1);
  const Outcome outcome = run(program, {Input(x, {2, 3}).view});
  program.reset();
  EXPECT_EQ(elements_of<float>(outcome.outputs[0]), (std::vector<float>{4, 0, 4, 0}));
}

TEST(ProgramApi, StateGoesOnFromRunToRun) {
  const ProgramHandle program = load(export_counter());
  std::vector<float> x = {10, 20};
  (void)run(program, {Input(x, {2}).view});
  const Outcome second = run(program, {Input(x, {2}).view});
  EXPECT_EQ(elements_of<float>(second.outputs[0]), (std::vector<float>{12, 22}));
}

TEST(ProgramApi, WritesAnInputThatTheProgramWrites) {
  const ProgramHandle program = load(export_writer());
  std::vector<float> x = {1, 2, 3, 4};
  const Outcome outcome = run(program, {Input(x, {2, 2}).view});
  ASSERT_EQ(outcome.status, 0) << opw_last_error();
  EXPECT_EQ(opw_program_input(program.get(), 0)->is_written, 1);
  EXPECT_EQ(x, (std::vector<float>{2, 3, 4, 5}));
  EXPECT_EQ(elements_of<float>(outcome.outputs[0]), (std::vector<float>{14}));
}

TEST(ProgramApi, NumbersAreTensorsWithoutDimensionsAndConstantsAreNotGiven) {
  const ProgramHandle program = load(export_mixed());
  ASSERT_EQ(opw_program_num_inputs(program.get()), 2U);
  std::vector<float> mask = {1, 2, 3, 4};
  std::vector<int64_t> n = {3};
  const Outcome outcome = run(program, {Input(mask, {2, 2}).view, Input(n, {}).view});
  ASSERT_EQ(outcome.status, 0) << opw_last_error();
  EXPECT_EQ(elements_of<float>(outcome.outputs[0]), (std::vector<float>{4, 5, 6, 7}));
  EXPECT_EQ(elements_of<int64_t>(outcome.outputs[1]), (std::vector<int64_t>{6}));
  EXPECT_EQ(elements_of<int64_t>(outcome.outputs[2]), (std::vector<int64_t>{7}));
  EXPECT_EQ(elements_of<double>(outcome.outputs[3]), (std::vector<double>{0.5}));
  EXPECT_TRUE(*static_cast<const bool*>(opw_tensor_view(outcome.outputs[4].get())->data));
  EXPECT_EQ(outcome.outputs[5], nullptr);
  EXPECT_EQ(outcome.outputs[6], nullptr);
}

TEST(ProgramApi, ASeedMakesRandomNumbersTheSame) {
  const ProgramHandle program = load(export_noise());
  std::vector<float> x(4, 0);
  ASSERT_EQ(opw_set_seed(7), 0);
  const Outcome first = run(program, {Input(x, {4}).view});
  const Outcome second = run(program, {Input(x, {4}).view});
  ASSERT_EQ(opw_set_seed(7), 0);
  const Outcome again = run(program, {Input(x, {4}).view});
  EXPECT_NE(elements_of<float>(first.outputs[0]), elements_of<float>(second.outputs[0]));
  EXPECT_EQ(elements_of<float>(first.outputs[0]), elements_of<float>(again.outputs[0]));
}

TEST(ProgramApi, SeveralThreadsRunOneProgram) {
  const ProgramHandle program = load(export_linear());
  std::array<bool, 4> are_right{};
  std::vector<std::thread> threads;
  for (size_t i = 0; i < are_right.size(); ++i) {
    threads.emplace_back([&, i] {
      bool is_right = true;
      for (int64_t rows = 2; rows < 40; ++rows) {
        std::vector<float> x(static_cast<size_t>(3 * rows), static_cast<float>(i));
        const Outcome outcome = run(program, {Input(x, {rows, 3}).view});
        is_right &= outcome.status == 0 &&
                    elements_of<float>(outcome.outputs[0])[0] == static_cast<float>(3 * i + 1);
      }
      are_right[i] = is_right;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(are_right, (std::array<bool, 4>{true, true, true, true}));
}

TEST(ProgramApi, RunsOfAProgramThatKeepsStateWaitForEachOther) {
  const ProgramHandle program = load(export_counter());
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      std::vector<float> x = {0, 0};
      for (int run_number = 0; run_number < 50; ++run_number)
        (void)run(program, {Input(x, {2}).view});
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<float> x = {0, 0};
  EXPECT_EQ(elements_of<float>(run(program, {Input(x, {2}).view}).outputs[0]),
            (std::vector<float>{201, 201}));
}

// ---- descriptions ----

TEST(ProgramApi, TellsWhatAnInputMustBe) {
  const ProgramHandle program = load(export_linear());
  const OpwValueSpec* x = opw_program_input(program.get(), 0);
  ASSERT_TRUE(x);
  EXPECT_EQ(x->struct_size, sizeof(OpwValueSpec));
  EXPECT_EQ(x->tag, static_cast<uint32_t>(kOpwTensor));
  EXPECT_STREQ(x->name, "x");
  EXPECT_EQ(from_dlpack(x->dtype), DType::Float32);
  EXPECT_EQ(x->device.type, kOpwDeviceCpu);
  ASSERT_EQ(x->ndim, 2);
  EXPECT_EQ(x->is_written, 0);
  EXPECT_EQ(x->sizes[0], -1);
  EXPECT_EQ(x->least[0], 2);
  EXPECT_EQ(x->greatest[0], 64);
  EXPECT_STREQ(x->size_texts[0], "batch");
  EXPECT_EQ(x->sizes[1], 3);
  EXPECT_EQ(x->least[1], 3);
  EXPECT_EQ(x->greatest[1], 3);
  EXPECT_STREQ(x->size_texts[1], "3");
}

TEST(ProgramApi, TellsWhatAnOutputIs) {
  const ProgramHandle program = load(export_linear());
  ASSERT_EQ(opw_program_num_outputs(program.get()), 1U);
  const OpwValueSpec* y = opw_program_output(program.get(), 0);
  EXPECT_STREQ(y->name, "relu");
  EXPECT_EQ(y->ndim, 2);
  EXPECT_STREQ(y->size_texts[0], "batch");
  EXPECT_EQ(y->sizes[1], 2);
}

TEST(ProgramApi, TellsNumbersAndWhatIsNone) {
  const ProgramHandle program = load(export_mixed());
  EXPECT_STREQ(opw_program_input(program.get(), 0)->name, "batch[\"mask\"]");
  const OpwValueSpec* n = opw_program_input(program.get(), 1);
  EXPECT_STREQ(n->name, "n");
  EXPECT_EQ(n->tag, static_cast<uint32_t>(kOpwInt));
  EXPECT_EQ(from_dlpack(n->dtype), DType::Int64);
  EXPECT_EQ(n->ndim, 0);
  std::vector<uint32_t> tags;
  for (uint32_t i = 0; i < opw_program_num_outputs(program.get()); ++i)
    tags.push_back(opw_program_output(program.get(), i)->tag);
  EXPECT_EQ(tags, (std::vector<uint32_t>{kOpwTensor, kOpwInt, kOpwInt, kOpwFloat, kOpwBool,
                                         kOpwNone, kOpwString}));
}

TEST(ProgramApi, GivesTheTextOfAProgram) {
  const ProgramHandle program = load(export_linear());
  const std::string text = opw_program_text(program.get());
  EXPECT_NE(text.find("user x: %x float32[batch, 3]"), std::string::npos) << text;
  EXPECT_NE(text.find("%relu"), std::string::npos);
  EXPECT_EQ(opw_program_text(program.get()), opw_program_text(program.get()));
}

TEST(ProgramApi, TellsItsVersion) { EXPECT_EQ(std::string(opw_version()).find("0."), 0U); }

// ---- errors ----

std::string error_after(int status) { return status == 0 ? "no error" : opw_last_error(); }

TEST(ProgramApi, AFileThatIsNotThereIsAnError) {
  EXPECT_EQ(opw_program_load("no_such_file.opw"), nullptr);
  EXPECT_STREQ(opw_last_error_kind(), "OSError");
  EXPECT_NE(std::string(opw_last_error()).find("OSError: "), std::string::npos);
  EXPECT_NE(std::string(opw_last_error()).find("no_such_file.opw"), std::string::npos);
}

TEST(ProgramApi, BytesThatAreNoProgramAreAnErrorWithTheirName) {
  EXPECT_EQ(opw_program_load_bytes("nonsense", 8, "net.opw"), nullptr);
  EXPECT_STREQ(opw_last_error_kind(), "ValueError");
  EXPECT_NE(std::string(opw_last_error()).find("net.opw"), std::string::npos) << opw_last_error();
}

TEST(ProgramApi, AMissingOperatorNamesItsLibraryAndIsThereOnceThatIsLoaded) {
  std::string bytes;
  {
    const LoadedFor library("soft_clip");
    bytes = write_program(*export_clip());
  }
  EXPECT_EQ(opw_program_load_bytes(bytes.data(), bytes.size(), "clip.opw"), nullptr);
  EXPECT_STREQ(opw_last_error_kind(), "NotImplementedError");
  EXPECT_NE(std::string(opw_last_error()).find("audio::soft_clip"), std::string::npos);
  EXPECT_NE(std::string(opw_last_error()).find("libsoft_clip.so"), std::string::npos);

  ASSERT_EQ(opw_library_load(operator_binary("soft_clip").c_str()), 0) << opw_last_error();
  {
    const ProgramHandle program(opw_program_load_bytes(bytes.data(), bytes.size(), "clip.opw"));
    ASSERT_TRUE(program) << opw_last_error();
    std::vector<float> x = {0, 1000};
    EXPECT_EQ(elements_of<float>(run(program, {Input(x, {2}).view}).outputs[0]),
              (std::vector<float>{0, 2}));
  }
  unload_library(operator_binary("soft_clip"));
}

TEST(ProgramApi, ASizeThatTheProgramDoesNotAdmitIsRefusedByName) {
  const ProgramHandle program = load(export_linear());
  std::vector<float> x(3, 0);
  const Outcome outcome = run(program, {Input(x, {1, 3}).view});
  ASSERT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.outputs[0], nullptr);
  EXPECT_STREQ(opw_last_error_kind(), "ValueError");
  const std::string text = opw_last_error();
  EXPECT_NE(text.find("2 <= batch <= 64"), std::string::npos) << text;
  EXPECT_NE(text.find("dimension 0 of the argument 'x'"), std::string::npos) << text;
}

TEST(ProgramApi, AWrongDtypeIsRefused) {
  const ProgramHandle program = load(export_linear());
  std::vector<double> x(6, 0);
  EXPECT_EQ(run(program, {Input(x, {2, 3}).view}).status, 1);
  EXPECT_STREQ(opw_last_error_kind(), "TypeError");
  const std::string text = opw_last_error();
  EXPECT_NE(text.find("float32"), std::string::npos) << text;
  EXPECT_NE(text.find("float64"), std::string::npos) << text;
}

TEST(ProgramApi, AWrongNumberOfInputsOrOutputsIsRefused) {
  const ProgramHandle program = load(export_linear());
  EXPECT_EQ(run(program, {}).status, 1);
  EXPECT_STREQ(opw_last_error(), "TypeError: the program takes 1 inputs, got 0");
  std::vector<float> x(6, 0);
  const Input input(x, {2, 3});
  EXPECT_EQ(error_after(opw_program_run(program.get(), &input.view, 1, nullptr, 0)),
            "TypeError: the program gives 1 outputs, there is room for 0");
}

TEST(ProgramApi, AViewThatShowsNothingIsRefused) {
  const ProgramHandle program = load(export_linear());
  std::vector<float> x(7, 0);
  Input input(x, {2, 3});
  input.view.data = nullptr;
  EXPECT_EQ(error_after(run(program, {input.view}).status), "ValueError: input 'x': data is null");
  input.view.data = reinterpret_cast<char*>(x.data()) + 1;
  EXPECT_EQ(error_after(run(program, {input.view}).status),
            "ValueError: input 'x': its data must be aligned to 4 bytes, as float32 is");
  input.view.data = x.data();
  input.view.shape = nullptr;
  EXPECT_EQ(error_after(run(program, {input.view}).status), "ValueError: input 'x': shape is null");
  input.view.ndim = -1;
  EXPECT_EQ(error_after(run(program, {input.view}).status),
            "ValueError: input 'x': the number of dimensions must be from 0 to 64, got -1");
  std::array<int64_t, 2> negative = {2, -3};
  input.view.shape = negative.data();
  input.view.ndim = 2;
  EXPECT_EQ(error_after(run(program, {input.view}).status),
            "ValueError: input 'x': dimension 1 has the size -3");
  input.view.dtype = {77, 32, 1};
  EXPECT_EQ(error_after(run(program, {input.view}).status),
            "TypeError: input 'x': dtype(code=77, bits=32) is not a dtype of Opwright");
}

TEST(ProgramApi, ANumberMustBeOneOfItsDtype) {
  const ProgramHandle program = load(export_mixed());
  std::vector<float> mask(4, 0);
  std::vector<float> wrong = {3};
  std::vector<int64_t> many = {3, 4};
  EXPECT_EQ(error_after(run(program, {Input(mask, {2, 2}).view, Input(wrong, {}).view}).status),
            "TypeError: input 'n' is a number: it is given as a tensor of int64 on the cpu, got "
            "float32 on cpu");
  EXPECT_EQ(error_after(run(program, {Input(mask, {2, 2}).view, Input(many, {2}).view}).status),
            "TypeError: input 'n' is a number: it is given as a tensor without dimensions, got 1 "
            "dimensions");
}

TEST(ProgramApi, AnOperatorThatKeepsAnInputIsFound) {
  static Tensor kept;
  std::vector<Registration> registrations;
  Registry& registry = Registry::get();
  registrations.push_back(registry.define("keeping::keep(Tensor x) -> Tensor"));
  registrations.push_back(registry.implement(
      "keeping::keep", Slot::Cpu, +[](const Tensor& x) {
        kept = x;
        return clone(x);
      }));
  registrations.push_back(registry.implement(
      "keeping::keep", Slot::Fake, +[](const FakeTensor& x) { return empty_like(x); }));
  {
    OperatorHandle<Tensor(const Tensor&)> keep("keeping::keep");
    const ProgramHandle program = load(exported(
        export_program([&](const Tensor& x) { return keep(x); }, {.names = {"x"}}, ones({2}))));
    std::vector<float> x = {1, 2};
    EXPECT_EQ(error_after(run(program, {Input(x, {2}).view}).status),
              "RuntimeError: input 'x': an operator of the program kept the tensor, whose memory "
              "the caller takes back when the run ends");
  }
  kept = Tensor();
  while (!registrations.empty()) registrations.pop_back();
}

TEST(ProgramApi, NullIsRefusedAndReleasingItIsHarmless) {
  opw_program_release(nullptr);
  opw_tensor_release(nullptr);
  EXPECT_EQ(opw_tensor_view(nullptr), nullptr);
  EXPECT_EQ(opw_program_num_inputs(nullptr), 0U);
  EXPECT_EQ(opw_program_load(nullptr), nullptr);
  EXPECT_STREQ(opw_last_error(), "ValueError: opw_program_load: path is null");
  EXPECT_EQ(error_after(opw_library_load(nullptr)), "ValueError: opw_library_load: path is null");
  EXPECT_EQ(error_after(opw_program_run(nullptr, nullptr, 0, nullptr, 0)),
            "ValueError: opw_program_run: program is null");
  EXPECT_EQ(opw_program_text(nullptr), nullptr);
}

TEST(ProgramApi, AnIndexThatIsTooLargeIsRefused) {
  const ProgramHandle program = load(export_linear());
  EXPECT_EQ(opw_program_input(program.get(), 1), nullptr);
  EXPECT_STREQ(opw_last_error(), "IndexError: the program has 1 inputs, there is no input 1");
}

TEST(ProgramApi, EachThreadHasItsOwnLastError) {
  EXPECT_EQ(opw_set_num_threads(0), 1);
  const std::string here = opw_last_error();
  std::string there = "nothing";
  std::thread([&] { there = opw_last_error(); }).join();
  EXPECT_EQ(there, "");
  EXPECT_EQ(here.find("ValueError: "), 0U) << here;
}

TEST(ProgramApi, ASuccessLeavesTheLastErrorAlone) {
  EXPECT_EQ(opw_program_load("no_such_file.opw"), nullptr);
  const std::string before = opw_last_error();
  ASSERT_EQ(opw_set_seed(1), 0);
  EXPECT_EQ(opw_last_error(), before);
}

}  // namespace
}  // namespace opwright::testing
