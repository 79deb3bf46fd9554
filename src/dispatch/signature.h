// The C++ type of a function against the schema of the operator that it is registered for.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "opwright/base/source_site.h"
#include "opwright/dispatch/slot.h"
#include "opwright/kernel.h"
#include "opwright/schema/schema.h"

namespace opwright {

class Operator;

// The first difference between a schema and the signature that a C++ type implies, in words, or
// nothing. An undefined Tensor stands for None, and plain ints for symbolic ones, so a signature
// may be the simpler of the two.
std::optional<std::string> find_difference(const Schema& schema, std::string_view signature);

// TypeError that shows both when they differ. Functions boxed by hand and rules are not looked at.
void check_signature(const Operator& op, Slot slot, const BoxedFunction& function, SourceSite site);

}  // namespace opwright
