#include "opwright/dispatch/call_error.h"

#include <algorithm>

#include "opwright/base/given_error.h"
#include "opwright/base/user_line.h"
#include "opwright/dispatch/property.h"
#include "opwright/dispatch/record.h"
#include "opwright/dispatch/registry.h"
#include "opwright/schema/constant.h"
#include "opwright/schema/value_fits.h"
#include "opwright/tensor/level.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright {
namespace {

std::string tensor_text(OpwTensor* tensor) {
  const BorrowedTensor borrowed(tensor);
  return concatenate(static_cast<const Tensor&>(borrowed));
}

// The text of a value in an error: tensors by dtype and shape.
void append_argument(std::string& out, const OpwValue& value) {
  if (value.tag == kOpwTensor) return out.append(tensor_text(value.as_tensor)), void();
  if (value.tag != kOpwTensorList && value.tag != kOpwList) return append_value_text(out, value);
  out += "[";
  for (uint32_t i = 0; i < value.length; ++i) {
    if (i != 0) out += ", ";
    append_argument(out, list_element(value, i));
  }
  out += "]";
}

const std::string& argument_name(const Operator& op, uint32_t index) {
  return op.schema().arguments[index].name;
}

// "x is float32[4, 256] on cuda:0"
std::string argument_text(const Operator& op, uint32_t index, OpwTensor* tensor) {
  std::string text = concatenate(argument_name(op, index), " is ", tensor_text(tensor));
  if (tensor->dl.device.type == kOpwDeviceCpu) text += " on cpu";
  return text;
}

std::string_view namespace_of(const Operator& op) {
  return std::string_view(op.name()).substr(0, op.name().find("::"));
}

[[noreturn]] void throw_removed(const Operator& op) {
  throw_error("RuntimeError", op.name(), " was removed (it was defined at ", op.site(),
              ")\n  Look it up again if it was redefined.");
}

std::string register_fake_text(const Operator& op) {
  return concatenate("m.register_fake(\"", op.schema().name.base,
                     "\", ...) or opwright.library.register_fake(\"", op.name(), "\")");
}

// "CPU, CompositeImplicitAutograd"
std::string kernels_there_are(const Operator& op) {
  std::string text;
  for (const auto& [slot, site] : Registry::get().implementations(op)) {
    if (is_device(slot) || slot == Slot::Fake) text += (text.empty() ? "" : ", ") + slot_name(slot);
  }
  return text.empty() ? "none" : text;
}

// The first argument whose value is not of its schema's type.
std::optional<std::string> find_wrong_argument(const Operator& op, Arguments args) {
  for (uint32_t i = 0; i < args.size(); ++i) {
    const Type& type = op.schema().arguments[i].type;
    if (!value_fits(type, args[i])) {
      return concatenate("argument '", argument_name(op, i), "' (position ", i + 1, ") must be ",
                         to_text(type), ", got ", tag_name(args[i].tag));
    }
  }
  return std::nullopt;
}

// " at model.py:12"
std::string at_user_line() {
  const SourceSite line = current_user_line();
  return line.is_known() ? concatenate(" at ", line) : "";
}

void release_all(Results results) {
  for (OpwValue& result : results) release_value(result);
}

}  // namespace

std::string call_text(const Operator& op, Arguments args) {
  std::string text = op.name() + "(";
  for (uint32_t i = 0; i < args.size() && i < op.num_arguments(); ++i) {
    if (i != 0) text += ", ";
    text += argument_name(op, i) + "=";
    append_argument(text, args[i]);
  }
  return text + ")";
}

void throw_wrong_number(const Operator& op, size_t num_args, size_t num_results) {
  if (num_args != op.num_arguments()) {
    throw_error("TypeError", op.name(), " takes ", op.num_arguments(), " arguments, got ", num_args,
                "\n  schema: ", to_text(op.schema()));
  }
  throw_error("TypeError", op.name(), " gives ", op.num_results(), " results, room was given for ",
              num_results, "\n  schema: ", to_text(op.schema()));
}

