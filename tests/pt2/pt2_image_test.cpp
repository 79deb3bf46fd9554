// Programs exported in C++, as archives.
// Covers: src/pt2/saved_program.
#include <cstdio>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/functions.h"
#include "opwright/runtime/program.h"
#include "opwright/tensor.h"

namespace opwright {
namespace {

std::string archive_path(const std::string& name) { return ::testing::TempDir() + name; }

TEST(Pt2Image, AProgramOfCppBecomesAnArchiveByItsName) {
  const std::string path = archive_path("scaled.pt2");
  const Program program = export_program(
      [](const Tensor& x, const Tensor& y) { return std::vector<Tensor>{x * y + 1.0, x.sum()}; },
      {.names = {"x", "y"},
       .dynamic = {{"x", 0, Dim::named("n", 2)}, {"y", 0, Dim::named("n", 2)}}},
      full({3}, 2.0), full({3}, 5.0));

  program.save(path);
  const Program loaded = load_program(path);

  const std::vector<Tensor> results = loaded({full({4}, 2.0), full({4}, 5.0)});
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].size(0), 4);
  EXPECT_EQ(results[0].data<float>()[3], 11.0F);
  EXPECT_EQ(results[1].data<float>()[0], 8.0F);
  EXPECT_EQ(loaded.input_names(), (std::vector<std::string>{"x", "y"}));
  std::remove(path.c_str());
}

TEST(Pt2Image, AFileOfAnyNameCanBeRead) {
  const Program program =
      export_program([](const Tensor& x) { return x + 1.0; }, {.names = {"x"}}, full({2}, 2.0));
  for (const char* name :
       {"models.pt2", ".pt2", "...pt2", "a\\b.pt2", "\xff\xfe.pt2", "größe.pt2"}) {
    const std::string path = archive_path(name);
    program.save(path);
    EXPECT_EQ(load_program(path)({full({2}, 2.0)})[0].data<float>()[0], 3.0F) << name;
    std::remove(path.c_str());
  }
}

TEST(Pt2Image, RefusesTensorsOfTwoDtypesInOneMemory) {
  const Tensor words = full({4}, 1.0);
  const Tensor numbers = words.view(DType::Int32);
  const Program program =
      export_program([&](const Tensor& x) { return x + words + numbers; },
                     {.state = {{"words", words}, {"numbers", numbers, false}}}, full({4}, 2.0));

  EXPECT_ERROR(program.save(archive_path("shared.pt2")), "ValueError",
               "save: 'words' and 'numbers' share memory but not their dtype, which PyTorch's "
               "archives cannot hold; clone() one of them");
}

}  // namespace
}  // namespace opwright
