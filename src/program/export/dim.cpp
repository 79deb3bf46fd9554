#include "opwright/program/export/dim.h"

#include <cstdint>
#include <string>

#include "opwright/error.h"
#include "opwright/runtime/program.h"

namespace opwright {
namespace {

void check_has_name(const Dim& dim) {
  OPWRIGHT_CHECK_VALUE(dim.kind() == Dim::Kind::Named || dim.kind() == Dim::Kind::Derived,
                       "Dim: arithmetic needs a dimension with a name, got ", to_text(dim));
}

// (min=2, max=64), or nothing.
std::string bounds_text(const Dim& dim) {
  std::string text;
  if (dim.min()) text += concatenate("min=", *dim.min());
  if (dim.max()) text += concatenate(text.empty() ? "" : ", ", "max=", *dim.max());
  return text.empty() ? text : concatenate("(", text, ")");
}

}  // namespace

Dim Dim::times(int64_t factor) const {
  check_has_name(*this);
  OPWRIGHT_CHECK_VALUE(factor >= 1, "Dim: the factor of ", to_text(*this),
                       " must be at least 1, got ", factor);
  Dim derived = *this;
  derived.kind_ = Kind::Derived;
  OPWRIGHT_CHECK_VALUE(!__builtin_mul_overflow(factor_, factor, &derived.factor_) &&
                           !__builtin_mul_overflow(offset_, factor, &derived.offset_),
                       "Dim: ", factor, "*(", to_text(*this), ") does not fit into 64 bits");
  return derived;
}

Dim Dim::plus(int64_t offset) const {
  check_has_name(*this);
  Dim derived = *this;
  derived.kind_ = Kind::Derived;
  OPWRIGHT_CHECK_VALUE(!__builtin_add_overflow(offset_, offset, &derived.offset_),
                       "Dim: ", to_text(*this), " + ", offset, " does not fit into 64 bits");
  return derived;
}

std::string to_text(const Dim& dim) {
  switch (dim.kind()) {
    case Dim::Kind::Static:
      return "Dim.STATIC" + bounds_text(dim);
    case Dim::Kind::Auto:
      return "Dim.AUTO" + bounds_text(dim);
    case Dim::Kind::Dynamic:
      return "Dim.DYNAMIC" + bounds_text(dim);
    default:
      break;
  }
  std::string text = dim.factor() == 1 ? dim.name() : concatenate(dim.factor(), "*", dim.name());
  if (dim.offset() > 0) text += concatenate(" + ", dim.offset());
  // The least int has no negative.
  if (dim.offset() < 0) text += concatenate(" - ", 0 - static_cast<uint64_t>(dim.offset()));
  return text;
}

std::string definition_text(const Dim& dim) {
  std::string text = concatenate(dim.name(), " = Dim(\"", dim.name(), "\"");
  if (dim.min()) text += concatenate(", min=", *dim.min());
  if (dim.max()) text += concatenate(", max=", *dim.max());
  return text + ")";
}

}  // namespace opwright
