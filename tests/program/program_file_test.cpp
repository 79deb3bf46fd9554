// Programs in files: what is written is read back.
//
// Covers: src/program/file/*.
#include "opwright/program/file/program_file.h"

#include <sys/stat.h>

#include <array>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "ir/graph_operators.h"
#include "opwright/dispatch/registry.h"
#include "opwright/functions.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/program/export/export_session.h"
#include "opwright/program/export/exported_program.h"
#include "opwright/runtime/program.h"
#include "opwright/runtime/runtime.h"
#include "opwright/tensor/random_state.h"
#include "program/program_files.h"

namespace opwright {
namespace {

using testing::contents_of;
using testing::error_of;
using testing::exported;
using testing::matrix_program;
using testing::TemporaryFolder;

ExportedProgramPtr written_and_read(const Program& program) {
  return read_program(write_program(*exported(program)), "net.opw");
}

TEST(ProgramFile, AProgramComesBack) {
  const Program program = matrix_program(ones({3, 4}));
  const ExportedProgramPtr read = written_and_read(program);
  EXPECT_EQ(to_text(*read), program.text());
  const Tensor x = ones({7, 3});
  const OpwValue given = ValueOf<Tensor>::lend(x);
  EXPECT_EQ(to_text(Tensor::borrow(read->run(std::span(&given, 1))[0].get().as_tensor)),
            to_text(program({x})[0]));
}

TEST(ProgramFile, ASecondCopyHasTheSameBytes) {
  const std::string bytes = write_program(*exported(matrix_program(ones({3, 4}))));
  EXPECT_EQ(write_program(*read_program(bytes, "net.opw")), bytes);
}

TEST(ProgramFile, TheTextTellsWhatTheProgramIs) {
  const std::string bytes = write_program(*exported(matrix_program(ones({3, 4}))));
  EXPECT_EQ(bytes.substr(0, 8), "OPWRIGHT");
  EXPECT_EQ(testing::FileParts(bytes).text,
            R"(# An Opwright program. `python -m opwright show` explains it.
writer "opwright 0.1.0"
operator "aten::mm" "aten::mm(Tensor self, Tensor mat2) -> Tensor"
operator "aten::relu" "aten::relu(Tensor self) -> Tensor"
input parameter %weight "weight"
input user %x "x"
output user %relu
state "weight" tensor 0
example tensor 1
block 0 offset 0 bytes 48 checksum 20b2143b
block 1 offset 64 bytes 60 checksum af1ab270
tensor 0 block 0 float32[3, 4]
tensor 1 block 1 float32[5, 3]
graph(captured %weight: float32[3, 4], %x: float32[batch, 3]) -> (%relu) {
  symbol batch in [1, inf], hint 5, from x.size(0)
  %mm: float32[batch, 4] = aten::mm(%x, %weight)
  %relu: float32[batch, 4] = aten::relu(%mm)
}
)");
}

TEST(ProgramFile, LoadsFromDiskMappedAndRead) {
  const TemporaryFolder folder;
  const std::string path = folder.file("net.opw");
  const Program program = matrix_program(ones({3, 4}));
  save_program(*exported(program), path);
  for (const bool is_mapped : {true, false}) {
    const auto loaded =
        load_program_file(path, {.map_tensors = is_mapped, .check_tensors = is_mapped});
    EXPECT_EQ(to_text(*loaded), program.text());
    EXPECT_EQ(to_text(loaded->state()[0].tensor), to_text(ones({3, 4})));
  }
}

TEST(ProgramFile, AWrittenTensorLeavesTheFileAsItIs) {
  const TemporaryFolder folder;
  const std::string path = folder.file("net.opw");
  save_program(*exported(matrix_program(ones({3, 4}))), path);
  const std::string before = contents_of(path);
  const auto loaded = load_program_file(path);
  loaded->state()[0].tensor.mutable_data<float>()[0] = 7;
  EXPECT_EQ(contents_of(path), before);
  EXPECT_EQ(load_program_file(path)->state()[0].tensor.data<float>()[0], 1);
  EXPECT_EQ(loaded->state()[0].tensor.data<float>()[0], 7);
}

TEST(ProgramFile, TheMappingLastsAsLongAsATensor) {
  const TemporaryFolder folder;
  const std::string path = folder.file("mapped_once.opw");
  save_program(*exported(matrix_program(ones({3, 4}))), path);
  const auto is_mapped = [] {
    return contents_of("/proc/self/maps").find("mapped_once.opw") != std::string::npos;
  };
  Tensor weight = load_program_file(path)->state()[0].tensor;
  EXPECT_TRUE(is_mapped());
  std::filesystem::remove(path);
  EXPECT_EQ(to_text(weight), to_text(ones({3, 4})));
  weight = Tensor();
  EXPECT_FALSE(is_mapped());
}

TEST(ProgramFile, MappedTensorsAreAligned) {
  const TemporaryFolder folder;
  const std::string path = folder.file("net.opw");
  save_program(*exported(matrix_program(ones({3, 4}))), path);
  const auto loaded = load_program_file(path);
  for (const Value& example : loaded->example_inputs()) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(example.get().as_tensor->dl.data) % 64, 0u);
  }
}

