// A memory-mapped file, kept as long as it is referenced.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "opwright/base/intrusive_ptr.h"

namespace opwright {

// Writes to the memory do not change the file.
class MappedFile : public Counted<MappedFile> {
 public:
  // OSError if it does not exist, cannot be read, or is not a file.
  explicit MappedFile(const std::string& path);
  ~MappedFile();

  [[nodiscard]] std::string_view bytes() const noexcept {
    return {static_cast<const char*>(memory_), size_};
  }

 private:
  void* memory_ = nullptr;
  size_t size_ = 0;
};
using MappedFilePtr = IntrusivePtr<MappedFile>;

}  // namespace opwright