void throw_missing_tensor(const Operator& op, Arguments args) {
  for (uint32_t i = 0; i < args.size(); ++i) {
    const bool is_plain_tensor = op.schema().arguments[i].type.kind() == TypeKind::Tensor;
    if (!is_plain_tensor || args[i].tag == kOpwTensor) continue;
    throw_error("TypeError", op.name(), ": argument '", argument_name(op, i), "' (position ", i + 1,
                ") must be Tensor, got ",
                args[i].tag == kOpwNone ? "an undefined tensor (None)" : tag_name(args[i].tag),
                "\n  schema: ", to_text(op.schema()));
  }
  throw_error("AssertionError", "internal error, please report it: no tensor of ", op.name(),
              " is missing");
}

void throw_missing_kernel(const Operator& op, Slot slot, Arguments args) {
  if (op.is_removed()) throw_removed(op);
  std::string where;
  op.visit_tensor_arguments(args, [&](uint32_t index, OpwTensor* tensor) {
    if (where.empty()) where = " (" + argument_text(op, index, tensor) + ")";
  });
  if (slot == Slot::Fake) {
    throw_error("NotImplementedError", op.name(), " has no fake kernel", where,
                "; it was defined at ", op.site(), "\n  Register one with ", register_fake_text(op),
                ".");
  }
  const bool can_fall_back = slot != Slot::Cpu && op.record(Slot::Cpu);
  throw_error(
      "NotImplementedError", op.name(), " has no kernel for ", slot_name(slot), where,
      "; it has: ", kernels_there_are(op), ".\n  Register one with OPWRIGHT_LIBRARY_IMPL(",
      namespace_of(op), ", ", slot_name(slot), ", m) or opwright.library.register_kernel(\"",
      op.name(), "\", \"", slot_device_name(slot), "\").",
      can_fall_back ? "\n  Under opwright.allow_fallback() it runs on the CPU, on copies." : "");
}

void throw_two_devices(const Operator& op, Arguments args) {
  std::string first;
  std::string second;
  OpwDevice device{};
  op.visit_tensor_arguments(args, [&](uint32_t index, OpwTensor* tensor) {
    if (first.empty()) {
      device = tensor->dl.device;
      first = argument_text(op, index, tensor);
    } else if (second.empty() &&
               (device.type != tensor->dl.device.type || device.index != tensor->dl.device.index)) {
      second = argument_text(op, index, tensor);
    }
  });
  throw_error("RuntimeError", op.name(), ": the tensors are on two devices: ", first, ", ", second,
              "\n  Move one of them with to().");
}

void throw_escaped(const Operator& op, uint32_t argument, OpwTensor* tensor) {
  const Level* level = impl(tensor).level;
  throw_error("RuntimeError", "a tensor made inside ", level->name(), " was used after it ended (",
              tensor_text(tensor), ", argument '", argument_name(op, argument), "' of ", op.name(),
              ")\n  ", level->advice());
}

void throw_mixed(const Operator& op, uint32_t argument, OpwTensor* real) {
  throw_error("RuntimeError", op.name(), ": argument '", argument_name(op, argument),
              "' is a real tensor (", tensor_text(real), "), but others are fake", at_user_line(),
              "\n  Make it fake first: mode.from_tensor(", argument_name(op, argument),
              ") of the FakeTensorMode.");
}

void throw_real_in_fake_mode(const Operator& op, uint32_t argument, OpwTensor* real) {
  throw_error("InputValueError", op.name(), ": argument '", argument_name(op, argument),
              "' is a real tensor (", tensor_text(real), "), but FakeTensorMode is active",
              at_user_line(),
              "\n  Please convert all Tensors to FakeTensors first: mode.from_tensor(",
              argument_name(op, argument), "); tensors made inside the mode are fake already.");
}

void throw_real_result(const Operator& op, Results results, uint32_t index) {
  std::string shown;
  visit_tensors(results[index], [&](OpwTensor* tensor) {
    if (!(tensor->flags & kOpwFlagFake)) shown = tensor_text(tensor);
  });
  Error error(
      "RuntimeError",
      concatenate(op.name(), ": the fake kernel returned a real tensor as result ", index + 1, " (",
                  shown, ")\n  Create it from a fake argument, e.g. x.new_empty(sizes)."));
  release_all(results);
  note_fake_kernel(error, op);
  throw error;
}

