// The Convert rule of an author's operator that becomes one node of a foreign graph.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "opwright/registration/kernel.h"
#include "opwright/value.h"

namespace opwright OPWRIGHT_VISIBILITY {
// The text of a node: "domain::Name(x, y, alpha=alpha)". An operator argument on its own is an
// input of the node; after "name=" it is the attribute of that name. "domain::Name" alone passes
// tensors as inputs and everything else as attributes of the same names.
struct ConverterText {
  std::string engine;
  std::string node;
  int64_t since_version = 0;

  // (str engine, int version) -> str or None
  static int call_function(const OpwRecord* record, const OpwValue* args, uint32_t num_args,
                           OpwValue* results, uint32_t num_results) noexcept {
    try {
      const HostScope scope(record->host);
      if (num_args != 2 || num_results != 1) [[unlikely]]
        throw_wrong_count(2, num_args, 1, num_results);
      const auto* self = static_cast<const ConverterText*>(record->self);
      if (ValueOf<std::string_view>::read(args[0]) == self->engine &&
          ValueOf<int64_t>::read(args[1]) >= self->since_version) {
        results[0] = ValueOf<std::string>::give(self->node);
      }
      return 0;
    } catch (...) {
      return give_current_error(record->host);
    }
  }
  static void drop(void* self) { delete static_cast<ConverterText*>(self); }
};
}  // namespace opwright
