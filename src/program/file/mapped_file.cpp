#include "opwright/program/file/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include "opwright/error.h"

namespace opwright {
namespace {

// Closes a file at the end of the scope.
class OpenFile {
 public:
  explicit OpenFile(const std::string& path) : number_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (number_ >= 0) close(number_);
  }
  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  int number_;
};

[[noreturn]] void throw_unreadable(const std::string& path) {
  const int problem = errno;
  if (problem == ENOENT) throw Error("OSError", "there is no file " + path);
  throw_error("OSError", "cannot read ", path, ": ", std::string_view(std::strerror(problem)));
}

}  // namespace

MappedFile::MappedFile(const std::string& path) {
  const OpenFile file(path);
  struct stat status{};
  if (file.number() < 0 || fstat(file.number(), &status) != 0) throw_unreadable(path);
  if (S_ISDIR(status.st_mode)) throw_error("OSError", path, " is a directory, not a program file");
  if (!S_ISREG(status.st_mode)) throw_error("OSError", path, " is not a regular file");
  size_ = static_cast<size_t>(status.st_size);
  if (size_ == 0) return;
  constexpr int kProtection = PROT_READ | PROT_WRITE;
  void* memory = mmap(nullptr, size_, kProtection, MAP_PRIVATE | MAP_NORESERVE, file.number(), 0);
  if (memory == MAP_FAILED) throw_unreadable(path);
  memory_ = memory;
}

MappedFile::~MappedFile() {
  if (memory_) munmap(memory_, size_);
}

}  // namespace opwright
