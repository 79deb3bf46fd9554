// A program as the bytes of its file, without copying the tensors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "opwright/program/export/exported_program.h"
#include "opwright/program/file/program_text.h"
#include "opwright/program/file/tensor_blocks.h"

namespace opwright {

// A program without its tensors and their names.
[[nodiscard]] ProgramText text_without_tensors(const ExportedProgram& program);

class ProgramImage {
 public:
  // Borrows the program's tensors. ValueError for values that cannot be stored, naming them.
  explicit ProgramImage(const ExportedProgram& program);

  // Calls `write(std::string_view)` for the parts of the file, in order.
  template <class Write>
  void visit_parts(const Write& write) const {
    write(std::string_view(start_));
    for (size_t i = 0; i < blocks_.blocks().size(); ++i) {
      const StoredBlock& block = blocks_.blocks()[i];
      const uint64_t end = i == 0 ? 0 : end_of(blocks_.blocks()[i - 1]);
      write(padding(block.offset - end));
      write(blocks_.bytes(i));
    }
  }
  [[nodiscard]] uint64_t size() const noexcept { return size_; }

 private:
  static uint64_t end_of(const StoredBlock& block) noexcept { return block.offset + block.bytes; }
  // Zeros, fewer than an alignment.
  static std::string_view padding(uint64_t bytes);

  TensorBlocks blocks_;
  std::string start_;  // header, text and the padding before the data
  uint64_t size_ = 0;
};

}  // namespace opwright
