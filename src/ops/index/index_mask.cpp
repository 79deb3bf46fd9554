#include "opwright/ops/index/index_mask.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "opwright/base/warning.h"
#include "opwright/error.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/ops/index/nonzero.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/view.h"

namespace opwright {

void warn_of_byte_mask(const Tensor& mask) {
  if (mask.dtype() != DType::UInt8) return;
  warn("UserWarning",
       "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.");
}

IndexTensors without_masks(const char* who, const Tensor& self, const IndexTensors& indices) {
  IndexTensors result;
  for (const auto& index : indices) {
    if (!index || !index->is_defined()) {
      result.emplace_back();
    } else if (!is_mask(*index)) {
      result.push_back(is_on_cpu(self) ? *index : index->to(self.device(), index->dtype()));
    } else {
      warn_of_byte_mask(*index);
      const size_t first = result.size();
      const auto ndim = static_cast<size_t>(index->dim());
      const bool fits = first + ndim <= static_cast<size_t>(self.dim()) &&
                        std::ranges::equal(index->sizes(), self.sizes().subspan(first, ndim));
      OPWRIGHT_CHECK_INDEX(fits, who, ": a mask of sizes ", to_text(index->sizes()),
                           " does not fit the sizes ", to_text(self.sizes()),
                           " of self from dimension ", first, " on");
      Tensor rows = find_nonzero(is_on_cpu(*index) ? *index : index->to(kCpu, index->dtype()));
      if (!is_on_cpu(self)) rows = rows.to(self.device(), DType::Int64);
      for (int64_t d = 0; d < index->dim(); ++d)
        result.emplace_back(make_view(rows, select_geometry(geometry_of(rows), 0, d, who)));
    }
  }
  return result;
}

}  // namespace opwright
