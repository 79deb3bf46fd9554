#include "bridges/operators/host_binary.h"

#include <cstdint>
#include <string>

#include "bridges/operators/allocation_request.h"
#include "bridges/operators/record.h"
#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/runtime/bridge.h"
#include "opwright/runtime/runtime.h"

namespace opwright::bridges {

const OpwRecord* find_cpu_function(const OperatorRow& row) {
  for (const char* slot :
       {"CPU", "AllDevices", "CompositeExplicitAutograd", "CompositeImplicitAutograd"}) {
    if (const auto found = row.find(slot); found != row.end()) return &found->second;
  }
  return nullptr;
}

HostBinary::HostBinary(const std::string& path, const char* host_name, decltype(OpwHost::call) call)
    : host_(core_host()) {
  host_.name = host_name;
  host_.instance = this;
  host_.call = call;
  load_library(path);
  contents_ = collect_library(path, host_);
  for (const BinaryImport& each : contents_.imports) {
    if (each.name == "aten::contiguous") contiguous_ = static_cast<uint32_t>(imports_.size());
    imports_.emplace_back(each.name);
    allocations_.push_back(find_allocation(each.name));
  }
  for (const BinaryFunction& each : contents_.functions) {
    rows_[each.name].emplace(each.slot, make_record(each, host_));
  }
}

const OperatorRow* HostBinary::find_row(const std::string& name) const {
  const auto found = rows_.find(name);
  return found == rows_.end() ? nullptr : &found->second;
}

NamedOperator& HostBinary::import_at(uint32_t index) {
  OPWRIGHT_CHECK_INDEX(index < imports_.size(), contents_.path, " has no import ", index);
  return imports_[index];
}

}  // namespace opwright::bridges
