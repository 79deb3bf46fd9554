// An Operator: a name, a schema, and a row of functions. The row is read without a lock on every
// call.
//
// Only the registry creates and fills operators, and they are never freed: a removed one has an
// empty row, so that a held handle gets an error instead of a crash.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <string>
#include <vector>

#include "opwright/base/source_site.h"
#include "opwright/dispatch/arguments.h"
#include "opwright/dispatch/slot.h"
#include "opwright/schema/schema.h"
#include "opwright/tag.h"

namespace opwright {

// In addition to the flags of c_api.h, in merged flags only.
inline constexpr uint32_t kMissingTensor = 1u << 31;

class Operator {
 public:
  Operator(Schema schema, Tags tags, SourceSite site, const char* origin);
  Operator(const Operator&) = delete;
  Operator& operator=(const Operator&) = delete;

  [[nodiscard]] const Schema& schema() const { return schema_; }
  // "aten::add.Tensor"
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] Tags tags() const noexcept {
    return Tags::from_bits(tags_.load(std::memory_order_relaxed));
  }
  // Where it was defined.
  [[nodiscard]] SourceSite site() const { return site_; }
  // The file of the operator binary that defined it; empty: the program itself.
  [[nodiscard]] const char* origin() const { return origin_; }

  // The function that a call to `slot` runs: the slot's own or, for devices and Fake, its
  // replacement. Null: none.
  [[nodiscard]] const OpwRecord* record(Slot slot) const noexcept {
    return row_[static_cast<uint8_t>(slot)].load(std::memory_order_acquire);
  }
  // Increased by every change of the row.
  [[nodiscard]] uint64_t generation() const noexcept {
    return generation_.load(std::memory_order_acquire);
  }
  [[nodiscard]] bool is_removed() const noexcept {
    return is_removed_.load(std::memory_order_acquire);
  }

  [[nodiscard]] uint32_t num_arguments() const noexcept { return num_arguments_; }
  [[nodiscard]] uint32_t num_results() const noexcept { return num_results_; }
  // Whether the schema marks an argument as written, any or that one.
  [[nodiscard]] bool writes_arguments() const noexcept { return written_args_ != 0; }
  [[nodiscard]] bool writes_argument(uint32_t index) const noexcept {
    return (written_args_ >> index & 1) != 0;
  }
  // Bit i: the schema marks argument i as written.
  [[nodiscard]] uint64_t written_args() const noexcept { return written_args_; }
  // Whether a result is a view of an argument, or a list of views, without being written.
  [[nodiscard]] bool gives_views() const noexcept { return gives_views_; }
  // Whether a call needs more than running its function: versions, handles, view records.
  [[nodiscard]] bool needs_care() const noexcept { return needs_care_; }
  // Whether the result is a written argument, returned as that argument's own handle.
  [[nodiscard]] bool gives_argument(uint32_t result) const noexcept {
    return (returned_args_ >> result & 1) != 0;
  }
  // Bit i: result i is such an argument.
  [[nodiscard]] uint64_t returned_args() const noexcept { return returned_args_; }
  [[nodiscard]] uint32_t argument_of_result(uint32_t result) const {
    return argument_of_result_[result];
  }
  // The body of an implicit composite without its own formula, which every level sees through; else
  // null.
  [[nodiscard]] const OpwRecord* seen_through_body() const noexcept {
    if (!is_seen_through_.load(std::memory_order_acquire)) [[likely]]
      return nullptr;
    return record(Slot::ImplicitComposite);
  }
  // The argument that specifies the device of a factory's result, or -1.
  [[nodiscard]] int32_t device_argument() const noexcept { return device_argument_; }
  // Arguments that are tensors, optional tensors or lists of them.
  [[nodiscard]] uint32_t num_tensor_arguments() const noexcept { return num_tensor_arguments_; }
  // Bit i: argument i is a Tensor, never None.
  [[nodiscard]] uint64_t tensor_args() const noexcept { return tensor_args_; }
  // Bit i: argument i is a tensor, an optional tensor or a list of them.
  [[nodiscard]] uint64_t all_tensor_args() const noexcept {
    return tensor_args_ | other_tensor_args_;
  }
  // Bit i: argument i is written and is not a result.
  [[nodiscard]] uint64_t unreturned_args() const noexcept { return unreturned_args_; }
  // No argument is an optional tensor or a list of tensors.
  [[nodiscard]] bool takes_only_plain_tensors() const noexcept { return other_tensor_args_ == 0; }
  [[nodiscard]] bool takes_tensors() const noexcept { return all_tensor_args() != 0; }
  // Whether that argument is a tensor, an optional tensor or a list of them.
  [[nodiscard]] bool takes_tensors(uint32_t index) const noexcept {
    return (all_tensor_args() >> index & 1) != 0;
  }

  // The flags of all tensors among the arguments, ORed; kMissingTensor if a required tensor is
  // missing.
  [[nodiscard]] uint32_t merged_tensor_flags(Arguments args) const noexcept {
    uint32_t flags = 0;
    for (uint64_t left = tensor_args_; left != 0; left &= left - 1) {
      const OpwValue& arg = args[static_cast<size_t>(std::countr_zero(left))];
      flags |= arg.tag == kOpwTensor ? arg.as_tensor->flags : kMissingTensor;
    }
    if (other_tensor_args_ != 0) [[unlikely]]
      flags |= merged_other_flags(args);
    return flags;
  }
  // Calls `visit(index, OpwTensor*)` for every tensor among the arguments.
  template <class Visit>
  void visit_tensor_arguments(Arguments args, Visit&& visit) const {
    for (uint64_t left = all_tensor_args(); left != 0; left &= left - 1) {
      const auto index = static_cast<uint32_t>(std::countr_zero(left));
      visit_tensors(args[index], [&](OpwTensor* tensor) { visit(index, tensor); });
    }
  }

  // The tag of a valid result `index`; kOpwNone: several are valid, check_result decides.
  [[nodiscard]] uint8_t plain_result_tag(uint32_t index) const { return result_tags_[index]; }

 private:
  friend class Registry;

  uint32_t merged_other_flags(Arguments args) const noexcept;

  // What a call reads, first and adjacent.
  uint64_t tensor_args_ = 0;        // bit i: argument i is a Tensor, never None
  uint64_t other_tensor_args_ = 0;  // optional tensors and lists
  uint64_t written_args_ = 0;
  uint64_t returned_args_ = 0;
  uint32_t num_arguments_ = 0;
  uint32_t num_results_ = 0;
  uint32_t num_tensor_arguments_ = 0;
  int32_t device_argument_ = -1;
  bool gives_views_ = false;
  bool needs_care_ = false;
  std::atomic<bool> is_seen_through_{false};
  std::array<std::atomic<const OpwRecord*>, kNumSlots> row_{};

  std::atomic<uint64_t> generation_{0};
  std::atomic<bool> is_removed_{false};
  uint64_t unreturned_args_ = 0;
  std::vector<uint8_t> result_tags_;
  std::vector<uint32_t> argument_of_result_;
  Schema schema_;
  std::string name_;
  std::atomic<uint64_t> tags_;
  SourceSite site_;
  const char* origin_;  // never freed
};

}  // namespace opwright
