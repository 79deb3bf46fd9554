// A binary loaded for one host: the host's table, the binary's imports as operators of the core,
// and a record for each function, in a row for each operator.
//
// For hosts without their own operators, whose kernels run on the core's.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "bridges/operators/allocation_request.h"
#include "opwright/c_api.h"
#include "opwright/runtime/bridge.h"

namespace opwright::bridges {

// The functions of a binary for one operator, by slot ("CPU", "Fake", ...).
using OperatorRow = std::map<std::string, OpwRecord>;

// The function that computes on the CPU: a kernel, one for all devices, or a composite body; null
// if there is none.
[[nodiscard]] const OpwRecord* find_cpu_function(const OperatorRow& row);

// Never freed: records refer to its host permanently.
class HostBinary {
 public:
  // Loads the file into the core and collects its functions for a host with that name, whose `call`
  // is `call`; OpwHost::instance is the HostBinary. Errors as load_library.
  HostBinary(const std::string& path, const char* host_name, decltype(OpwHost::call) call);
  HostBinary(const HostBinary&) = delete;
  HostBinary& operator=(const HostBinary&) = delete;

  [[nodiscard]] const BinaryContents& contents() const { return contents_; }
  // Null if the binary has no function for that operator.
  [[nodiscard]] const OperatorRow* find_row(const std::string& name) const;
  // IndexError for an import that the binary does not have.
  [[nodiscard]] NamedOperator& import_at(uint32_t index);
  // The allocation of an import that creates an empty tensor, if it does.
  [[nodiscard]] Allocation allocation_at(uint32_t index) const { return allocations_[index]; }
  // Whether that import is aten::contiguous.
  [[nodiscard]] bool is_contiguous_at(uint32_t index) const { return index == contiguous_; }

 private:
  OpwHost host_;
  BinaryContents contents_;
  std::deque<NamedOperator> imports_;    // by index; a deque, since they do not move
  std::vector<Allocation> allocations_;  // by index
  uint32_t contiguous_ = UINT32_MAX;
  std::map<std::string, OperatorRow> rows_;
};

}  // namespace opwright::bridges
