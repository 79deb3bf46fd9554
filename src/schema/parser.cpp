#include "opwright/schema/parser.h"

#include <algorithm>

#include "opwright/schema/default_parser.h"
#include "opwright/schema/lexer.h"
#include "opwright/schema/type_parser.h"

namespace opwright {
namespace {

constexpr std::string_view kNameForm =
    "an operator is named namespace::name or namespace::name.overload.";

enum class Rules : uint8_t { Schema, Definition };

class SchemaParser {
 public:
  SchemaParser(SchemaSource& source, Rules rules, std::string_view library,
               const OpaqueTypes* opaque_types)
      : lexer_(source),
        types_(lexer_, opaque_types),
        opaque_types_(opaque_types),
        library_(library),
        is_definition_(rules == Rules::Definition) {}

  Schema parse();
  OperatorName parse_whole_name();

 private:
  OperatorName parse_name();
  void parse_overload(OperatorName& name);
  void check_name(const OperatorName& name, size_t begin, size_t end) const;
  void parse_arguments();
  void parse_argument(bool is_keyword_only);
  void check_argument(const Argument& argument, const Token& name) const;
  void parse_returns();
  void parse_return_list();
  void parse_return();
  void check_type(const ParsedType& parsed) const;
  void check_returned_aliases(const ParsedType& parsed) const;
  void check_dots() const;
  void check_count(size_t count, std::string_view what) const;

