#include "bridges/torch/generator_object.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>

#include "bridges/torch/stable_abi.h"
#include "opwright/c_api.h"
#include "opwright/error.h"

namespace opwright::torch_bridge {
namespace {

struct GeneratorObject : OpwObject {
  uint32_t count = 1;  // atomic
  AtenGeneratorHandle handle = nullptr;
};

void retain(OpwObject* object) {
  __atomic_fetch_add(&static_cast<GeneratorObject*>(object)->count, 1, __ATOMIC_RELAXED);
}
void release_generator(OpwObject* object) {
  auto* mine = static_cast<GeneratorObject*>(object);
  if (__atomic_fetch_sub(&mine->count, 1, __ATOMIC_ACQ_REL) != 1) return;
  torch_abi.delete_generator(mine->handle);
  delete mine;
}
int equal(const OpwObject* a, const OpwObject* b) { return a == b; }
uint64_t hash(const OpwObject* object) { return std::hash<const void*>{}(object); }
size_t text(const OpwObject* /*object*/, char* buffer, size_t capacity) {
  return static_cast<size_t>(std::snprintf(buffer, capacity, "a generator of torch"));
}

const OpwObjectTable kGenerators = {.struct_size = sizeof(OpwObjectTable),
                                    .type_name = "Generator",
                                    .retain = &retain,
                                    .release = &release_generator,
                                    .equal = &equal,
                                    .hash = &hash,
                                    .text = &text};

}  // namespace

OpwObject* make_generator_object(AtenGeneratorHandle generator) {
  auto object = std::make_unique<GeneratorObject>();
  object->table = &kGenerators;
  require_success(torch_abi.new_generator_handle(generator, &object->handle),
                  "passing a generator on");
  return object.release();
}

AtenGeneratorHandle copy_generator(const OpwObject* object) {
  OPWRIGHT_CHECK_TYPE(object && object->table == &kGenerators, "a generator of torch was expected");
  AtenGeneratorHandle copy = nullptr;
  require_success(
      torch_abi.new_generator_handle(static_cast<const GeneratorObject*>(object)->handle, &copy),
      "passing a generator on");
  return copy;
}

}  // namespace opwright::torch_bridge
