// The bytes of tensors at one moment, to tell later who was written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "opwright/tensor.h"
#include "opwright/tensor/storage.h"

namespace opwright {

// Whole storages are compared, also what the tensors do not show, and their versions. Tensors that
// are not on the CPU are compared by their versions alone.
class MemorySnapshot {
 public:
  // A storage that is there already keeps its first name.
  void add(const Tensor& tensor, std::string name);
  // The name of the first one that was written since.
  [[nodiscard]] std::optional<std::string> find_written() const;

 private:
  struct Entry {
    StoragePtr storage;
    std::string name;
    uint64_t version;
    std::vector<std::byte> bytes;
  };
  std::vector<Entry> entries_;
};

}  // namespace opwright
