// The weights and constants of an archive as tensors over the mapped file.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/program/file/mapped_file.h"
#include "opwright/pt2/archive/archive_graph.h"
#include "opwright/pt2/container/zip_archive.h"
#include "opwright/tensor.h"

namespace opwright::pt2 {

// The bytes of the archive. Without a mapping that contains them, tensors are copied.
struct ArchiveBytes {
  std::string_view bytes;
  MappedFilePtr mapping;
};

using TensorsByName = std::map<std::string, Tensor, std::less<>>;

// Tensors that name one entry share its memory, which is the file's if it is mapped and the entry
// is aligned for every dtype, else a copy. `folder` has the entries: "model/data/weights/".
// ValueError for a tensor that its entry cannot hold, by name. The bytes are read only when a
// tensor is used, so their checksums are not verified.
[[nodiscard]] TensorsByName make_archive_tensors(const ZipArchive& archive,
                                                 const std::string& folder,
                                                 const std::vector<WrittenPayload>& payloads,
                                                 const ArchiveBytes& file);

}  // namespace opwright::pt2
