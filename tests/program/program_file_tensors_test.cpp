// Tensors in program files: dtypes, strides, sharing, devices.
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "opwright/autograd/history.h"
#include "opwright/dtype.h"
#include "opwright/functions.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/program/export/exported_program.h"
#include "opwright/program/file/program_file.h"
#include "opwright/runtime/runtime.h"
#include "opwright/schema/constant_names.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/view.h"
#include "program/program_files.h"
#include "tensor/test_device.h"

namespace opwright {
namespace {

using testing::bytes_of;
using testing::error_of;
using testing::FileParts;

// A program without inputs, with this state.
ExportedProgramPtr program_of_state(std::vector<NamedTensor> state) {
  ExportedProgram::Parts parts;
  parts.graph = parse_graph("graph() -> () {\n}\n");
  parts.state = std::move(state);
  return make_intrusive<ExportedProgram>(std::move(parts));
}

std::vector<Tensor> state_read_back(std::vector<NamedTensor> state) {
  const std::string bytes = write_program(*program_of_state(std::move(state)));
  const ExportedProgramPtr read = read_program(bytes, "net.opw");
  std::vector<Tensor> tensors;
  for (const NamedTensor& named : read->state()) tensors.push_back(named.tensor);
  return tensors;
}

std::string data_of(std::vector<NamedTensor> state) {
  return FileParts(write_program(*program_of_state(std::move(state)))).data;
}

TEST(ProgramFileTensors, EveryDtypeComesBack) {
  for (const std::string_view name : dtype_names()) {
    const DType dtype = *find_dtype(name);
    const Tensor tensor = make_empty(std::array<int64_t, 2>{2, 3}, dtype);
    const size_t size = item_size(dtype) * 6;
    for (size_t i = 0; i < size; ++i) {
      static_cast<uint8_t*>(tensor.mutable_data())[i] = static_cast<uint8_t>(i % 2);
    }
    const Tensor read = state_read_back({{"x", tensor}})[0];
    EXPECT_EQ(read.dtype(), dtype) << name;
    EXPECT_EQ(bytes_of(read), bytes_of(tensor)) << name;
  }
}

TEST(ProgramFileTensors, NumbersAndEmptyTensorsComeBack) {
  const std::vector<Tensor> read =
      state_read_back({{"number", full({}, 2.5)}, {"nothing", ones({0, 3})}});
  EXPECT_EQ(to_text(read[0]), "tensor(2.5000)");
  EXPECT_EQ(to_text(read[1]), to_text(ones({0, 3})));
}

TEST(ProgramFileTensors, RequiresGradComesBack) {
  const Tensor weight = ones({2});
  set_requires_grad(weight, true);
  const std::vector<Tensor> read = state_read_back({{"weight", weight}, {"buffer", ones({2})}});
  EXPECT_TRUE(read[0].requires_grad());
  EXPECT_TRUE(is_leaf(read[0]));
  EXPECT_FALSE(read[1].requires_grad());
}

TEST(ProgramFileTensors, ATensorOfTwoNamesIsStoredOnceAndStaysOne) {
  const Tensor tied = ones({16});
  const std::vector<Tensor> read = state_read_back({{"a", tied}, {"b", tied}});
  EXPECT_EQ(read[0].get(), read[1].get());
  EXPECT_EQ(data_of({{"a", tied}, {"b", tied}}).size(), 64u);
}

TEST(ProgramFileTensors, ViewsOfOneStorageShareItAgain) {
  const Tensor whole = arange(12).reshape({3, 4});
  const std::vector<Tensor> read =
      state_read_back({{"whole", whole}, {"row", whole.select(0, 1)}, {"turned", whole.t()}});
  EXPECT_EQ(to_text(read[1]), "tensor([4, 5, 6, 7])");
  EXPECT_EQ(to_text(read[2]), to_text(whole.t()));
  EXPECT_EQ(impl(read[0]).storage, impl(read[1]).storage);
  EXPECT_EQ(impl(read[0]).storage, impl(read[2]).storage);
  read[1].mutable_data<int64_t>()[0] = 40;
  EXPECT_EQ(read[0].data<int64_t>()[4], 40);
}

TEST(ProgramFileTensors, StridesComeBack) {
  const Tensor turned = arange(6).reshape({2, 3}).t();
  const Tensor read = state_read_back({{"turned", turned}})[0];
  EXPECT_EQ(to_text(read), to_text(turned));
  EXPECT_TRUE(std::ranges::equal(read.strides(), turned.strides()));
}

TEST(ProgramFileTensors, OnlyWhatAViewReachesIsWritten) {
  const Tensor secret = full({4, 4}, 7, DType::UInt8);
  EXPECT_EQ(data_of({{"row", secret.select(0, 2)}}), std::string(4, '\x07'));
  const std::string column("\x07\0\0\0\x07\0\0\0\x07\0\0\0\x07", 13);
  EXPECT_EQ(data_of({{"column", secret.select(1, 1)}}), column);
  EXPECT_EQ(to_text(state_read_back({{"column", secret.select(1, 1)}})[0]),
            to_text(secret.select(1, 1)));
}

TEST(ProgramFileTensors, RepeatedElementsAreStoredOnce) {
  const Tensor repeated = ones({1, 4}).expand({1000, 4});
  EXPECT_EQ(data_of({{"repeated", repeated}}).size(), 16u);
  EXPECT_EQ(to_text(state_read_back({{"repeated", repeated}})[0]), to_text(repeated));
}

TEST(ProgramFileTensors, TensorsThatRunBackwardsBecomeDense) {
  std::array<float, 3> memory = {1, 2, 3};
  const Tensor backwards =
      make_from_memory(&memory[2], std::array<int64_t, 1>{3}, std::array<int64_t, 1>{-1},
                       DType::Float32, kCpu, nullptr, nullptr);
  EXPECT_EQ(to_text(state_read_back({{"x", backwards}})[0]), "tensor([3., 2., 1.])");
}

TEST(ProgramFileTensors, TensorsOfADeviceReturnToIt) {
  const Device device = testing::TestDevice::device();
  const Tensor tensor = make_empty(std::array<int64_t, 1>{3}, DType::UInt8, device);
  std::memcpy(tensor.get()->dl.data, "abc", 3);
  EXPECT_EQ(data_of({{"x", tensor}}), "abc");
  const Tensor read = state_read_back({{"x", tensor}})[0];
  EXPECT_EQ(read.device(), device);
  EXPECT_EQ(std::string_view(static_cast<const char*>(read.get()->dl.data), 3), "abc");
}

TEST(ProgramFileTensors, ADeviceThatNothingRunsHereIsNamed) {
  FileParts parts(write_program(*program_of_state({{"x", ones({3})}})));
  parts.replace("float32[3]", "float32[3] on cuda:0");
  EXPECT_EQ(testing::read_error(parts.bytes()),
            "ValueError: net.opw: the program has tensors on cuda:0, which is not available here; "
            "load a plug-in for it, or export the program on the cpu");
}

TEST(ProgramFileTensors, TensorsWithoutMemoryCannotBeSaved) {
  const auto save = [](const Tensor& tensor) {
    return error_of([&] { (void)write_program(*program_of_state({{"layer.weight", tensor}})); });
  };
  EXPECT_EQ(save(make_fake(std::array<int64_t, 2>{2, 3}, DType::Float32, kCpu)),
            "ValueError: save: 'layer.weight' is the fake tensor float32[2, 3], which has no data; "
            "export with real parameters and buffers, or give them with load_state before saving");
  EXPECT_EQ(save(Tensor()), "ValueError: save: 'layer.weight' is an undefined tensor");
}

TEST(ProgramFileTensors, ATensorThatReachesOutOfItsBlockIsRefused) {
  const std::string bytes = write_program(*program_of_state({{"x", ones({3})}}));
  const auto error_with = [&](std::string_view tensor) {
    return testing::read_error(FileParts(bytes).replace("float32[3]", tensor).bytes());
  };
  for (const std::string_view tensor :
       {"float32[4]", "float32[3] offset(1)", "float32[2] strides [3]", "float64[3]",
        "float32[2, 2]", "float32[0] offset(4)"}) {
    EXPECT_NE(error_with(tensor).find("exceeds its block of 12 bytes"), std::string::npos)
        << error_with(tensor);
  }
  for (const std::string_view tensor :
       {"float32[3] strides [-1]", "float32[4611686018427387904, 4]", "float32[-3]",
        "float32[3] offset(-1)", "float32[2] strides [4611686018427387904]",
        "float32[3] offset(4611686018427387904)", "nothing[3]", "int(3)", "None"}) {
    EXPECT_TRUE(error_with(tensor).starts_with("ValueError: net.opw: ")) << error_with(tensor);
  }
}

TEST(ProgramFileTensors, BoolsOfOtherBytesAreWrittenAsOne) {
  const Tensor mask = ones({3}, DType::Bool);
  static_cast<char*>(mask.mutable_data())[1] = 2;

  const ExportedProgramPtr read =
      read_program(write_program(*program_of_state({{"mask", mask}})), "net.opw");

  EXPECT_EQ(to_text(read->state()[0].tensor), "tensor([True, True, True])");
  EXPECT_EQ(static_cast<const char*>(mask.data())[1], 2);
}

TEST(ProgramFileTensors, BoolsThatShareOtherBytesCannotBeSaved) {
  const Tensor bytes = full({3}, 2, DType::UInt8);
  TensorImpl* shown =
      new_impl(StoragePtr::share(impl(bytes).storage), DType::Bool, kCpu, bytes.get()->flags, 1);
  shown->dl.shape[0] = 3;
  shown->dl.strides[0] = 1;
  shown->dl.data = bytes.get()->dl.data;
  const Tensor mask = Tensor::take(shown);
  EXPECT_EQ(error_of([&] { (void)data_of({{"bytes", bytes}, {"mask", mask}}); }),
            "ValueError: save: a bool tensor shares memory with one of another dtype that has "
            "bytes other than 0 and 1; clone() one of them");
  EXPECT_EQ(data_of({{"bytes", ones({3}, DType::UInt8)}, {"mask", mask}}).size(), 67u);
}

TEST(ProgramFileTensors, ABoolThatIsNeitherIsRefused) {
  FileParts parts(write_program(*program_of_state({{"mask", ones({3}, DType::Bool)}})));
  parts.data[1] = 2;
  EXPECT_EQ(testing::read_error(parts.bytes()),
            "ValueError: net.opw: the file is damaged: the checksum of block 0 is wrong");
  const testing::TemporaryFolder folder;
  const std::string path = folder.file("net.opw");
  testing::write_file(path, parts.bytes());
  EXPECT_EQ(error_of([&] { (void)load_program_file(path); }),
            "ValueError: " + path +
                ": the file is damaged: tensor 0, of bools, has a byte that is neither 0 nor 1");
}

}  // namespace
}  // namespace opwright
