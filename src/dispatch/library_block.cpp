#include "opwright/dispatch/library_block.h"

#include "opwright/base/first_sizes.h"
#include "opwright/base/given_error.h"
#include "opwright/base/intern.h"
#include "opwright/dispatch/first_use.h"
#include "opwright/dispatch/property.h"
#include "opwright/library.h"

namespace opwright {
namespace {

SourceSite site_of(const char* file, uint32_t line) {
  return file ? SourceSite{intern(file), line} : SourceSite{};
}

// "audio::soft_clip" for "soft_clip" in a block of audio.
std::string qualified(std::string_view name, std::string_view name_space) {
  if (name_space.empty() || name.find("::") != std::string_view::npos) return std::string(name);
  return concatenate(name_space, "::", name);
}

struct Collector : OpwRegistrar {
  const OpwLibrary* block;
  BlockContents* contents;
};

int define(OpwRegistrar* registrar, const char* schema, uint64_t tags, const char* file,
           uint32_t line) {
  return status_of([&] {
    const auto* self = static_cast<Collector*>(registrar);
    OPWRIGHT_CHECK_VALUE(schema, "a definition without a schema");
    OPWRIGHT_CHECK_VALUE(self->block->kind != kOpwLibraryImplementations,
                         "an operator is defined in a block of functions (", schema,
                         ")\n  Define it in OPWRIGHT_LIBRARY(", self->block->name_space, ", m).");
    self->contents->definitions.push_back(
        {schema, self->block->name_space, tags, site_of(file, line)});
  });
}

int implement(OpwRegistrar* registrar, const OpwImplementation* given) {
  const auto* self = static_cast<Collector*>(registrar);
  const int status = status_of([&] {
    OPWRIGHT_CHECK_VALUE(given->struct_size >= kFirstImplementationSize, "an implementation of ",
                         given->struct_size, " bytes is not of this ABI");
    OPWRIGHT_CHECK_VALUE(given->name && given->slot && given->function,
                         "an implementation needs a name, a slot and a function");
    self->contents->functions.push_back(
        {.name = qualified(given->name, self->block->name_space),
         .slot = given->slot,
         .function = {given->function, given->self, given->drop, given->signature},
         .site = site_of(given->file, given->line)});
  });
  if (status != 0 && given->drop) given->drop(given->self);
  return status;
}

void check_block(const OpwLibrary& block) {
  OPWRIGHT_CHECK_VALUE(block.struct_size >= kFirstLibrarySize, "a library block of ",
                       block.struct_size, " bytes is not of this ABI");
  OPWRIGHT_CHECK_VALUE(block.name_space && block.body,
                       "a library block needs a namespace and a body");
  OPWRIGHT_CHECK_VALUE(block.kind <= kOpwLibraryImplementations, "a library block of unknown kind ",
                       block.kind);
  OPWRIGHT_CHECK_VALUE(block.kind != kOpwLibraryImplementations || block.slot,
                       "a block of functions without a slot");
}

}  // namespace

BlockContents::~BlockContents() {
  for (const BlockFunction& each : functions) {
    if (each.function.drop) each.function.drop(each.function.self);
  }
}

void collect_block(const OpwLibrary& block, const OpwHost& host, BlockContents& contents) {
  check_block(block);
  const SourceSite site = site_of(block.file, block.line);
  if (block.kind == kOpwLibraryDefinitions) contents.claims.push_back({block.name_space, site});
  Collector collector{{.struct_size = sizeof(OpwRegistrar),
                       .host = &host,
                       .define = &define,
                       .implement = &implement},
                      &block,
                      &contents};
  if (block.body(&block, &collector) == 0) return;
  OpwError* given = take_error();
  Error error = given ? Error::take(given)
                      : Error("RuntimeError", "a library block failed without giving an error");
  error.add_note("line", concatenate("in the library block of ", block.name_space, " at ", site));
  throw error;
}

std::vector<Registration> register_contents(BlockContents contents, const OpwHost& host,
                                            const char* library, void (*between)(void* context),
                                            void* context) {
  Registry& registry = Registry::get();
  std::vector<Registration> done;
  for (const BlockClaim& each : contents.claims) {
    done.push_back(registry.claim_namespace(each.name_space, each.site, {.library = library}));
  }
  for (const BlockDefinition& each : contents.definitions) {
    const Tags tags = Tags::from_bits(each.tags);
    const bool is_binary = *library != '\0';
    done.push_back(registry.define(each.schema, is_binary ? without_properties(tags) : tags,
                                   each.site, {.library = library, .name_space = each.name_space}));
  }
  if (between) between(context);
  for (BlockFunction& each : contents.functions) {
    const Slot slot = parse_slot(each.slot);
    const BoxedFunction function = each.function;
    each.function.drop = nullptr;  // the registry drops it from here on, even on failure
    done.push_back(registry.implement(each.name, slot, function, each.site, host));
  }
  return done;
}

// For a block of the core: its functions stay for the lifetime of the process.
void link_library(OpwLibrary* library) {
  const auto register_block = [](void* block) {
    BlockContents contents;
    collect_block(*static_cast<OpwLibrary*>(block), core_host(), contents);
    for (Registration& each : register_contents(std::move(contents), core_host(), "")) each.keep();
  };
  at_first_use(register_block, library);
}

}  // namespace opwright
