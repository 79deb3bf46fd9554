// Tensors become blocks of bytes for a file: one for each storage, so that tensors that share
// memory share it again when they are loaded.
//
// A block is the part of the storage that its tensors reach. What lies between their elements is
// written as zeros: it may be of tensors that the program does not have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/program/file/program_text.h"
#include "opwright/tensor.h"
#include "opwright/tensor/storage.h"

namespace opwright {

class TensorBlocks {
 public:
  // The tensor's number; the same tensor has the same number again. ValueError, naming it as
  // `who`, for one without memory.
  size_t add(const Tensor& tensor, std::string_view who);
  // After the last one: lays them out. Gives the bytes of all of them together.
  uint64_t place();

  [[nodiscard]] const std::vector<StoredBlock>& blocks() const noexcept { return blocks_; }
  [[nodiscard]] const std::vector<StoredTensor>& tensors() const noexcept { return stored_; }
  // What stands in the file at blocks()[index]; valid while the tensors are not written.
  [[nodiscard]] std::string_view bytes(size_t index) const noexcept { return bytes_[index]; }

 private:
  struct Member {
    Tensor tensor;
    bool requires_grad;
    size_t block;
    uint64_t begin = 0;  // bytes of the storage that it reaches; none where begin is end
    uint64_t end = 0;
  };
  // Bytes of a storage.
  struct Range {
    uint64_t begin = 0;
    uint64_t end = 0;
  };
  [[nodiscard]] Range range_of(const std::vector<size_t>& members) const;
  [[nodiscard]] std::string_view block_bytes(const std::vector<size_t>& members, Range range);
  // Of bools: every byte that is not 0 as 1, which alone a file may have.
  [[nodiscard]] std::string_view normalize_bools(const std::vector<size_t>& members,
                                                 std::string_view bytes);

  std::vector<Member> members_;
  std::vector<std::vector<size_t>> in_block_;  // the members of each
  std::unordered_map<const OpwTensor*, size_t> numbers_;
  std::unordered_map<const Storage*, size_t> block_of_;
  std::vector<StoredBlock> blocks_;
  std::vector<StoredTensor> stored_;
  std::vector<std::string_view> bytes_;
  std::deque<std::string> copies_;  // of blocks that are not in memory as the file has them
};

}  // namespace opwright
