#include "opwright/check/example/example_text.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "opwright/check/example/tensor_code.h"
#include "opwright/check/values/tensor_layout.h"
#include "opwright/dispatch/registry.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/ir/graph/node_text.h"
#include "opwright/schema/constant.h"
#include "opwright/schema/schema.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor.h"
#include "opwright/tensor/extent.h"
#include "opwright/tensor/random_state.h"
#include "opwright/tensor/storage.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

constexpr std::string_view kTakenWords[] = {
    "False",   "None",     "True",     "and",    "as",      "assert", "async",  "await",
    "break",   "class",    "continue", "def",    "del",     "elif",   "else",   "except",
    "finally", "for",      "from",     "global", "if",      "import", "in",     "is",
    "lambda",  "nonlocal", "not",      "or",     "pass",    "raise",  "return", "try",
    "while",   "with",     "yield",    "ow",     "complex", "float",
};

bool is_plain_layout(const Tensor& tensor) {
  const TensorLayout layout = layout_of(tensor);
  return impl(tensor).storage_offset == 0 && layout.tail == 0 &&
         std::ranges::equal(tensor.strides(), contiguous_strides(tensor.sizes()));
}

constexpr int64_t kMostUnread =
    512;  // elements of a storage that are shown though no tensor has them

// The elements of a storage up to the last one used by a tensor.
int64_t reach_of(const Tensor& tensor) {
  return impl(tensor).storage_offset + find_extent(tensor.sizes(), tensor.strides())->highest + 1;
}

class CodeWriter {
 public:
  explicit CodeWriter(const Example& example) : example_(example) {
    for (const std::string_view word : kTakenWords) names_.emplace(word);
  }

  std::string write() {
    const std::vector<Tensor> tensors = example_.tensors();
    for (const Tensor& tensor : tensors) tensors_on_[impl(tensor).storage].insert(tensor.get());
    for (size_t i = 0; i < tensors.size(); ++i) write_tensor(tensors[i], i);
    const std::string call = call_code();
    std::string text = "import opwright as ow\n\n";
    for (const std::string& line : lines_) text += line + "\n";
    return text + call + "\n";
  }

 private:
  std::string unused_name(std::string name) {
    while (!names_.insert(name).second) name += "_";
    return name;
  }

  // ---- Tensors ----

  std::string name_of_tensor(size_t which) {
    std::string name = example_.tensor_name(which);
    std::erase(name, ']');
    std::ranges::replace(name, '[', '_');
    return unused_name(name);
  }

  void write_tensor(const Tensor& tensor, size_t which) {
    if (!tensor_names_.contains(tensor.get())) {
      const bool is_alone = tensors_on_[impl(tensor).storage].size() == 1;
      std::string code =
          is_alone && is_plain_layout(tensor) ? values_code(tensor) : view_code(tensor, is_alone);
      if (tensor.requires_grad()) code += ".requires_grad_()";
      const std::string name = name_of_tensor(which);
      lines_.push_back(concatenate(name, " = ", code));
      tensor_names_[tensor.get()] = name;
    }
    argument_tensors_.push_back(tensor_names_[tensor.get()]);
  }

  // The storage on its own line, once.
  const std::string& base_of(const Tensor& tensor) {
    auto [entry, is_new] = bases_.try_emplace({impl(tensor).storage, tensor.dtype()});
    if (is_new) {
      entry->second = unused_name("base");
      lines_.push_back(concatenate(entry->second, " = ", values_code(flat_storage(tensor))));
    }
    return entry->second;
  }

  // Only the part of a long storage that its tensors reach.
  [[nodiscard]] Tensor flat_storage(const Tensor& tensor) const {
    const Storage* storage = impl(tensor).storage;
    auto length = static_cast<int64_t>(storage->nbytes / item_size(tensor.dtype()));
    int64_t reach = 0;
    for (const Tensor& each : example_.tensors()) {
      if (impl(each).storage == storage) reach = std::max(reach, reach_of(each));
    }
    if (length - reach > kMostUnread) length = reach;
    return make_view(tensor, Sizes{length}, Sizes{1}, 0);
  }

  std::string view_code(const Tensor& tensor, bool is_alone) {
    if (is_alone) {
      if (const std::optional<std::string> code = permuted_code(tensor)) return *code;
      if (const std::optional<std::string> code = expanded_code(tensor)) return *code;
    }
    const int64_t offset = impl(tensor).storage_offset;
    const std::string& base = base_of(tensor);
    if (tensor.dim() == 1 && tensor.size(0) > 1 && tensor.stride(0) > 0) {
      const int64_t step = tensor.stride(0);
      const int64_t end = offset + step * (tensor.size(0) - 1) + 1;
      return concatenate(base, "[", offset, ":", end, step == 1 ? "" : concatenate(":", step), "]");
    }
    return concatenate(base, ".as_strided(", tuple_code(tensor.sizes()), ", ",
                       tuple_code(tensor.strides()), ", ", offset, ")");
  }

