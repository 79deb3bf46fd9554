// The parser of the schema language.
//
// Every error is a ValueError that shows the text with the offending token underlined
// (schema_source.h).
#pragma once

#include <string_view>

#include "opwright/base/source_site.h"
#include "opwright/schema/opaque_types.h"
#include "opwright/schema/schema.h"
#include "opwright/visibility.h"

namespace opwright {

// The maximum number of arguments, and of returns, of a defined operator.
inline constexpr size_t kMostArguments = 64;
// The same for any schema; it bounds the memory that a text can request.
inline constexpr size_t kMostParsedArguments = 1024;

// Accepts everything that torch's parser accepts, e.g. "aten::add.out(Tensor self, Tensor other, *,
// Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)". `site` is where the operator was registered, for
// errors.
[[nodiscard]] OPWRIGHT_EXPORT Schema parse_schema(std::string_view text, SourceSite site = {},
                                                  const OpaqueTypes* opaque_types = nullptr);

// Accepts the stricter set that an operator can be defined with: a namespace, at most 64 arguments
// and returns, no `...`, only types that cross the ABI, only Tensors and lists of them written, no
// returned alias that no argument has. `library` is the default namespace.
[[nodiscard]] Schema parse_definition(std::string_view text, SourceSite site = {},
                                      std::string_view library = {},
                                      const OpaqueTypes* opaque_types = nullptr);

// "audio::soft_clip", "audio::soft_clip.out"; ".default" is the overload without a name.
[[nodiscard]] OPWRIGHT_EXPORT OperatorName parse_operator_name(std::string_view text);

}  // namespace opwright
