// Program files for tests: programs to write, and files that are modified and sealed again.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/program/export/exported_program.h"
#include "opwright/program/export/program_object.h"
#include "opwright/program/file/checksum.h"
#include "opwright/program/file/program_file.h"
#include "opwright/program/file/program_file_header.h"
#include "opwright/runtime/program.h"
#include "opwright/tensor.h"

namespace opwright::testing {

inline ExportedProgramPtr exported(const Program& program) {
  return program_of(program.value().get());
}

// relu(x @ weight), with a dynamic batch size.
inline Program matrix_program(const Tensor& weight) {
  return export_program(
      [&](const Tensor& x) { return relu(mm(x, weight)); },
      {.names = {"x"}, .dynamic = {{"x", 0, Dim::named("batch")}}, .state = {{"weight", weight}}},
      ones({5, 3}));
}

// A file in parts; bytes() updates the header for changed parts.
struct FileParts {
  FileParts() = default;
  explicit FileParts(std::string_view file) {
    const ProgramFileHeader header = read_program_file_header(file, "test");
    format = header.format;
    text = file.substr(header.text_offset, header.text_bytes);
    if (header.data_offset != 0) data = file.substr(header.data_offset, header.data_bytes);
  }
  // ValueError if the text does not contain `from`.
  FileParts& replace(std::string_view from, std::string_view to) {
    const size_t place = text.find(from);
    OPWRIGHT_CHECK_VALUE(place != std::string::npos, "the text has no '", from, "'");
    text.replace(place, from.size(), to);
    return *this;
  }
  [[nodiscard]] std::string bytes() const {
    ProgramFileHeader header{.format = format};
    header.text_bytes = text.size();
    header.text_checksum = checksum(text);
    const uint64_t end = header.text_offset + text.size();
    if (!data.empty()) {
      header.data_offset = (end + kDataAlignment - 1) / kDataAlignment * kDataAlignment;
    }
    header.data_bytes = data.size();
    header.file_bytes = data.empty() ? end : header.data_offset + data.size();
    std::string file = to_bytes(header) + text;
    file.resize(header.file_bytes - data.size(), '\0');
    return file + data;
  }

  ProgramFormat format = current_program_format();
  std::string text;
  std::string data;
};

// "ValueError: ..." for the thrown error; empty if none.
template <class Body>
std::string error_of(const Body& body) {
  try {
    body();
    return "";
  } catch (const Error& error) {
    return concatenate(error.kind(), ": ", error.text());
  }
}
inline std::string read_error(const std::string& bytes) {
  return error_of([&] { (void)read_program(bytes, "net.opw"); });
}

// A temporary folder for the duration of a test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    static int last = 0;
    path_ = std::filesystem::temp_directory_path() /
            concatenate("opwright_program_test_", getpid(), "_", ++last);
    std::filesystem::create_directories(path_);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }

  [[nodiscard]] std::string file(std::string_view name) const { return path_ / name; }
  [[nodiscard]] size_t num_files() const {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

inline std::string contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
inline void write_file(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

inline std::string bytes_of(const Tensor& tensor) {
  const Tensor dense = tensor.contiguous();
  return {static_cast<const char*>(dense.data()),
          static_cast<size_t>(dense.numel()) * item_size(dense.dtype())};
}

}  // namespace opwright::testing
