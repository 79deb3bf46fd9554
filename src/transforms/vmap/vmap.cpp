// Wrappers, the choice of how to run a call, and the operator's own rule. Other ways are in
// vmap_pointwise.cpp, vmap_loop.cpp, vmap_random.cpp.
#include "opwright/transforms/vmap/vmap.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "opwright/base/small_vector.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/owned_results.h"
#include "opwright/dispatch/row.h"
#include "opwright/dispatch/rule.h"
#include "opwright/error.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/schema/constant.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/view.h"
#include "opwright/transforms/functionalize/functional_sibling.h"
#include "opwright/transforms/trace/data_access.h"
#include "opwright/transforms/vmap/vmap_arguments.h"

namespace opwright {
namespace {

// The body of a composite that the autograd step kept whole, or the operator's decomposition.
const OpwRecord* find_body(const Operator& op) {
  if (const OpwRecord* body = op.record(Slot::ImplicitComposite)) return body;
  return op.record(Slot::Decompose);
}

// The call is already recorded at this level; calls in its body are not.
class NotRecordedScope {
 public:
  explicit NotRecordedScope(Interpreter& level) : level_(level), previous_(level.records()) {
    level.set_records(false);
  }
  ~NotRecordedScope() { level_.set_records(previous_); }
  NotRecordedScope(const NotRecordedScope&) = delete;
  NotRecordedScope& operator=(const NotRecordedScope&) = delete;