void note_fake_kernel(Error& error, const Operator& op) {
  // Built-in operators get no note: the cause is in an author's operator.
  if (is_of_core(op)) return;
  const std::string called = current_user_line().is_known() ? ", called" + at_user_line() : "";
  for (const auto& [slot, site] : Registry::get().implementations(op)) {
    if (slot != Slot::Fake) continue;
    const std::string registered = site.is_known() ? concatenate(", registered at ", site) : "";
    error.add_note("fake kernel",
                   concatenate("in the fake kernel of ", op.name(), registered, called));
    return;
  }
  // A body that only reads sizes is also a fake kernel; this one failed.
  error.add_note("operator", concatenate(op.name(),
                                         " has no fake kernel, so its own function ran on "
                                         "fake tensors",
                                         called, "; register one with ", register_fake_text(op)));
}

void throw_overlap(const Operator& op, uint32_t written, uint32_t other) {
  throw_error(
      "RuntimeError", op.name(), ": '", argument_name(op, written),
      "' is written and shares part of its memory with '", argument_name(op, other),
      "', so the result would depend on the order of the elements\n  Clone one of them first.");
}

void throw_inference_write(const Operator& op, uint32_t written) {
  throw_error(
      "RuntimeError", op.name(), ": '", argument_name(op, written),
      "' was made in inference mode and is written outside of it\n  Write a clone, or write "
      "it under inference_mode.");
}

void throw_nondifferentiable_write(const Operator& op, uint32_t written) {
  throw_error("RuntimeError", op.name(), ": '", argument_name(op, written),
              "' requires grad and is written by an operator that is tagged nondifferentiable, so "
              "that its new value would get the gradient of the old one\n  Write a detached clone, "
              "or write it under no_grad; or register a formula instead of the tag.");
}

void throw_recorded_out(const Operator& op) {
  throw_error("RuntimeError", op.name(),
              ": functions with out=... arguments don't support automatic differentiation, but an "
              "argument requires grad\n  Call it under no_grad, or use the variant without out.");
}

void throw_read_only(const Operator& op, uint32_t written) {
  throw_error("ValueError", op.name(), ": '", argument_name(op, written),
              "' is written, but its memory is read-only\n  Clone it first.");
}

void throw_failed_call(const Operator& op, Arguments args, Results results) {
  release_all(results);
  OpwError* given = take_error();
  Error error =
      given ? Error::take(given)
            : Error("RuntimeError",
                    concatenate(op.name(), ": the function failed without giving an error"));
  if (error.kind() == std::string_view("TypeError")) {
    if (const auto wrong = find_wrong_argument(op, args)) error.add_note("argument", *wrong);
  }
  error.add_note("operator", "in " + call_text(op, args));
  throw error;
}

namespace {

// Gradients that an output_mask excludes are undefined.
bool may_leave_out(const Operator& op) {
  const auto& arguments = op.schema().arguments;
  return std::ranges::any_of(arguments,
                             [](const Argument& each) { return each.name == "output_mask"; });
}

}  // namespace

void check_result(const Operator& op, Arguments args, Results results, uint32_t index) {
  const Type& type = op.schema().returns[index].type;
  if (results[index].tag == kOpwTensor && !results[index].as_tensor && may_leave_out(op)) {
    results[index] = OpwValue{};
    return;
  }
  const OpwValue& result = results[index];
  if (value_fits(type, result) && !(result.tag == kOpwTensor && !result.as_tensor)) return;
  const char* what = result.tag == kOpwNone     ? "left it unset"
                     : result.tag == kOpwTensor ? "returned an undefined tensor"
                                                : nullptr;
  std::string text = concatenate(op.name(), ": result ", index + 1, " must be ", to_text(type),
                                 ", but the function ");
  text += what ? what : concatenate("returned ", tag_name(result.tag));
  Error error("RuntimeError", text);
  note_wrong_result(error, op);
  error.add_note("operator", "in " + call_text(op, args));
  release_all(results);
  throw error;
}

void note_wrong_result(Error& error, const Operator& op) {
  error.add_note("result", concatenate("the schema is ", to_text(op.schema())));
}

bool is_wrong_result(const Error& error) noexcept { return error.note("result") != nullptr; }

}  // namespace opwright
