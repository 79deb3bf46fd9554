// Checks that results have the number and the types of the schema.
#include <memory>
#include <optional>

#include "opwright/check/example/check.h"
#include "opwright/dispatch/call_error.h"
#include "opwright/error.h"

namespace opwright {
namespace {

class ResultsCheck : public Check {
 public:
  std::optional<Fault> look(const CheckInput& input) override {
    const auto& error = input.plain().error;
    if (!error || !is_wrong_result(*error)) return std::nullopt;
    return Fault{"wrong-results", error->what()};
  }
};

[[maybe_unused]] const bool kIsResultsCheckRegistered =
    (register_check({.name = "results",
                     .about = "the number and the types of the results",
                     .make = [] { return std::unique_ptr<Check>(new ResultsCheck); },
                     .place = 10,
                     .takes_wrong_results = true}),
     true);

}  // namespace
}  // namespace opwright
