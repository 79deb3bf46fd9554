// Says that it was built for a later minor version of the ABI, in which its description grew.
#include <cstdint>

#include "opwright/c_api.h"

namespace {

struct LaterBinary {
  OpwBinary known;
  uint64_t unknown;
};

int define_one(const OpwLibrary* /*library*/, OpwRegistrar* registrar) {
  return registrar->define(registrar, "one(Tensor x) -> Tensor", 0, __FILE__, __LINE__);
}

constinit const OpwLibrary block{.struct_size = sizeof(OpwLibrary) + 8,
                                 .kind = kOpwLibraryDefinitions,
                                 .name_space = "later_minor",
                                 .slot = nullptr,
                                 .file = __FILE__,
                                 .line = __LINE__,
                                 .body = &define_one,
                                 .context = nullptr,
                                 .next = nullptr};
constinit const LaterBinary binary{.known = {.struct_size = sizeof(LaterBinary),
                                             .abi_major = OPW_ABI_MAJOR,
                                             .abi_minor = OPW_ABI_MINOR + 1,
                                             .libraries = &block,
                                             .imports = nullptr,
                                             .num_imports = 0,
                                             .devices = nullptr},
                                   .unknown = ~uint64_t{0}};

}  // namespace

extern "C" __attribute__((visibility("default"))) const OpwBinary* opw_binary(void) {
  return &binary.known;
}
