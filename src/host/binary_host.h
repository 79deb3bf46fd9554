// The core as the host of one operator binary: its OpwHost, with the binary's imports resolved.
//
// Records of the binary point here, so two hosts of one binary in one process are independent.
#pragma once

#include <deque>
#include <string>

#include "opwright/host/host_functions.h"
#include "opwright/registration/operator_handle.h"

namespace opwright {

// Never freed: records of the binary may be called at any later time.
class BinaryHost : public OpwHost {
 public:
  // Reserves space for the imports of `binary`, which must be checked; looks up nothing yet.
  BinaryHost(const OpwBinary& binary, std::string path);
  BinaryHost(const BinaryHost&) = delete;
  BinaryHost& operator=(const BinaryHost&) = delete;

  // Looks up every import. Throws an error that names the binary if one is missing or has another
  // schema.
  void resolve_imports();

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  static int call_import(const OpwHost* host, uint32_t index, const OpwValue* args,
                         uint32_t num_args, OpwValue* results, uint32_t num_results);

  struct Import {
    HostOperator op;
    const char* (*signature)();
    const HostFunction* host_function;  // run instead of `op`; may be null

    explicit Import(const OpwImport& import)
        : op(import.name, import.signature),
          signature(import.signature),
          host_function(find_host_function(import.name)) {}
  };

  std::string path_;
  std::deque<Import> imports_;  // by index; a deque, since handles do not move
};

}  // namespace opwright
