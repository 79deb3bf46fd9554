// The binaries loaded for one host, by file.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "bridges/operators/host_binary.h"
#include "opwright/c_api.h"
#include "opwright/runtime/bridge.h"

namespace opwright::bridges {

// Never destroyed, like its contents. Any thread.
class HostBinaries {
 public:
  // `call` is OpwHost::call of the host.
  HostBinaries(const char* host_name, decltype(OpwHost::call) call)
      : host_name_(host_name), call_(call) {}

  // The same file twice is loaded once. Errors as load_library.
  [[nodiscard]] HostBinary& open(const std::string& path);
  // The CPU function of the operator's binary; null if the core must run it.
  [[nodiscard]] const OpwRecord* find_kernel(const OperatorDescription& op);

 private:
  const char* host_name_;
  decltype(OpwHost::call) call_;
  std::mutex mutex_;
  std::map<std::string, HostBinary*> by_file_;
};

}  // namespace opwright::bridges
