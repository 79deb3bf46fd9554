// Says that it was built for another major version of the ABI.
#include "opwright/c_api.h"

extern "C" __attribute__((visibility("default"))) const OpwBinary* opw_binary(void) {
  static const OpwBinary binary{.struct_size = sizeof(OpwBinary),
                                .abi_major = OPW_ABI_MAJOR + 1,
                                .abi_minor = 0,
                                .libraries = nullptr,
                                .imports = nullptr,
                                .num_imports = 0,
                                .devices = nullptr};
  return &binary;
}
