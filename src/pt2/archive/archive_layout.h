// The entries of an archive of torch.export.save: "<root>/models/<model>.json" and others. The root
// is the stem of the file's name.
#pragma once

#include <array>
#include <string_view>

namespace opwright::pt2 {

inline constexpr std::string_view kModels = "models/";
inline constexpr std::string_view kJson = ".json";

// Entries with the same text in every archive that is supported.
struct FixedEntry {
  std::string_view name;
  std::string_view text;
};
inline constexpr auto kFixedEntries = std::to_array<FixedEntry>({
    {"archive_format", "pt2"},
    {"archive_version", "0"},
    {"byteorder", "little"},
});

// A folder of tensors: "<path><model><config>" says what they are, and "<path><prefix>0", ... have
// the bytes of their storages.
struct TensorFolder {
  std::string_view path;
  std::string_view config;
  std::string_view prefix;
};
inline constexpr TensorFolder kWeights = {"data/weights/", "_weights_config.json", "weight_"};
inline constexpr TensorFolder kConstants = {"data/constants/", "_constants_config.json", "tensor_"};

}  // namespace opwright::pt2
