#include "opwright/check/looked.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace opwright {
namespace {

// Fields that end in a zero.
void put(std::string& text, const std::string& field) {
  text.append(field.c_str(), field.size() + 1);
}

std::string take(std::string_view& text) {
  const size_t end = text.find('\0');
  std::string field(text.substr(0, end));
  text.remove_prefix(end + 1);
  return field;
}

Fault take_fault(std::string_view& text) {
  std::string kind = take(text);
  return {std::move(kind), take(text)};
}

}  // namespace

void Looked::add(size_t input, Fault fault) {
  const bool is_known =
      std::ranges::any_of(faults, [&](const At& each) { return each.fault.kind == fault.kind; });
  if (!is_known) faults.push_back({input, std::move(fault)});
}

std::string Looked::text() const {
  std::string text;
  put(text, std::to_string(inputs));
  put(text, std::to_string(faults.size()));
  for (const At& at : faults) {
    put(text, std::to_string(at.input));
    put(text, at.fault.kind);
    put(text, at.fault.message);
  }
  for (const Fault& remark : remarks) {
    put(text, remark.kind);
    put(text, remark.message);
  }
  return text;
}

Looked Looked::read(std::string_view text) {
  Looked looked;
  looked.inputs = static_cast<uint32_t>(std::stoul(take(text)));
  for (size_t left = std::stoul(take(text)); left > 0; --left) {
    const size_t input = std::stoul(take(text));
    looked.faults.push_back({input, take_fault(text)});
  }
  while (!text.empty()) looked.remarks.push_back(take_fault(text));
  return looked;
}

}  // namespace opwright
