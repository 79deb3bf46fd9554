// Compares the operators of a program file with those of the process: missing and changed ones.
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "opwright/dispatch/registry.h"
#include "opwright/functions.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/program/export/exported_program.h"
#include "opwright/program/file/program_file.h"
#include "opwright/registration/operator_handle.h"
#include "opwright/runtime/runtime.h"
#include "program/program_files.h"

namespace opwright {
namespace {

using testing::error_of;
using testing::FileParts;
using testing::read_error;

constexpr std::string_view kSchema =
    "filed::scale(Tensor x, float by=2.0, *, bool twice=False) -> Tensor";

Tensor scale_kernel(const Tensor& x, double by, bool twice) { return mul(x, twice ? by * 2 : by); }
Tensor offset_kernel(const Tensor& x, double by, bool twice, double offset) {
  return add(scale_kernel(x, by, twice), full({}, offset));
}

// Defines the operator for the duration of a test.
class Scale {
 public:
  explicit Scale(std::string_view schema, const char* library = "")
      : definition_(Registry::get().define(schema, {}, SourceSite::of(), {.library = library})) {}
  template <class F>
  Scale(std::string_view schema, F kernel) : Scale(schema) {
    kernel_ = Registry::get().implement("filed::scale", Slot::Cpu, kernel);
  }

