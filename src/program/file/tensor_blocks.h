// Turns tensors into blocks of bytes for a file: one per storage, so that tensors that share memory
// share it again after loading.
//
// A block is the part of the storage that its tensors reach. Memory between their elements is
// written as zeros: it may belong to tensors outside the program.
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
  // Returns the tensor's number; the same tensor gets the same number again. ValueError, naming it
  // as `who`, if it has no memory.
  size_t add(const Tensor& tensor, std::string_view who);
  // Call after the last add: lays out the blocks. Returns the number of bytes of all of them.
  uint64_t place();

  [[nodiscard]] const std::vector<StoredBlock>& blocks() const noexcept { return blocks_; }
  [[nodiscard]] const std::vector<StoredTensor>& tensors() const noexcept { return stored_; }
  // The file's bytes of blocks()[index]; valid while the tensors are not written.
  [[nodiscard]] std::string_view bytes(size_t index) const noexcept { return bytes_[index]; }

 private:
  struct Member {
    Tensor tensor;
    bool requires_grad;
    size_t block;
    uint64_t begin = 0;  // bytes of the storage that it reaches; none if begin == end
    uint64_t end = 0;
  };
  // Bytes of a storage.
  struct Range {
    uint64_t begin = 0;
    uint64_t end = 0;
  };
  [[nodiscard]] Range range_of(const std::vector<size_t>& members) const;
  [[nodiscard]] std::string_view block_bytes(const std::vector<size_t>& members, Range range);
  // For bools: replaces every byte other than 0 by 1, the only values that a file may have.
  [[nodiscard]] std::string_view normalize_bools(const std::vector<size_t>& members,
                                                 std::string_view bytes);

  std::vector<Member> members_;
  std::vector<std::vector<size_t>> in_block_;  // the members of each block
  std::unordered_map<const OpwTensor*, size_t> numbers_;
  std::unordered_map<const Storage*, size_t> block_of_;
  std::vector<StoredBlock> blocks_;
  std::vector<StoredTensor> stored_;
  std::vector<std::string_view> bytes_;
  std::deque<std::string> copies_;  // of blocks whose memory differs from the file's bytes
};

}  // namespace opwright
