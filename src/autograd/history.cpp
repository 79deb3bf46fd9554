#include "opwright/autograd/history.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "opwright/autograd/accumulate.h"
#include "opwright/autograd/scatter_node.h"
#include "opwright/base/block_cache.h"
#include "opwright/base/thread_state.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/tensor/last_handle.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

const char* level_name(const TensorImpl& tensor) {
  return tensor.level ? tensor.level->name() : "eager";
}

// Gives a view whose root was written since a new history, based on the root's current one.
void catch_up(const Tensor& view, History& history) {
  const ViewRecordPtr record = history.view;
  if (record->is_detached()) return;
  const uint32_t rebases = rebases_of(history.root);
  if (history.seen == rebases) return;
  OPWRIGHT_CHECK(!record->is_under_no_grad || !thread_state().grad_is_enabled(), "a view that ",
                 record->op->name(), " ", record->origin(),
                 " is used after its base was modified in place with grad mode on; make the view "
                 "again");
  OPWRIGHT_CHECK(!record->find_fixed_step() || !record->find_fixed_step()->is_of_function,
                 "the output of an autograd.Function is a view and its base or another view of its "
                 "base has been modified inplace, so that its gradient is not known; clone the "
                 "output of the Function");
  history.seen = rebases;
  if (!requires_grad(history.root)) return;
  auto* level = static_cast<Interpreter*>(impl(view).level);
  const InterpreterScope at_its_level(level);
  const AttentionScope grad_on(kAttentionGradOff, false);
  const Tensor again = replay(steps_to(record), history.root);
  const History* made = find_history(again.get());
  if (made && made->node) set_history(view, made->node, made->place);
}

const TapeNodePtr& accumulator_of(const Tensor& leaf) {
  History& history = history_of(leaf);
  if (!history.accumulator) history.accumulator = TapeNodePtr::take(new Accumulate(leaf));
  return history.accumulator;
}

void add_retaining_hook(TapeNode& node, uint32_t place, const IntrusivePtr<KeptGradient>& kept) {
  kept->hook = node.add_retaining_hook(place, [kept](const Tensor& gradient) {
    kept->gradient = kept->gradient.is_defined() ? kept->gradient + gradient : gradient;
    return Tensor();
  });
}

// A backward on another thread may still hold a leaf that is dropped here.
bool ends_with_its_last_handle(TensorImpl& tensor) {
  const auto& history = static_cast<const History&>(*tensor.autograd);
  return !history.accumulator || static_cast<Accumulate&>(*history.accumulator).let_leaf_go();
}

[[maybe_unused]] const bool kLastHandleRuleIsSet = [] {
  set_last_handle_rule(&ends_with_its_last_handle);
  return true;
}();

}  // namespace

void* History::operator new(size_t bytes) { return allocate_block(bytes); }
void History::operator delete(void* memory, size_t bytes) noexcept { free_block(memory, bytes); }
History::~History() {
  if (accumulator) static_cast<Accumulate&>(*accumulator).forget_leaf();
}

std::string History::node_name() const { return node ? node->backward_name() : std::string(); }

History& history_of(const Tensor& tensor) {
  TensorImpl& self = impl(tensor);
  if (!self.autograd) self.autograd = new History;
  return static_cast<History&>(*self.autograd);
}

Edge edge_of(const Tensor& tensor) {
  const TensorImpl& self = impl(tensor);
  if ((self.flags & kAutogradFlags) == 0) return {};
  History* history = find_history(tensor.get());
  if (history && history->view) catch_up(tensor, *history);
  if ((self.flags & kOpwFlagRequiresGrad) == 0) return {};
  if (history && history->node) return {history->node, history->place};
  return {accumulator_of(tensor), 0};
}

bool requires_grad(const Tensor& tensor) {
  const TensorImpl& self = impl(tensor);
  if ((self.flags & kFlagHasBase) == 0) return (self.flags & kOpwFlagRequiresGrad) != 0;
  History* history = find_history(tensor.get());
  const bool may_ask = !history->view->is_under_no_grad;
  if (may_ask) catch_up(tensor, *history);
  return (self.flags & kOpwFlagRequiresGrad) != 0;
}

bool is_leaf(const Tensor& tensor) {
  if (!requires_grad(tensor)) return true;
  const History* history = find_history(tensor.get());
  return !history || !history->node;
}

void set_requires_grad(const Tensor& tensor, bool on) {
  const DType dtype = tensor.dtype();
  OPWRIGHT_CHECK(!on || has_gradients(dtype),
                 "only tensors of floating and complex dtypes can require grad, got ", dtype);
  TensorImpl& self = impl(tensor);
  OPWRIGHT_CHECK(!on || (self.flags & kOpwFlagInference) == 0 || thread_state().is_inference(),
                 "a tensor made in inference mode cannot require grad; clone it first");
  if (!is_leaf(tensor)) {
    OPWRIGHT_CHECK(on,
                   "requires_grad can be switched off for leaves only; use detach() for a tensor "
                   "that was computed");
    return;
  }
  self.flags = on ? self.flags | kOpwFlagRequiresGrad : self.flags & ~kOpwFlagRequiresGrad;
  if (on) accumulator_of(tensor);  // created now, so that threads sharing the leaf find it
}

