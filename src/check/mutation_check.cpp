#include "opwright/check/mutation_check.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/base/thread_state.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/mode.h"
#include "opwright/error.h"
#include "opwright/ops/cpu/copy.h"
#include "opwright/symbolic/sizes.h"
#include "opwright/tensor/extent.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/number_text.h"
#include "opwright/tensor/overlap.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

// A tensor among the arguments, as it was before the call.
struct Snapshot {
  uint32_t argument;
  uint32_t position;  // among the tensors of the argument
  Tensor memory;  // a view of its own, so that the elements stay if the call replaces the tensor
  Tensor copy;    // contiguous
};

// ---- Before the call ----------------------------------------------------------------------------

bool is_on_cpu(const OpwTensor* tensor) { return tensor->dl.device.type == kOpwDeviceCpu; }

bool is_written(const Operator& op, uint32_t argument) {
  return (op.written_args() >> argument & 1) != 0;
}

std::pair<const std::byte*, const std::byte*> address_range(const Tensor& tensor) {
  const Extent extent = *find_extent(tensor.sizes(), tensor.strides());
  const auto* first = static_cast<const std::byte*>(tensor.data());
  const auto bytes = static_cast<int64_t>(item_size(tensor.dtype()));
  return {first + extent.lowest * bytes, first + (extent.lowest + extent.length()) * bytes};
}

// Two storages may be the same foreign memory.
bool share_memory(const Tensor& a, const Tensor& b) {
  if (impl(a).storage == impl(b).storage) return overlap(a, b) != Overlap::None;
  const auto [a_begin, a_end] = address_range(a);
  const auto [b_begin, b_end] = address_range(b);
  return a_begin < b_end && b_begin < a_end;
}

bool shares_memory_with_written(const Operator& op, Arguments args, const Tensor& tensor) {
  bool shares = false;
  op.visit_tensor_arguments(args, [&](uint32_t index, OpwTensor* other) {
    if (!is_written(op, index) || !is_on_cpu(other)) return;
    const BorrowedTensor written(other);
    shares = shares || share_memory(tensor, written);
  });
  return shares;
}

Snapshot take_snapshot(uint32_t argument, uint32_t position, const Tensor& tensor) {
  Snapshot snapshot{argument, position, make_view(tensor, geometry_of(tensor)),
                    make_empty(tensor.sizes(), tensor.dtype())};
  copy_elements(snapshot.copy, tensor);
  return snapshot;
}

std::vector<Snapshot> take_snapshots(const Operator& op, Arguments args) {
  std::vector<Snapshot> snapshots;
  uint32_t argument = 0;
  uint32_t position = 0;
  op.visit_tensor_arguments(args, [&](uint32_t index, OpwTensor* tensor) {
    position = index == argument ? position : 0;
    argument = index;
    const BorrowedTensor borrowed(tensor);
    if (!is_written(op, index) && is_on_cpu(tensor) &&
        !shares_memory_with_written(op, args, borrowed)) {
      snapshots.push_back(take_snapshot(index, position, borrowed));
    }
    ++position;
  });
  return snapshots;
}

// ---- After the call -----------------------------------------------------------------------------

std::span<const std::byte> bytes_of(const Tensor& contiguous) {
  return {static_cast<const std::byte*>(contiguous.data()),
          static_cast<size_t>(contiguous.numel()) * item_size(contiguous.dtype())};
}

// The first element, in logical order, whose bytes are not what they were.
std::optional<int64_t> find_change(const Tensor& before, const Tensor& after) {
  const auto old_bytes = bytes_of(before);
  const auto changed = std::ranges::mismatch(old_bytes, bytes_of(after)).in1;
  if (changed == old_bytes.end()) return std::nullopt;
  return (changed - old_bytes.begin()) / static_cast<int64_t>(item_size(before.dtype()));
}

std::string index_text(int64_t element, std::span<const int64_t> sizes) {
  Sizes index(sizes.size());
  for (size_t dim = sizes.size(); dim-- > 0;) {
    index[dim] = element % sizes[dim];
    element /= sizes[dim];
  }
  return to_text(index);
}

