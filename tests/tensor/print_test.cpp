// Covers: src/tensor/number_text.
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

#include <gtest/gtest.h>

#include "opwright/runtime/runtime.h"
#include "opwright/tensor/device/stream.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/view.h"
#include "opwright/tensor/wrapper.h"
#include "symbolic/test_owner.h"
#include "tensor/tensors.h"
#include "tensor/test_device.h"

namespace opwright {
namespace {

using testing::list;
using testing::range;
using testing::tensor_of;
using testing::TestDevice;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Tensor floats(const std::vector<float>& values) {
  return tensor_of<float>({static_cast<int64_t>(values.size())}, values);
}

Tensor int_range(const std::vector<int64_t>& sizes) {
  Tensor tensor = make_empty(sizes, DType::Int64);
  for (int64_t i = 0; i < tensor.numel(); ++i) tensor.mutable_data<int64_t>()[i] = i;
  return tensor;
}
Tensor bools(const std::vector<int64_t>& sizes, const std::vector<uint8_t>& values) {
  Tensor tensor = make_empty(sizes, DType::Bool);
  for (size_t i = 0; i < values.size(); ++i) tensor.mutable_data<bool>()[i] = values[i] != 0;
  return tensor;
}
Tensor sevenths() {
  Tensor tensor = range({40, 50});
  for (int64_t i = 0; i < tensor.numel(); ++i) tensor.mutable_data<float>()[i] /= 7;
  return tensor;
}
Tensor float8s(DType dtype, const std::vector<uint8_t>& bits) {
  Tensor tensor = make_empty(list({static_cast<int64_t>(bits.size())}), dtype);
  std::copy(bits.begin(), bits.end(), static_cast<uint8_t*>(tensor.mutable_data()));
  return tensor;
}

// The files hold what PyTorch 2.13 prints, with `torch.` removed from `dtype=`.
struct GoldenCase {
  const char* file;
  Tensor (*make)();
};
class PrintedTensor : public ::testing::TestWithParam<GoldenCase> {};

TEST_P(PrintedTensor, ReadsAsInPyTorch) {
  std::ifstream file(std::string("tests/golden/tensor_print/") + GetParam().file + ".txt");
  std::stringstream golden;
  golden << file.rdbuf();

  EXPECT_EQ(to_text(GetParam().make()) + "\n", golden.str());
}

const GoldenCase kCases[] = {
    {"scalar_float", [] { return tensor_of<float>({}, {1.5F}); }},
    {"scalar_int", [] { return tensor_of<int64_t>({}, {-3}); }},
    {"scalar_bool", [] { return bools({}, {1}); }},
    {"matrix", [] { return tensor_of<float>({2, 2}, {1, 2, 3, 4}); }},
    {"fractions", [] { return floats({0.5F, -1.25F, 3.14159F}); }},
    {"big_range", [] { return floats({1e-5F, 1, 1e6F}); }},
    {"big_ints", [] { return floats({1, 1e9F}); }},
    {"nonfinite", [] { return floats({kNan, kInf, -kInf, 1}); }},
    {"nonfinite_fraction", [] { return floats({-kNan, kInf, -kInf, 1.5F}); }},
    {"zeros", [] { return floats({0, 0, 0}); }},
    {"negative_zero", [] { return floats({-0.0F, 1.5F}); }},
    {"ints", [] { return tensor_of<int64_t>({2, 2}, {1, -20, 300, 4}); }},
    {"bools", [] { return bools({2}, {1, 0}); }},
    {"int8", [] { return tensor_of<int8_t>({2}, {-128, 127}); }},
    {"uint8", [] { return tensor_of<uint8_t>({2}, {0, 255}); }},
    {"float64", [] { return tensor_of<double>({2}, {0.1, 0.2}); }},
    {"float16", [] { return tensor_of<Half>({2}, {0.1F, 2}); }},
    {"bfloat16", [] { return tensor_of<BFloat16>({2}, {0.1F, 2}); }},
    {"complex128", [] { return tensor_of<Complex<double>>({2}, {{1, 2}, {-3.5, -4}}); }},
    {"cube", [] { return range({2, 3, 2}); }},
    {"four_dims", [] { return int_range({2, 2, 2, 2}); }},
    {"long_row", [] { return int_range({40}); }},
    {"transposed", [] { return make_view(range({2, 3}), list({3, 2}), list({1, 3}), 0); }},
    {"cut_row", [] { return int_range({1001}); }},
    {"cut_matrix", [] { return sevenths(); }},
    {"cut_cube", [] { return int_range({8, 9, 20}); }},
    {"cut_narrow", [] { return int_range({1000, 2}); }},
    {"empty", [] { return floats({}); }},
    {"empty_matrix", [] { return range({0, 3}); }},
    {"empty_int", [] { return int_range({0}); }},
    {"e5m2", [] { return float8s(DType::Float8E5M2, {0x3e, 0xfc, 0x00}); }},
    {"e4m3fn", [] { return float8s(DType::Float8E4M3FN, {0x3c, 0xfe, 0x01, 0x7f}); }},
};
INSTANTIATE_TEST_SUITE_P(Golden, PrintedTensor, ::testing::ValuesIn(kCases),
                         [](const auto& one) { return std::string(one.param.file); });

TEST(Print, ShowsThatATensorRequiresGrad) {
  const Tensor tensor = range({2});
  impl(tensor).flags |= kOpwFlagRequiresGrad;

  EXPECT_EQ(to_text(tensor), "tensor([0., 1.], requires_grad=True)");
}

TEST(Print, ShowsTheDtypeOfComplexNumbers) {
  EXPECT_EQ(to_text(tensor_of<Complex<float>>({1}, {{1, -2}})),
            "tensor([1.-2.j], dtype=complex64)");
}

TEST(Print, CopiesAnotherDevicesMemoryFirst) {
  const Tensor tensor = make_empty(list({2, 2}), DType::Int64, TestDevice::device());
  const int64_t values[] = {1, 2, 3, 4};
  copy_bytes(tensor.mutable_data(), tensor.device(), values, kCpu, sizeof values);
  const Tensor backwards = make_view(tensor, list({2}), list({-1}), 3);

  EXPECT_EQ(to_text(tensor), "tensor([[1, 2],\n        [3, 4]], device='test:0')");
  EXPECT_EQ(to_text(backwards), "tensor([4, 3], device='test:0')");
}

TEST(Print, ShowsOnlySizesOfAFakeTensor) {
  testing::TestOwner owner;
  const std::vector<SymInt> sizes{2, owner.backed("s0", 3)};

  EXPECT_EQ(to_text(make_fake(sizes, DType::Float16, Device(kOpwDeviceCuda, 0))),
            "tensor(..., device='cuda:0', size=(2, s0), dtype=float16)");
  EXPECT_EQ(to_text(make_fake(list({3}), DType::Float32, kCpu)), "tensor(..., size=(3,))");
  EXPECT_TRUE(owner.specialisations.empty());
}

class VmapLevel : public Level {
 public:
  [[nodiscard]] const char* name() const override { return "vmap"; }
};

TEST(Print, ShowsTheTransformOfAWrapper) {
  const auto level = make_intrusive<VmapLevel>();

  EXPECT_EQ(to_text(make_wrapper(level.get(), range({2, 3}))),
            "tensor(..., size=(2, 3), inside='vmap')");
}

TEST(Print, ShowsOnlySizesWhereTheCutFormIsEndless) {
  const std::vector<int64_t> sevens(10, 7);
  const std::vector<int64_t> zeros(10, 0);

  EXPECT_EQ(to_text(make_view(range({1}), sevens, zeros, 0)),
            "tensor(..., size=(7, 7, 7, 7, 7, 7, 7, 7, 7, 7))");
}

TEST(Print, ShowsAnUndefinedTensor) { EXPECT_EQ(to_text(Tensor()), "tensor(undefined)"); }

TEST(Print, BreaksALineBeforeASuffixThatDoesNotFit) {
  const Tensor tensor = range({20});
  impl(tensor).flags |= kOpwFlagRequiresGrad;

  EXPECT_EQ(to_text(make_view(tensor, list({14}), list({1}), 0)),
            "tensor([ 0.,  1.,  2.,  3.,  4.,  5.,  6.,  7.,  8.,  9., 10., 11., 12., 13.])");
  EXPECT_EQ(to_text(tensor),
            "tensor([ 0.,  1.,  2.,  3.,  4.,  5.,  6.,  7.,  8.,  9., 10., 11., 12., 13.,\n"
            "        14., 15., 16., 17., 18., 19.], requires_grad=True)");
}

}  // namespace
}  // namespace opwright
