#include "opwright/host/binary.h"

#include <dlfcn.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "opwright/base/first_sizes.h"
#include "opwright/runtime/runtime.h"
#include "opwright/schema/parser.h"

namespace opwright {
namespace {

constexpr size_t kMostBlocks = 65536;  // more means a loop or damage

[[noreturn]] void refuse(const std::string& path, const std::string& problem) {
  throw Error("ImportError", path + " cannot be used as an operator binary: " + problem);
}

void check_imports(const OpwBinary& binary, const std::string& path) {
  if (binary.num_imports > kMostBlocks)
    refuse(path, concatenate("it claims ", binary.num_imports, " imports"));
  std::vector<bool> is_there(binary.num_imports, false);
  size_t count = 0;
  for (const OpwImport* each = binary.imports; each; each = each->next) {
    if (++count > binary.num_imports) refuse(path, "its list of imports does not end");
    if (each->struct_size < kFirstImportSize) refuse(path, "an import is not of this ABI");
    if (!each->name || !each->signature) refuse(path, "an import has no name");
    if (each->index >= binary.num_imports || is_there[each->index]) {
      refuse(path, concatenate("its imports are numbered wrongly (", each->name, " has ",
                               each->index, ")"));
    }
    is_there[each->index] = true;
  }
  if (count != binary.num_imports)
    refuse(path, concatenate("it claims ", binary.num_imports, " imports, but has ", count));
}

void check_devices(const OpwBinary& binary, const std::string& path) {
  size_t count = 0;
  for (const OpwDevicePlugin* each = first_device(binary); each; each = each->next) {
    if (++count > kMostBlocks) refuse(path, "its list of devices does not end");
    if (each->struct_size < kFirstDevicePluginSize || !each->table)
      refuse(path, "a device is not of this ABI");
  }
}

}  // namespace

const OpwDevicePlugin* first_device(const OpwBinary& binary) noexcept {
  return binary.struct_size < sizeof(OpwBinary) ? nullptr : binary.devices;
}

void check_binary(const OpwBinary& binary, const std::string& path) {
  if (binary.abi_major != OPW_ABI_MAJOR) {
    throw_error("ImportError", path, " was built for ABI ", binary.abi_major, ".", binary.abi_minor,
                " of Opwright, this is ABI ", OPW_ABI_MAJOR, ".", OPW_ABI_MINOR,
                "\n  Build it again with the headers of this version.");
  }
  if (binary.struct_size < kFirstBinarySize)
    refuse(path, concatenate("its description has ", binary.struct_size, " bytes"));
  size_t blocks = 0;
  for (const OpwLibrary* each = binary.libraries; each; each = each->next) {
    if (++blocks > kMostBlocks) refuse(path, "its list of library blocks does not end");
    if (each->struct_size < kFirstLibrarySize) refuse(path, "a library block is not of this ABI");
  }
  check_imports(binary, path);
  check_devices(binary, path);
}

std::string absolute_path(const std::string& path) {
  std::error_code problem;
  const std::filesystem::path whole = std::filesystem::canonical(path, problem);
  return problem ? path : whole.string();
}

const OpwBinary& open_binary(const std::string& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) throw Error("OSError", "there is no file " + path);
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* problem = dlerror();
    throw Error("OSError",
                concatenate(path, " cannot be loaded: ", problem ? problem : "no reason was given",
                            "\n  `ldd` shows the libraries that it needs."));
  }
  const auto entry = reinterpret_cast<OpwBinaryFunction>(dlsym(handle, OPW_BINARY_SYMBOL));
  if (!entry) {
    dlclose(handle);
    throw Error("ImportError",
                path + " is a shared library, but not an operator binary: it does not export " +
                    OPW_BINARY_SYMBOL + "\n  Include opwright/opwright.h in one of its sources.");
  }
  const OpwBinary* binary = entry();
  if (!binary) refuse(path, "it describes nothing");
  check_binary(*binary, path);
  return *binary;
}

BlockContents collect_binary(const OpwBinary& binary, const OpwHost& host) {
  std::vector<const OpwLibrary*> blocks;
  for (const OpwLibrary* each = binary.libraries; each; each = each->next) blocks.push_back(each);
  BlockContents contents;
  for (auto each = blocks.rbegin(); each != blocks.rend(); ++each)
    collect_block(**each, host, contents);
  return contents;
}

LibraryDescription describe_library(const std::string& path) {
  const OpwBinary& binary = open_binary(path);
  LibraryDescription description{
      .path = path, .definitions = {}, .functions = {}, .imports = {}, .devices = {}};
  for (const OpwDevicePlugin* each = first_device(binary); each; each = each->next)
    description.devices.emplace_back(each->table->name);
  const BlockContents contents = collect_binary(binary, core_host());
  for (const BlockDefinition& each : contents.definitions) {
    description.definitions.push_back(
        {to_text(parse_definition(each.schema, each.site, each.name_space)), each.site.text()});
  }
  for (const BlockFunction& each : contents.functions) {
    description.functions.push_back({each.name, each.slot,
                                     each.function.signature ? each.function.signature : "",
                                     each.site.text()});
  }
  for (const OpwImport* each = binary.imports; each; each = each->next)
    description.imports.emplace_back(each->name);
  std::sort(description.imports.begin(), description.imports.end());
  const auto repeated = std::unique(description.imports.begin(), description.imports.end());
  description.imports.erase(repeated, description.imports.end());
  return description;
}

std::string to_text(const LibraryDescription& description) {
  std::string text = description.path + "\n";
  for (const auto& each : description.devices)
    text += concatenate("  adds the device ", each, "\n");
  for (const auto& each : description.definitions)
    text += concatenate("  defines ", each.schema, "  # ", each.site, "\n");
  for (const auto& each : description.functions) {
    text += concatenate("  implements ", each.name, " for ", each.slot, "  # ", each.site, "\n");
  }
  for (const auto& each : description.imports) text += concatenate("  imports ", each, "\n");
  return text;
}

}  // namespace opwright
