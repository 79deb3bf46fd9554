#include "opwright/check/variation/other_sizes.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <random>
#include <string_view>
#include <utility>

#include "opwright/check/example/tensor_call.h"
#include "opwright/device.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/symbolic/expression/interval.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/extent.h"
#include "opwright/tensor/factory.h"

namespace opwright {
namespace {

constexpr int64_t kMostResizedElements = int64_t{1} << 18;

bool is_computable(const ShapeEnv& env, const SymInt& expression, const SymbolValues& values) {
  if (!expression.is_symbolic()) return true;
  return std::ranges::all_of(env.free_symbols(expression),
                             [&](const std::string& name) { return values.contains(name); });
}

// Whether rows of one dimension overlap; a repeated dimension (stride 0) does not count.
bool runs_into_itself(const Geometry& geometry) {
  std::vector<std::pair<int64_t, int64_t>> dims;
  for (size_t i = 0; i < geometry.sizes.size(); ++i) {
    if (geometry.sizes[i] > 1 && geometry.strides[i] != 0)
      dims.emplace_back(std::abs(geometry.strides[i]), geometry.sizes[i]);
  }
  std::ranges::sort(dims);
  int64_t reach = 0;
  for (const auto& [stride, size] : dims) {
    if (stride <= reach) return true;
    reach += (size - 1) * stride;
  }
  return false;
}

std::optional<Geometry> evaluate_form(const ShapeEnv& env, const SymGeometry& form,
                                      const SymbolValues& values) {
  Geometry geometry;
  const auto put = [&](const SymInt& from, int64_t& to) {
    const std::optional<int64_t> value = evaluate_size(env, from, values);
    if (value) to = *value;
    return value.has_value();
  };
  geometry.sizes = Sizes(form.sizes.size());
  geometry.strides = Sizes(form.strides.size());
  bool is_known = put(form.offset, geometry.offset);
  for (size_t i = 0; i < form.sizes.size(); ++i) {
    is_known = is_known && put(form.sizes[i], geometry.sizes[i]) &&
               put(form.strides[i], geometry.strides[i]);
  }
  if (!is_known) return std::nullopt;
  return geometry;
}

// Each element of `to` is that of `from` at the same index, wrapping around beyond its sizes.
void fill_from(const Tensor& to, const Tensor& from) {
  const size_t bytes = item_size(to.dtype());
  auto* target = static_cast<std::byte*>(to.mutable_data());
  const auto* source = static_cast<const std::byte*>(from.data());
  Sizes index(to.sizes().size(), 0);
  const int64_t count = to.numel();
  for (int64_t i = 0; i < count; ++i) {
    int64_t there = 0;
    int64_t here = 0;
    for (size_t dim = 0; dim < index.size(); ++dim) {
      here += index[dim] * to.strides()[dim];
      there += index[dim] % from.sizes()[dim] * from.strides()[dim];
    }
    std::memcpy(target + here * static_cast<int64_t>(bytes),
                source + there * static_cast<int64_t>(bytes), bytes);
    for (size_t dim = index.size(); dim-- > 0;) {
      if (++index[dim] < to.sizes()[dim]) break;
      index[dim] = 0;
    }
  }
}

std::optional<Tensor> resize_tensor(const Tensor& original, const Geometry& wanted) {
  const Geometry before = geometry_of(original);
  if (std::ranges::equal(before.sizes, wanted.sizes) &&
      std::ranges::equal(before.strides, wanted.strides)) {
    return copy_with_storage(original);
  }
  if (original.device() != Device(kCpu) || original.numel() == 0) return std::nullopt;
  const std::optional<Extent> extent = find_extent(wanted.sizes, wanted.strides);
  if (!extent || extent->lowest != 0 || wanted.offset < 0 ||
      extent->length() + wanted.offset > kMostResizedElements) {
    return std::nullopt;
  }
  if (runs_into_itself(wanted) && !runs_into_itself(before)) return std::nullopt;
  const int64_t length[] = {extent->length() + wanted.offset};
  const Tensor whole = make_empty(length, original.dtype());
  std::memset(whole.mutable_data(), 0,
              static_cast<size_t>(length[0]) * item_size(original.dtype()));
  Tensor resized = make_view(whole, wanted);
  if (resized.numel() != 0) fill_from(resized, original);
  return resized;
}

}  // namespace

SymbolicForms forms_of(const std::vector<Tensor>& twins) {
  SymbolicForms forms;
  for (const Tensor& twin : twins) forms.push_back(sym_geometry_of(twin));
  return forms;
}

std::vector<SizeSymbol> size_symbols(const Example& example, const SymbolicForms& forms) {
  std::vector<SizeSymbol> symbols;
  const std::vector<Tensor> tensors = example.tensors();
  for (size_t i = 0; i < tensors.size(); ++i) {
    for (size_t dim = 0; dim < forms[i].sizes.size(); ++dim) {
      const SymInt& size = forms[i].sizes[dim];
      if (!size.is_symbolic()) continue;
      std::string name = concatenate(size);
      if (std::ranges::find(symbols, name, &SizeSymbol::name) != symbols.end()) continue;
      symbols.push_back(
          {.name = std::move(name),
           .value = tensors[i].sizes()[dim],
           .source = concatenate("dimension ", dim, " of '", example.tensor_name(i), "'")});
    }
  }
  return symbols;
}

SymbolValues values_of(const std::vector<SizeSymbol>& symbols) {
  SymbolValues values;
  for (const SizeSymbol& symbol : symbols) values.insert_or_assign(symbol.name, symbol.value);
  return values;
}

std::string describe_sizes(const std::vector<SizeSymbol>& symbols, const SymbolValues& values) {
  std::string text;
  for (const SizeSymbol& symbol : symbols) {
    const SymInt& value = values.at(symbol.name);
    if (value.word() == symbol.value) continue;
    text += concatenate(text.empty() ? " where " : ", ", symbol.source, " is ", value);
  }
  return text;
}

std::vector<SymbolValues> propose_sizes(const std::vector<SizeSymbol>& symbols, uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto small = [&] { return static_cast<int64_t>(2 + random() % 8); };
  const SymbolValues now = values_of(symbols);
  std::vector<SymbolValues> proposals;
  const auto propose = [&](const auto& value_of) {
    SymbolValues values;
    for (const SizeSymbol& each : symbols) values.insert_or_assign(each.name, value_of(each));
    proposals.push_back(std::move(values));
  };
  const auto propose_alone = [&](const SizeSymbol& symbol, int64_t value) {
    proposals.push_back(now);
    proposals.back().insert_or_assign(symbol.name, value);
  };
  if (symbols.empty()) return proposals;
  propose([](const SizeSymbol& each) { return SymInt(each.value + 1); });
  propose([](const SizeSymbol& each) { return SymInt(each.value * 2); });
  propose([&](const SizeSymbol& /*each*/) { return SymInt(small()); });
  for (size_t i = 0; i < symbols.size() && i < 4; ++i) {
    propose_alone(symbols[i], symbols[i].value + 1);
    propose_alone(symbols[i], symbols[i].value * 2);
  }
  propose([](const SizeSymbol& each) { return SymInt(each.value * 3); });
  for (int i = 0; i < 2; ++i) {
    propose([&](const SizeSymbol& /*each*/) { return SymInt(small()); });
    propose_alone(symbols[random() % symbols.size()], small());
  }
  return proposals;
}

std::optional<int64_t> evaluate_size(const ShapeEnv& env, const SymInt& expression,
                                     const SymbolValues& values) {
  if (!expression.is_symbolic()) return expression.word();
  if (!is_computable(env, expression, values)) return std::nullopt;
  const SymInt value = substitute(env, expression, values);
  if (value.is_symbolic()) return std::nullopt;
  return value.word();
}

const Guard* find_broken_guard(const ShapeEnv& env, const SymbolValues& values) {
  for (const Guard& guard : env.guards()) {
    if (evaluate_size(env, guard.condition, values) == 0) return &guard;
  }
  return nullptr;
}

bool admits(const ShapeEnv& env, const SymbolValues& values) {
  for (const Symbol& symbol : env.symbols()) {
    const auto found = values.find(symbol.name);
    if (found == values.end()) continue;
    const int64_t value = found->second.word();
    if (!contains(symbol.range, value)) return false;
    if (!symbol.equals) continue;
    const std::optional<int64_t> other = evaluate_size(env, *symbol.equals, values);
    if (other && *other != value) return false;
  }
  return !find_broken_guard(env, values);
}

std::optional<Example> resize(const Example& example, const ShapeEnv& env,
                              const SymbolicForms& forms, const SymbolValues& values) {
  const DistinctTensors distinct(example);
  if (distinct.share_memory()) return std::nullopt;
  const std::vector<Tensor> all = example.tensors();
  std::vector<Tensor> resized;
  for (const Tensor& tensor : distinct.get()) {
    const auto place =
        static_cast<size_t>(std::ranges::find(all, tensor.get(), &Tensor::get) - all.begin());
    const std::optional<Geometry> wanted = evaluate_form(env, forms[place], values);
    if (!wanted) return std::nullopt;
    std::optional<Tensor> made = resize_tensor(tensor, *wanted);
    if (!made) return std::nullopt;
    resized.push_back(std::move(*made));
  }
  return example.with_tensors(distinct.spread(resized));
}

std::optional<FaultAtSizes> find_fault_at_other_sizes(const MadeOverSymbols& made, uint64_t seed,
                                                      int most, const LookAtSizes& look) {
  const std::vector<SizeSymbol> symbols = size_symbols(made.example, made.forms);
  int done = 0;
  for (const SymbolValues& values : propose_sizes(symbols, seed)) {
    if (done == most) break;
    if (!admits(made.env, values)) continue;
    const std::optional<Example> resized = resize(made.example, made.env, made.forms, values);
    if (!resized) continue;
    std::optional<std::string> what = look(*resized, values);
    if (!what) continue;
    ++done;
    if (!what->empty()) return FaultAtSizes{describe_sizes(symbols, values), std::move(*what)};
  }
  return std::nullopt;
}

bool is_refused_by_guards(const Outcome& run) {
  return run.error && std::string_view(run.error->text()).starts_with("graph: ");
}

}  // namespace opwright
