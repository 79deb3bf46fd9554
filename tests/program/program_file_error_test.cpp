// Files that are not programs, are damaged, or have another version.
#include <filesystem>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "opwright/functions.h"
#include "opwright/program/file/program_file.h"
#include "program/program_files.h"

namespace opwright {
namespace {

using testing::error_of;
using testing::exported;
using testing::FileParts;
using testing::matrix_program;
using testing::read_error;
using testing::TemporaryFolder;

class ProgramFileError : public ::testing::Test {
 protected:
  const std::string file_ = write_program(*exported(matrix_program(ones({3, 4}))));
  const TemporaryFolder folder_;
};

TEST_F(ProgramFileError, AFileThatIsNotThere) {
  const std::string path = folder_.file("net.opw");
  EXPECT_EQ(error_of([&] { (void)load_program_file(path); }), "OSError: there is no file " + path);
  EXPECT_EQ(error_of([&] { (void)describe_program_file(path); }),
            "OSError: there is no file " + path);
}

TEST_F(ProgramFileError, ADirectory) {
  const std::string path = folder_.file("folder");
  std::filesystem::create_directory(path);
  EXPECT_EQ(error_of([&] { (void)load_program_file(path); }),
            "OSError: " + path + " is a directory, not a program file");
}

TEST_F(ProgramFileError, ADevice) {
  EXPECT_EQ(error_of([&] { (void)load_program_file("/dev/zero"); }),
            "OSError: /dev/zero is not a regular file");
}

TEST_F(ProgramFileError, AnEmptyFile) {
  const std::string path = folder_.file("empty.opw");
  testing::write_file(path, "");
  EXPECT_EQ(error_of([&] { (void)load_program_file(path); }),
            "ValueError: " + path +
                ": the file is empty; write one with opwright.export.save() or Program::save()");
}

TEST_F(ProgramFileError, AnArchiveOfTorch) {
  EXPECT_EQ(read_error("PK\x03\x04 and more"),
            "ValueError: net.opw: this is not an Opwright program but a zip archive, as torch.save "
            "and torch.export.save write them; write one with opwright.export.save() or "
            "Program::save()");
}

TEST_F(ProgramFileError, SomeOtherFile) {
  EXPECT_EQ(read_error("hello"),
            "ValueError: net.opw: this is not an Opwright program; write one with "
            "opwright.export.save() or Program::save()");
  EXPECT_EQ(read_error("\x7f"
                       "ELF..."),
            "ValueError: net.opw: this is not an Opwright program but a binary, which load_library "
            "takes; write one with opwright.export.save() or Program::save()");
  EXPECT_EQ(read_error("\x93NUMPY..."),
            "ValueError: net.opw: this is not an Opwright program but a NumPy array; write one "
            "with opwright.export.save() or Program::save()");
}

TEST_F(ProgramFileError, AFileThatIsCut) {
  EXPECT_EQ(read_error(file_.substr(0, 40)),
            "ValueError: net.opw: the file is truncated: it has 40 bytes and its header has 64; "
            "copy or export it again");
  EXPECT_EQ(read_error(file_.substr(0, 4000)),
            "ValueError: net.opw: the file is truncated: it has 4000 of 4220 bytes; copy or export "
            "it again");
  EXPECT_EQ(read_error(file_ + "more"),
            "ValueError: net.opw: the file has 4 bytes after the program's end; copy or export it "
            "again");
}

TEST_F(ProgramFileError, DamageOfEachPartIsFound) {
  const auto error_at = [&](size_t place) {
    std::string damaged = file_;
    damaged[place] ^= 1;
    return read_error(damaged);
  };
  EXPECT_EQ(error_at(20),
            "ValueError: net.opw: the file is damaged: its header's checksum is wrong; copy or "
            "export it again");
  EXPECT_EQ(error_at(100),
            "ValueError: net.opw: the file is damaged: its text's checksum is wrong; copy or "
            "export it again");
  EXPECT_EQ(error_at(4096),
            "ValueError: net.opw: the file is damaged: the checksum of block 0 is wrong");
}

TEST_F(ProgramFileError, AMappedFileIsCheckedWhenAsked) {
  const std::string path = folder_.file("net.opw");
  std::string damaged = file_;
  damaged[4096] ^= 1;
  testing::write_file(path, damaged);
  EXPECT_NO_THROW((void)load_program_file(path));
  const std::string error =
      "ValueError: " + path + ": the file is damaged: the checksum of block 0 is wrong";
  EXPECT_EQ(error_of([&] { (void)load_program_file(path, {.check_tensors = true}); }), error);
  EXPECT_EQ(error_of([&] { (void)load_program_file(path, {.map_tensors = false}); }), error);
}

// ---- Versions ----

TEST_F(ProgramFileError, ANewerMajorVersionIsRefused) {
  FileParts parts(file_);
  parts.format = {.major_version = 2, .minor_version = 3};
  EXPECT_EQ(read_error(parts.bytes()),
            "ValueError: net.opw: the program has the format 2.3, this Opwright reads formats up "
            "to 1.0; update Opwright, or export the program with this one");
}

TEST_F(ProgramFileError, ANewerMinorVersionIsReadWhereItCanBe) {
  FileParts parts(file_);
  parts.format.minor_version = 7;
  EXPECT_EQ(read_error(parts.bytes()), "");
  parts.replace("writer \"opwright 0.1.0\"\n",
                "writer \"opwright 0.9.0\"\n?note \"made on a Monday\" [1, {2\n");
  EXPECT_EQ(read_error(parts.bytes()), "");
  parts.replace("state ", "layout 3\nstate ");
  EXPECT_EQ(
      read_error(parts.bytes()),
      R"(ValueError: net.opw: program: the program needs 'layout', which opwright 0.9.0 wrote and this Opwright does not know at line 9, column 1
    layout 3
    ^^^^^^
The program has the format 1.7, this Opwright reads 1.0; update it.)");
}

TEST_F(ProgramFileError, AnUnknownLineOfThisVersionIsDamage) {
  EXPECT_EQ(
      read_error(FileParts(file_).replace("state ", "layout 3\nstate ").bytes()),
      R"(ValueError: net.opw: program: expected a keyword such as 'operator', 'input' or 'graph', got 'layout' at line 8, column 1
    layout 3
    ^^^^^^)");
}

TEST_F(ProgramFileError, OptionalLinesThatAreNotKnownArePassedOver) {
  EXPECT_EQ(read_error(FileParts(file_).replace("state ", "?layout 3 }\nstate ").bytes()), "");
  EXPECT_EQ(read_error(FileParts(file_).replace("graph(", "?graph (\ngraph(").bytes()), "");
}

// ---- Texts ----

TEST_F(ProgramFileError, WrongLinesAreUnderlined) {
  const auto error_with = [&](std::string_view from, std::string_view to) {
    const std::string error = read_error(FileParts(file_).replace(from, to).bytes());
    return error.substr(0, error.find('\n'));
  };
  const std::string begin = "ValueError: net.opw: ";
  EXPECT_EQ(error_with("input parameter", "input engine"),
            begin + "program: unknown kind of input 'engine' at line 5, column 7");
  EXPECT_EQ(error_with("output user", "output engine"),
            begin + "program: unknown kind of output 'engine' at line 7, column 8");
  EXPECT_EQ(error_with("input user %x", "input user %weight"),
            begin + "program: the input occurs twice at line 6, column 12");
  EXPECT_EQ(error_with("input user %x", "input user %1x"),
            begin + "program: '' cannot name a value at line 6, column 13");
  EXPECT_EQ(error_with("operator \"aten::relu\"", "operator \"aten::mm\""),
            begin + "program: the operator occurs twice at line 4, column 10");
  EXPECT_EQ(error_with("example ", "state \"weight\" tensor 1\nexample "),
            begin + "program: the name occurs twice at line 9, column 7");
  EXPECT_EQ(error_with("state \"weight\" tensor 0", "state \"weight\" tensor 2"),
            begin + "program: there are 2 tensors at line 8, column 23");
  EXPECT_EQ(error_with("tensor 1 block 1", "tensor 1 block 2"),
            begin + "program: there are 2 blocks so far at line 13, column 16");
  EXPECT_EQ(error_with("block 1 offset", "block 2 offset"),
            begin + "program: the next block has the number 1 at line 11, column 7");
  EXPECT_EQ(error_with("tensor 1 block", "tensor 0 block"),
            begin + "program: the next tensor has the number 1 at line 13, column 8");
  EXPECT_EQ(error_with("offset 64 bytes 60", "offset 60 bytes 60"),
            begin + "program: the block is not aligned to 64 at line 11, column 16");
  EXPECT_EQ(error_with("offset 64 bytes 60", "offset 0 bytes 60"),
            begin +
                "program: the block does not begin after the block before it at line 11, "
                "column 16");
  EXPECT_EQ(error_with("offset 64 bytes 60", "offset 64 bytes 18446744073709551615"),
            begin +
                "program: the block does not begin after the block before it at line 11, "
                "column 16");
  EXPECT_EQ(error_with("offset 64 bytes 60", "offset 64 bytes 99999999999999999999"),
            begin +
                "program: '99999999999999999999' is not a number of 64 bits at line 11, "
                "column 25");
  EXPECT_EQ(error_with("offset 64 bytes 60", "offset 64 bytes 61"),
            begin + "block 1 ends after the last of the 124 bytes of tensors");
  EXPECT_EQ(error_with("state \"weight\" tensor 0", "state \"weight\" tensor 0 1"),
            begin + "program: expected the end of the line, got '1' at line 8, column 25");
  EXPECT_EQ(error_with("input user %x \"x\"", "input user \"x\" constant graph() {}"),
            begin + "program: expected a constant, not a graph, got '(' at line 6, column 30");
  EXPECT_EQ(error_with("input parameter %weight", "input parameter"),
            begin + "program: only a user input can be a constant at line 5, column 17");
  EXPECT_EQ(error_with("output user", "output buffer_mutation \"b\" constant 3\noutput user"),
            begin + "program: only a user output can be a constant or a size at line 7, column 24");
  EXPECT_EQ(error_with("writer", "writer \"a\"\nwriter"),
            begin + "program: the writer occurs twice at line 3, column 1");
  EXPECT_EQ(error_with("\"weight\"", "\"w\xff\""),
            begin + "program: the text is not UTF-8 at line 5, column 27");
  EXPECT_EQ(error_with("\"weight\"", "\"w\\xff\""),
            begin + "program: the string is not UTF-8 at line 5, column 25");
}

TEST_F(ProgramFileError, PartsThatDoNotFitEachOtherAreRefused) {
  const auto error_with = [&](std::string_view from, std::string_view to) {
    return read_error(FileParts(file_).replace(from, to).bytes());
  };
  const std::string begin = "ValueError: net.opw: program: ";
  EXPECT_EQ(error_with("input user %x \"x\"\n", ""),
            begin + "the graph's input 'x' is not the next one of the signature");
  EXPECT_EQ(error_with("output user", "input user %z \"z\"\noutput user"),
            begin + "the signature has an input 'z' that the graph does not have");
  EXPECT_EQ(error_with("input user %x", "input random_state %x"),
            begin + "the input 'x' has another role in the graph than in the signature");
  EXPECT_EQ(error_with("state \"weight\" tensor 0\n", ""),
            begin + "the input 'weight' is bound to 'weight', and the program has no such tensor");
  EXPECT_EQ(error_with("state \"weight\" tensor 0\n", "state \"weight\" tensor 1\n"),
            begin + "'weight' must be float32[3, 4], got float32[5, 3]");
  EXPECT_EQ(error_with("output user %relu", "output user %mm"),
            begin + "output 0 of the signature, 'mm', is not what the graph gives, 'relu'");
  EXPECT_EQ(error_with("output user %relu\n", ""),
            begin + "the graph returns 1 values, the signature has 0");
  EXPECT_EQ(error_with("example tensor 1\n", "example tensor 1\nexample constant 2\n"),
            begin + "it has 2 example inputs and 1 inputs");
}

TEST_F(ProgramFileError, AWrongGraphIsUnderlined) {
  EXPECT_EQ(
      read_error(FileParts(file_).replace("aten::mm(%x", "aten::mm(%y").bytes()),
      R"(ValueError: net.opw: graph: no input and no earlier node defines %y at line 3, column 37
      %mm: float32[batch, 4] = aten::mm(%y, %weight)
                                        ^^)");
  EXPECT_EQ(
      read_error(FileParts(file_).replace("graph(", "state \"z\" tensor 0\n").bytes()),
      R"(ValueError: net.opw: program: expected a keyword such as 'operator', 'input' or 'graph', got 'captured' at line 15, column 1
    captured %weight: float32[3, 4], %x: float32[batch, 3]) -> (%relu) {
    ^^^^^^^^)");
}

}  // namespace
}  // namespace opwright
