// A file that is written completely or not at all.
//
//   FileReplacement file("net.opw");
//   file.write(bytes);
//   file.commit();
#pragma once

#include <string>
#include <string_view>

namespace opwright {

// Writes to a temporary file next to the path; commit() moves it to the path, with the permissions
// of an ordinary new file. Without commit() nothing is left behind. Every failure is an OSError
// that names the path.
class FileReplacement {
 public:
  explicit FileReplacement(const std::string& path);
  FileReplacement(const FileReplacement&) = delete;
  FileReplacement& operator=(const FileReplacement&) = delete;
  ~FileReplacement();

  void write(std::string_view bytes);
  // Call once, last.
  void commit();

 private:
  void flush();
  void write_out(std::string_view bytes);
  [[noreturn]] void fail() const;  // by errno

  std::string path_;
  std::string target_;  // the path after resolving links
  std::string temporary_;
  std::string waiting_;  // buffers small pieces
  int file_ = -1;
};

}  // namespace opwright
