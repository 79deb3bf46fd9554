// Jacobians: the derivatives of all output elements, many rows at a time with vmap.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/runtime/func.h"
#include "opwright/runtime/vmap.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/tensor/view.h"
#include "opwright/transforms/vmap/vmap_function.h"

namespace opwright {
namespace {

// One direction per element of the tensor, along a new first dimension.
Tensor basis_of(const Tensor& tensor) {
  SymSizes sizes = sym_geometry_of(tensor).sizes;
  const SymInt count = tensor.sym_numel();
  sizes.insert(sizes.begin(), count);
  return eye(count, tensor.dtype(), {}, tensor.device()).reshape(sizes);
}

// Reshapes the derivatives to the sizes of the output followed by those of the input.
Tensor in_blocks(const Tensor& rows, const Tensor& output, const Tensor& input) {
  SymSizes sizes = sym_geometry_of(output).sizes;
  const SymSizes more = sym_geometry_of(input).sizes;
  sizes.insert(sizes.end(), more.begin(), more.end());
  return rows.reshape(sizes);
}

void check_real(const char* who, const char* what, const Tensor& tensor) {
  OPWRIGHT_CHECK(!is_complex(tensor.dtype()), who, ": Expected all ", what,
                 " to be real but received a complex tensor (", tensor,
                 "), whose derivatives are not a single number for each pair of elements; "
                 "differentiate real and imaginary parts");
}

}  // namespace

JacobianResult jacrev_function(std::span<const Tensor> inputs, const FunctionBody& body,
                               int64_t chunk_size) {
  for (const Tensor& input : inputs) check_real("jacrev", "inputs", input);
  const VjpResult run = vjp_function(inputs, body);
  JacobianResult jacobian{.rows = {}, .aux = run.aux};
  for (size_t i = 0; i < run.outputs.size(); ++i) {
    const Tensor& output = run.outputs[i];
    check_real("jacrev", "outputs", output);
    const Tensor basis[] = {basis_of(output)};
    const BatchDims in_dims{0};
    std::vector<Tensor> found =
        run_mapped(basis, in_dims, output.sym_numel(), Randomness::Error, chunk_size,
                   [&](std::span<const Tensor> samples) {
                     std::vector<Tensor> cotangents(run.outputs.size());
                     cotangents[i] = samples[0];
                     std::vector<Tensor> gradients = run.pull(cotangents);
                     BatchDims dims(gradients.size(), 0);
                     return MappedOutputs{.tensors = std::move(gradients), .dims = std::move(dims)};
                   });
    for (size_t k = 0; k < found.size(); ++k) found[k] = in_blocks(found[k], output, inputs[k]);
    jacobian.rows.push_back(std::move(found));
  }
  return jacobian;
}

JacobianResult jacfwd_function(std::span<const Tensor> inputs, const FunctionBody& body,
                               int64_t chunk_size, Randomness randomness) {
  JacobianResult jacobian;
  for (size_t k = 0; k < inputs.size(); ++k) {
    check_real("jacfwd", "inputs", inputs[k]);
    const Tensor basis[] = {basis_of(inputs[k])};
    const BatchDims in_dims{0};
    size_t num_outputs = 0;
    // Outputs that draw different numbers for each column are a batch; its first is returned.
    const bool is_batch = randomness == Randomness::Different;
    const std::optional<int64_t> rest_dim = is_batch ? std::optional<int64_t>(0) : std::nullopt;
    std::vector<Tensor> found =
        run_mapped(basis, in_dims, inputs[k].sym_numel(), randomness, chunk_size,
                   [&](std::span<const Tensor> samples) {
                     std::vector<Tensor> tangents(inputs.size());
                     tangents[k] = samples[0];
                     JvpResult run = jvp_function(inputs, tangents, body);
                     num_outputs = run.outputs.size();
                     for (const Tensor& output : run.outputs)
                       check_real("jacfwd", "outputs", output);
                     MappedOutputs outputs{.tensors = std::move(run.tangents), .dims = {}};
                     outputs.dims.assign(num_outputs, -1);
                     for (const std::vector<Tensor>& rest : {run.outputs, run.aux}) {
                       outputs.tensors.insert(outputs.tensors.end(), rest.begin(), rest.end());
                       outputs.dims.resize(outputs.tensors.size(), rest_dim);
                     }
                     return outputs;
                   });
    for (size_t i = num_outputs; is_batch && i < found.size(); ++i)
      found[i] = found[i].select(0, 0);
    jacobian.rows.resize(num_outputs);
    for (size_t i = 0; i < num_outputs; ++i) {
      jacobian.rows[i].push_back(in_blocks(found[i], found[num_outputs + i], inputs[k]));
    }
    jacobian.aux.assign(found.begin() + static_cast<std::ptrdiff_t>(2 * num_outputs), found.end());
  }
  return jacobian;
}

}  // namespace opwright
