#include "opwright/ops/engine/pointwise/pointwise_registration.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "opwright/dispatch/first_use.h"
#include "opwright/dispatch/registry.h"
#include "opwright/ops/engine/pointwise/device_pointwise.h"
#include "opwright/ops/engine/pointwise/pointwise_engine.h"
#include "opwright/ops/engine/pointwise/pointwise_fake.h"

namespace opwright {
namespace {

enum class Form : uint8_t { New, InPlace, Out };

// Data about an operator for the functions below; the `self` of its records.
struct PointwiseOperator {
  const PointwiseOp* op;
  std::string who;  // "add", "add_"
  Form form;
  uint32_t num_args;
  uint32_t first_operand;   // the number of ints before the operands
  uint32_t first_other;     // the arguments before the operands, or those after them
  uint32_t num_others;      // without `out`
  bool others_are_numbers;  // all of them are Scalars
};

PointwiseCall read_call(const PointwiseOperator& self, const OpwValue* args) {
  PointwiseCall call;  // set member by member: braces would clear all inline storage
  call.who = self.who.c_str();
  call.op = self.op;
  for (const OpwValue& value : std::span(args + self.first_operand, self.op->arity)) {
    if (value.tag == kOpwTensor)
      call.operands.push_back({.tensor = &borrow_tensor(value)});
    else
      call.operands.push_back({.number = ValueOf<Scalar>::read(value)});
  }
  call.others = {args + self.first_other, self.num_others};
  if (self.others_are_numbers) {
    for (const OpwValue& value : call.others) call.numbers.push_back(ValueOf<Scalar>::read(value));
  }
  if (self.op->prepare) self.op->prepare(call);
  return call;
}

// How one device computes a call.
struct CpuEngine {
  static Tensor make(const PointwiseCall& call) { return compute_pointwise(call); }
  static void write(const PointwiseCall& call, const Tensor& self) {
    compute_pointwise_in_place(call, self);
  }
  static void write_out(const PointwiseCall& call, const Tensor& out) {
    compute_pointwise_out(call, out);
  }
};
struct DeviceEngine {
  static Tensor make(const PointwiseCall& call) { return compute_pointwise_on_device(call); }
  static void write(const PointwiseCall& call, const Tensor& self) {
    compute_pointwise_in_place_on_device(call, self);
  }
  static void write_out(const PointwiseCall& call, const Tensor& out) {
    compute_pointwise_out_on_device(call, out);
  }
};
struct FakeEngine {
  static Tensor make(const PointwiseCall& call) { return fake_pointwise(call); }
  static void write(const PointwiseCall& call, const Tensor& self) {
    fake_pointwise_in_place(call, self);
  }
  static void write_out(const PointwiseCall& call, const Tensor& out) {
    fake_pointwise_out(call, out);
  }
};

template <class Engine>
int run_pointwise(const OpwRecord* record, const OpwValue* args, uint32_t num_args,
                  OpwValue* results, uint32_t num_results) noexcept {
  try {
    const auto& self = *static_cast<const PointwiseOperator*>(record->self);
    if (num_args != self.num_args || num_results != 1) [[unlikely]]
      throw_wrong_count(self.num_args, num_args, 1, num_results);
    const PointwiseCall call = read_call(self, args);
    if (self.form == Form::New) {
      results[0] = ValueOf<Tensor>::give(Engine::make(call));
      return 0;
    }
    const Tensor& target = borrow_tensor(args[self.form == Form::InPlace ? 0 : num_args - 1]);
    if (self.form == Form::InPlace)
      Engine::write(call, target);
    else
      Engine::write_out(call, target);
    results[0] = ValueOf<Tensor>::give(target);
    return 0;
  } catch (...) {
    return give_current_error(record->host);
  }
}

bool is_number(const Argument& argument) { return argument.type.kind() == TypeKind::Scalar; }
bool is_int(const Argument& argument) { return argument.type.kind() == TypeKind::Int; }

PointwiseOperator describe_operator(const PointwiseOp& op, const Schema& schema) {
  const auto& arguments = schema.arguments;
  Form form = Form::New;
  if (arguments.front().is_written())
    form = Form::InPlace;
  else if (arguments.back().is_written())
    form = Form::Out;
  const auto operands = std::ranges::find_if_not(arguments, is_int);
  const auto first_operand = static_cast<size_t>(operands - arguments.begin());
  const size_t first_other = first_operand == 0 ? op.arity : 0;
  const size_t end =
      first_operand == 0 ? arguments.size() - (form == Form::Out ? 1 : 0) : first_operand;
  bool are_numbers = true;
  for (size_t i = first_other; i < end; ++i) are_numbers &= is_number(arguments[i]);
  return {.op = &op,
          .who = schema.name.base,
          .form = form,
          .num_args = static_cast<uint32_t>(arguments.size()),
          .first_operand = static_cast<uint32_t>(first_operand),
          .first_other = static_cast<uint32_t>(first_other),
          .num_others = static_cast<uint32_t>(end - first_other),
          .others_are_numbers = are_numbers};
}

struct PointwiseTable {
  const char* file;
  std::vector<PointwiseEntry> entries;
};

void register_pointwise_table(const PointwiseTable& table) {
  static auto* operators = new std::deque<PointwiseOperator>;  // never freed: records point to them
  Registry& registry = Registry::get();
  for (const PointwiseEntry& entry : table.entries) {
    PointwiseOperator& self = operators->emplace_back(
        describe_operator(entry.op(), registry.require(entry.name).schema()));
    const SourceSite site{table.file, entry.line};
    const auto implement = [&](Slot slot, OpwFunction function) {
      registry.implement(entry.name, slot, {function, &self, nullptr, nullptr}, site).keep();
    };
    implement(Slot::Cpu, &run_pointwise<CpuEngine>);
    implement(Slot::AllDevices, &run_pointwise<DeviceEngine>);
    implement(Slot::Fake, &run_pointwise<FakeEngine>);
  }
}

bool is_symbolic_value(const OpwValue& value) {
  return value.tag == kOpwSymInt && SymInt::borrow(value.as_int).is_symbolic();
}

// Whether reading would need a symbol's value: that of numbers besides the operands, and of number
// operands too if `prepare` can read nothing else.
bool asks_symbols(const PointwiseOperator& self, Arguments args) {
  const bool asks_operands = self.op->prepare && self.num_others == 0;
  const auto asked = asks_operands ? args : args.subspan(self.first_other, self.num_others);
  return std::ranges::any_of(asked, is_symbolic_value);
}

}  // namespace

std::optional<PointwiseCall> read_pointwise_call(const Operator& op, Arguments args) {
  const OpwRecord* record = op.record(Slot::Cpu);
  if (!record || record->function != &run_pointwise<CpuEngine>) return std::nullopt;
  const auto& self = *static_cast<const PointwiseOperator*>(record->self);
  if (self.form != Form::New || args.size() != self.num_args || asks_symbols(self, args))
    return std::nullopt;
  return read_call(self, args.data());
}

bool register_pointwise(const char* file, std::initializer_list<PointwiseEntry> entries) {
  const auto step = [](void* context) {
    const std::unique_ptr<PointwiseTable> table(static_cast<PointwiseTable*>(context));
    register_pointwise_table(*table);
  };
  at_first_use(step, new PointwiseTable{file, entries});
  return true;
}

}  // namespace opwright
