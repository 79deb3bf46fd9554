// The core as the host of one operator binary: its OpwHost, with the binary's imports resolved.
//
// Records of the binary lead here, so two hosts over one binary in one process do not meet.
#pragma once

#include <deque>
#include <string>

#include "opwright/operator_handle.h"

namespace opwright {

// Never freed: records of the binary may be called for ever.
class BinaryHost : public OpwHost {
 public:
  // Room for the imports of `binary`, which was checked; nothing is looked up yet.
  BinaryHost(const OpwBinary& binary, std::string path);
  BinaryHost(const BinaryHost&) = delete;
  BinaryHost& operator=(const BinaryHost&) = delete;

  // Looks every import up. The error of the first that is missing or has another schema names the
  // binary.
  void resolve_imports();

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  static int call_import(const OpwHost* host, uint32_t index, const OpwValue* args,
                         uint32_t num_args, OpwValue* results, uint32_t num_results);

  std::string path_;
  std::deque<HostOperator> imports_;  // by index; a deque, since handles do not move
};

}  // namespace opwright
