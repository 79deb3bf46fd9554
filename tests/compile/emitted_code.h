// Runs texts of nests: emitted, compiled by LLVM's library, loaded. For tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compile/nest_text.h"
#include "opwright/compile/llvm/emit_llvm.h"
#include "opwright/compile/object/code_maker.h"
#include "opwright/compile/object/llvm_c_api.h"
#include "opwright/compile/object/object_code.h"

namespace opwright::testing {

// Without LLVM's library nothing is compiled here; tests/python/compile uses llvmlite.
inline const ObjectMaker& object_maker() {
  static const ObjectMaker maker = find_llvm_c_api();
  return maker;
}
inline bool can_compile() {
  EmitTarget target;
  return find_emit_target(target) && static_cast<bool>(object_maker().make);
}

class EmittedCode {
 public:
  EmittedCode(Nest nest, uint32_t vector_bytes) : nest_(std::move(nest)) {
    emitted_ = emit_llvm(nest_, {.vector_bytes = vector_bytes});
    const std::vector<std::byte> object = object_maker().make(emitted_.ir);
    code_ = ObjectCode::load(object);
  }
  EmittedCode(std::string_view text, uint32_t vector_bytes)
      : EmittedCode(parse_nest(text), vector_bytes) {}

  // The arguments of a call; ranges of rows and columns may be restricted.
  struct Call {
    std::vector<void*> operands;
    std::vector<int64_t> numbers = {};
    std::vector<int64_t> strides = {};  // all of them, if one is not fixed
    int64_t row_begin = 0, row_end = 1, column_begin = 0, column_end = 0;
    int64_t num_points = 0;  // of a row
  };
  void run(const Call& call) const {
    const int64_t bytes = emitted_.scratch_bytes * call.num_points + kScratchSlack;
    std::vector<std::byte> scratch(static_cast<size_t>(bytes));
    std::vector<int64_t> words = {call.row_begin, call.row_end, call.column_begin, call.column_end,
                                  reinterpret_cast<int64_t>(scratch.data())};
    words.insert(words.end(), call.numbers.begin(), call.numbers.end());
    for (void* operand : call.operands) words.push_back(reinterpret_cast<int64_t>(operand));
    words.insert(words.end(), call.strides.begin(), call.strides.end());
    words.resize(words.size() + NestContext::num_words(nest_));
    code_->find(kNestFunction)(words.data());
  }
  [[nodiscard]] const EmittedNest& emitted() const { return emitted_; }

 private:
  Nest nest_;
  EmittedNest emitted_;
  ObjectCodePtr code_;
};

// The registers of this machine, and shorter ones.
inline std::vector<uint32_t> vector_sizes() {
  EmitTarget target;
  if (!find_emit_target(target)) return {};
  return target.vector_bytes == 64 ? std::vector<uint32_t>{64, 32} : std::vector<uint32_t>{32};
}

}  // namespace opwright::testing
