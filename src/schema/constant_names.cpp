#include "opwright/schema/constant_names.h"

namespace opwright {
namespace {

struct OtherName {
  std::string_view name;
  DType dtype;
};
constexpr OtherName kOtherNames[] = {
    {"byte", DType::UInt8},        {"char", DType::Int8},          {"short", DType::Int16},
    {"int", DType::Int32},         {"long", DType::Int64},         {"half", DType::Float16},
    {"float", DType::Float32},     {"double", DType::Float64},     {"cfloat", DType::Complex64},
    {"complex", DType::Complex64}, {"cdouble", DType::Complex128},
};

struct TorchNumber {
  int64_t number;
  DType dtype;
};
constexpr TorchNumber kTorchNumbers[] = {
    {0, DType::UInt8},       {1, DType::Int8},          {2, DType::Int16},   {3, DType::Int32},
    {4, DType::Int64},       {5, DType::Float16},       {6, DType::Float32}, {7, DType::Float64},
    {9, DType::Complex64},   {10, DType::Complex128},   {11, DType::Bool},   {15, DType::BFloat16},
    {23, DType::Float8E5M2}, {24, DType::Float8E4M3FN}, {27, DType::UInt16}, {28, DType::UInt32},
    {29, DType::UInt64},
};

// By number.
constexpr const char* kMemoryFormats[] = {"contiguous_format", "preserve_format", "channels_last",
                                          "channels_last_3d"};
constexpr const char* kLayouts[] = {"strided"};

template <size_t N>
std::optional<int64_t> find_in(const char* const (&names)[N], std::string_view name) {
  for (size_t i = 0; i < N; ++i) {
    if (name == names[i]) return static_cast<int64_t>(i);
  }
  return std::nullopt;
}

template <size_t N>
const char* name_in(const char* const (&names)[N], int64_t number) {
  return number >= 0 && number < static_cast<int64_t>(N) ? names[number] : nullptr;
}

}  // namespace

std::optional<DType> find_dtype(std::string_view name) noexcept {
  for (const DTypeName& entry : kDTypes) {
    if (name == entry.name) return entry.dtype;
  }
  for (const OtherName& entry : kOtherNames) {
    if (name == entry.name) return entry.dtype;
  }
  return std::nullopt;
}

std::optional<DType> dtype_of_torch_number(int64_t number) noexcept {
  for (const TorchNumber& entry : kTorchNumbers) {
    if (number == entry.number) return entry.dtype;
  }
  return std::nullopt;
}

std::optional<int64_t> torch_number_of(DType dtype) noexcept {
  for (const TorchNumber& entry : kTorchNumbers) {
    if (dtype == entry.dtype) return entry.number;
  }
  return std::nullopt;
}

std::vector<std::string_view> dtype_names() {
  std::vector<std::string_view> names;
  for (const DTypeName& entry : kDTypes) names.emplace_back(entry.name);
  for (const OtherName& entry : kOtherNames) names.push_back(entry.name);
  return names;
}

std::optional<MemoryFormat> find_memory_format(std::string_view name) noexcept {
  const auto number = find_in(kMemoryFormats, name);
  if (!number) return std::nullopt;
  return static_cast<MemoryFormat>(*number);
}

const char* memory_format_name_or_null(int64_t number) noexcept {
  return name_in(kMemoryFormats, number);
}

std::optional<Layout> find_layout(std::string_view name) noexcept {
  const auto number = find_in(kLayouts, name);
  if (!number) return std::nullopt;
  return static_cast<Layout>(*number);
}

const char* layout_name_or_null(int64_t number) noexcept { return name_in(kLayouts, number); }

std::optional<int64_t> find_int_name(std::string_view name) noexcept {
  if (name == "Mean") return 1;  // of torch's reductions
  if (name == "Sum") return 2;
  if (const auto dtype = find_dtype(name)) return torch_number_of(*dtype);
  if (const auto number = find_in(kLayouts, name)) return number;
  return find_in(kMemoryFormats, name);
}

}  // namespace opwright
