#include "opwright/host/binary_host.h"

#include <vector>

#include "opwright/base/core_host.h"
#include "opwright/base/given_error.h"

namespace opwright {

BinaryHost::BinaryHost(const OpwBinary& binary, std::string path)
    : OpwHost(core_host()), path_(std::move(path)) {
  instance = this;
  OpwHost::call = &call_import;
  std::vector<const OpwImport*> by_index(binary.num_imports);
  for (const OpwImport* each = binary.imports; each; each = each->next)
    by_index[each->index] = each;
  for (const OpwImport* each : by_index) imports_.emplace_back(*each);
}

void BinaryHost::resolve_imports() {
  for (Import& each : imports_) {
    try {
      if (each.host_function) {
        each.host_function->check_caller(each.signature());
      } else {
        each.op.resolve();
      }
    } catch (Error& error) {
      error.add_note("library", "imported by " + path_);
      throw;
    }
  }
}

int BinaryHost::call_import(const OpwHost* host, uint32_t index, const OpwValue* args,
                            uint32_t num_args, OpwValue* results, uint32_t num_results) {
  return status_of([&] {
    auto* self = static_cast<BinaryHost*>(host->instance);
    if (index >= self->imports_.size())
      throw_error("IndexError", "the binary has no import ", index);
    Import& import = self->imports_[index];
    if (import.host_function) [[unlikely]]
      return import.host_function->run(args, num_args, results, num_results);
    import.op.call(args, num_args, results, num_results);
  });
}

}  // namespace opwright
