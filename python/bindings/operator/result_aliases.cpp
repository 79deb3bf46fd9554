#include "bindings/operator/result_aliases.h"

#include "opwright/dispatch/call_error.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright::python {
namespace {

bool share_memory(OpwTensor* a, OpwTensor* b) {
  const Storage* one = impl(a).storage;
  const Storage* other = impl(b).storage;
  if (!one || !other) return false;
  if (one == other) return true;
  return one->data && one->data == other->data && one->nbytes != 0 && other->nbytes != 0;
}

bool is_unmarked(const Return& result) {
  return !result.alias.is_marked() && result.alias.elements.empty();
}

// Whether a tensor of `value` shares memory with `tensor`.
bool holds_alias(const OpwValue& value, OpwTensor* tensor) {
  if (value.tag == kOpwTensor) [[likely]]
    return share_memory(value.as_tensor, tensor);
  bool holds = false;
  visit_tensors(value,
                [&](OpwTensor* each) { holds = holds || (each && share_memory(each, tensor)); });
  return holds;
}

[[noreturn]] void throw_alias(const Operator& op, uint32_t result, const std::string& other,
                              const char* advice) {
  Error error("RuntimeError",
              concatenate(op.name(), ": result ", result + 1, " shares memory with ", other,
                          "; a result may not alias an argument or another result unless the "
                          "schema marks it\n  ",
                          advice));
  note_wrong_result(error, op);
  throw error;
}

void check_fresh(const Operator& op, Arguments args, Results results, uint32_t index,
                 OpwTensor* tensor) {
  for (uint32_t i = 0; i < args.size(); ++i) {
    if (!holds_alias(args[i], tensor)) continue;
    throw_alias(op, index, concatenate("the argument '", op.schema().arguments[i].name, "'"),
                "Return a copy, e.g. x.clone(), or mark the alias in the schema: (Tensor(a) x) -> "
                "Tensor(a).");
  }
  for (uint32_t i = 0; i < index; ++i) {
    if (!holds_alias(results[i], tensor)) continue;
    throw_alias(op, index, concatenate("result ", i + 1), "Return a copy, e.g. x.clone().");
  }
}

[[noreturn]] void throw_other_tensor(const Operator& op, uint32_t index) {
  const std::string& name = op.schema().arguments[op.argument_of_result(index)].name;
  const std::string rule =
      op.tags().has(Tag::Inplace)
          ? concatenate("an operator tagged inplace must return its first argument, '", name, "'")
      : op.tags().has(Tag::Out)
          ? concatenate("an operator tagged out must return its mutable keyword-only arguments: '",
                        name, "'")
          : concatenate("its schema marks the result as the written argument '", name, "'");
  Error error("RuntimeError",
              concatenate(op.name(), ": result ", index + 1, " is another tensor; ", rule));
  note_wrong_result(error, op);
  throw error;
}

}  // namespace

void check_result_aliases(const Operator& op, Arguments args, Results results) {
  for (uint32_t i = 0; i < results.size(); ++i) {
    if (op.gives_argument(i)) [[unlikely]] {
      const OpwValue& argument = args[op.argument_of_result(i)];
      const bool is_same = results[i].tag != kOpwTensor || argument.tag != kOpwTensor ||
                           results[i].as_tensor == argument.as_tensor;
      if (!is_same) throw_other_tensor(op, i);
      continue;
    }
    if (!is_unmarked(op.schema().returns[i])) continue;
    if (results[i].tag == kOpwTensor) [[likely]] {
      check_fresh(op, args, results, i, results[i].as_tensor);
    } else {
      visit_tensors(results[i], [&](OpwTensor* tensor) {
        if (tensor) check_fresh(op, args, results, i, tensor);
      });
    }
  }
}

}  // namespace opwright::python
