// A file that is written whole or not at all.
//
//   FileReplacement file("net.opw");
//   file.write(bytes);
//   file.commit();
#pragma once

#include <string>
#include <string_view>

namespace opwright {

// Writes beside the path; commit() puts what was written in its place, with the rights of a usual
// new file. Without it nothing is left behind. Every failure is an OSError that names the path.
class FileReplacement {
 public:
  explicit FileReplacement(const std::string& path);
  FileReplacement(const FileReplacement&) = delete;
  FileReplacement& operator=(const FileReplacement&) = delete;
  ~FileReplacement();

  void write(std::string_view bytes);
  // Once, last.
  void commit();

 private:
  void flush();
  void write_out(std::string_view bytes);
  [[noreturn]] void fail() const;  // by errno

  std::string path_;
  std::string target_;  // what a link leads to
  std::string temporary_;
  std::string waiting_;  // small pieces go to the system together
  int file_ = -1;
};

}  // namespace opwright
