// Library blocks whose body has its own class as `m`: torch::Library, pybind11::module_.
#pragma once

#include "opwright/library.h"

namespace opwright OPWRIGHT_VISIBILITY {
// A static object that links its block at load. The facade is constructed from the registrar and
// the block.
template <class Facade, void (*kBody)(Facade&)>
class FacadeBlock : OpwLibrary {
 public:
  FacadeBlock(OpwLibraryKind block_kind, const char* block_name_space, const char* block_slot,
              const char* block_file, uint32_t block_line)
      : OpwLibrary{.struct_size = sizeof(OpwLibrary),
                   .kind = block_kind,
                   .name_space = block_name_space,
                   .slot = block_slot,
                   .file = block_file,
                   .line = block_line,
                   .body = &run,
                   .context = nullptr,
                   .next = nullptr} {
    link_library(this);
  }
  FacadeBlock(const FacadeBlock&) = delete;
  FacadeBlock& operator=(const FacadeBlock&) = delete;

 private:
  static int run(const OpwLibrary* block, OpwRegistrar* registrar) {
    return run_library_body(block, registrar, [&](Library&) {
      Facade facade(registrar, *block);
      kBody(facade);
    });
  }
};
}  // namespace opwright

// `(Facade& m) { ... }` follows.
#define OPWRIGHT_FACADE_BLOCK_(Facade, kind, name_space, slot, id, m)                            \
  static void OPWRIGHT_CONCATENATE(opwright_facade_body_, id)(Facade&);                          \
  static const ::opwright::FacadeBlock<Facade, &OPWRIGHT_CONCATENATE(opwright_facade_body_, id)> \
      OPWRIGHT_CONCATENATE(opwright_facade_block_, id)(kind, name_space, slot, __FILE__,         \
                                                       __LINE__);                                \
  static void OPWRIGHT_CONCATENATE(opwright_facade_body_, id)([[maybe_unused]] Facade & m)
