// The in-place and `out` forms of products.

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/ops/engine/shape/in_place.h"
#include "opwright/symbolic/shape_env/demand.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

SymBool have_equal_shapes(const Tensor& a, const Tensor& b) {
  return have_same_sizes(sym_geometry_of(a).sizes, sym_geometry_of(b).sizes);
}

// The result is computed first: `target` may be one of the operands.
Tensor& write_result(const char* who, const char* name, const Tensor& result, Tensor& target) {
  OPWRIGHT_CHECK_TYPE(result.dtype() == target.dtype(), who, ": ", name,
                      " must have the dtype of the result, ", result.dtype(), ", got ",
                      target.dtype());
  demand(have_equal_shapes(result, target), "ValueError", [&] {
    return concatenate(who, ": ", name, " of sizes ", to_text(sym_geometry_of(target).sizes),
                       " cannot hold a result of sizes ", to_text(sym_geometry_of(result).sizes));
  });
  if (!target.is_fake()) check_writable(who, target);
  target.copy_(result);
  return target;
}
// An empty `out` gets the sizes of the result.
Tensor& write_out(const char* who, const Tensor& result, Tensor& out) {
  if (guard_or_false(out.sym_numel() == 0) && out.dtype() == result.dtype() &&
      !guard_or_false(have_equal_shapes(result, out))) {
    const Tensor fresh = result.new_empty(sym_geometry_of(result).sizes);
    replace_contents(impl(out), impl(fresh));
  }
  return write_result(who, "out", result, out);
}

}  // namespace

Tensor& mm_out_all_devices(const Tensor& self, const Tensor& mat2, Tensor& out) {
  return write_out("mm", mm(self, mat2), out);
}
Tensor& bmm_out_all_devices(const Tensor& self, const Tensor& mat2, Tensor& out) {
  return write_out("bmm", bmm(self, mat2), out);
}
Tensor& mv_out_all_devices(const Tensor& self, const Tensor& vec, Tensor& out) {
  return write_out("mv", mv(self, vec), out);
}
Tensor& dot_out_all_devices(const Tensor& self, const Tensor& tensor, Tensor& out) {
  return write_out("dot", dot(self, tensor), out);
}
Tensor& vdot_out_all_devices(const Tensor& self, const Tensor& other, Tensor& out) {
  return write_out("vdot", vdot(self, other), out);
}
Tensor& addmm_out_all_devices(const Tensor& self, const Tensor& mat1, const Tensor& mat2,
                              const Scalar& beta, const Scalar& alpha, Tensor& out) {
  return write_out("addmm", addmm(self, mat1, mat2, beta, alpha), out);
}
Tensor& baddbmm_out_all_devices(const Tensor& self, const Tensor& batch1, const Tensor& batch2,
                                const Scalar& beta, const Scalar& alpha, Tensor& out) {
  return write_out("baddbmm", baddbmm(self, batch1, batch2, beta, alpha), out);
}
Tensor& addmv_out_all_devices(const Tensor& self, const Tensor& mat, const Tensor& vec,
                              const Scalar& beta, const Scalar& alpha, Tensor& out) {
  return write_out("addmv", addmv(self, mat, vec, beta, alpha), out);
}

Tensor& addmm_in_place_all_devices(Tensor& self, const Tensor& mat1, const Tensor& mat2,
                                   const Scalar& beta, const Scalar& alpha) {
  return write_result("addmm_", "self", addmm(self, mat1, mat2, beta, alpha), self);
}
Tensor& baddbmm_in_place_all_devices(Tensor& self, const Tensor& batch1, const Tensor& batch2,
                                     const Scalar& beta, const Scalar& alpha) {
  return write_result("baddbmm_", "self", baddbmm(self, batch1, batch2, beta, alpha), self);
}
Tensor& addmv_in_place_all_devices(Tensor& self, const Tensor& mat, const Tensor& vec,
                                   const Scalar& beta, const Scalar& alpha) {
  return write_result("addmv_", "self", addmv(self, mat, vec, beta, alpha), self);
}

}  // namespace opwright
