// Export of C++ functions: inputs, sizes, state, writes.
#include "opwright/program/export_session.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "opwright/functions.h"
#include "opwright/program.h"
#include "opwright/program/exported_program.h"
#include "opwright/program/program_object.h"
#include "opwright/runtime.h"

namespace opwright {
namespace {

TEST(Export, AFunctionBecomesAProgramThatTakesOtherSizes) {
  const Tensor w = ones({3, 4});
  const Program program = export_program(
      [&](const Tensor& x) { return relu(mm(x, w)); },
      {.names = {"x"}, .dynamic = {{"x", 0, Dim::named("batch")}}, .state = {{"weight", w}}},
      ones({5, 3}));
  EXPECT_EQ(program.text(), R"(program
  parameter weight: float32[3, 4]
  input x: float32[batch, 3]
  output relu: float32[batch, 4]
  size batch in [1, inf]
  calls aten::mm(Tensor self, Tensor mat2) -> Tensor
  calls aten::relu(Tensor self) -> Tensor
graph(captured %weight: float32[3, 4], %x: float32[batch, 3]) -> (%relu) {
  symbol batch in [1, inf], hint 5, from x.size(0)
  %mm: float32[batch, 4] = aten::mm(%x, %weight)
  %relu: float32[batch, 4] = aten::relu(%mm)
}
)");
  for (const int64_t batch : {1, 2, 5, 9}) {
    const Tensor x = ones({batch, 3});
    EXPECT_EQ(to_text(program({x})[0]), to_text(relu(mm(x, w))));
  }
}

}  // namespace
}  // namespace opwright
