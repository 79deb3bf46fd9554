// Answers text queries to a ShapeEnv, one per input line with one output line each. A referee in
// another language compares.
//
//   new [noduck] [nospecial]        a new environment
//   size 5 | backed 7 -3 10 | unbacked 0 100      -> the symbol, or the plain int
//   learn COND | guard COND | check COND | decide COND
//   simplify EXPR | range EXPR | apply EXPR | program EXPR | run v0 v1 ... : EXPR
//   solve | guards | asserts
//
// "apply" rebuilds an expression with the operations of words, as a kernel would. An unbounded end
// is "inf" or "-inf". Errors are "E kind: text" with line breaks as " | ".
#include <cstdint>
#include <exception>
#include <iostream>
#include <map>
#include <optional>
#include <source_location>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/error.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symbolic/shape_env/sym_program.h"
#include "opwright/symint.h"

namespace opwright {
namespace {

int64_t parse_end(const std::string& text) {
  if (text == "inf") return INT64_MAX;
  return text == "-inf" ? INT64_MIN : std::stoll(text);
}
std::string end_text(int64_t end) {
  if (end == INT64_MAX) return "inf";
  return end == INT64_MIN ? "-inf" : std::to_string(end);
}
std::string range_text(const SymRange& range) {
  return end_text(range.least) + " " + end_text(range.greatest);
}

class Session {
 public:
  std::string answer(const std::string& line) {
    std::istringstream words(line);
    std::string command;
    words >> command;
    std::string rest;
    std::getline(words >> std::ws, rest);
    if (command == "new" || command == "size" || command == "backed" || command == "unbacked") {
      return make(command, rest);
    }
    if (command == "solve") return solve();
    if (command == "guards") return guards();
    if (command == "asserts") return asserts();
    if (command == "run") return run(rest);
    if (command == "apply") return apply(rest);
    return ask(command, rest);
  }

 private:
  std::string make(const std::string& command, const std::string& rest) {
    std::istringstream words(rest);
    std::string a, b, c;
    words >> a >> b >> c;
    if (command == "new") {
      environment_ = make_intrusive<ShapeEnv>(
          ShapeEnvOptions{.duck_shaping = a != "noduck" && b != "noduck",
                          .specialises_zero_one = a != "nospecial" && b != "nospecial"});
      return "ok";
    }
    if (command == "size") return concatenate(environment_->make_size(std::stoll(a), "input"));
    if (command == "backed") {
      return concatenate(
          environment_->make_backed(std::stoll(a), {parse_end(b), parse_end(c)}, "input"));
    }
    return concatenate(environment_->make_unbacked({parse_end(a), parse_end(b)}));
  }

  std::string ask(const std::string& command, const std::string& text) {
    const SymInt value = environment_->parse(text);
    const SymBool condition(value, std::source_location::current());
    if (command == "learn") return environment_->learn(value), "ok";
    if (command == "guard") return condition.guard(kOpwUnknownIsError) ? "true" : "false";
    if (command == "check") return condition.check("it must hold"), "ok";
    if (command == "decide") {
      const std::optional<bool> answer = environment_->decide(value);
      return answer ? (*answer ? "true" : "false") : "unknown";
    }
    if (command == "simplify") return concatenate(environment_->simplify(value));
    if (command == "range") return range_text(environment_->range(value));
    if (command == "parse") return concatenate(value);
    if (command == "hint") {
      const std::optional<int64_t> hint = environment_->hint(value);
      return hint ? std::to_string(*hint) : "none";
    }
    if (command == "program") {
      const SymInt values[] = {value};
      return SymProgram(values, environment_->free_symbols(value)).to_text();
    }
    throw_error("ValueError", "unknown command ", command);
  }

  std::string apply(const std::string& rest) {
    static const std::map<std::string, OpwSymOp> kOps = {
        {"+", kOpwSymAdd}, {"-", kOpwSymSub},   {"*", kOpwSymMul},  {"//", kOpwSymFloorDiv},
        {"%", kOpwSymMod}, {"max", kOpwSymMax}, {"min", kOpwSymMin}};
    std::istringstream words(rest);
    std::vector<SymInt> stack;
    for (std::string word; words >> word;) {
      const auto op = kOps.find(word);
      if (op == kOps.end()) {
        stack.push_back(environment_->parse(word));
        continue;
      }
      const SymInt right = stack.back();
      stack.pop_back();
      stack.back() = apply_sym(op->second, stack.back(), right);
    }
    return concatenate(stack.at(0));
  }

  // "3 4 : s0 + s1": the values of all symbols in order of creation.
  std::string run(const std::string& rest) {
    const size_t colon = rest.find(':');
    std::istringstream numbers(rest.substr(0, colon));
    std::vector<int64_t> given;
    for (int64_t number = 0; numbers >> number;) given.push_back(number);
    std::vector<std::string> names;
    for (const Symbol& symbol : environment_->symbols()) names.push_back(symbol.name);
    const SymInt values[] = {environment_->parse(rest.substr(colon + 1))};
    const SymProgram program(values, names);
    OPWRIGHT_CHECK(SymProgram::parse(program.to_text()) == program, "the program reads otherwise");
    int64_t result = 0;
    program.run(given, {&result, 1});
    return std::to_string(result);
  }

  std::string solve() {
    std::string text;
    const ShapeEnv::Solution solution = environment_->solve();
    for (const Symbol& symbol : solution.symbols) {
      text.append(concatenate(symbol.name, " ", range_text(symbol.range)));
      if (symbol.equals) text.append(concatenate(" = ", *symbol.equals));
      text.append("; ");
    }
    for (const Guard& guard : solution.rest) {
      text.append(concatenate("; rest ", guard.condition));
    }
    return text;
  }
  std::string guards() {
    std::string text;
    for (const Guard& guard : environment_->guards()) {
      text.append(concatenate(guard.condition, "; "));
    }
    return text;
  }
  std::string asserts() {
    std::string text;
    for (const RuntimeAssert& assertion : environment_->runtime_asserts()) {
      text.append(concatenate(assertion.condition, "; "));
    }
    return text;
  }

  ShapeEnvPtr environment_ = make_intrusive<ShapeEnv>();
};

std::string one_line(std::string text) {
  for (size_t at = 0; (at = text.find('\n', at)) != std::string::npos;) text.replace(at, 1, " | ");
  return text;
}

}  // namespace
}  // namespace opwright

int main() {
  opwright::Session session;
  for (std::string line; std::getline(std::cin, line);) {
    try {
      std::cout << session.answer(line) << std::endl;
    } catch (const opwright::Error& error) {
      std::cout << "E " << error.kind() << ": " << opwright::one_line(error.message()) << std::endl;
    } catch (const std::exception& error) {
      std::cout << "E bad line: " << error.what() << std::endl;
    }
  }
}
