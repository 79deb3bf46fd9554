#include "opwright/host/binary_host.h"

#include <string_view>
#include <vector>

#include "opwright/base/core_host.h"
#include "opwright/base/given_error.h"
#include "opwright/error.h"

namespace opwright {
namespace {

// Binaries built with headers from before 1.2 give a RuntimeError where data do not exist.
bool is_old_data_error(const Error& error) {
  if (std::string_view(error.kind()) != "RuntimeError" || error.get()->payload) return false;
  const std::string_view text = error.text();
  return text.starts_with("the data of a fake tensor was read") ||
         text.starts_with("the data of a tensor inside a transform was read");
}

void give_error_of_binary(const OpwHost* /*host*/, OpwError* given) {
  const Error error = Error::take(given);
  give_error(
      (is_old_data_error(error) ? Error("DataDependentError", error.text()) : error).share());
}

}  // namespace

BinaryHost::BinaryHost(const OpwBinary& binary, std::string path)
    : OpwHost(core_host()), path_(std::move(path)) {
  instance = this;
  OpwHost::call = &call_import;
  OpwHost::give_error = &give_error_of_binary;
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