 private:
  Registration definition_;
  Registration kernel_;
};

// A program that calls it, as a file.
std::string scale_file(const char* library = "", std::string_view call = "filed::scale(%x)") {
  const Scale scale(kSchema, library);
  ExportedProgram::Parts parts;
  parts.graph = parse_graph(
      concatenate("graph(%x: float32[2]) -> (%y) {\n  %y: float32[2] = ", call, "\n}\n"));
  parts.signature.inputs = {{.value = "x", .target = "x", .constant = {}}};
  parts.signature.outputs = {{.value = "y", .target = "", .constant = {}}};
  return write_program(ExportedProgram(std::move(parts)));
}

std::string run(const ExportedProgram& program) {
  const Tensor x = ones({2});
  const OpwValue given = ValueOf<Tensor>::lend(x);
  return to_text(Tensor::borrow(program.run(std::span(&given, 1))[0].get().as_tensor));
}

TEST(ProgramFileOperators, AMissingOperatorIsNamedWithItsLibrary) {
  EXPECT_EQ(read_error(scale_file("/usr/lib/libfiled.so")),
            R"(NotImplementedError: net.opw: the program calls operators that are not available:
  filed::scale(Tensor x, float by=2.0, *, bool twice=False) -> Tensor, from libfiled.so
load their libraries first: opwright.load_library("libfiled.so"), or `opwright run` with --library libfiled.so)");
}

TEST(ProgramFileOperators, AllMissingOperatorsAreNamed) {
  FileParts parts(scale_file("/usr/lib/libfiled.so"));
  parts.replace("input user", "operator \"other::f\" \"other::f() -> ()\"\ninput user");
  EXPECT_EQ(read_error(parts.bytes()),
            R"(NotImplementedError: net.opw: the program calls operators that are not available:
  filed::scale(Tensor x, float by=2.0, *, bool twice=False) -> Tensor, from libfiled.so
  other::f() -> (), which a program defined
load their libraries first: opwright.load_library("libfiled.so"), or `opwright run` with --library libfiled.so)");
}

TEST(ProgramFileOperators, AnOperatorOfAProgramMustBeDefinedFirst) {
  EXPECT_EQ(read_error(scale_file()),
            R"(NotImplementedError: net.opw: the program calls operators that are not available:
  filed::scale(Tensor x, float by=2.0, *, bool twice=False) -> Tensor, which a program defined
run the code that defines them first)");
}

TEST(ProgramFileOperators, AFileWithMissingOperatorsCanBeDescribed) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.file("net.opw");
  testing::write_file(path, scale_file("/usr/lib/libfiled.so"));
  EXPECT_EQ(
      describe_program_file(path),
      R"(program file of format 1.0, written by opwright 0.1.0: 369 bytes, 0 of them in 0 tensors
inputs
  user x: %x float32[2]
outputs
  user: %y
operators
  filed::scale(Tensor x, float by=2.0, *, bool twice=False) -> Tensor, from libfiled.so
graph(%x: float32[2]) -> (%y) {
  %y: float32[2] = filed::scale(%x)
}
)");
}

TEST(ProgramFileOperators, AnOperatorThatTakesTheCallsNoMoreIsRefused) {
  const std::string file = scale_file();
  const auto error_with = [&](std::string_view schema) {
    const Scale scale(schema);
    return read_error(file);
  };
  EXPECT_EQ(
      error_with("filed::scale(Tensor x, int by=2, *, bool twice=False) -> Tensor"),
      R"(NotImplementedError: net.opw: operators have changed since the program was exported, and its calls do not fit them any more:
filed::scale: argument 'by' was float and is int
  exported with filed::scale(Tensor x, float by=2.0, *, bool twice=False) -> Tensor
  here it is    filed::scale(Tensor x, int by=2, *, bool twice=False) -> Tensor
load the library as it was then, or export the program again)");
  const auto reason_with = [&](std::string_view schema) {
    const std::string error = error_with(schema);
    const size_t begin = error.find('\n') + 1;
    return error.substr(begin, error.find('\n', begin) - begin);
  };
  EXPECT_EQ(reason_with("filed::scale(Tensor x, *, bool twice=False) -> Tensor"),
            "filed::scale: argument 'by' was removed");
  EXPECT_EQ(reason_with("filed::scale(Tensor x, bool more, float by=2.0, *, bool twice=False) -> "
                        "Tensor"),
            "filed::scale: argument 'by' was at position 2 and is at 3");
  EXPECT_EQ(reason_with("filed::scale(Tensor x, float by=2.0, *, bool twice=False, int k) -> "
                        "Tensor"),
            "filed::scale: the new argument 'k' has no default");
  EXPECT_EQ(reason_with("filed::scale(Tensor x, float by=2.0, *, bool twice=False) -> Tensor[]"),
            "filed::scale: return 0 was Tensor and is Tensor[]");
}

TEST(ProgramFileOperators, ADefaultThatChangedLeavesTheProgramAsItWas) {
  const std::string file = scale_file();
  const Scale scale("filed::scale(Tensor x, float by=5.0, *, bool twice=True) -> Tensor",
                    &scale_kernel);
  const ExportedProgramPtr read = read_program(file, "net.opw");
  EXPECT_EQ(run(*read), "tensor([2., 2.])");
  EXPECT_EQ(to_text(read->graph()),
            "graph(%x: float32[2]) -> (%y) {\n"
            "  %y: float32[2] = filed::scale(%x, 2.0, twice=False)\n}\n");
}

TEST(ProgramFileOperators, ADefaultThatIsGoneLeavesTheProgramAsItWas) {
  const std::string file = scale_file();
  const Scale scale("filed::scale(Tensor x, float by, *, bool twice) -> Tensor", &scale_kernel);
  EXPECT_EQ(run(*read_program(file, "net.opw")), "tensor([2., 2.])");
}

TEST(ProgramFileOperators, NewArgumentsHaveTheirDefaults) {
  const std::string file = scale_file("", "filed::scale(%x, 3.0, twice=True)");
  const Scale scale(
      "filed::scale(Tensor x, float by=5.0, *, bool twice=False, float offset=1.0) -> Tensor",
      &offset_kernel);
  const ExportedProgramPtr read = read_program(file, "net.opw");
  EXPECT_EQ(run(*read), "tensor([7., 7.])");
}

TEST(ProgramFileOperators, AProgramReadUnderAChangedSchemaIsSavedUnderIt) {
  const std::string file = scale_file();
  const Scale scale("filed::scale(Tensor x, float by=5.0, *, bool twice=False) -> Tensor",
                    &scale_kernel);
  const std::string again = write_program(*read_program(file, "net.opw"));
  EXPECT_NE(again.find("\"filed::scale(Tensor x, float by=5.0, *, bool twice=False) -> Tensor\""),
            std::string::npos);
  EXPECT_EQ(run(*read_program(again, "net.opw")), "tensor([2., 2.])");
}

TEST(ProgramFileOperators, TheListOfOperatorsMustBeThatOfTheGraph) {
  const Scale scale("filed::scale(Tensor x, float by=5.0) -> Tensor");
  const std::string file = write_program(*testing::exported(testing::matrix_program(ones({3, 4}))));
  EXPECT_EQ(read_error(FileParts(file).replace("aten::mm(%x", "filed::scale(%x").bytes()),
            R"(ValueError: net.opw: graph: no schema is given for filed::scale at line 3, column 28
      %mm: float32[batch, 4] = filed::scale(%x, %weight)
                               ^^^^^^^^^^^^)");
  EXPECT_EQ(read_error(FileParts(file)
                           .replace("\"aten::mm(Tensor self, Tensor mat2) -> Tensor\"",
                                    "\"aten::nn(Tensor self, Tensor mat2) -> Tensor\"")
                           .bytes()),
            "ValueError: net.opw: the schema of aten::mm is that of aten::nn");
  EXPECT_EQ(read_error(FileParts(file)
                           .replace("\"aten::mm(Tensor self, Tensor mat2) -> Tensor\"",
                                    "\"aten::mm(Tensor self\"")
                           .bytes()),
            R"(ValueError: net.opw: schema of aten::mm: expected ')', but the text ends at column 21
    aten::mm(Tensor self
                        ^)");
}

}  // namespace
}  // namespace opwright
