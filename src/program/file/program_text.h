// The text of a program file: everything except the bytes of its tensors.
//
//   # An Opwright program. `python -m opwright show` explains it.
//   writer "opwright 0.1.0"
//   operator "aten::mm" "aten::mm(Tensor self, Tensor mat2) -> Tensor"
//   input parameter %weight "encoder.weight"
//   input user %x "x"
//   output user %mm
//   state "encoder.weight" tensor 0
//   block 0 offset 0 bytes 24 checksum 1a2b3c4d
//   tensor 0 block 0 float32[3, 2] grad
//   graph(captured %weight: float32[3, 2], ...
//
// One fact per line, starting with a keyword; the graph comes last. docs/concepts/program_file.md
// lists every keyword.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/program/export/exported_program.h"
#include "opwright/program/export/signature.h"
#include "opwright/program/file/program_file_header.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright {

// Bytes of the file that form one storage.
struct StoredBlock {
  uint64_t offset = 0;  // from the start of the data
  uint64_t bytes = 0;
  uint32_t checksum = 0;
};

// A tensor over a block. `meta` is a fake tensor with its sizes, strides, offset in the block,
// dtype, device and requires_grad.
struct StoredTensor {
  size_t block = 0;
  Tensor meta;
};

// A name for the tensor with that number.
struct StoredName {
  std::string name;
  size_t tensor = 0;
};

struct StoredExample {
  std::optional<size_t> tensor;  // nullopt: `constant`
  Value constant;
};

struct ProgramText {
  std::string writer;
  std::vector<OperatorUse> operators;
  GraphSignature signature;
  std::set<size_t> size_outputs;  // indices of outputs that are size expressions, not values
  CallStructure structure;
  std::vector<StoredName> state;
  std::vector<StoredName> constants;
  std::vector<StoredExample> examples;
  std::vector<StoredBlock> blocks;  // sorted by offset
  std::vector<StoredTensor> tensors;
  std::string graph;
};

// ValueError for a constant without a text form, naming its input or output, and for a string that
// is not UTF-8.
[[nodiscard]] std::string to_text(const ProgramText& program);
// ValueError with the position underlined: an unknown line, an unknown number of a tensor or block,
// a duplicate name. Unknown lines marked by '?' are skipped. Does not check that the parts fit each
// other.
[[nodiscard]] ProgramText parse_program_text(std::string_view text, const ProgramFormat& format);

// "parameter", "user", ...: as written in the text.
[[nodiscard]] std::string_view to_text(InputKind kind) noexcept;
[[nodiscard]] std::string_view to_text(OutputKind kind) noexcept;
[[nodiscard]] std::optional<InputKind> find_input_kind(std::string_view word) noexcept;
[[nodiscard]] std::optional<OutputKind> find_output_kind(std::string_view word) noexcept;

}  // namespace opwright
