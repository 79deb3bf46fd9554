// Library blocks (include/opwright/library.h) as data: what the bodies of a binary, or of the core
// itself, register.
//
// Registration has two phases: a body first runs against a collecting registrar, then its contents
// are committed. So all definitions are known before the first function is added, a block that
// fails leaves nothing behind, and a binary can be described without registering it.
#pragma once

#include <string>
#include <vector>

#include "opwright/base/source_site.h"
#include "opwright/dispatch/registry.h"
#include "opwright/tag.h"

namespace opwright {

struct BlockDefinition {
  std::string schema;
  std::string name_space;  // of the block, for a schema without one
  uint64_t tags;
  SourceSite site;
};

// Owns its function until it is registered.
struct BlockFunction {
  std::string name;  // with its namespace
  std::string slot;
  BoxedFunction function;
  SourceSite site;
};

struct BlockClaim {
  std::string name_space;
  SourceSite site;
};

// The registrations requested by the bodies of some blocks. Movable; drops functions that were not
// registered.
class BlockContents {
 public:
  BlockContents() = default;
  BlockContents(BlockContents&&) = default;
  BlockContents& operator=(BlockContents&&) = default;
  ~BlockContents();

  std::vector<BlockClaim> claims;
  std::vector<BlockDefinition> definitions;
  std::vector<BlockFunction> functions;
};

// Runs the body of `block` for `host` and adds its registrations. Throws the body's error, with a
// note of the block.
void collect_block(const OpwLibrary& block, const OpwHost& host, BlockContents& contents);

// Registers claims and definitions, then calls `between` (which resolves imports), then registers
// the functions. All or nothing. `library` is the binary's file, never freed, or empty.
std::vector<Registration> register_contents(BlockContents contents, const OpwHost& host,
                                            const char* library,
                                            void (*between)(void* context) = nullptr,
                                            void* context = nullptr);

}  // namespace opwright
