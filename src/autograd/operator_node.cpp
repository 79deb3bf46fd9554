#include "opwright/autograd/operator_node.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "opwright/autograd/backward_refusal.h"
#include "opwright/autograd/gradient_fit.h"
#include "opwright/autograd/short_lock.h"
#include "opwright/base/block_cache.h"
#include "opwright/base/given_error.h"
#include "opwright/base/user_line.h"
#include "opwright/dispatch/owned_results.h"
#include "opwright/dispatch/property.h"
#include "opwright/error.h"
#include "opwright/symbolic/shape_env/value_finder.h"
#include "opwright/tensor/view.h"
#include "opwright/tensor/wrapper.h"

namespace opwright {

namespace {

// The saves in progress on this thread, innermost call first.
constinit thread_local OperatorNode::Saving* innermost_saving
    __attribute__((tls_model("initial-exec"))) = nullptr;

// Flag in a length: it is that of a list, not of one optional tensor.
constexpr uint32_t kIsList = 1u << 31;

}  // namespace

extern const OpwObjectTable kContextObjectTable;
extern const OpwContextTable kContextTable;

void* OperatorNode::operator new(size_t bytes) { return allocate_block(bytes); }
void OperatorNode::operator delete(void* memory, size_t bytes) noexcept {
  free_block(memory, bytes);
}

OperatorNode::OperatorNode(const Operator& op, Arguments args, ArgumentEdges&& edges)
    : FormulaNode(std::move(edges.edges)),
      context_{&kContextObjectTable, &kContextTable},
      op_(&op),
      needs_(edges.needs) {
  const uint32_t num_numbers = op.num_arguments() - op.num_tensor_arguments();
  if (num_numbers > 0) {
    numbers_ = std::make_unique<Value[]>(num_numbers);
    uint32_t next = 0;
    for (uint32_t i = 0; i < op.num_arguments(); ++i) {
      if (!op.takes_tensors(i)) numbers_[next++] = Value::copy_of(args[i]);
    }
  }
  if (!op.takes_only_plain_tensors()) {
    for (uint64_t left = op.all_tensor_args(); left != 0; left &= left - 1) {
      const OpwValue& arg = args[static_cast<size_t>(std::countr_zero(left))];
      const bool is_list = arg.tag == kOpwTensorList || arg.tag == kOpwList;
      extra().argument_lengths.push_back(is_list ? arg.length | kIsList : 1);
    }
  }
  if (anomaly_mode()) extra().line = current_user_line();
}

OperatorNode::Extra& OperatorNode::extra() {
  if (!extra_) extra_ = std::make_unique<Extra>();
  return *extra_;
}

OpwValue OperatorNode::context() noexcept {
  OpwValue value{};
  value.tag = kOpwObject;
  value.as_object = reinterpret_cast<OpwObject*>(&context_);
  return value;
}

OperatorNode& OperatorNode::of(OpwContext* context) noexcept {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
  constexpr size_t kOffset = offsetof(OperatorNode, context_);
#pragma GCC diagnostic pop
  return *reinterpret_cast<OperatorNode*>(reinterpret_cast<std::byte*>(context) - kOffset);
}

OperatorNode* OperatorNode::find(OpwObject* object) noexcept {
  if (object->table != &kContextObjectTable) return nullptr;
  return &of(reinterpret_cast<OpwContext*>(object));
}

std::optional<uint32_t> OperatorNode::list_length(uint32_t which) const noexcept {
  if (!extra_ || extra_->argument_lengths.empty()) return std::nullopt;
  const uint32_t length = extra_->argument_lengths[which];
  if ((length & kIsList) == 0) return std::nullopt;
  return length & ~kIsList;
}

void OperatorNode::visit_owned(OwnedTensorVisitor& visitor) const {
  for (const SavedTensor& saved : saved_) visitor.visit(saved.tensor);
}

// ---- Saving ----

void OperatorNode::begin_saving(Saving& saving) const noexcept {
  saving.node = this;
  saving.outer = std::exchange(innermost_saving, &saving);
}

void OperatorNode::end_saving() noexcept { innermost_saving = innermost_saving->outer; }

OperatorNode::Saving* OperatorNode::find_saving() const noexcept {
  return innermost_saving && innermost_saving->node == this ? innermost_saving : nullptr;
}

uint32_t OperatorNode::place_of(const OpwTensor* tensor, const Saving& saving) const noexcept {
  uint32_t place = 0;
  uint32_t found = SavedTensor::kNotAResult;
  const auto look = [&](const OpwTensor* each) {
    if (each == tensor && found == SavedTensor::kNotAResult) found = place;
    ++place;
  };
  for (const OpwValue& result : saving.results) visit_tensors(result, look);
  for (uint64_t left = op_->unreturned_args(); left != 0; left &= left - 1) {
    visit_tensors(saving.args[static_cast<size_t>(std::countr_zero(left))], look);
  }
  return found;
}

void OperatorNode::check_can_be_saved(const Tensor& tensor) const {
  OPWRIGHT_CHECK((impl(tensor).flags & kOpwFlagInference) == 0, op_->name(),
                 ": a tensor made in inference mode cannot be saved for backward; clone it outside "
                 "of inference mode first");
}

SavedTensor OperatorNode::make_saved(OpwTensor* tensor) const {
  SavedTensor saved;
  if (!tensor) return saved;
  saved.tensor = Tensor::borrow(tensor);
  saved.version = version_of(saved.tensor);
  const Saving* saving = find_saving();
  if (!saving) return saved;
  op_->visit_tensor_arguments(saving->args, [&](uint32_t index, const OpwTensor* each) {
    if (each == tensor) saved.argument = index;
  });
  saved.result_place = place_of(tensor, *saving);
  if (saved.result_place != SavedTensor::kNotAResult) saved.tensor = alias_of(saved.tensor);
  for (const auto& noted : saving->versions) {
    if (noted.tensor == tensor) saved.version = noted.version;
  }
  return saved;
}

void OperatorNode::save(std::span<OpwTensor* const> tensors) {
  for (OpwTensor* tensor : tensors) {
    if (tensor) check_can_be_saved(BorrowedTensor(tensor));
  }
  if (extra_) extra_->packed.clear();
  saved_.clear();
  for (OpwTensor* tensor : tensors) saved_.push_back(make_saved(tensor));
  if (saved_tensor_hooks()) [[unlikely]]
    pack_saved();
}

void OperatorNode::pack_saved() {
  std::vector<PackedTensorPtr> packed;
  for (SavedTensor& saved : saved_) packed.push_back(saved.pack());
  extra().packed = std::move(packed);
}

void OperatorNode::check_not_released() const {
  if (!is_released_) return;
  throw_backward_refusal(
      "RuntimeError",
      concatenate("the values that ", op_->name(),
                  " saved for its backward were freed by an earlier backward. Specify "
                  "retain_graph=True in the first one to run it again"));
}

void OperatorNode::check_not_detached(const SavedTensor& kept) const {
  const bool is_plain = !extra_ || extra_->argument_lengths.empty();
  if (!is_plain || kept.argument >= op_->num_arguments() || impl(kept.tensor).is_wrapper()) return;
  const uint64_t below = (uint64_t{1} << kept.argument) - 1;
  const auto which = static_cast<size_t>(std::popcount(below & op_->all_tensor_args()));
  const Edge& edge = edges()[which];
  OPWRIGHT_CHECK(!edge || edge.node->accumulates(), op_->name(),
                 ": Trying to use a saved tensor that has been detached in-place, i.e. with "
                 ".detach_(): '",
                 op_->schema().arguments[kept.argument].name,
                 "'. This is not supported, please use out-of-place `.detach()` instead");
}

size_t OperatorNode::num_saved() const {
  const ShortLock lock(saved_is_taken_);
  check_not_released();
  return saved_.size();
}

OperatorNode::Kept OperatorNode::find_saved(size_t index) {
  const ShortLock lock(saved_is_taken_);
  check_not_released();
  OPWRIGHT_CHECK_INDEX(index < saved_.size(), op_->name(), ": its formula reads saved tensor ",
                       index, ", but ", saved_.size(), " were saved");
  const bool is_packed = extra_ && !extra_->packed.empty();
  return {saved_[index], is_packed ? extra_->packed[index] : nullptr};
}

Tensor OperatorNode::saved(size_t index) {
  auto [kept, packed] = find_saved(index);
  if (packed) [[unlikely]]
    return std::move(kept).unpack(*this, packed.get());
  if (!kept.tensor.is_defined()) return {};
  const uint64_t version = version_of(kept.tensor);
  if (version != kept.version) [[unlikely]] {
    const bool is_argument = kept.argument < op_->num_arguments();
    const std::string what =
        is_argument ? concatenate("'", op_->schema().arguments[kept.argument].name, "'")
        : kept.result_place != SavedTensor::kNotAResult ? std::string("its result")
                                                        : concatenate("saved tensor ", index);
    throw_backward_refusal(
        "RuntimeError",
        concatenate(
            op_->name(), ": ", what,
            ", saved for its backward, was modified by an in-place operation: it is at version ",
            version, ", expected ", kept.version,
            "\n  Clone it before it is written, or write to a copy."));
  }
  const bool may_be_detached = kept.result_place == SavedTensor::kNotAResult &&
                               (impl(kept.tensor).flags & kOpwFlagRequiresGrad) == 0;
  if (may_be_detached) check_not_detached(kept);
  return std::move(kept).unpack(*this, nullptr);
}

void OperatorNode::release_saved() noexcept {
  SmallVector<SavedTensor, 2> gone;
  std::vector<PackedTensorPtr> gone_packed;
  const ShortLock lock(saved_is_taken_);
  if (saved_.empty()) return;
  gone = std::move(saved_);
  if (extra_) gone_packed = std::move(extra_->packed);
  is_released_ = true;
}

const OpwValue* OperatorNode::find_argument(uint32_t index) const {
  if (index >= op_->num_arguments() || op_->takes_tensors(index)) return nullptr;
  const uint64_t below = (uint64_t{1} << index) - 1;
  return &numbers_[static_cast<size_t>(std::popcount(below & ~op_->all_tensor_args()))].get();
}

const OpwValue* OperatorNode::find_attribute(std::string_view name) const {
  if (extra_) {
    for (const Attribute& attribute : extra_->attributes) {
      if (attribute.name == name) return &attribute.value.get();
    }
  }
  const auto index = op_->schema().index_of(name);
  return index ? find_argument(static_cast<uint32_t>(*index)) : nullptr;
}

void OperatorNode::set_attribute(std::string_view name, Value value) {
  for (Attribute& attribute : extra().attributes) {
    if (attribute.name != name) continue;
    attribute.value = std::move(value);
    return;
  }
  extra().attributes.push_back({std::string(name), std::move(value)});
}

namespace {

void settle(Value& value) {
  const OpwValue& kept = value.get();
  if (kept.tag == kOpwSymInt) {
    value = Value(settled(SymInt::borrow(kept.as_int)));
  } else if (kept.tag == kOpwSymIntList) {
    value = Value(settled(ValueOf<std::span<const SymInt>>::read(kept)));
  }
}

}  // namespace

void OperatorNode::settle_numbers() {
  const auto num_numbers =
      op_->num_arguments() - static_cast<uint32_t>(std::popcount(op_->all_tensor_args()));
  for (uint32_t i = 0; numbers_ && i < num_numbers; ++i) settle(numbers_[i]);
  if (!extra_) return;
  for (Attribute& attribute : extra_->attributes) settle(attribute.value);
}

void OperatorNode::mark_non_differentiable(std::span<OpwTensor* const> results) {
  Saving* saving = find_saving();
  OPWRIGHT_CHECK(saving, op_->name(),
                 ": mark_non_differentiable belongs in setup_context, not in the formula");
  for (const OpwTensor* result : results) saving->non_differentiable.push_back(result);
}

// ---- Running the formula ----

void OperatorNode::set_gradient_lengths(Arguments args, std::span<const OpwValue> results) {
  bool is_plain = true;
  SmallVector<uint32_t, 4> lengths;
  const auto add = [&](const OpwValue& value) {
    is_plain &= value.tag == kOpwTensor;
    if (value.tag == kOpwTensorList) {
      lengths.push_back(value.length | kIsList);
    } else {
      lengths.push_back(value.tag == kOpwTensor ? 1 : 0);
    }
  };
  for (const OpwValue& result : results) add(result);
  for (uint64_t left = op_->unreturned_args(); left != 0; left &= left - 1) {
    add(args[static_cast<size_t>(std::countr_zero(left))]);
  }
  if (!is_plain) extra().gradient_lengths.assign(lengths.begin(), lengths.end());
}

// Fills missing gradients with zeros.
void OperatorNode::fill(std::span<Tensor> gradients) const {
  for (uint32_t place = 0; place < gradients.size(); ++place) {
    if (!gradients[place].is_defined() && has_gradients(meta(place).dtype())) {
      gradients[place] = meta(place).zeros();
    }
  }
}

namespace {

// The gradients as arguments of the formula; lists are stored here.
class FormulaArguments {
 public:
  FormulaArguments(OpwValue context, std::span<Tensor> gradients,
                   std::span<const uint32_t> lengths) {
    values_.push_back(context);
    if (lengths.empty()) {
      for (const Tensor& gradient : gradients) values_.push_back(lend(gradient));
      return;
    }
    size_t next = 0;
    for (const uint32_t each : lengths) {
      const uint32_t length = each & ~kIsList;
      if ((each & kIsList) == 0) {
        values_.push_back(length == 0 ? OpwValue{} : lend(gradients[next]));
        next += length;
        continue;
      }
      lists_.push_back(as_list(gradients.subspan(next, length)));
      values_.push_back(lists_.back().get());
      next += length;
    }
  }
  [[nodiscard]] Arguments get() const noexcept { return {values_.data(), values_.size()}; }

