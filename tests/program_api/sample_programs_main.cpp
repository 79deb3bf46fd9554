// Saves the sample programs in a folder: for the tests of the command.
//
//   sample_programs FOLDER libsoft_clip.so
#include <cstdio>
#include <string>

#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/program/file/program_file.h"
#include "opwright/runtime/runtime.h"
#include "program_api/sample_programs.h"

namespace opwright::testing {
namespace {

void save_samples(const std::string& folder) {
  const auto save = [&](const std::string& name, const ExportedProgramPtr& program) {
    save_program(*program, folder + "/" + name + ".opw");
  };
  save("linear", export_linear());
  save("counter", export_counter());
  save("views", export_views());
  save("writer", export_writer());
  save("noise", export_noise());
  save("clip", export_clip());
  save("mixed", export_mixed());
  for (const DTypeName& each : kDTypes)
    save(std::string("copy_") + each.name, export_copy(each.dtype));
}

}  // namespace
}  // namespace opwright::testing

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  try {
    opwright::load_library(argv[2]);
    opwright::testing::save_samples(argv[1]);
  } catch (const opwright::Error& error) {
    std::fprintf(stderr, "%s: %s\n", error.kind(), error.what());
    return 1;
  }
  return 0;
}
