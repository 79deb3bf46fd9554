#include "opwright/check/shrink/shrink.h"

#include <functional>
#include <string>
#include <unordered_set>
#include <utility>

#include "opwright/check/example/example.h"
#include "opwright/check/example/example_key.h"
#include "opwright/check/shrink/simpler_examples.h"
#include "opwright/check/variation/size_ties.h"

namespace opwright {
namespace {

class Shrinker {
 public:
  Shrinker(Example example, const std::function<bool(const Example&)>& shows, int most)
      : best_(std::move(example)), shows_(shows), left_(most), ties_(find_size_ties(best_)) {
    seen_.insert(key_of(best_));
  }

  Example run() {
    const OfferExample offer = [this](const Example& candidate) { return take(candidate); };
    while (left_ > 0 && make_step(offer)) {
    }
    return best_;
  }

 private:
  bool make_step(const OfferExample& offer) {
    if (offer_shorter_lists(best_, offer) || offer_nothing_for_optionals(best_, offer)) {
      ties_ = find_size_ties(best_);  // tensors may have been removed
      return true;
    }
    return offer_without_gradients(best_, offer) || offer_smaller_sizes(best_, ties_, offer) ||
           offer_simpler_memory(best_, offer) || offer_usual_dtypes(best_, offer) ||
           offer_simpler_values(best_, offer) || offer_simpler_numbers(best_, offer);
  }

  // Candidates are never tried twice.
  bool take(const Example& candidate) {
    if (left_ <= 0 || !seen_.insert(key_of(candidate)).second) return false;
    --left_;
    if (!shows_(candidate)) return false;
    best_ = candidate;
    return true;
  }

  Example best_;
  const std::function<bool(const Example&)>& shows_;
  int left_;
  SizeTies ties_;
  std::unordered_set<std::string> seen_;
};

}  // namespace

Example shrink(Example example, const std::function<bool(const Example&)>& shows, int most) {
  return Shrinker(std::move(example), shows, most).run();
}

}  // namespace opwright
