#include "bridges/operators/host_binaries.h"

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>

#include "bridges/operators/host_binary.h"
#include "opwright/c_api.h"
#include "opwright/runtime/bridge.h"

namespace opwright::bridges {
namespace {

std::string absolute(const std::string& path) {
  std::error_code problem;
  const std::filesystem::path whole = std::filesystem::canonical(path, problem);
  return problem ? path : whole.string();
}

}  // namespace

HostBinary& HostBinaries::open(const std::string& path) {
  const std::lock_guard lock(mutex_);
  HostBinary*& kept = by_file_[absolute(path)];
  if (!kept) kept = std::make_unique<HostBinary>(path, host_name_, call_).release();
  return *kept;
}

const OpwRecord* HostBinaries::find_kernel(const OperatorDescription& op) {
  if (op.library.empty()) return nullptr;
  const OperatorRow* row = open(op.library).find_row(op.name);
  return row ? find_cpu_function(*row) : nullptr;
}

}  // namespace opwright::bridges