Tensor gradient_of(const Tensor& tensor) {
  const History* history = find_history(tensor.get());
  return history && history->kept ? history->kept->gradient : Tensor();
}

void set_gradient(const Tensor& tensor, Tensor gradient) {
  if (gradient.is_defined()) {
    OPWRIGHT_CHECK(gradient.get() != tensor.get(), "a tensor cannot be its own gradient");
    const std::optional<DType> dtype = gradient_dtype_of(tensor);
    OPWRIGHT_CHECK(!dtype || *dtype == gradient.dtype(),
                   "attempting to assign a gradient with dtype '", gradient.dtype(),
                   "' to a tensor with grad_dtype '", *dtype,
                   "'; convert the gradient, or set grad_dtype, to None for any dtype");
    const ValueMeta meta(tensor);
    OPWRIGHT_CHECK(
        has_sizes(gradient, meta.sizes()) && meta.device() == gradient.device(),
        "the gradient of a tensor must have its sizes and device: ", to_text(meta.sizes()), " on ",
        meta.device(), ", got ", to_text(ValueMeta(gradient).sizes()), " on ", gradient.device());
  } else if (!find_history(tensor.get())) {
    return;
  }
  History& history = history_of(tensor);
  if (history.kept || gradient.is_defined()) history.gradient() = std::move(gradient);
}

std::optional<DType> gradient_dtype_of(const Tensor& tensor) {
  const History* history = find_history(tensor.get());
  if (!history || !history->kept || history->node) return tensor.dtype();
  if (history->kept->takes_any_dtype) return std::nullopt;
  return history->kept->dtype.value_or(tensor.dtype());
}

void set_gradient_dtype(const Tensor& leaf, std::optional<DType> dtype) {
  OPWRIGHT_CHECK(is_leaf(leaf), "grad_dtype can only be set on leaf tensors");
  History& history = history_of(leaf);
  const Tensor& gradient = history.gradient();
  OPWRIGHT_CHECK(!dtype || !gradient.is_defined() || gradient.dtype() == *dtype,
                 "Cannot set grad_dtype to '", *dtype,
                 "' because there is already a gradient with dtype '", gradient.dtype(),
                 "'; clear the gradient first (.grad = None)");
  history.kept->takes_any_dtype = !dtype;
  history.kept->dtype = dtype;
  if (history.accumulator) static_cast<Accumulate&>(*history.accumulator).set_gradient_dtype(dtype);
}

void copy_gradient_dtype(const Tensor& from, const Tensor& to) {
  const History* history = find_history(from.get());
  if (!history || !history->kept || history->node) return;
  if (history->kept->takes_any_dtype || history->kept->dtype)
    set_gradient_dtype(to, gradient_dtype_of(from));
}

void retain_gradient(const Tensor& tensor) {
  OPWRIGHT_CHECK(requires_grad(tensor),
                 "retain_grad: the tensor does not require grad, so it gets no gradient");
  if (is_leaf(tensor)) return;
  const Edge edge = edge_of(tensor);
  History& history = history_of(tensor);
  if (std::exchange(history.retains_gradient, true)) return;
  (void)history.gradient();
  add_retaining_hook(*edge.node, edge.place, history.kept);
}

bool retains_gradient(const Tensor& tensor) {
  const History* history = find_history(tensor.get());
  return history && history->retains_gradient;
}

void detach_in_place(const Tensor& tensor) {
  const ViewRecord* view = find_view(tensor);
  OPWRIGHT_CHECK(!view || !view->is_differentiable(),
                 "detach_: a view cannot be detached in place, since its history is its base's; "
                 "use detach()");
  impl(tensor).flags &= ~kOpwFlagRequiresGrad;
  if (History* history = find_history(tensor.get())) {
    history->node = nullptr;
    history->place = 0;
    history->retains_gradient = false;
    history->kept = nullptr;
  }
}

void set_data(const Tensor& tensor, const Tensor& source) {
  const ValueMeta before(tensor);
  replace_contents(impl(tensor), impl(source));
  if (!before.fits(tensor)) forget_accumulator(tensor);
}

void forget_accumulator(const Tensor& leaf) {
  History* history = find_history(leaf.get());
  if (!history || !history->accumulator) return;
  static_cast<Accumulate&>(*history->accumulator).forget_leaf();
  history->accumulator = nullptr;
}

