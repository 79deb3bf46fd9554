// libFuzzer: any bytes are a program whose file reads back as the same program, or an error.
//
// Bytes with wrong checksums would never reach the reader, so each input is also tried sealed: as
// it is, and as a text up to the first zero with tensors after it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "ir/graph_operators.h"
#include "opwright/error.h"
#include "opwright/program/export/exported_program.h"
#include "opwright/program/file/checksum.h"
#include "opwright/program/file/program_file.h"
#include "opwright/program/file/program_file_header.h"
#include "opwright/program/file/program_source.h"
#include "program/kept_operator.h"
#include "program/program_files.h"

namespace {

using opwright::kProgramHeaderBytes;

void require(bool condition) {
  if (!condition) std::abort();
}

// Null for an error of the kinds that files may cause.
opwright::ExportedProgramPtr try_read(std::string_view file, bool is_checked) {
  try {
    return opwright::read_program_source({.file = file,
                                          .origin = "fuzz.opw",
                                          .mapping = nullptr,
                                          .has_tensors_checked = is_checked});
  } catch (const opwright::Error& error) {
    const std::string_view kind = error.kind();
    require(kind == "ValueError" || kind == "NotImplementedError");
    return nullptr;
  }
}

void check(std::string_view file, bool is_checked) {
  const auto program = try_read(file, is_checked);
  if (!program) return;
  const auto again = try_read(write_program(*program), true);
  require(again && to_text(*again) == to_text(*program));
}

template <class Int>
void put(std::string& file, size_t place, Int number) {
  std::memcpy(file.data() + place, &number, sizeof(number));
}
uint64_t number_at(std::string_view file, size_t place) {
  uint64_t number = 0;
  std::memcpy(&number, file.data() + place, sizeof(number));
  return number;
}

// Adds the magic, the length and the checksums for the rest.
std::string sealed(std::string_view bytes) {
  std::string file(bytes);
  file.resize(std::max(file.size(), kProgramHeaderBytes));
  file.replace(0, opwright::kProgramMagic.size(), opwright::kProgramMagic);
  put<uint32_t>(file, 8, 1);
  put<uint64_t>(file, 48, file.size());
  const uint64_t begin = std::min<uint64_t>(number_at(file, 16), file.size());
  put(file, 56, opwright::checksum(std::string_view(file).substr(begin, number_at(file, 24))));
  put(file, 60, opwright::checksum(std::string_view(file).substr(0, 60)));
  return file;
}

std::string as_text_and_tensors(std::string_view bytes) {
  const std::string_view rest = bytes.substr(std::min(bytes.size(), kProgramHeaderBytes));
  const std::string_view text = rest.substr(0, rest.find('\0'));
  opwright::testing::FileParts parts;
  parts.format.minor_version = bytes.size() > 12 ? static_cast<uint8_t>(bytes[12]) : 0;
  parts.text = text;
  parts.data = rest.substr(std::min(rest.size(), text.size() + 1));
  return parts.bytes();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const opwright::testing::GraphOperators operators;
  static const opwright::testing::KeptOperator kept;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check(bytes, true);
  check(sealed(bytes), false);
  check(as_text_and_tensors(bytes), false);
  return 0;
}
