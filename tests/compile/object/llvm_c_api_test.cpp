// Needs LLVM 19 or newer (Debian: libllvm19, which clang-19 installs); otherwise skipped.
#include "opwright/compile/object/llvm_c_api.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "compile/temporary_folder.h"
#include "opwright/compile/object/object_code.h"

namespace opwright {
namespace {

std::string scale_four_text() {
  std::ifstream file("tests/compile/objects/scale_four.ll");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class LlvmCApi : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!maker.make) GTEST_SKIP() << "there is no LLVM here";
  }
  ObjectMaker maker = find_llvm_c_api();
};

TEST_F(LlvmCApi, MakesObjectsThatRun) {
  const ObjectCodePtr code = ObjectCode::load(maker.make(scale_four_text()));
  std::array<float, 4> from = {1, 2, 3, 4};
  std::array<float, 4> to = {};
  std::array<int64_t, 3> context = {reinterpret_cast<intptr_t>(from.data()),
                                    reinterpret_cast<intptr_t>(to.data()), sizeof(from)};
  code->find("nest")(context.data());
  EXPECT_EQ(to, (std::array<float, 4>{1, 4, 9, 16}));
}

TEST_F(LlvmCApi, TellsTheAssembly) {
  const std::string text = maker.assembly(scale_four_text());
  EXPECT_NE(text.find("nest:"), std::string::npos);
  EXPECT_NE(text.find("mulps"), std::string::npos);
}

TEST_F(LlvmCApi, TellsWhatIsWrongWithAText) {
  EXPECT_ERROR_CONTAINS((void)maker.make("define void @nest( {"), "RuntimeError",
                        "LLVM does not accept the text of a nest: ");
  EXPECT_FALSE(maker.make(scale_four_text()).empty());  // still works
}

TEST_F(LlvmCApi, WorksOnThreadsAtOnce) {
  const std::string text = scale_four_text();
  const std::vector<std::byte> expected = maker.make(text);
  std::array<std::vector<std::byte>, 4> objects;
  std::vector<std::thread> threads;
  for (auto& object : objects) threads.emplace_back([&] { object = maker.make(text); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& object : objects) EXPECT_EQ(object, expected);
}

TEST(LlvmCApiSearch, FindsNothingWhereTheNamedFileIsNot) {
  const testing::EnvironmentScope named("OPWRIGHT_LLVM", "/nowhere/libLLVM.so");
  EXPECT_FALSE(find_llvm_c_api().make);
}

}  // namespace
}  // namespace opwright
