// Programs as ONNX models, by the public interface of C++.
//
// Covers: src/onnx_model/*.
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/functions.h"
#include "opwright/runtime/onnx.h"
#include "opwright/runtime/program.h"

namespace opwright {
namespace {

Program row_sums(int64_t columns = 3) {
  return export_program(
      [](const Tensor& x, const Tensor& y) { return cat(std::vector{x, y}).sum({1}); },
      {.names = {"x", "y"}, .dynamic = {{"x", 0, Dim::named("rows")}}}, ones({4, columns}),
      ones({2, columns}));
}

TEST(OnnxModel, HasTheProgramsNamesAndSizes) {
  const std::string text = onnx::to_model(row_sums(), {.opset = 13}).text();

  EXPECT_NE(text.find("model onnx=13 {"), std::string::npos) << text;
  EXPECT_NE(text.find("input x: float32[rows, 3]"), std::string::npos) << text;
  EXPECT_NE(text.find("output output_0: float32[rows + 2]"), std::string::npos) << text;
}

TEST(OnnxModel, HasTheNamesThatAreGiven) {
  const std::string text =
      onnx::to_model(row_sums(), {.input_names = {"a", "b"}, .output_names = {"sums"}}).text();

  EXPECT_NE(text.find("Concat<axis=0>(a, b)"), std::string::npos) << text;
  EXPECT_NE(text.find("output sums: "), std::string::npos) << text;
}

TEST(OnnxModel, RefusesNamesThatDoNotFit) {
  EXPECT_ERROR((void)onnx::to_model(row_sums(), {.input_names = {"a"}}), "ValueError",
               "ONNX: 1 input names were given, but the program has 2 inputs");
  EXPECT_ERROR((void)onnx::to_model(row_sums(), {.input_names = {"a", "a"}}), "ValueError",
               "ONNX: the input name 'a' occurs twice");
}

TEST(OnnxModel, RefusesAnOpsetThatIsNotWritten) {
  EXPECT_ERROR((void)onnx::to_model(row_sums(), {.opset = 11}), "ValueError",
               "ONNX: opset 11 is not written; opsets 12 to 28 are");
}

TEST(OnnxModel, IsSavedWithItsLargeTensorsBesideIt) {
  const std::string path =
      (std::filesystem::temp_directory_path() / "opwright_onnx_model_test.onnx").string();
  const Tensor weight = ones({64, 64});
  const Program program =
      export_program([&](const Tensor& x) { return cat(std::vector{x, weight}); },
                     {.names = {"x"}, .state = {{"weight", weight}}}, ones({1, 64}));
  onnx::save_model(program, path, {.external_data = true});

  EXPECT_EQ(std::filesystem::file_size(path + ".data"), 64u * 64 * 4);
  EXPECT_LT(std::filesystem::file_size(path), 1024u);
  std::filesystem::remove(path);
  std::filesystem::remove(path + ".data");
}

TEST(OnnxModel, ThatCannotBeWrittenIsAnOSError) {
  EXPECT_ERROR_CONTAINS(onnx::save_model(row_sums(), "/no/such/folder/model.onnx"), "OSError",
                        "/no/such/folder/model.onnx");
}

}  // namespace
}  // namespace opwright
