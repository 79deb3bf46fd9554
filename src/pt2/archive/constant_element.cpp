#include "opwright/pt2/archive/constant_element.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "opwright/c_api.h"
#include "opwright/device.h"
#include "opwright/dtype.h"
#include "opwright/memory_format.h"
#include "opwright/pt2/archive/archive_graph.h"
#include "opwright/symint.h"
#include "opwright/value.h"

namespace opwright::pt2 {

std::optional<Element> constant_element(const OpwValue& value) {
  switch (value.tag) {
    case kOpwNone:
      return Element(std::monostate());
    case kOpwInt:
    case kOpwSymInt:
      if (is_symbolic(value.as_int)) return std::nullopt;
      return Element(value.as_int);
    case kOpwFloat:
      return Element(value.as_double);
    case kOpwBool:
      return Element(value.as_int != 0);
    case kOpwComplex:
      return Element(ComplexNumber{.real = value.as_doubles[0], .imag = value.as_doubles[1]});
    case kOpwString:
      return Element(std::string(ValueOf<std::string_view>::read(value)));
    case kOpwDtype:
      return Element(DType(ValueOf<DType>::read(value)));
    case kOpwDeviceValue:
      return Element(Device(ValueOf<Device>::read(value)));
    case kOpwMemoryFormat:
      return Element(MemoryFormat(ValueOf<MemoryFormat>::read(value)));
    case kOpwLayout:
      return Element(Layout(ValueOf<Layout>::read(value)));
    default:
      return std::nullopt;
  }
}

bool is_number_or_none(const Element& element) noexcept {
  return std::holds_alternative<std::monostate>(element) ||
         std::holds_alternative<int64_t>(element) || std::holds_alternative<double>(element) ||
         std::holds_alternative<bool>(element);
}

}  // namespace opwright::pt2
