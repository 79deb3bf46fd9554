// Compares the C++ type of a function with the schema of its operator.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "opwright/base/source_site.h"
#include "opwright/dispatch/slot.h"
#include "opwright/registration/kernel.h"
#include "opwright/schema/schema.h"

namespace opwright {

class Operator;

// The first difference between a schema and the signature that a C++ type implies, described in
// words, or nullopt. An undefined Tensor represents None, and plain ints represent symbolic ones,
// so a signature may be simpler than the schema.
std::optional<std::string> find_difference(const Schema& schema, std::string_view signature);

// Throws TypeError that shows both if they differ. Functions boxed by hand and rules are not
// checked.
void check_signature(const Operator& op, Slot slot, const BoxedFunction& function, SourceSite site);

}  // namespace opwright
