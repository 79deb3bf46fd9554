// Examples that are one step simpler than a given one.
#pragma once

#include <functional>

#include "opwright/check/example/example.h"
#include "opwright/check/variation/size_ties.h"

namespace opwright {

// Receives a candidate; returns whether it is the new best, in which case the search starts again.
using OfferExample = std::function<bool(const Example& candidate)>;

// Each offers its candidates, the largest gain first, until one is accepted; returns whether one
// was.
bool offer_shorter_lists(const Example& example, const OfferExample& offer);
bool offer_nothing_for_optionals(const Example& example, const OfferExample& offer);
bool offer_without_gradients(const Example& example, const OfferExample& offer);
bool offer_smaller_sizes(const Example& example, const SizeTies& ties, const OfferExample& offer);
bool offer_simpler_memory(const Example& example, const OfferExample& offer);
bool offer_usual_dtypes(const Example& example, const OfferExample& offer);
bool offer_simpler_values(const Example& example, const OfferExample& offer);
bool offer_simpler_numbers(const Example& example, const OfferExample& offer);

}  // namespace opwright
