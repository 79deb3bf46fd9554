// Binaries loaded for torch: opened once, never freed.
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "bridges/operators/record.h"
#include "bridges/torch/hosts.h"
#include "bridges/torch/imports.h"
#include "bridges/torch/stable_abi.h"
#include "bridges/torch/torch_internals.h"
#include "bridges/torch/torch_operator.h"
#include "opwright/c_api.h"
#include "opwright/runtime/bridge.h"
#include "opwright/runtime/runtime.h"

namespace opwright::torch_bridge {
namespace {

struct Libraries {
  std::recursive_mutex mutex;
  std::map<std::string, std::unique_ptr<TorchLibrary>> by_path;  // absolute
  std::map<std::pair<const BinaryFunction*, const OpwHost*>, std::unique_ptr<OpwRecord>> records;
};
Libraries& libraries() {
  static auto* all = new Libraries;
  return *all;
}

const OpwRecord* find_record(TorchOperator& op, const std::string& slot, const OpwHost& host) {
  const auto found = op.functions.find(slot);
  if (found == op.functions.end()) return nullptr;
  const BinaryFunction& function = *found->second;
  const std::lock_guard lock(libraries().mutex);
  std::unique_ptr<OpwRecord>& record = libraries().records[{&function, &host}];
  if (!record) {
    record = std::make_unique<OpwRecord>(bridges::make_record(function, host));
  }
  return record.get();
}

TorchOperator& find_or_make(TorchLibrary& library, const std::string& name) {
  std::unique_ptr<TorchOperator>& op = library.operators[name];
  if (!op) {
    op = std::make_unique<TorchOperator>();
    op->description = describe_operator(name);
    op->library = &library;
  }
  return *op;
}

void drop_functions(BinaryContents& contents) {
  for (const BinaryFunction& each : contents.functions) {
    if (each.drop) each.drop(each.self);
  }
}

}  // namespace

const OpwRecord* TorchOperator::over_handles(const std::string& slot) {
  return library ? find_record(*this, slot, library->handles) : nullptr;
}

const OpwRecord* TorchOperator::over_objects(const std::string& slot) {
  return library ? find_record(*this, slot, library->objects) : nullptr;
}

TorchLibrary& open_library(const std::string& path) {
  require_torch();
  find_torch_internals();
  load_library(path);
  const std::lock_guard lock(libraries().mutex);
  auto library = std::make_unique<TorchLibrary>();
  make_hosts(*library);
  library->contents = collect_library(path, library->handles);
  std::unique_ptr<TorchLibrary>& known = libraries().by_path[library->contents.path];
  if (known) {
    drop_functions(library->contents);
    return *known;
  }
  library->imports = make_import_table(library->contents);
  for (const std::string& name : library->contents.operators) find_or_make(*library, name);
  for (const BinaryFunction& each : library->contents.functions) {
    find_or_make(*library, each.name).functions.insert_or_assign(each.slot, &each);
  }
  known = std::move(library);
  return *known;
}

}  // namespace opwright::torch_bridge
