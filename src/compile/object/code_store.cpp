#include "opwright/compile/object/code_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <dirent.h>

#include "opwright/base/digest.h"
#include "opwright/base/warning.h"
#include "opwright/compile/compile_log.h"
#include "opwright/compile/object/cache_folder.h"
#include "opwright/error.h"

namespace opwright {
namespace {

constexpr std::string_view kMagic = "opwright code 1\n";
constexpr size_t kHeaderBytes = kMagic.size() + sizeof(Digest::Bytes);
constexpr uint64_t kMostObjectBytes = uint64_t{64} << 20;
constexpr uint64_t kShareOfCode = 16;
constexpr int64_t kDay = int64_t{24} * 3600;

class Descriptor {
 public:
  explicit Descriptor(int number) noexcept : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  [[nodiscard]] int number() const noexcept { return number_; }
  explicit operator bool() const noexcept { return number_ >= 0; }

 private:
  int number_;
};

// Whether only this user (or root) can have written it.
bool is_private(const struct stat& status) {
  return status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

void warn_of_folder(const std::string& folder) {
  static std::atomic<bool> is_told{false};
  if (is_told.exchange(true)) return;
  warn("PerformanceWarning",
       concatenate("the code of compiled functions is not kept in ", folder,
                   ", which other users own or can write: code that they put there would run. "
                   "Make the folder private (chmod 700), or set OPWRIGHT_CACHE_DIR to "
                   "another one"));
}

// Invalid if there is none, or if others can write it.
Descriptor open_folder(const std::string& path) {
  const int folder = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat status{};
  if (folder >= 0 && fstat(folder, &status) == 0 && is_private(status)) return Descriptor(folder);
  const bool is_foreign = folder >= 0 || errno == ELOOP || errno == ENOTDIR;  // a link, a file
  if (folder >= 0) close(folder);
  if (is_foreign) warn_of_folder(path);
  return Descriptor(-1);
}

// Creates every missing folder, private to this user.
void make_folders(const std::string& path) {
  if (access(path.c_str(), F_OK) == 0) return;
  const size_t slash = path.find_last_of('/');
  if (slash != std::string::npos && slash != 0) make_folders(path.substr(0, slash));
  (void)mkdir(path.c_str(), 0700);
}

bool read_whole(int file, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = read(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
  return true;
}

bool write_whole(int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
  return true;
}

// Includes the key: a renamed file is rejected.
Digest::Bytes digest_of(std::string_view key, std::span<const std::byte> object) {
  return Digest().add_part(key).add(object).finish();
}

}  // namespace

std::optional<CodeStore> CodeStore::from_environment() {
  if (const char* choice = std::getenv("OPWRIGHT_CODE_CACHE"); choice && choice == std::string("0"))
    return std::nullopt;
  const std::string cache = cache_folder();
  if (cache.empty()) return std::nullopt;
  return CodeStore(cache + "/code", cache_size_limit() / kShareOfCode);
}

std::optional<std::vector<std::byte>> CodeStore::find(std::string_view key) const {
  const Descriptor folder = open_folder(folder_);
  if (!folder) return std::nullopt;
  const std::string name(key);
  const Descriptor file(openat(folder.number(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status{};
  if (!file || fstat(file.number(), &status) != 0) return std::nullopt;
  const auto size = static_cast<uint64_t>(status.st_size);
  if (!S_ISREG(status.st_mode) || !is_private(status) || size < kHeaderBytes ||
      size > kMostObjectBytes) {
    return std::nullopt;
  }
  std::vector<std::byte> header(kHeaderBytes);
  std::vector<std::byte> object(size - kHeaderBytes);
  if (!read_whole(file.number(), header) || !read_whole(file.number(), object)) return std::nullopt;
  const Digest::Bytes digest = digest_of(key, object);
  if (std::memcmp(header.data(), kMagic.data(), kMagic.size()) != 0 ||
      std::memcmp(header.data() + kMagic.size(), digest.data(), digest.size()) != 0) {
    log(LogTopic::Code, folder_, "/", name, " is damaged and made again");
    return std::nullopt;
  }
  (void)futimens(file.number(), nullptr);
  return object;
}

void CodeStore::keep(std::string_view key, std::span<const std::byte> object) const {
  make_folders(folder_);
  const Descriptor folder = open_folder(folder_);
  static std::atomic<uint64_t> last{0};
  const std::string temporary = concatenate(".", getpid(), ".", ++last, ".tmp");
  const std::string name(key);
  bool is_kept = false;
  if (folder) {
    const Descriptor file(openat(folder.number(), temporary.c_str(),
                                 O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    const Digest::Bytes digest = digest_of(key, object);
    is_kept = file && write_whole(file.number(), std::as_bytes(std::span(kMagic))) &&
              write_whole(file.number(), digest) && write_whole(file.number(), object) &&
              renameat(folder.number(), temporary.c_str(), folder.number(), name.c_str()) == 0;
    if (file && !is_kept) unlinkat(folder.number(), temporary.c_str(), 0);
  }
  if (!is_kept) {
    log(LogTopic::Code, "not kept: ", folder_, " cannot be written");
    return;
  }
  // The folder's size is counted at the first write, and again after many bytes were added.
  static std::atomic<uint64_t> uncounted{~uint64_t{0} >> 1};
  if (uncounted.fetch_add(object.size()) + object.size() > limit_ / 16) {
    uncounted = 0;
    remove_least_used(folder.number());
  }
}

void CodeStore::remove_least_used(int folder) const {
  struct Kept {
    int64_t used;  // nanoseconds
    uint64_t size;
    std::string name;
  };
  const int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* listing = copy < 0 ? nullptr : fdopendir(copy);
  if (!listing) {
    if (copy >= 0) close(copy);
    return;
  }
  std::vector<Kept> all;
  uint64_t total = 0;
  const int64_t now = std::time(nullptr);
  while (const dirent* entry = readdir(listing)) {
    struct stat status{};
    if (fstatat(folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (!S_ISREG(status.st_mode)) continue;
    if (entry->d_name[0] == '.') {  // left by a killed process, or being written
      if (now - status.st_mtime > kDay) unlinkat(folder, entry->d_name, 0);
      continue;
    }
    const auto size = static_cast<uint64_t>(status.st_size);
    const int64_t used = status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec;
    all.push_back({.used = used, .size = size, .name = entry->d_name});
    total += size;
  }
  closedir(listing);
  if (total <= limit_) return;
  std::ranges::sort(all, {}, &Kept::used);
  for (const Kept& kept : all) {
    // Frees some extra space, so that not every object counts the folder again.
    if (total <= limit_ - limit_ / 8) break;
    if (unlinkat(folder, kept.name.c_str(), 0) == 0) total -= kept.size;
  }
}

}  // namespace opwright
