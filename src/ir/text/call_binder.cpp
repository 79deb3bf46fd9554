#include "opwright/ir/text/call_binder.h"

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/dispatch/registry.h"
#include "opwright/error.h"
#include "opwright/schema/coerce.h"
#include "opwright/schema/schema.h"
#include "opwright/schema/schema_source.h"
#include "opwright/value.h"

namespace opwright {
namespace {

std::vector<std::string_view> argument_names(const Schema& schema) {
  std::vector<std::string_view> names;
  for (const Argument& argument : schema.arguments) names.emplace_back(argument.name);
  return names;
}

size_t place_of(const TextCursor& cursor, const Operator& op, const GivenArgument& given,
                size_t num_before) {
  const Schema& schema = op.schema();
  if (given.name.empty()) {
    if (num_before >= schema.num_positional()) {
      cursor.fail(given.span, concatenate(op.name(), " takes ", schema.num_positional(),
                                          " arguments by position"));
    }
    return num_before;
  }
  const auto index = schema.index_of(given.name);
  if (!index) {
    cursor.fail(given.name_span, concatenate(op.name(), " has no argument '", given.name, "'"),
                did_you_mean(given.name, argument_names(schema)));
  }
  return *index;
}

NodeArgument as_declared(const TextCursor& cursor, const Operator& op, const Argument& declared,
                         GivenArgument& given) {
  if (given.argument.kind() != NodeArgument::Kind::Constant) return std::move(given.argument);
  CoercionMemory memory;
  Coercion coercion(memory, declared.default_value);
  OpwValue result{};
  if (coercion.run(declared.type, given.argument.constant().get(), result) == Fit::No) {
    cursor.fail(given.span, concatenate("argument '", declared.name, "' of ", op.name(), " is ",
                                        declared.type, ", got ", cursor.text(given.span)));
  }
  return NodeArgument::constant(Value::copy_of(result));
}

// The default for an omitted argument; null: none.
const Value* find_default(const Argument& declared, const Schema* written) {
  const auto place = written ? written->index_of(declared.name) : std::nullopt;
  const Argument& meant = place ? written->arguments[*place] : declared;
  return meant.default_value ? &*meant.default_value : nullptr;
}

}  // namespace

std::vector<NodeArgument> bind_given(const TextCursor& cursor, const Operator& op, TextSpan call,
                                     std::vector<GivenArgument> given, const Schema* written) {
  const std::vector<Argument>& declared = op.schema().arguments;
  std::vector<std::optional<NodeArgument>> found(declared.size());
  size_t num_positional = 0;
  for (GivenArgument& one : given) {
    const size_t place = place_of(cursor, op, one, num_positional);
    if (one.name.empty()) ++num_positional;
    if (found[place]) {
      cursor.fail(one.span, concatenate("argument '", declared[place].name, "' is given twice"));
    }
    found[place] = as_declared(cursor, op, declared[place], one);
  }
  std::vector<NodeArgument> args;
  for (size_t i = 0; i < declared.size(); ++i) {
    if (found[i]) {
      args.push_back(std::move(*found[i]));
      continue;
    }
    const Value* meant = find_default(declared[i], written);
    if (!meant) {
      cursor.fail(call,
                  concatenate(op.name(), " is missing its argument '", declared[i].name, "'"));
    }
    args.push_back(NodeArgument::constant(*meant));
  }
  return args;
}

void fail_unknown_operator(const TextCursor& cursor, TextSpan name) {
  try {
    (void)Registry::get().require(cursor.text(name));
  } catch (const Error& error) {
    const std::string_view text = error.text();
    const size_t end = text.find('\n');
    cursor.fail(name, text.substr(0, end));
  }
  cursor.fail(name, "the operator was removed");
}

}  // namespace opwright
