// Operators for a process that runs torch without Python, such as an AOTInductor program.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "bridges/torch/stable_abi.h"
#include "bridges/torch/torch_operator.h"
#include "opwright/error.h"
#include "opwright/runtime/bridge.h"
#include "opwright/tag.h"

namespace opwright::torch_bridge {
namespace {

struct TagGetter {
  Tag tag;
  const char* getter;
};
constexpr TagGetter kTags[] = {
    {Tag::Pointwise, "torch_tag_pointwise"},
    {Tag::Reduction, "torch_tag_reduction"},
    {Tag::Core, "torch_tag_core"},
    {Tag::NondeterministicSeeded, "torch_tag_nondeterministic_seeded"},
    {Tag::DataDependentOutput, "torch_tag_data_dependent_output"},
    {Tag::DynamicOutputShape, "torch_tag_dynamic_output_shape"},
    {Tag::NeedsExactStrides, "torch_tag_needs_exact_strides"},
};

std::vector<int32_t> torch_tags(Tags tags) {
  std::vector<int32_t> numbers;
  const auto add = [&](const char* getter) {
    auto* function = reinterpret_cast<int32_t (*)()>(find_torch_symbol(getter));
    if (function) numbers.push_back(function());
  };
  add("torch_tag_pt2_compliant_tag");
  for (const TagGetter& each : kTags) {
    if (tags.has(each.tag)) add(each.getter);
  }
  return numbers;
}

// The block is never closed: that would remove the definition.
void define(const OperatorDescription& description) {
  const std::string schema = description.schema.substr(description.name_space.size() + 2);
  LibraryBlock* block = nullptr;
  require_success(
      torch_abi.open_fragment(description.name_space.c_str(), description.site.c_str(), 0, &block),
      "defining an operator in torch");
  Status status = 0;
  if (torch_abi.define_with_tags) {
    const std::vector<int32_t> tags = torch_tags(description.tags);
    status = torch_abi.define_with_tags(block, schema.c_str(), tags.data(),
                                        static_cast<int32_t>(tags.size()));
  } else {
    status = torch_abi.define(block, schema.c_str());
  }
  require_success(status, "defining an operator in torch");
}

void register_functions(TorchOperator& op) {
  if (op.functions.contains("CompositeImplicitAutograd")) {
    register_thunk(op, Thunk::Composite, "CompositeImplicitAutograd");
  }
  if (op.functions.contains("CompositeExplicitAutograd")) {
    register_thunk(op, Thunk::Kernel, "CompositeExplicitAutograd");
  }
  for (const char* key : {"CPU", "CUDA"}) {
    if (op.functions.contains(key)) register_thunk(op, Thunk::Kernel, key);
  }
}

}  // namespace

void load_without_python(const std::string& path) {
  static std::mutex mutex;
  static std::set<const TorchLibrary*> loaded;
  const std::lock_guard lock(mutex);
  TorchLibrary& library = open_library(path);
  if (loaded.contains(&library)) return;
  for (const std::string& name : library.contents.operators) {
    const std::string reason = uncarried_reason(library.operators.at(name)->description);
    if (!reason.empty()) throw Error("TypeError", reason);
  }
  loaded.insert(&library);
  for (const std::string& name : library.contents.operators) {
    TorchOperator& op = *library.operators.at(name);
    define(op.description);
    register_functions(op);
  }
}

}  // namespace opwright::torch_bridge

// Loads an operator binary into the torch of this process. Returns 0, or 1 with the kind and text
// of the error written to `error` (at most `capacity` bytes with the final zero).
extern "C" int opw_torch_load(const char* path, char* error, size_t capacity) {
  try {
    opwright::torch_bridge::load_without_python(path);
    return 0;
  } catch (...) {
    const opwright::Error given = opwright::current_error();
    const std::string text = opwright::concatenate(given.kind(), ": ", given.message());
    if (error && capacity > 0) {
      const size_t length = std::min(text.size(), capacity - 1);
      std::memcpy(error, text.data(), length);
      error[length] = '\0';
    }
    return 1;
  }
}