  // Dense, in another order of dimensions.
  static std::optional<std::string> permuted_code(const Tensor& tensor) {
    if (impl(tensor).storage_offset != 0 || layout_of(tensor).tail != 0) return std::nullopt;
    const auto strides = tensor.strides();
    std::vector<int64_t> order(strides.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
    std::ranges::sort(order, [&](int64_t a, int64_t b) {
      const int64_t first = strides[static_cast<size_t>(a)];
      const int64_t second = strides[static_cast<size_t>(b)];
      return first != second ? first > second : a < b;
    });
    const Tensor dense = make_view(tensor, permute_geometry(geometry_of(tensor), order, "code_of"));
    if (!std::ranges::equal(dense.strides(), contiguous_strides(dense.sizes()))) {
      return std::nullopt;
    }
    if (order == std::vector<int64_t>{1, 0}) return values_code(dense) + ".t()";
    std::vector<int64_t> back(order.size());
    for (size_t i = 0; i < order.size(); ++i) {
      back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
    }
    return concatenate(values_code(dense), ".permute(", tuple_code(back), ")");
  }

  // Dense except for dimensions along which one element repeats.
  static std::optional<std::string> expanded_code(const Tensor& tensor) {
    if (impl(tensor).storage_offset != 0 || layout_of(tensor).tail != 0) return std::nullopt;
    Geometry single = geometry_of(tensor);
    for (size_t i = 0; i < single.sizes.size(); ++i) {
      if (single.strides[i] == 0) single.sizes[i] = std::min<int64_t>(single.sizes[i], 1);
    }
    const Sizes dense = contiguous_strides(single.sizes);
    for (size_t i = 0; i < dense.size(); ++i) {
      const bool is_repeated = single.strides[i] == 0 && tensor.sizes()[i] > 1;
      if (!is_repeated && single.strides[i] != dense[i]) return std::nullopt;
    }
    return concatenate(values_code(make_view(tensor, single)), ".expand(",
                       tuple_code(tensor.sizes()), ")");
  }

  // ---- Other values ----

  std::string object_code(const OpwValue& value) {
    if (!value.as_object) return "None";
    if (std::string_view(value.as_object->table->type_name) != "Generator") {
      std::string text;
      append_constant_text(text, value);
      return text;
    }
    const std::string name = unused_name("generator");
    const Tensor state = random_state(Generator::borrow(value.as_object)).state();
    lines_.push_back(concatenate(name, " = ow.Generator()"));
    lines_.push_back(concatenate(name, ".set_state(", values_code(state), ")"));
    return name;
  }

  std::string value_code(const OpwValue& value) {
    if (is_list_tag(value.tag)) {
      std::string text = "[";
      for (uint32_t i = 0; i < value.length; ++i) {
        text += (i == 0 ? "" : ", ") + value_code(list_element(value, i));
      }
      return text + "]";
    }
    switch (value.tag) {
      case kOpwTensor:
        return value.as_tensor ? argument_tensors_[next_tensor_++] : "None";
      case kOpwFloat:
        return float_code(value.as_double);
      case kOpwComplex:
        return concatenate("complex(", float_code(value.as_doubles[0]), ", ",
                           float_code(value.as_doubles[1]), ")");
      case kOpwObject:
        return object_code(value);
      default:
        return constant_code(value);
    }
  }
  static std::string constant_code(const OpwValue& value) {
    std::string text;
    append_constant_text(text, value);
    const bool is_named = value.tag == kOpwDtype || value.tag == kOpwLayout ||
                          value.tag == kOpwMemoryFormat || value.tag == kOpwDeviceValue;
    return is_named ? "ow." + text : text;
  }

  // ---- The call ----

  [[nodiscard]] std::string operator_code() const {
    const OperatorName& name = example_.op().schema().name;
    std::string text = concatenate("ow.ops.", name.name_space, ".", name.base);
    const bool is_only = Registry::get().overloads(name.packet()).size() < 2;
    const bool is_taken = std::ranges::find(kTakenWords, name.overload) != std::end(kTakenWords);
    if (is_taken) return concatenate("getattr(", text, ", \"", name.overload, "\")");
    if (!name.overload.empty()) return concatenate(text, ".", name.overload);
    return is_only ? text : text + ".default";
  }

  // Reserved words of Python are passed through a dict.
  static std::string argument_code(const std::string& name, const std::string& value) {
    const bool is_taken = std::ranges::find(kTakenWords, name) != std::end(kTakenWords);
    return is_taken ? concatenate("**{\"", name, "\": ", value, "}")
                    : concatenate(name, "=", value);
  }

  std::string call_code() {
    const std::vector<Argument>& arguments = example_.op().schema().arguments;
    std::string text;
    bool is_behind_default = false;
    for (size_t i = 0; i < arguments.size(); ++i) {
      const OpwValue& value = example_.values()[i].get();
      const std::optional<Value>& usual = arguments[i].default_value;
      if (usual && equal_values(usual->get(), value)) {
        is_behind_default = true;
        continue;
      }
      if (!text.empty()) text += ", ";
      const bool is_named = arguments[i].is_keyword_only || is_behind_default;
      if (is_named) {
        text += argument_code(arguments[i].name, value_code(value));
      } else {
        text += value_code(value);
      }
    }
    return concatenate(operator_code(), "(", text, ")");
  }

  struct BaseHash {
    size_t operator()(const std::pair<const Storage*, DType>& key) const noexcept {
      return std::hash<const Storage*>()(key.first) + static_cast<size_t>(key.second);
    }
  };

  const Example& example_;
  std::vector<std::string> lines_;
  std::unordered_set<std::string> names_;
  std::unordered_map<const Storage*, std::unordered_set<const OpwTensor*>> tensors_on_;
  std::unordered_map<std::pair<const Storage*, DType>, std::string, BaseHash> bases_;
  std::unordered_map<const OpwTensor*, std::string> tensor_names_;
  std::vector<std::string> argument_tensors_;
  size_t next_tensor_ = 0;
};

}  // namespace

std::string code_of(const Example& example) { return CodeWriter(example).write(); }

}  // namespace opwright