TEST(ProgramFile, AFileOfAnotherProgramIsReplacedWhole) {
  const TemporaryFolder folder;
  const std::string path = folder.file("net.opw");
  save_program(*exported(matrix_program(ones({3, 4}))), path);
  const auto old = load_program_file(path);
  save_program(*exported(matrix_program(zeros({3, 2}))), path);
  EXPECT_EQ(load_program_file(path)->state()[0].tensor.size(1), 2);
  EXPECT_EQ(to_text(old->state()[0].tensor), to_text(ones({3, 4})));
  EXPECT_EQ(folder.num_files(), 1u);
}

TEST(ProgramFile, ANewFileHasTheRightsOfUsualOnes) {
  const TemporaryFolder folder;
  save_program(*exported(matrix_program(ones({3, 4}))), folder.file("net.opw"));
  testing::write_file(folder.file("usual"), "");
  struct stat saved{};
  struct stat usual{};
  ASSERT_EQ(stat(folder.file("net.opw").c_str(), &saved), 0);
  ASSERT_EQ(stat(folder.file("usual").c_str(), &usual), 0);
  EXPECT_EQ(saved.st_mode, usual.st_mode);
}

TEST(ProgramFile, SavingThroughALinkWritesWhatItLeadsTo) {
  const TemporaryFolder folder;
  testing::write_file(folder.file("real.opw"), "old");
  std::filesystem::create_symlink("real.opw", folder.file("link.opw"));
  save_program(*exported(matrix_program(ones({3, 4}))), folder.file("link.opw"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link.opw")));
  EXPECT_NO_THROW((void)load_program_file(folder.file("real.opw")));
}

TEST(ProgramFile, WhatCannotBeWrittenSaysWhyAndLeavesNothing) {
  const TemporaryFolder folder;
  const Program program = matrix_program(ones({3, 4}));
  const std::string lost = folder.file("nowhere/net.opw");
  EXPECT_EQ(error_of([&] { save_program(*exported(program), lost); }),
            "OSError: cannot write " + lost + ": No such file or directory");
  const std::string taken = folder.file("taken");
  std::filesystem::create_directory(taken);
  EXPECT_EQ(error_of([&] { save_program(*exported(program), taken); }),
            "OSError: cannot write " + taken + ": it is a directory");
  EXPECT_EQ(error_of([&] { save_program(*exported(program), "/dev/null"); }),
            "OSError: cannot write /dev/null: it is not a regular file");
  EXPECT_EQ(error_of([&] { save_program(*exported(program), "/dev/full"); }),
            "OSError: cannot write /dev/full: it is not a regular file");
  EXPECT_EQ(folder.num_files(), 1u);
}

TEST(ProgramFile, MutatedBuffersAndRandomNumbersComeBack) {
  Tensor count = zeros({2});
  const Program program = export_program(
      [&](const Tensor& x) {
        count.add_(x);
        return add(rand_like(x), count);
      },
      {.names = {"x"}, .state = {{"count", count, false}}}, ones({2}));
  const ExportedProgramPtr read = written_and_read(program);
  EXPECT_EQ(to_text(*read), program.text());
  const Tensor x = ones({2});
  const OpwValue given = ValueOf<Tensor>::lend(x);
  (void)read->run(std::span(&given, 1));
  (void)read->run(std::span(&given, 1));
  EXPECT_EQ(to_text(read->state()[0].tensor), "tensor([2., 2.])");
}

TEST(ProgramFile, SizesThatDependOnDataComeBack) {
  const Program program =
      export_program([](const Tensor& x) { return mul(masked_select(x, gt(x, 0)), 2); },
                     {.names = {"x"}}, ones({4}));
  const ExportedProgramPtr read = written_and_read(program);
  EXPECT_EQ(to_text(*read), program.text());
}

TEST(ProgramFile, NumbersAmongInputsAndOutputsComeBack) {
  ExportSession session;
  const std::vector<ExportSession::DimAt> dims = {{0, Dim::named("batch")}};
  session.add_tensor(ones({5, 3}), "x", dims);
  const SymInt times = session.add_int(2, "times", Dim::named("times"));
  session.add_constant(Value(std::string("mean")), "mode");
  const std::vector<Tensor> inputs = session.enter();
  const std::vector<Value> outputs = {Value(inputs[0].sym_size(0)), Value(times * 2),
                                      Value(inputs[0]), Value(2.5)};
  std::vector<OpwValue> given;
  for (const Value& output : outputs) given.push_back(output.get());
  const ExportedProgramPtr program = session.finish(given);
  const ExportedProgramPtr read = read_program(write_program(*program), "net.opw");
  EXPECT_EQ(to_text(*read), to_text(*program));
  const Value arguments[] = {Value(ones({7, 3})), Value(int64_t{4}), Value(std::string("mean"))};
  const OpwValue lent[] = {arguments[0].get(), arguments[1].get(), arguments[2].get()};
  const std::vector<Value> results = read->run(lent);
  EXPECT_EQ(results[0].get().as_int, 7);
  EXPECT_EQ(results[1].get().as_int, 8);
  EXPECT_EQ(results[3].get().as_double, 2.5);
}

TEST(ProgramFile, GraphsInsideOfGraphsComeBack) {
  const testing::GraphOperators operators;
  ExportedProgram::Parts parts;
  parts.graph = parse_graph(R"(graph(%p: bool[], %x: float32[2]) -> (%y) {
  [%y: float32[2]] = test::branch(%p, graph(%x: float32[2]) -> (%negative) {
    %negative: float32[2] = test::negative(%x)
  }, graph(%x: float32[2]) -> (%x) {
  }, [%x])
}
)");
  parts.signature.inputs = {{.value = "p", .target = "p", .constant = {}},
                            {.value = "x", .target = "x", .constant = {}}};
  parts.signature.outputs = {{.value = "y", .target = "", .constant = {}}};
  const ExportedProgram program(std::move(parts));
  const std::string bytes = write_program(program);
  EXPECT_EQ(to_text(*read_program(bytes, "net.opw")), to_text(program));
  EXPECT_NE(bytes.find("operator \"test::negative\""), std::string::npos);
}

TEST(ProgramFile, ObjectsAsArgumentsCannotBeSaved) {
  const testing::GraphOperators operators;
  const Registration draw =
      Registry::get().define("filed::draw(Tensor x, Generator? generator=None) -> Tensor");
  ExportedProgram::Parts parts;
  parts.graph = make_intrusive<Graph>();
  GraphValue& x = parts.graph->add_input("x", Value(testing::fake({2})));
  GraphValue& y = testing::insert(*parts.graph, "filed::draw",
                                  {testing::arg(x), testing::constant(make_generator(kCpu))},
                                  testing::fake({2}));
  parts.graph->set_outputs({testing::arg(y)});
  parts.signature.inputs = {{.value = "x", .target = "x", .constant = {}}};
  parts.signature.outputs = {{.value = y.name(), .target = "", .constant = {}}};
  const ExportedProgram program(std::move(parts));
  EXPECT_EQ(error_of([&] { (void)write_program(program); }),
            "ValueError: save: %draw = filed::draw(%x, object(\"Generator\")) has an argument of "
            "type Generator, which a program file cannot hold; give the operator an argument that "
            "is data");
}

TEST(ProgramFile, ALaterSaveOfALoadedProgramIsTheSameFile) {
  const TemporaryFolder folder;
  const std::string path = folder.file("net.opw");
  save_program(*exported(matrix_program(ones({3, 4}))), path);
  const std::string before = contents_of(path);
  save_program(*load_program_file(path), path);
  EXPECT_EQ(contents_of(path), before);
}

TEST(ProgramFile, TheDescriptionTellsAll) {
  const TemporaryFolder folder;
  const std::string path = folder.file("net.opw");
  save_program(*exported(matrix_program(ones({3, 4}))), path);
  EXPECT_EQ(
      describe_program_file(path),
      R"(program file of format 1.0, written by opwright 0.1.0: 4220 bytes, 124 of them in 2 tensors
inputs
  parameter weight: %weight float32[3, 4]
  user x: %x float32[batch, 3]
outputs
  user: %relu
sizes
  symbol batch in [1, inf], hint 5, from x.size(0)
operators
  aten::mm(Tensor self, Tensor mat2) -> Tensor
  aten::relu(Tensor self) -> Tensor
state
  weight: tensor 0, float32[3, 4], 48 bytes
graph(captured %weight: float32[3, 4], %x: float32[batch, 3]) -> (%relu) {
  symbol batch in [1, inf], hint 5, from x.size(0)
  %mm: float32[batch, 4] = aten::mm(%x, %weight)
  %relu: float32[batch, 4] = aten::relu(%mm)
}
)");
}

}  // namespace
}  // namespace opwright
