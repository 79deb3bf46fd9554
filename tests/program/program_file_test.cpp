// Programs in files: what is written comes back.
#include "opwright/program/program_file.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "opwright/functions.h"
#include "opwright/program.h"
#include "opwright/program/exported_program.h"
#include "opwright/program/program_object.h"
#include "opwright/runtime.h"

namespace opwright {
namespace {

TEST(ProgramFile, AProgramComesBack) {
  const Tensor w = ones({3, 4});
  const Program program = export_program(
      [&](const Tensor& x) { return relu(mm(x, w)); },
      {.names = {"x"}, .dynamic = {{"x", 0, Dim::named("batch")}}, .state = {{"weight", w}}},
      ones({5, 3}));
  const std::string bytes = write_program(*program_of(program.value().get()));
  const ExportedProgramPtr read = read_program(bytes, "net.opw");
  EXPECT_EQ(to_text(*read), program.text());
}

}  // namespace
}  // namespace opwright
