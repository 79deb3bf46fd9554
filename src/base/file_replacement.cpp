#include "opwright/base/file_replacement.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "opwright/error.h"

namespace opwright {
namespace {

constexpr int kTries = 100;
constexpr size_t kMostWaiting = size_t{64} << 10;

// Unique in this process and, almost certainly, across processes.
std::string temporary_name(const std::string& path) {
  static std::atomic<uint64_t> last{0};
  return concatenate(path, ".", getpid(), ".", ++last, ".tmp");
}

std::string resolve_links(const std::string& path) {
  std::error_code problem;
  const std::filesystem::path resolved = std::filesystem::canonical(path, problem);
  return problem ? path : resolved.string();
}

}  // namespace

FileReplacement::FileReplacement(const std::string& path)
    : path_(path), target_(resolve_links(path)) {
  struct stat status{};
  if (stat(target_.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    throw_error("OSError", "cannot write ", path, ": it is ",
                S_ISDIR(status.st_mode) ? "a directory" : "not a regular file");
  }
  for (int i = 0; i < kTries && file_ < 0; ++i) {
    temporary_ = temporary_name(target_);
    file_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file_ < 0 && errno != EEXIST) fail();
  }
  if (file_ < 0) fail();
}

FileReplacement::~FileReplacement() {
  if (file_ < 0) return;
  close(file_);
  unlink(temporary_.c_str());
}

void FileReplacement::fail() const {
  const int problem = errno;
  throw_error("OSError", "cannot write ", path_, ": ", std::string_view(std::strerror(problem)));
}

void FileReplacement::write(std::string_view bytes) {
  if (waiting_.size() + bytes.size() > kMostWaiting) flush();
  if (bytes.size() > kMostWaiting) return write_out(bytes);
  waiting_.append(bytes);
}

void FileReplacement::flush() {
  write_out(waiting_);
  waiting_.clear();
}

void FileReplacement::write_out(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail();
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

void FileReplacement::commit() {
  flush();
  if (fsync(file_) != 0) fail();
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail();
  close(file_);
  file_ = -1;
}

}  // namespace opwright