void set_history(const Tensor& tensor, TapeNodePtr node, uint32_t place) {
  History& history = history_of(tensor);
  if (history.retains_gradient) [[unlikely]] {
    if (history.node) history.node->remove_hook(history.kept->hook);
    add_retaining_hook(*node, place, history.kept);
  }
  history.node = std::move(node);
  history.place = place;
  impl(tensor).flags |= kOpwFlagRequiresGrad;
}

// ---- Writes ----

bool is_tracked(OpwTensor* view, bool is_written) {
  const BorrowedTensor lent(view);
  const Tensor& tensor = lent;
  const ViewRecord& record = *find_view(tensor);
  if (record.is_hidden()) {
    const Tensor& root = find_history(view)->root;
    const bool is_behind = find_history(view)->seen != rebases_of(root);
    return (view->flags & kOpwFlagRequiresGrad) != 0 || is_behind ||
           (is_written && requires_grad(root));
  }
  // A view from before its base, a leaf, was made to require grad.
  if (is_written && record.is_differentiable() && requires_grad(find_history(view)->root)) {
    return true;
  }
  return requires_grad(tensor);
}

namespace {

// Who writes, for errors: "aten::mul_.Scalar: 'self'".
struct Writer {
  const Operator* op;  // null: a function
  uint32_t argument;
  std::string_view function;
  std::string_view what;  // is written by a function

  [[nodiscard]] std::string text() const {
    if (!op) return concatenate(function, ": ", what);
    return concatenate(op->name(), ": '", op->schema().arguments[argument].name, "'");
  }
};

// Throws RuntimeError for a view that may not be written where autograd records.
void check_view_write(const Writer& writer, const ViewRecord& view) {
  OPWRIGHT_CHECK(!view.is_hidden(), writer.text(), " is a view that ", view.op->name(), " ",
                 view.origin(),
                 ", and cannot be modified in place with grad mode on; make the view with grad "
                 "mode on, or write under no_grad");
  const ViewRecord* fixed = view.is_differentiable() ? view.find_fixed_step() : nullptr;
  OPWRIGHT_CHECK(!fixed || fixed->is_of_function, writer.text(), " is one of the views that ",
                 fixed->op->name(),
                 " returned. The output of a function that returns multiple views cannot be "
                 "modified in place where autograd records; compute a new tensor, or take the "
                 "view by an index");
  OPWRIGHT_CHECK(!fixed, writer.text(),
                 " is an output of an autograd.Function that is a view and is being modified "
                 "inplace. This view was created inside a custom Function (or because an input "
                 "was returned as-is), whose own backward the write would override; clone the "
                 "output of the Function");
}

void check_write_by(const Writer& writer, const Tensor& written) {
  const TensorImpl& self = impl(written);
  const Interpreter* level = current_interpreter();
  OPWRIGHT_CHECK(self.level == level, writer.text(), " is a tensor from outside of ",
                 level ? level->name() : "eager", " (", level_name(self),
                 ") and cannot take a value that is differentiated inside, which would mutate a "
                 "captured Tensor; make it an argument of the function, or clone it first");
  OPWRIGHT_CHECK((self.flags & kOpwFlagInference) == 0, writer.text(),
                 " was made in inference mode and cannot be modified in place where autograd "
                 "records; clone it first");
  const ViewRecord* view = find_view(written);
  if (view) check_view_write(writer, *view);
  const bool has_root = view && view->is_differentiable();
  const Tensor root = has_root ? find_history(written.get())->root : written;
  const bool is_leaf_itself = requires_grad(written) && is_leaf(written);
  OPWRIGHT_CHECK(!is_leaf_itself && (!requires_grad(root) || !is_leaf(root)), writer.text(),
                 " is a ", is_leaf_itself ? "" : "view of a ",
                 "leaf that requires grad and cannot be modified in place; write under no_grad, or "
                 "clone it first");
}

}  // namespace

void check_write(const Operator& op, uint32_t argument, const Tensor& written) {
  check_write_by({&op, argument, {}, {}}, written);
}

void check_function_write(std::string_view function, const Tensor& written) {
  check_write_by({nullptr, 0, function, "an input marked dirty"}, written);
}

void check_view_in_place(std::string_view function, const Tensor& tensor) {
  const ViewRecord* view = find_view(tensor);
  if (view && requires_grad(find_history(tensor.get())->root))
    check_view_write({nullptr, 0, function, "the tensor"}, *view);
}

void rebase(const Tensor& written, TapeNodePtr node, uint32_t place) {
  const History* history = find_history(written.get());
  const ViewRecordPtr view = history ? history->view : nullptr;
  if (!view || !view->is_differentiable()) {
    set_history(written, std::move(node), place);
    ++history_of(written).rebases;
    return;
  }
  const Tensor root = history->root;
  auto scattered = TapeNodePtr::take(new ScatterNode(root, written, steps_to(view)));
  scattered->add_edge(edge_of(root));
  scattered->add_edge({std::move(node), place});
  set_history(root, std::move(scattered), 0);
  ++history_of(root).rebases;
}

}  // namespace opwright
