// libFuzzer: any bytes are a program of PyTorch that reads as one of ours, or an error.
//
// Bytes with wrong checksums would never reach the readers of texts, so each input is also tried as
// the parts of an archive: the JSON of the program, of the weights and of the constants, then the
// bytes of a weight, with a zero after each.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "opwright/error.h"
#include "opwright/program/export/exported_program.h"
#include "opwright/pt2/pt2_file.h"
#include "pt2/zip_writer.h"

namespace {

// Nothing but a program or an error that says something.
void check(std::string_view bytes) {
  try {
    if (to_text(*opwright::read_pt2(bytes, "fuzz.pt2")).empty()) std::abort();
  } catch (const opwright::Error& error) {
    const std::string_view kind = error.kind();
    if (kind.empty() || kind == "AssertionError" || std::string_view(error.text()).empty())
      std::abort();
  }
}

// The text up to the next zero, which is removed with it.
std::string_view take_part(std::string_view& bytes) {
  const std::string_view part = bytes.substr(0, bytes.find('\0'));
  bytes.remove_prefix(std::min(bytes.size(), part.size() + 1));
  return part;
}

std::string archive_of(std::string_view parts) {
  opwright::pt2::testing::ZipWriter zip;
  zip.add({"m/archive_format", "pt2"}).add({"m/models/model.json", take_part(parts)});
  zip.add({"m/data/weights/model_weights_config.json", take_part(parts)});
  zip.add({"m/data/constants/model_constants_config.json", take_part(parts)});
  zip.add({"m/data/weights/weight_0", parts}).add({"m/data/constants/tensor_0", parts});
  return zip.finish();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check(bytes);
  check(archive_of(bytes));
  return 0;
}
