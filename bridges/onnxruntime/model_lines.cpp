#include "bridges/onnxruntime/model_lines.h"

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/error.h"

namespace opwright::ort_bridge {
namespace {

constexpr uint64_t kMetadataField = 14;  // of ModelProto
constexpr uint64_t kKeyField = 1;        // of StringStringEntryProto
constexpr uint64_t kValueField = 2;
constexpr std::string_view kKey = "opwright.operators";

// The fields of one protobuf message, in their order.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  // False at the end.
  bool next() {
    if (rest_.empty()) return false;
    const uint64_t tag = take_number();
    field_ = tag >> 3;
    bytes_ = {};
    switch (tag & 7) {
      case 0:
        (void)take_number();
        break;
      case 1:
        (void)take_bytes(8);
        break;
      case 2:
        bytes_ = take_bytes(take_number());
        break;
      case 5:
        (void)take_bytes(4);
        break;
      default:
        fail();
    }
    return true;
  }
  [[nodiscard]] uint64_t field() const { return field_; }
  // The contents of a field with a length.
  [[nodiscard]] std::string_view bytes() const { return bytes_; }

 private:
  uint64_t take_number() {
    uint64_t number = 0;
    for (uint32_t shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<uint8_t>(take_bytes(1)[0]);
      number |= uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return number;
    }
    fail();
  }
  std::string_view take_bytes(uint64_t length) {
    if (length > rest_.size()) fail();
    const std::string_view taken = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return taken;
  }
  [[noreturn]] static void fail() {
    throw_error("ValueError", "the list of operators cannot be read: this is not an ONNX model");
  }

  std::string_view rest_;
  uint64_t field_ = 0;
  std::string_view bytes_;
};

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    if (end != 0) lines.emplace_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return lines;
}

}  // namespace

std::vector<std::string> read_model_lines(std::string_view model) {
  WireReader fields(model);
  while (fields.next()) {
    if (fields.field() != kMetadataField) continue;
    std::string_view key;
    std::string_view value;
    WireReader entry(fields.bytes());
    while (entry.next()) {
      if (entry.field() == kKeyField) key = entry.bytes();
      if (entry.field() == kValueField) value = entry.bytes();
    }
    if (key == kKey) return split_lines(value);
  }
  return {};
}

std::vector<std::string> read_model_file_lines(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  OPWRIGHT_CHECK_KIND("OSError", file, "the model '", path, "' cannot be opened");
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return read_model_lines(bytes);
}

}  // namespace opwright::ort_bridge
