// A file in memory, as long as something needs it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "opwright/base/intrusive_ptr.h"

namespace opwright {

// Writing to the memory leaves the file as it is.
class MappedFile : public Counted<MappedFile> {
 public:
  // OSError for one that is not there, cannot be read, or is no file.
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
