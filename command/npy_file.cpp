#include "command/npy_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "command/npy_header.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/tensor.h"
#include "opwright/tensor/factory.h"

namespace opwright::command {
namespace {

constexpr size_t kMostBytes = INT64_MAX;

[[noreturn]] void throw_os_error(const char* what, const std::string& path) {
  const char* reason = std::strerror(errno);
  throw_error("OSError", "cannot ", what, " ", path, ": ", reason);
}

class File {
 public:
  File(const std::string& path, int flags, const char* purpose) : path_(path) {
    descriptor_ = open(path.c_str(), flags | O_CLOEXEC, 0666);
    if (descriptor_ < 0) throw_os_error(purpose, path_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor_ >= 0) (void)close(descriptor_);
  }

  [[nodiscard]] size_t size() const {
    struct stat status = {};
    if (fstat(descriptor_, &status) != 0) throw_os_error("read", path_);
    OPWRIGHT_CHECK_KIND("OSError", S_ISREG(status.st_mode), "cannot read ", path_,
                        ": it is not a regular file");
    return static_cast<size_t>(status.st_size);
  }
  void seek(size_t place) const {
    if (lseek(descriptor_, static_cast<off_t>(place), SEEK_SET) < 0) throw_os_error("read", path_);
  }
  // Reads at most `bytes` bytes, fewer at the end.
  size_t read_some(void* to, size_t bytes) const {
    size_t done = 0;
    while (done < bytes) {
      const ssize_t got = read(descriptor_, static_cast<char*>(to) + done, bytes - done);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw_os_error("read", path_);
      if (got == 0) break;
      done += static_cast<size_t>(got);
    }
    return done;
  }
  void write_all(const void* from, size_t bytes) const {
    size_t done = 0;
    while (done < bytes) {
      const ssize_t put = write(descriptor_, static_cast<const char*>(from) + done, bytes - done);
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) throw_os_error("write", path_);
      done += static_cast<size_t>(put);
    }
  }
  void finish() {
    if (close(std::exchange(descriptor_, -1)) != 0) throw_os_error("write", path_);
  }

 private:
  const std::string& path_;
  int descriptor_ = -1;
};

std::string read_header_text(const std::string& path, const File& file, size_t& data_offset) {
  std::string start(kLongestNpyPrefix, '\0');
  start.resize(file.read_some(start.data(), start.size()));
  const NpyPrefix prefix = parse_npy_prefix(path, start);
  std::string text = start.substr(prefix.length);
  const size_t had = std::min(text.size(), prefix.header_length);
  text.resize(prefix.header_length);
  const size_t got = had + file.read_some(text.data() + had, prefix.header_length - had);
  OPWRIGHT_CHECK_VALUE(got == prefix.header_length, path, " is truncated: its header says ",
                       prefix.header_length, " bytes and the file has ", got);
  data_offset = prefix.length + prefix.header_length;
  return text;
}

// ValueError if the size overflows or the file is too short.
size_t count_bytes(const std::string& path, const NpyHeader& header, DType dtype,
                   size_t available) {
  size_t bytes = item_size(dtype);
  const bool is_empty = std::ranges::find(header.shape, 0) != header.shape.end();
  for (const int64_t size : header.shape) {
    const auto factor = static_cast<size_t>(std::max<int64_t>(size, 1));
    const bool overflows = __builtin_mul_overflow(bytes, factor, &bytes) || bytes > kMostBytes;
    OPWRIGHT_CHECK_VALUE(!overflows, path, ": its sizes are too large for any file");
  }
  if (is_empty) return 0;
  OPWRIGHT_CHECK_VALUE(bytes <= available, path, " is truncated: its header says ", bytes,
                       " bytes of data and the file has ", available);
  return bytes;
}

Tensor make_tensor(const NpyHeader& header, DType dtype) {
  if (!header.is_fortran_order) return make_empty(header.shape, dtype);
  std::vector<int64_t> strides;
  int64_t stride = 1;
  for (const int64_t size : header.shape) {
    strides.push_back(stride);
    stride *= std::max<int64_t>(size, 1);
  }
  return make_empty_strided(header.shape, strides, dtype);
}

}  // namespace

Tensor read_npy(const std::string& path, std::optional<DType> wanted) {
  const File file(path, O_RDONLY, "open");
  const size_t size = file.size();
  size_t data_offset = 0;
  const NpyHeader header = parse_npy_header(path, read_header_text(path, file, data_offset));
  const DType dtype = dtype_of_descr(path, header.descr, wanted);
  const size_t available = size - std::min(size, data_offset);
  const size_t bytes = count_bytes(path, header, dtype, available);
  const Tensor tensor = make_tensor(header, dtype);
  file.seek(data_offset);
  OPWRIGHT_CHECK_VALUE(bytes == 0 || file.read_some(tensor.mutable_data(), bytes) == bytes, path,
                       " became shorter while it was read");
  return tensor;
}

void write_npy(const std::string& path, const Tensor& tensor) {
  const Tensor dense = tensor.contiguous();
  const auto sizes = dense.sizes();
  const std::string header =
      write_npy_header({descr_of(dense.dtype()), false, {sizes.begin(), sizes.end()}});
  File file(path, O_WRONLY | O_CREAT | O_TRUNC, "write");
  file.write_all(header.data(), header.size());
  file.write_all(dense.data(), static_cast<size_t>(dense.numel()) * item_size(dense.dtype()));
  file.finish();
}

}  // namespace opwright::command
