// Runs an example on fake copies of its tensors, with concrete or symbolic sizes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/check/example/example.h"
#include "opwright/check/example/outcome.h"
#include "opwright/check/variation/other_sizes.h"
#include "opwright/error.h"
#include "opwright/ir/graph/evaluate.h"
#include "opwright/tensor.h"
#include "opwright/transforms/trace/fake.h"
#include "opwright/value.h"

namespace opwright {

struct FakeRun {
  IntrusivePtr<FakeMode> mode;
  std::vector<Tensor> twins;  // fake copies of Example::tensors(), as the call left them
  SymbolicForms forms;        // of the fake copies before the call
  std::vector<Value> results;
  std::optional<Error> error;

  [[nodiscard]] const ShapeEnv& env() const { return mode->shape_env(); }
};
[[nodiscard]] FakeRun run_on_fakes(const Example& example, FakeMode::Sizes sizes);

// A prediction of a fake run that the real run does not match.
struct FakeDifference {
  std::string kind;  // "fake-shape"
  std::string text;  // "gives the result sizes [3], and the kernel gives [4]"
};
// `values` has the values of the symbols that are sizes of arguments; data-dependent sizes get
// theirs from the real results.
[[nodiscard]] std::optional<FakeDifference> find_difference(const FakeRun& fake,
                                                            const Outcome& real,
                                                            SymbolValues values);

}  // namespace opwright
