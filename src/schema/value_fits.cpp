#include "opwright/schema/value_fits.h"

#include "opwright/schema/constant.h"

namespace opwright {
namespace {

bool is_number(uint32_t tag) {
  return tag == kOpwInt || tag == kOpwFloat || tag == kOpwBool || tag == kOpwComplex ||
         tag == kOpwSymInt;
}

bool elements_fit(const Type& type, const OpwValue& list) {
  if (!is_list_tag(list.tag)) return false;
  for (uint32_t i = 0; i < list.length; ++i) {
    if (!value_fits(type.element(), list_element(list, i))) return false;
  }
  return true;
}

bool parts_fit(const Type& type, const OpwValue& tuple) {
  if (tuple.tag != kOpwList || tuple.length != type.elements().size()) return false;
  for (uint32_t i = 0; i < tuple.length; ++i) {
    if (!value_fits(type.elements()[i], list_element(tuple, i))) return false;
  }
  return true;
}

}  // namespace

bool value_fits(const Type& type, const OpwValue& value) {
  switch (type.kind()) {
    case TypeKind::Optional:
      return value.tag == kOpwNone || value_fits(type.element(), value);
    case TypeKind::List:
      return elements_fit(type, value);
    case TypeKind::Tuple:
      return parts_fit(type, value);
    case TypeKind::Int:
    case TypeKind::SymInt:
      return value.tag == kOpwInt || value.tag == kOpwSymInt;
    case TypeKind::Scalar:
      return is_number(value.tag);
    case TypeKind::Any:
      return true;
    default:
      return type.value_tag() != kOpwNone && value.tag == static_cast<uint32_t>(type.value_tag());
  }
}

}  // namespace opwright
