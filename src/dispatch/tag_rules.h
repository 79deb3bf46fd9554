// What a schema must look like for the tags of its operator.
#pragma once

#include "opwright/schema/schema.h"
#include "opwright/tag.h"

namespace opwright {

// Throws ValueError if the schema does not fit Tag::Inplace or Tag::Out: an operator tagged inplace
// writes its first argument alone and returns it; one tagged out writes keyword-only tensors and
// returns all of them in order.
void check_tags(const Schema& schema, Tags tags);

}  // namespace opwright
