#include "opwright/pt2/archive/archive_tensors.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/autograd/history.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/program/file/program_text.h"
#include "opwright/program/file/stored_tensors.h"
#include "opwright/pt2/archive/archive_graph.h"
#include "opwright/pt2/container/zip_archive.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/tensor/extent.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright::pt2 {
namespace {

std::vector<SymInt> plain_sizes(const std::vector<WrittenSize>& sizes, const std::string& name) {
  std::vector<SymInt> plain;
  plain.reserve(sizes.size());
  for (const WrittenSize& size : sizes) {
    OPWRIGHT_CHECK_VALUE(size.expression.empty() && size.number >= 0, "the stored tensor '", name,
                         "' has a size that is not a number of 0 or more");
    plain.emplace_back(size.number);
  }
  return plain;
}

// The message of the reader of blocks has no names.
void check_bytes(const Tensor& meta, const WrittenPayload& payload, const ZipEntry& entry) {
  const TensorImpl& shown = impl(meta);
  const auto extent = find_extent(shown.shape(), shown.strides());
  int64_t elements = 0;
  const bool is_sum =
      extent && !__builtin_add_overflow(extent->length(), shown.storage_offset, &elements);
  const auto needed = is_sum ? bytes_of(elements, item_size(shown.dtype())) : std::nullopt;
  OPWRIGHT_CHECK_VALUE(needed, "the stored tensor '", payload.name, "', ", meta, ", is too large");
  OPWRIGHT_CHECK_VALUE(static_cast<uint64_t>(*needed) <= entry.data.size(), "the stored tensor '",
                       payload.name, "', ", meta, ", needs ", *needed, " bytes, but its entry '",
                       entry.name, "' has ", entry.data.size());
}

Tensor describe(const WrittenPayload& payload) {
  const WrittenTensor& written = payload.tensor;
  const std::vector<SymInt> sizes = plain_sizes(written.sizes, payload.name);
  const std::vector<SymInt> strides = plain_sizes(written.strides, payload.name);
  const std::vector<SymInt> offset = plain_sizes({written.offset}, payload.name);
  Tensor meta;
  try {
    meta = make_fake(sizes, strides, offset[0], written.dtype, written.device);
  } catch (const Error& error) {
    throw_error(error.kind(), "the stored tensor '", payload.name, "': ", error.text());
  }
  if (written.requires_grad) set_requires_grad(meta, true);
  return meta;
}

}  // namespace

TensorsByName make_archive_tensors(const ZipArchive& archive, const std::string& folder,
                                   const std::vector<WrittenPayload>& payloads,
                                   const ArchiveBytes& file) {
  ProgramText text;
  std::map<std::string_view, size_t> block_of;
  for (const WrittenPayload& payload : payloads) {
    const ZipEntry* entry = archive.find(folder + payload.path);
    OPWRIGHT_CHECK_VALUE(entry, archive.origin(), ": the archive has no entry '", folder,
                         payload.path, "' for '", payload.name, "'");
    const auto [found, is_new] = block_of.try_emplace(payload.path, text.blocks.size());
    if (is_new) {
      const auto offset = static_cast<uint64_t>(entry->data.data() - file.bytes.data());
      text.blocks.push_back(
          {.offset = offset, .bytes = entry->data.size(), .checksum = entry->checksum});
    }
    Tensor meta = describe(payload);
    // torch stores no bytes for a fake tensor either.
    OPWRIGHT_CHECK_VALUE(!entry->data.empty() || std::ranges::any_of(payload.tensor.sizes,
                                                                     [](const WrittenSize& size) {
                                                                       return size.number == 0;
                                                                     }),
                         archive.origin(), ": '", payload.name,
                         "' has no bytes in the archive; it was exported from fake tensors");
    check_bytes(meta, payload, *entry);
    text.tensors.push_back({.block = found->second, .meta = std::move(meta)});
  }
  const std::vector<Tensor> tensors =
      make_stored_tensors(text, {.data = file.bytes, .mapping = file.mapping, .is_checked = false});
  TensorsByName named;
  for (size_t i = 0; i < payloads.size(); ++i) named.emplace(payloads[i].name, tensors[i]);
  return named;
}

}  // namespace opwright::pt2