 private:
  Interpreter& level_;
  bool previous_;
};

// Converts a list from a rule's language to a list of tensors, if the operator returns one.
void make_tensor_list(OpwValue& list) {
  auto** tensors = allocate_list<OpwTensor*>(list.length);
  for (uint32_t i = 0; i < list.length; ++i)
    tensors[i] = static_cast<const OpwValue*>(list.as_values)[i].as_tensor;
  std::free(const_cast<void*>(list.as_values));
  list.tag = kOpwTensorList;
  list.as_tensors = tensors;
}

}  // namespace

std::string_view to_text(Randomness randomness) {
  switch (randomness) {
    case Randomness::Same:
      return "same";
    case Randomness::Different:
      return "different";
    default:
      return "error";
  }
}

Randomness parse_randomness(std::string_view text) {
  for (const auto each : {Randomness::Error, Randomness::Same, Randomness::Different}) {
    if (text == to_text(each)) return each;
  }
  throw_error("ValueError",
              "vmap: Only allowed values for randomness are 'error', 'different', or "
              "'same', got '",
              text, "'");
}

Vmap::Vmap(Interpreter* parent, SymInt batch_size, Randomness randomness)
    : Interpreter(parent), batch_size_(std::move(batch_size)), randomness_(randomness) {}

// ---- Values ----

Tensor Vmap::wrap(Tensor inner, int64_t dim) {
  SymGeometry geometry = sym_geometry_of(inner);
  geometry.sizes.erase(geometry.sizes.begin() + dim);
  geometry.strides.erase(geometry.strides.begin() + dim);
  WrapperPayload payload;
  payload.data = reinterpret_cast<void*>(static_cast<intptr_t>(dim));
  return make_wrapper(this, std::move(inner), geometry.sizes, geometry.strides, geometry.offset,
                      payload);
}

Tensor Vmap::unwrap(const Tensor& output, std::optional<int64_t> dim) {
  const bool is_own = owns(output.get());
  OPWRIGHT_CHECK_VALUE(
      dim || !is_own, "vmap: out_dims has None for an output that depends on the sample (", output,
      "): a function can not return a BatchedTensor when out_dim is None\n  Give it the dimension "
      "of the batch.");
  if (!dim) return output;
  const int64_t ndim = output.dim() + 1;
  OPWRIGHT_CHECK_INDEX(*dim >= -ndim && *dim < ndim, "vmap: Dimension out of range: out_dims has ",
                       *dim, " for an output that has ", ndim, " dimensions with the batch (",
                       output, ")");
  const int64_t place = *dim < 0 ? *dim + ndim : *dim;
  if (is_own) {
    const int64_t from = dim_of(output.get());
    const BorrowedTensor inner(inner_of(output.get()));
    const Tensor& batch = inner;
    return from == place ? batch : batch.movedim(from, place);
  }
  SymSizes sizes = sym_geometry_of(output).sizes;
  sizes.insert(sizes.begin() + place, batch_size_);
  return output.unsqueeze(place).expand(sizes);
}

bool Vmap::has_own(const Operator& op, Arguments args) const {
  bool found = false;
  op.visit_tensor_arguments(args,
                            [&](uint32_t /*index*/, OpwTensor* tensor) { found |= owns(tensor); });
  return found;
}

// ---- Calls ----

void Vmap::process(const Operator& op, Arguments args, Results results) {
  if (op.tags().has(Tag::NondeterministicSeeded)) [[unlikely]]
    return draw(op, args, results);
  if (const Operator* origin = find_drawing_origin(op)) [[unlikely]] {
    check_randomness(*origin);
    return draw_functionally(op, args, results);
  }
  if (has_own(op, args)) return process_batched(op, args, results);
  const ParentScope scope(*this);
  call(op, args, results);
}

void Vmap::process_batched(const Operator& op, Arguments args, Results results) {
  if (op.writes_arguments()) check_written(op, args);
  if (op.record(Slot::Vmap)) return run_own_rule(op, args, results);
  if (op.tags().has(Tag::DataDependentOutput)) {
    op.visit_tensor_arguments(args, [&](uint32_t /*index*/, OpwTensor* tensor) {
      if (owns(tensor)) throw_no_data(data_reader_name(op), BorrowedTensor(tensor));
    });
  }
  if (op.tags().has(Tag::Pointwise)) return run_pointwise(op, args, results);
  if (const OpwRecord* body = find_body(op)) return run_at_this_level(op, *body, args, results);
  run_by_sample(op, args, results);
}

// A single tensor cannot hold one value per sample.
void Vmap::check_written(const Operator& op, Arguments args) const {
  for (uint64_t left = op.written_args(); left != 0; left &= left - 1) {
    const auto index = static_cast<size_t>(std::countr_zero(left));
    visit_tensors(args[index], [&](OpwTensor* tensor) {
      if (owns(tensor)) [[likely]]
        return;
      const OperatorName& name = op.schema().name;
      throw_error("RuntimeError", "vmap: ", name.name_space, "::", name.base,
                  "(self, *extra_args) is not possible inplace: '",
                  op.schema().arguments[index].name,
                  "' is written with values that differ between the samples of vmap, but it is one "
                  "tensor for all of them (",
                  BorrowedTensor(tensor),
                  ")\n  Make one for each sample inside of the mapped function (x.new_zeros(...), "
                  "x.clone() of a sample x), or pass an expanded one as an argument.");
    });
  }
}

void Vmap::run_at_this_level(const Operator& op, const OpwRecord& body, Arguments args,
                             Results results) {
  const NotRecordedScope scope(*this);
  run_record(op, body, args, results);
  if (op.returned_args() != 0) give_arguments_back(op, args, results);
}

void Vmap::run_own_rule(const Operator& op, Arguments args, Results results) {
  const VmapArguments batched(*this, args);
  OwnedResults raw(op.num_results() + 1);
  {
    const ParentScope scope(*this);
    run_rule(op, Slot::Vmap, batched.for_rule(), raw.get());
  }
  const OpwValue& dims = raw.get().back();
  OPWRIGHT_CHECK(is_list_tag(dims.tag) ? dims.length == op.num_results() : op.num_results() == 0,
                 op.name(), ": the vmap rule returned ", is_list_tag(dims.tag) ? dims.length : 0,
                 " out_dims for ", op.num_results(), " results");
  wrap_results(op, args, raw.get().first(op.num_results()), dims, results);
}

// ---- Results ----

void Vmap::wrap_result(const Operator& op, OpwValue& result, const OpwValue& dims) {
  if (dims.tag == kOpwNone) return;
  if (result.tag == kOpwTensorList) {
    auto** tensors = const_cast<OpwTensor**>(result.as_tensors);
    for (uint32_t i = 0; i < result.length; ++i) {
      OPWRIGHT_CHECK(!is_list_tag(dims.tag) || dims.length == result.length, op.name(),
                     ": the vmap rule returned ", dims.length, " out_dims for a list of ",
                     result.length, " tensors");
      OpwValue element = make_value(kOpwTensor, 0);
      element.as_tensor = tensors[i];
      wrap_result(op, element, is_list_tag(dims.tag) ? list_element(dims, i) : dims);
      tensors[i] = element.as_tensor;
    }
    return;
  }
  if (result.tag == kOpwNone) return;
  OPWRIGHT_CHECK_TYPE(result.tag == kOpwTensor && dims.tag == kOpwInt, op.name(),
                      ": the vmap rule returned ", tag_name(dims.tag), " as the out_dim of ",
                      tag_name(result.tag), "; a tensor has an int or None, others None");
  const BorrowedTensor borrowed(result.as_tensor);
  const Tensor& inner = borrowed;
  const int64_t ndim = inner.dim();
  const int64_t dim = dims.as_int < 0 ? dims.as_int + ndim : dims.as_int;
  OPWRIGHT_CHECK_INDEX(dim >= 0 && dim < ndim, op.name(), ": the vmap rule returned out_dim ",
                       dims.as_int, " for a result of ", ndim, " dimensions");
  const SymInt size = inner.sym_size(dim);
  OPWRIGHT_CHECK_VALUE(
      size.is_symbolic() || batch_size_.is_symbolic() || size.word() == batch_size_.word(),
      op.name(), ": the vmap rule returned a result (", inner, ") with out_dim ", dim,
      ", but the batch has ", batch_size_, " samples");
  result.as_tensor = wrap(Tensor::take(std::exchange(result.as_tensor, nullptr)), dim).give();
}

void Vmap::wrap_results(const Operator& op, Arguments args, Results raw, const OpwValue& dims,
                        Results results) {
  for (uint32_t i = 0; i < raw.size(); ++i) {
    if (op.gives_argument(i)) continue;
    const bool is_undefined = raw[i].tag == kOpwTensor && !raw[i].as_tensor;
    if (raw[i].tag != op.plain_result_tag(i) || raw[i].tag == kOpwNone || is_undefined) [[unlikely]]
      check_result(op, args, raw, i);
    if (raw[i].tag == kOpwList && op.plain_result_tag(i) == kOpwTensorList)
      make_tensor_list(raw[i]);
    wrap_result(op, raw[i], is_list_tag(dims.tag) ? list_element(dims, i) : dims);
  }
  for (uint32_t i = 0; i < raw.size(); ++i) results[i] = std::exchange(raw[i], OpwValue{});
  if (!op.writes_arguments()) return;
  give_arguments_back(op, args, results);
  refresh_written(op, args);
}

// A write may change the sizes of its argument (out=, resize_).
void Vmap::refresh_written(const Operator& op, Arguments args) {
  for (uint64_t left = op.written_args(); left != 0; left &= left - 1) {
    visit_tensors(args[static_cast<size_t>(std::countr_zero(left))], [&](OpwTensor* tensor) {
      if (!owns(tensor)) return;
      auto& mine = static_cast<WrapperImpl&>(impl(tensor));
      SymGeometry geometry = sym_geometry_of(mine.inner);
      geometry.sizes.erase(geometry.sizes.begin() + dim_of(tensor));
      if (has_sizes(BorrowedTensor(tensor), geometry.sizes)) [[likely]]
        return;
      geometry.strides.erase(geometry.strides.begin() + dim_of(tensor));
      set_symbolic_shape(mine, geometry.sizes, geometry.strides, geometry.offset);
    });
  }
}

}  // namespace opwright