  Lexer lexer_;
  TypeParser types_;
  const OpaqueTypes* opaque_types_;
  std::string_view library_;
  bool is_definition_;
  Schema schema_;
};

// The part of `type` that cannot cross the ABI.
const Type& blocking_part(const Type& type) {
  const bool is_transparent =
      type.is_optional() || type.is_list() || type.kind() == TypeKind::Tuple;
  if (!is_transparent) return type;
  return blocking_part(*std::ranges::find_if_not(type.elements(), &Type::can_cross_abi));
}

bool can_be_written(const Type& type) {
  if (type.is_optional() || type.is_list()) return can_be_written(type.element());
  return type.kind() == TypeKind::Tensor;
}

Schema SchemaParser::parse() {
  const size_t begin = lexer_.current().begin;
  schema_.name = parse_name();
  const size_t end = lexer_.taken_end();
  if (schema_.name.name_space.empty()) schema_.name.name_space = library_;
  lexer_.source().set_name(schema_.full_name());
  if (is_definition_) check_name(schema_.name, begin, end);
  lexer_.expect('(');
  parse_arguments();
  lexer_.expect(TokenKind::Arrow, "'->' and the returns");
  parse_returns();
  if (lexer_.current().kind != TokenKind::End) lexer_.fail_expected("the end");
  return std::move(schema_);
}

OperatorName SchemaParser::parse_whole_name() {
  const OperatorName name = parse_name();
  if (lexer_.current().kind != TokenKind::End) lexer_.fail_expected("the end of the name");
  check_name(name, 0, lexer_.taken_end());
  return name;
}

OperatorName SchemaParser::parse_name() {
  OperatorName name;
  if (lexer_.current().kind != TokenKind::Identifier) {
    const Token& token = lexer_.current();
    lexer_.fail(token,
                token.kind == TokenKind::End
                    ? "the name is missing"
                    : concatenate("expected a name, got '", token.text, "'"),
                kNameForm);
  }
  name.base = lexer_.take().text;
  if (lexer_.take_if(':')) {
    lexer_.expect(':');
    name.name_space = std::move(name.base);
    name.base = lexer_.expect(TokenKind::Identifier, "a name behind '::'").text;
  }
  lexer_.source().set_name(name.packet());
  if (lexer_.current().is_symbol(':'))
    lexer_.fail(lexer_.current(), "a name has one namespace", kNameForm);
  if (lexer_.take_if('.')) parse_overload(name);
  return name;
}

void SchemaParser::parse_overload(OperatorName& name) {
  const Token overload = lexer_.expect(TokenKind::Identifier, "the name of an overload");
  const bool is_only_a_name = lexer_.current().kind == TokenKind::End;
  if (overload.text == "default") {
    if (!is_only_a_name)
      lexer_.fail(overload, "'default' is what the overload without a name is called",
                  "leave it out.");
    return;
  }
  name.overload = overload.text;
}

void SchemaParser::check_name(const OperatorName& name, size_t begin, size_t end) const {
  if (name.name_space.empty()) {
    lexer_.source().fail(begin, end, concatenate("'", name.text(), "' has no namespace"),
                         kNameForm);
  }
  if (!library_.empty() && name.name_space != library_) {
    lexer_.source().fail(
        begin, end,
        concatenate("'", name.text(), "' does not belong to the library of namespace '", library_,
                    "'"));
  }
}

void SchemaParser::parse_arguments() {
  bool is_keyword_only = false;
  // At most as many as there are commas: growing step by step would move every argument.
  const auto commas = std::ranges::count(lexer_.source().text(), ',');
  schema_.arguments.reserve(std::min<size_t>(static_cast<size_t>(commas) + 1, kMostArguments));
  if (!lexer_.current().is_symbol(')')) {
    do {
      if (schema_.is_vararg)
        lexer_.fail(lexer_.current(), "'...' must be the last of the arguments");
      if (lexer_.current().is_symbol('*')) {
        const Token star = lexer_.take();
        const bool is_useless = is_keyword_only || !lexer_.current().is_symbol(',');
        if (is_definition_ && is_useless)
          lexer_.fail(star, "'*' must stand once, before the keyword-only arguments");
        is_keyword_only = true;
      } else if (lexer_.current().kind == TokenKind::Dots) {
        check_dots();
        lexer_.take();
        schema_.is_vararg = true;
      } else {
        check_count(schema_.arguments.size(), "arguments");
        parse_argument(is_keyword_only);
      }
    } while (lexer_.take_if(','));
  }
  lexer_.expect(')');
}

void SchemaParser::parse_argument(bool is_keyword_only) {
  Argument argument;
  ParsedType parsed = types_.parse();
  check_type(parsed);
  argument.type = std::move(parsed.type);
  argument.alias = std::move(parsed.alias);
  argument.is_keyword_only = is_keyword_only;
  if (lexer_.current().kind != TokenKind::Identifier) {
    lexer_.fail_expected(concatenate("the name of the ", to_text(argument.type), " argument"));
  }
  const Token name = lexer_.take();
  argument.name = name.text;
  if (lexer_.take_if('=')) argument.default_value = parse_default(lexer_, argument.type);
  check_argument(argument, name);
  schema_.arguments.push_back(std::move(argument));
}

void SchemaParser::check_argument(const Argument& argument, const Token& name) const {
  if (schema_.index_of(argument.name)) {
    lexer_.fail(name, concatenate("there are two arguments '", argument.name, "'"));
  }
  if (argument.default_value || argument.is_keyword_only) return;
  const bool after_default = std::ranges::any_of(
      schema_.arguments, [](const Argument& one) { return one.default_value.has_value(); });
  // torch has schemas with a list there.
  const bool is_allowed = !is_definition_ && argument.type.is_list();
  if (after_default && !is_allowed) {
    lexer_.fail(name, concatenate("argument '", argument.name,
                                  "' has no default but follows one that has"));
  }
}

void SchemaParser::check_type(const ParsedType& parsed) const {
  if (!is_definition_) return;
  if (!parsed.type.can_cross_abi()) {
    const Type& part = blocking_part(parsed.type);
    const std::string text = to_text(part);
    const std::string advice =
        part.kind() == TypeKind::Variable ? advice_for_type(text, opaque_types_) : "";
    const std::string problem = advice.empty()
                                    ? concatenate("type '", text, "' cannot cross the ABI")
                                    : concatenate("unknown type '", text, "'");
    lexer_.source().fail(parsed.begin, parsed.end, problem, advice);
  }
  if (!types_.write_marks().empty() && !can_be_written(parsed.type)) {
    lexer_.fail(
        types_.write_marks().front(),
        concatenate("only a Tensor or a list of Tensors can be written, not ", parsed.type));
  }
}

void SchemaParser::parse_returns() {
  if (lexer_.current().kind == TokenKind::Dots) {
    check_dots();
    lexer_.take();
    schema_.is_varret = true;
  } else if (lexer_.take_if('(')) {
    if (!lexer_.current().is_symbol(')')) parse_return_list();
    lexer_.expect(')');
  } else {
    parse_return();
  }
}

void SchemaParser::parse_return_list() {
  do {
    if (schema_.is_varret) lexer_.fail(lexer_.current(), "'...' must be the last of the returns");
    if (lexer_.current().kind == TokenKind::Dots) {
      check_dots();
      lexer_.take();
      schema_.is_varret = true;
    } else {
      check_count(schema_.returns.size(), "returns");
      parse_return();
    }
  } while (lexer_.take_if(','));
}

void SchemaParser::parse_return() {
  Return result;
  ParsedType parsed = types_.parse();
  check_type(parsed);
  check_returned_aliases(parsed);
  result.type = std::move(parsed.type);
  result.alias = std::move(parsed.alias);
  if (lexer_.current().kind == TokenKind::Identifier) result.name = lexer_.take().text;
  schema_.returns.push_back(std::move(result));
}

void SchemaParser::check_returned_aliases(const ParsedType& parsed) const {
  if (!is_definition_) return;
  for (const Token& name : types_.alias_names()) {
    const bool is_known = std::ranges::any_of(
        schema_.arguments, [&](const Argument& one) { return one.alias.mentions(name.text); });
    if (!is_known)
      lexer_.fail(name, concatenate("alias '", name.text, "' is returned but no argument has it"));
  }
  if (parsed.alias.is_write && parsed.alias.before.empty()) {
    lexer_.fail(types_.write_marks().front(),
                "a returned '!' must name the alias of the argument that is written",
                "write e.g. 'Tensor(a!)'.");
  }
}

void SchemaParser::check_dots() const {
  if (is_definition_) lexer_.fail(lexer_.current(), "an operator cannot be defined with '...'");
}

void SchemaParser::check_count(size_t count, std::string_view what) const {
  const size_t most = is_definition_ ? kMostArguments : kMostParsedArguments;
  if (count == most)
    lexer_.fail(lexer_.current(),
                concatenate("there can be ", most, " ", what, ", these are more"));
}

}  // namespace

Schema parse_schema(std::string_view text, SourceSite site, const OpaqueTypes* opaque_types) {
  SchemaSource source(text, site);
  return SchemaParser(source, Rules::Schema, {}, opaque_types).parse();
}

Schema parse_definition(std::string_view text, SourceSite site, std::string_view library,
                        const OpaqueTypes* opaque_types) {
  SchemaSource source(text, site);
  return SchemaParser(source, Rules::Definition, library, opaque_types).parse();
}

OperatorName parse_operator_name(std::string_view text) {
  SchemaSource source(text, {});
  return SchemaParser(source, Rules::Schema, {}, nullptr).parse_whole_name();
}

}  // namespace opwright
