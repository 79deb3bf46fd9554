#include "command/npy_header.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "opwright/dtype.h"
#include "opwright/error.h"

namespace opwright::command {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kAlignment = 64;
constexpr size_t kMostDims = 64;

// Parses the header's dictionary.
class HeaderParser {
 public:
  HeaderParser(const std::string& path, std::string_view text) : path_(path), text_(text) {}

  NpyHeader parse() {
    expect('{');
    while (!accept('}')) {
      parse_entry();
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_spaces();
    if (!text_.empty()) fail("there is text after the dictionary");
    if (!has_descr_ || !has_order_ || !has_shape_)
      fail("descr, fortran_order and shape are required");
    return std::move(header_);
  }

 private:
  [[noreturn]] void fail(std::string_view problem) const {
    throw_error("ValueError", path_, ": the header of the NumPy file is wrong: ", problem);
  }
  void skip_spaces() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\n'))
      text_.remove_prefix(1);
  }
  bool accept(char character) {
    skip_spaces();
    if (!text_.starts_with(character)) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char character) {
    if (!accept(character)) fail(concatenate("'", character, "' is missing"));
  }
  bool accept_word(std::string_view word) {
    skip_spaces();
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }

  void parse_entry() {
    const std::string key = parse_string();
    expect(':');
    if (key == "descr" && !has_descr_) {
      parse_descr();
    } else if (key == "fortran_order" && !has_order_) {
      parse_order();
    } else if (key == "shape" && !has_shape_) {
      parse_shape();
    } else {
      fail("it has an unknown or duplicate entry");
    }
  }
  std::string parse_string() {
    skip_spaces();
    if (!text_.starts_with('\'') && !text_.starts_with('"')) fail("a string is missing");
    const size_t end = text_.find(text_.front(), 1);
    if (end == std::string_view::npos) fail("a string has no end");
    std::string found(text_.substr(1, end - 1));
    text_.remove_prefix(end + 1);
    return found;
  }
  void parse_descr() {
    skip_spaces();
    if (text_.starts_with('['))
      throw_error("ValueError", path_,
                  " holds records (a structured array); a program takes arrays of one dtype");
    header_.descr = parse_string();
    has_descr_ = true;
  }
  void parse_order() {
    header_.is_fortran_order = accept_word("True");
    if (!header_.is_fortran_order && !accept_word("False"))
      fail("fortran_order is neither True nor False");
    has_order_ = true;
  }
  void parse_shape() {
    expect('(');
    while (!accept(')')) {
      header_.shape.push_back(parse_size());
      if (header_.shape.size() > kMostDims) fail("it has more than 64 dimensions");
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    has_shape_ = true;
  }
  int64_t parse_size() {
    skip_spaces();
    int64_t size = 0;
    const auto [stop, error] = std::from_chars(text_.data(), text_.data() + text_.size(), size);
    if (error != std::errc() || size < 0) fail("a size is no number, negative or too large");
    text_.remove_prefix(static_cast<size_t>(stop - text_.data()));
    if (text_.starts_with('L')) text_.remove_prefix(1);  // a long of Python 2
    return size;
  }

  const std::string& path_;
  std::string_view text_;
  NpyHeader header_;
  bool has_descr_ = false;
  bool has_order_ = false;
  bool has_shape_ = false;
};

char kind_letter(DType dtype) {
  switch (dtype_code(dtype)) {
    case kOpwDtypeInt:
      return 'i';
    case kOpwDtypeUInt:
      return 'u';
    case kOpwDtypeFloat:
      return 'f';
    case kOpwDtypeComplex:
      return 'c';
    case kOpwDtypeBool:
      return 'b';
    default:
      return 'V';
  }
}

// Raw bytes: "<V2"; unsigned ints of the same size count too.
bool is_raw(const std::string& descr, DType wanted) {
  if (kind_letter(wanted) != 'V') return false;
  const std::string size = std::to_string(item_size(wanted));
  return descr.size() == 3 && (descr[1] == 'V' || descr[1] == 'u') && descr.substr(2) == size &&
         descr[0] != '>';
}

}  // namespace

NpyPrefix parse_npy_prefix(const std::string& path, std::string_view bytes) {
  OPWRIGHT_CHECK_VALUE(bytes.starts_with(kMagic) && bytes.size() >= 10, path,
                       " is not a NumPy file; numpy.save writes one");
  const auto byte = [&](size_t place) {
    return static_cast<size_t>(static_cast<unsigned char>(bytes[place]));
  };
  const size_t version = byte(6);
  OPWRIGHT_CHECK_VALUE(version >= 1 && version <= 3, path, ": version ", version,
                       " of NumPy's format is unknown; this reads 1 to 3");
  NpyPrefix prefix{10, byte(8) | byte(9) << 8};
  if (version > 1) {
    OPWRIGHT_CHECK_VALUE(bytes.size() >= kLongestNpyPrefix, path,
                         " is truncated: its header has no end");
    prefix = {kLongestNpyPrefix, prefix.header_length | byte(10) << 16 | byte(11) << 24};
  }
  OPWRIGHT_CHECK_VALUE(prefix.header_length <= kLongestNpyHeader, path,
                       ": the header of the NumPy file has ", prefix.header_length,
                       " bytes, at most ", kLongestNpyHeader, " are read");
  return prefix;
}

NpyHeader parse_npy_header(const std::string& path, std::string_view text) {
  return HeaderParser(path, text).parse();
}

std::string write_npy_header(const NpyHeader& header) {
  std::string shape;
  for (const int64_t size : header.shape) shape += concatenate(size, ", ");
  if (header.shape.size() > 1) shape.resize(shape.size() - 2);
  if (header.shape.size() == 1) shape.pop_back();
  std::string text = concatenate("{'descr': '", header.descr,
                                 "', 'fortran_order': ", header.is_fortran_order ? "True" : "False",
                                 ", 'shape': (", shape, "), }");
  const size_t unpadded = 10 + text.size() + 1;
  text.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  text.push_back('\n');
  std::string bytes(kMagic);
  bytes += {1, 0, static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  return bytes + text;
}

std::string descr_of(DType dtype) {
  const size_t size = item_size(dtype);
  return concatenate(size == 1 ? '|' : '<', kind_letter(dtype), size);
}

DType dtype_of_descr(const std::string& path, const std::string& descr,
                     std::optional<DType> wanted) {
  if (wanted && is_raw(descr, *wanted)) return *wanted;
  OPWRIGHT_CHECK_VALUE(!descr.starts_with('>') || descr.ends_with('1'), path, " has '", descr,
                       "', big-endian numbers; save it as little-endian ones, e.g. "
                       "numpy.save(path, array.astype('<f4'))");
  OPWRIGHT_CHECK_VALUE(descr.find('O') == std::string::npos, path,
                       " holds Python objects; a program takes arrays of numbers");
  for (const DTypeName& each : kDTypes) {
    const std::string known = descr_of(each.dtype);
    if (known[1] != 'V' && descr.size() > 1 && known.substr(1) == descr.substr(1))
      return each.dtype;
  }
  throw_error("ValueError", path, " has the dtype '", descr, "', which Opwright does not have");
}

}  // namespace opwright::command