 private:
  static OpwValue lend(const Tensor& gradient) {
    return gradient.is_defined() ? ValueOf<Tensor>::lend(gradient) : OpwValue{};
  }
  static Value as_list(std::span<const Tensor> gradients) {
    const bool is_whole = std::ranges::all_of(gradients, &Tensor::is_defined);
    if (is_whole) return Value(std::vector<Tensor>(gradients.begin(), gradients.end()));
    std::vector<std::optional<Tensor>> some(gradients.size());
    for (size_t i = 0; i < gradients.size(); ++i) {
      if (gradients[i].is_defined()) some[i] = gradients[i];
    }
    return Value(some);
  }

  SmallVector<OpwValue, 4> values_;
  std::vector<Value> lists_;
};

}  // namespace

// The words of the operator's name without namespace, overload and a leading or trailing '_'.
std::string OperatorNode::backward_name() const {
  std::string text;
  bool begins_word = true;
  for (const char each : op_->schema().name.base) {
    if (each == '_') {
      begins_word = true;
      continue;
    }
    text += begins_word && each >= 'a' && each <= 'z' ? static_cast<char>(each - 'a' + 'A') : each;
    begins_word = false;
  }
  return text + "Backward0";
}

std::string OperatorNode::line_text() const {
  if (!extra_ || !extra_->line.is_known()) return {};
  return concatenate(", called at ", extra_->line.text());
}

void OperatorNode::throw_failed_formula() {
  OpwError* given = take_error();
  Error error = given ? Error::take(given)
                      : Error("RuntimeError",
                              concatenate(op_->name(), ": its formula failed without an error"));
  error.add_note("operator", concatenate("in the backward of ", op_->name(), line_text()));
  throw error;
}

void OperatorNode::throw_missing_formula() const {
  const std::string text =
      concatenate(op_->name(),
                  " has no backward formula, so nothing can be trained through it\n  Register one "
                  "with register_autograd, or call it under no_grad or on detached tensors.");
  // Only a trace records control flow as a call: eager code differentiates the branch that ran.
  if (has_property(*op_, Property::Internal)) throw Error("NotImplementedError", text);
  throw_backward_refusal("NotImplementedError", text);
}

void OperatorNode::call_formula(std::span<Tensor> gradients, Results results) {
  const OpwRecord* formula = op_->record(Slot::Autograd);
  if (!formula) throw_missing_formula();
  static const std::vector<uint32_t> plain;
  const FormulaArguments args(context(), gradients, extra_ ? extra_->gradient_lengths : plain);
  const Arguments passed = args.get();
  if (formula->function(formula, passed.data(), static_cast<uint32_t>(passed.size()),
                        results.data(), static_cast<uint32_t>(results.size())) != 0) [[unlikely]] {
    throw_failed_formula();
  }
}

void OperatorNode::run_formula(std::span<Tensor> gradients, Results results) {
  if (materializes_) fill(gradients);
  call_formula(gradients, results);
}

void OperatorNode::apply(std::span<Tensor> gradients, std::span<Tensor> given) {
  OwnedResults results(op_->num_tensor_arguments());
  const Results got = results.get();
  if (materializes_) fill(gradients);
  const GradientVersions versions(gradients);
  call_formula(gradients, got);
  versions.check(gradients, *this);
  size_t next = 0;
  uint32_t which = 0;
  for (uint64_t left = op_->all_tensor_args(); left != 0; left &= left - 1, ++which) {
    give(which, static_cast<uint32_t>(std::countr_zero(left)), got[which], given, next);
  }
}

void OperatorNode::give(uint32_t which, uint32_t argument, OpwValue& gradient,
                        std::span<Tensor> given, size_t& next) {
  const bool is_counted = extra_ && !extra_->argument_lengths.empty();
  const uint32_t length = is_counted ? extra_->argument_lengths[which] & ~kIsList : 1;
  if (gradient.tag == kOpwNone) {
    next += length;
    return;
  }
  if (gradient.tag == kOpwTensor) {
    OPWRIGHT_CHECK(length == 1, op_->name(), ": the backward formula returned one gradient for '",
                   op_->schema().arguments[argument].name, "', a list of ", length, " tensors");
    give_one(argument, ValueOf<Tensor>::take(std::exchange(gradient, {})), given[next], next);
    ++next;
    return;
  }
  OPWRIGHT_CHECK(
      (gradient.tag == kOpwTensorList || gradient.tag == kOpwList) && gradient.length == length,
      op_->name(), ": the backward formula returned ", gradient.length, " gradients for '",
      op_->schema().arguments[argument].name, "', which has ", length,
      length == 1 ? " tensor" : " tensors");
  for (uint32_t i = 0; i < length; ++i, ++next) {
    if (gradient.tag == kOpwTensorList) {
      give_one(argument, Tensor::borrow(gradient.as_tensors[i]), given[next], next);
      continue;
    }
    const OpwValue& element = static_cast<const OpwValue*>(gradient.as_values)[i];
    if (element.tag == kOpwTensor) {
      give_one(argument, Tensor::borrow(element.as_tensor), given[next], next);
    }
  }
}

void OperatorNode::give_one(uint32_t argument, Tensor gradient, Tensor& given, size_t edge) {
  const Edge& to = edges()[edge];
  if (!to || !gradient.is_defined()) return;
  const ValueMeta& meta = to.node->meta(to.place);
  if (meta.fits(gradient)) [[likely]] {
    given = std::move(gradient);
    return;
  }
  const std::string& name = op_->schema().arguments[argument].name;
  Tensor fitting = has_sizes(gradient, meta.sizes()) ? gradient : Tensor();
  if (!fitting.is_defined() && op_->tags().has(Tag::Pointwise)) {
    fitting = undo_broadcast(gradient, meta.sizes());
  }
  OPWRIGHT_CHECK(fitting.is_defined(), op_->name(),
                 ": the backward formula returned a gradient of sizes ",
                 to_text(ValueMeta(gradient).sizes()), " for '", name, "', which has sizes ",
                 to_text(meta.sizes()));
  given = fit_dtype(fitting, meta);
}

}  // namespace opwright