std::string element_text(const Tensor& contiguous, int64_t element) {
  const DType dtype = contiguous.dtype();
  const void* at = bytes_of(contiguous).data() + static_cast<size_t>(element) * item_size(dtype);
  if (!is_floating(dtype) && !is_complex(dtype)) return discrete_text(at, dtype);
  const FloatParts parts = read_float(at, dtype);
  if (dtype == DType::Float64) return concatenate(parts.real);
  if (!is_complex(dtype)) return concatenate(static_cast<float>(parts.real));
  const Complex<double> value(parts.real, parts.imag);
  return dtype == DType::Complex128 ? concatenate(value) : concatenate(Complex<float>(value));
}

// The letter that marks the argument: its own, or one that the schema does not use yet.
std::string alias_of(const Schema& schema, const Argument& argument) {
  if (!argument.alias.before.empty()) return argument.alias.before.front();
  std::string letter = "a";
  const auto is_used = [&](const Argument& each) { return each.alias.mentions(letter); };
  while (letter[0] < 'z' && std::ranges::any_of(schema.arguments, is_used)) ++letter[0];
  return letter;
}

// "Tensor(a!)[] tracks"
std::string declaration_of(const Schema& schema, const Argument& argument) {
  std::string text = to_text(argument.type);
  const std::string_view tensor = "Tensor";
  text.insert(text.find(tensor) + tensor.size(), "(" + alias_of(schema, argument) + "!)");
  return text + " " + argument.name;
}

[[noreturn]] void throw_changed(const Operator& op, const Snapshot& snapshot, const Tensor& after,
                                int64_t element) {
  const Argument& argument = op.schema().arguments[snapshot.argument];
  std::string name = argument.name;
  const bool is_optional = argument.type.is_optional();
  const Type& type = is_optional ? argument.type.element() : argument.type;
  if (type.is_list()) name += concatenate("[", snapshot.position, "]");
  throw_error("RuntimeError", op.name(), " changed its argument '", name, "' (", after,
              "), which its schema does not mark as written: element ",
              index_text(element, after.sizes()), " was ", element_text(snapshot.copy, element),
              " and is ", element_text(after, element), "\n  Declare it: mutates_args={'",
              argument.name, "'} in custom_op, or ", declaration_of(op.schema(), argument),
              " in the schema.");
}

// ---- The mode -----------------------------------------------------------------------------------

bool has_memory(const Operator& op, Arguments args) {
  bool has = true;
  op.visit_tensor_arguments(args, [&](uint32_t /*index*/, const OpwTensor* tensor) {
    has = has && (tensor->flags & (kOpwFlagFake | kOpwFlagWrapped)) == 0;
  });
  return has;
}

// Nothing of it changes in process: workers of a parallel loop call it as well.
class MutationCheck : public Mode {
 public:
  MutationCheck() = default;
  ~MutationCheck() override { leave_list(); }

  bool process(const Operator& op, Arguments args, Results results) override {
    if (!is_on_ || !has_memory(op, args)) return false;
    const std::vector<Snapshot> snapshots = take_snapshots(op, args);
    if (snapshots.empty()) return false;
    call(op, args, results);
    for (const Snapshot& snapshot : snapshots) {
      const Tensor after = as_contiguous(snapshot.memory);
      const std::optional<int64_t> element = find_change(snapshot.copy, after);
      if (!element) continue;
      for (OpwValue& result : results) release_value(result);
      throw_changed(op, snapshot, after, *element);
    }
    return true;
  }

  bool set_on(bool is_on) {
    if (is_on) {
      enter_list();
    } else {
      leave_list();
    }
    return std::exchange(is_on_, is_on);
  }

 private:
  // A scope takes the list that there is as what stands outside of its mode.
  static void set_outer(Mode& mode, Mode* outer) {
    Mode* innermost = thread_state().set_modes(outer);
    {
      const ModeScope scope(mode);
    }
    thread_state().set_modes(innermost);
  }

  // At the outer end: scopes of other modes then end as if it had always been there.
  void enter_list() {
    Mode* last = thread_state().modes;
    if (!last) {
      thread_state().set_modes(this);
      return;
    }
    while (last != this && last->outer()) last = last->outer();
    if (last != this) set_outer(*last, this);
  }

  void leave_list() {
    if (thread_state().modes == this) {
      thread_state().set_modes(outer());
      return;
    }
    for (Mode* mode = thread_state().modes; mode; mode = mode->outer()) {
      if (mode->outer() == this) set_outer(*mode, outer());
    }
  }

  bool is_on_ = false;
};

}  // namespace

bool set_check_mutation(bool enabled) {
  thread_local MutationCheck check;
  return check.set_on(enabled);
}

}  // namespace opwright
