#include "opwright/program/file/program_file_header.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "opwright/error.h"
#include "opwright/program/file/checksum.h"
#include "opwright/program/file/program_file.h"

namespace opwright {
namespace {

constexpr std::string_view kExportFirst =
    "; write one with opwright.export.save() or Program::save()";
constexpr std::string_view kFetchAgain = "; copy or export it again";

template <class Int>
void append_number(std::string& out, Int number) {
  for (size_t i = 0; i < sizeof(Int); ++i) out.push_back(static_cast<char>(number >> (8 * i)));
}

class NumberReader {
 public:
  explicit NumberReader(std::string_view bytes) : bytes_(bytes) {}
  template <class Int>
  void read(Int& number) {
    number = 0;
    for (size_t i = 0; i < sizeof(Int); ++i) {
      number |= static_cast<Int>(static_cast<unsigned char>(bytes_[i])) << (8 * i);
    }
    bytes_.remove_prefix(sizeof(Int));
  }

 private:
  std::string_view bytes_;
};

// Recognizes other kinds of files by their first bytes.
std::string_view known_kind(std::string_view file) {
  if (file.starts_with("PK\x03\x04")) {
    return " but a zip archive, as torch.save and torch.export.save write them";
  }
  if (file.starts_with("\x7f"
                       "ELF"))
    return " but a binary, which load_library takes";
  if (file.starts_with("\x93NUMPY")) return " but a NumPy array";
  return "";
}

void check_magic(std::string_view file, std::string_view origin) {
  OPWRIGHT_CHECK_VALUE(!file.empty(), origin, ": the file is empty", kExportFirst);
  const std::string_view start = file.substr(0, kProgramMagic.size());
  OPWRIGHT_CHECK_VALUE(kProgramMagic.starts_with(start), origin,
                       ": this is not an Opwright program", known_kind(file), kExportFirst);
}

// Checked before anything that a later format may lay out differently.
void check_major_version(const ProgramFormat& format, std::string_view origin) {
  const ProgramFormat own = current_program_format();
  OPWRIGHT_CHECK_VALUE(format.major_version <= own.major_version, origin,
                       ": the program has the format ", format.text(),
                       ", this Opwright reads formats up to ", own.text(),
                       "; update Opwright, or export the program with this one");
  OPWRIGHT_CHECK_VALUE(format.major_version == own.major_version, origin, ": the program has the ",
                       "format ", format.text(), ", which never existed", kFetchAgain);
}

// Whether [offset, offset + bytes) is between the header and the end.
bool is_inside(uint64_t offset, uint64_t bytes, const ProgramFileHeader& header) {
  return offset >= kProgramHeaderBytes && offset <= header.file_bytes &&
         bytes <= header.file_bytes - offset;
}

void check_parts(const ProgramFileHeader& header, size_t length, std::string_view origin) {
  OPWRIGHT_CHECK_VALUE(length >= header.file_bytes, origin, ": the file is truncated: it has ",
                       length, " of ", header.file_bytes, " bytes", kFetchAgain);
  OPWRIGHT_CHECK_VALUE(length == header.file_bytes, origin, ": the file has ",
                       length - header.file_bytes, " bytes after the program's end", kFetchAgain);
  const bool has_text = is_inside(header.text_offset, header.text_bytes, header);
  OPWRIGHT_CHECK_VALUE(has_text, origin, ": the file is damaged: its header places a text of ",
                       header.text_bytes, " bytes from ", header.text_offset, " on", kFetchAgain);
  const bool has_data = header.data_offset == 0
                            ? header.data_bytes == 0
                            : header.data_offset % kDataAlignment == 0 &&
                                  header.data_offset >= header.text_offset + header.text_bytes &&
                                  is_inside(header.data_offset, header.data_bytes, header);
  OPWRIGHT_CHECK_VALUE(has_data, origin, ": the file is damaged: its header places tensors of ",
                       header.data_bytes, " bytes from ", header.data_offset, " on", kFetchAgain);
}

}  // namespace

std::string ProgramFormat::text() const { return concatenate(major_version, ".", minor_version); }

ProgramFormat current_program_format() noexcept {
  return {.major_version = kProgramFormatMajor, .minor_version = kProgramFormatMinor};
}

std::string to_bytes(const ProgramFileHeader& header) {
  std::string bytes(kProgramMagic);
  append_number(bytes, header.format.major_version);
  append_number(bytes, header.format.minor_version);
  for (const uint64_t number : {header.text_offset, header.text_bytes, header.data_offset,
                                header.data_bytes, header.file_bytes}) {
    append_number(bytes, number);
  }
  append_number(bytes, header.text_checksum);
  append_number(bytes, checksum(bytes));
  return bytes;
}

ProgramFileHeader read_program_file_header(std::string_view file, std::string_view origin) {
  check_magic(file, origin);
  OPWRIGHT_CHECK_VALUE(file.size() >= kProgramHeaderBytes, origin,
                       ": the file is truncated: it has ", file.size(),
                       " bytes and its header has ", kProgramHeaderBytes, kFetchAgain);
  ProgramFileHeader header;
  NumberReader reader(file.substr(kProgramMagic.size()));
  reader.read(header.format.major_version);
  reader.read(header.format.minor_version);
  check_major_version(header.format, origin);
  reader.read(header.text_offset);
  reader.read(header.text_bytes);
  reader.read(header.data_offset);
  reader.read(header.data_bytes);
  reader.read(header.file_bytes);
  reader.read(header.text_checksum);
  uint32_t written = 0;
  reader.read(written);
  const bool is_whole = written == checksum(file.substr(0, kProgramHeaderBytes - sizeof(written)));
  OPWRIGHT_CHECK_VALUE(is_whole, origin, ": the file is damaged: its header's checksum is wrong",
                       kFetchAgain);
  check_parts(header, file.size(), origin);
  const std::string_view text = file.substr(header.text_offset, header.text_bytes);
  OPWRIGHT_CHECK_VALUE(header.text_checksum == checksum(text), origin,
                       ": the file is damaged: its text's checksum is wrong", kFetchAgain);
  return header;
}

void throw_in_program_file(const Error& error, const ProgramFileHeader& header,
                           std::string_view origin) {
  const std::string_view text = error.text();
  if (text.starts_with(origin)) throw error;
  const ProgramFormat own = current_program_format();
  std::string note;
  if (header.format.minor_version > own.minor_version) {
    note = concatenate("\nThe program has the format ", header.format.text(),
                       ", this Opwright reads ", own.text(), "; update it.");
  }
  const bool is_about_memory = std::strcmp(error.kind(), "MemoryError") == 0;
  throw Error(is_about_memory ? "MemoryError" : "ValueError",
              concatenate(origin, ": ", text, note));
}

}  // namespace opwright
