// Snapshots of the bytes of tensors, to find out later which were written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "opwright/tensor.h"
#include "opwright/tensor/storage.h"

namespace opwright {

// Compares entire storages, including bytes outside the tensors, and their versions. Tensors that
// are not on the CPU are compared by version only.
class MemorySnapshot {
 public:
  // A storage that was already added keeps its first name.
  void add(const Tensor& tensor, std::string name);
  // The name of the first tensor written since.
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
