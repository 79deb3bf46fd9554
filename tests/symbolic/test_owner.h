// A small owner of symbols for tests: texts of expressions, decisions by hint, a record of queries.
//
// The owner must outlive its SymInts.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "opwright/base/given_error.h"
#include "opwright/error.h"
#include "opwright/symint.h"

namespace opwright::testing {

class TestOwner {
 public:
  struct Guard {
    std::string text;  // "s0 == 1"
    std::string file;
    uint32_t line;
    bool decision;
  };
  struct Assertion {  // a check that is deferred to run time
    std::string text;
    std::string message;
    std::string file;
    uint32_t line;
  };
  struct Specialisation {
    std::string text;
    std::string file;
    uint32_t line;
    int64_t value;
  };

  TestOwner() = default;
  TestOwner(const TestOwner&) = delete;
  TestOwner& operator=(const TestOwner&) = delete;

  // A symbol whose value in this trace is known. Assumed to be positive if the hint is.
  [[nodiscard]] SymInt backed(std::string name, int64_t hint) {
    return symbol(std::move(name), hint);
  }
  // A symbol that has a value only at run time.
  [[nodiscard]] SymInt unbacked(std::string name) { return symbol(std::move(name), std::nullopt); }

  [[nodiscard]] int live_nodes() const noexcept { return live_nodes_.load(); }

  std::vector<Guard> guards;  // also for checks that hold by hint
  std::vector<Assertion> assertions;
  std::vector<Specialisation> specialisations;

 private:
  struct Node : OpwSymNode {
    TestOwner* owner;
    std::atomic<uint32_t> count = 1;
    std::string text;
    int binding;  // of the outermost operator in the text; higher binds tighter
    std::optional<int64_t> hint;
    bool is_positive;
    SymInt left, right;  // operands, null for a symbol
  };

  // How an operator is written.
  struct Form {
    const char* text;
    int binding;
    bool is_call = false;           // max(a, b)
    bool groups_the_right = false;  // a - (b - c)
  };
  static constexpr int kTightest = 9;

  static Form form_of(OpwSymOp op) {
    static constexpr Form kForms[] = {
        {" + ", 4},
        {" - ", 4, false, true},
        {"*", 5},
        {"//", 5, false, true},
        {" % ", 5, false, true},
        {"max", kTightest, true},
        {"min", kTightest, true},
        {" == ", 3},
        {" != ", 3},
        {" < ", 3},
        {" <= ", 3},
        {" > ", 3},
        {" >= ", 3},
        {" and ", 2},
        {" or ", 1},
        {"not", kTightest, true},
    };
    return kForms[op];
  }

  static Node* node_of(OpwSymWord word) { return static_cast<Node*>(sym_node(word)); }
  static TestOwner& owner_of(OpwSymWord a, OpwSymWord b) {
    return *node_of(is_symbolic(a) ? a : b)->owner;
  }
  static std::string text_of(OpwSymWord word) {
    return is_symbolic(word) ? node_of(word)->text : std::to_string(word);
  }
  static std::optional<int64_t> hint_of(OpwSymWord word) {
    return is_symbolic(word) ? node_of(word)->hint : word;
  }
  static bool is_positive(OpwSymWord word) {
    return is_symbolic(word) ? node_of(word)->is_positive : word > 0;
  }
  // A symbol is a size: not negative.
  static bool is_symbol(OpwSymWord word) {
    return is_symbolic(word) && node_of(word)->left.word() == 0 && node_of(word)->right.word() == 0;
  }
  static std::string site(const char* file, uint32_t line) {
    return concatenate(" at ", file, ":", line);
  }

  static std::string operand_text(OpwSymWord word, int least_binding) {
    const int binding = is_symbolic(word) ? node_of(word)->binding : kTightest;
    return binding < least_binding ? "(" + text_of(word) + ")" : text_of(word);
  }
  static std::string expression_text(OpwSymOp op, OpwSymWord a, OpwSymWord b) {
    const Form form = form_of(op);
    if (op == kOpwSymNot) return "not(" + text_of(a) + ")";
    if (form.is_call) return concatenate(form.text, "(", text_of(a), ", ", text_of(b), ")");
    return operand_text(a, form.binding) + form.text +
           operand_text(b, form.binding + (form.groups_the_right ? 1 : 0));
  }

  [[nodiscard]] SymInt symbol(std::string name, std::optional<int64_t> hint) {
    return make(std::move(name), kTightest, hint, hint && *hint > 0, 0, 0);
  }
  [[nodiscard]] SymInt make(std::string text, int binding, std::optional<int64_t> hint,
                            bool is_positive_value, OpwSymWord left, OpwSymWord right) {
    live_nodes_.fetch_add(1);
    auto* node = new Node{{&kTable},
                          this,
                          1,
                          std::move(text),
                          binding,
                          hint,
                          is_positive_value,
                          SymInt::borrow(left),
                          SymInt::borrow(right)};
    return SymInt::take(sym_word(node));
  }

  // Results without a node: neutral elements and an expression compared with itself.
  static std::optional<SymInt> simplify(OpwSymOp op, OpwSymWord a, OpwSymWord b) {
    const bool is_same = op != kOpwSymNot && text_of(a) == text_of(b);
    switch (op) {
      case kOpwSymAdd:
        if (a == 0) return SymInt::borrow(b);
        if (b == 0) return SymInt::borrow(a);
        break;
      case kOpwSymSub:
        if (b == 0) return SymInt::borrow(a);
        if (is_same) return SymInt(0);
        break;
      case kOpwSymMul:
        if (a == 0 || b == 0) return SymInt(0);
        if (a == 1) return SymInt::borrow(b);
        if (b == 1) return SymInt::borrow(a);
        break;
      case kOpwSymFloorDiv:
        if (b == 1) return SymInt::borrow(a);
        break;
      case kOpwSymMax:
        if (is_same || (b == 1 && is_positive(a))) return SymInt::borrow(a);
        if (a == 1 && is_positive(b)) return SymInt::borrow(b);
        break;
      case kOpwSymMin:
        if (is_same) return SymInt::borrow(a);
        break;
      case kOpwSymGe:
        if (is_same || (b == 0 && (is_positive(a) || is_symbol(a)))) return SymInt(1);
        break;
      case kOpwSymEq:
      case kOpwSymLe:
        if (is_same) return SymInt(1);
        break;
      case kOpwSymNe:
      case kOpwSymLt:
      case kOpwSymGt:
        if (is_same) return SymInt(0);
        break;
      case kOpwSymAnd:
        if (a == 0 || b == 0) return SymInt(0);
        if (a == 1) return SymInt::borrow(b);
        if (b == 1) return SymInt::borrow(a);
        break;
      case kOpwSymOr:
        if (a == 1 || b == 1) return SymInt(1);
        if (a == 0) return SymInt::borrow(b);
        if (b == 0) return SymInt::borrow(a);
        break;
      case kOpwSymMod:
      case kOpwSymNot:
        break;
    }
    return std::nullopt;
  }

  // ---- The table. Errors are passed to the core. ----

  template <class Function>
  static int report_errors(Function function) {
    try {
      function();
      return 0;
    } catch (...) {
      give_error(current_error().share());
      return 1;
    }
  }

  static void retain(OpwSymNode* node) { static_cast<Node*>(node)->count.fetch_add(1); }
  static void release(OpwSymNode* node) {
    auto* mine = static_cast<Node*>(node);
    if (mine->count.fetch_sub(1) != 1) return;
    mine->owner->live_nodes_.fetch_sub(1);
    delete mine;
  }

  static int apply(OpwSymOp op, OpwSymWord a, OpwSymWord b, OpwSymWord* result) {
    return report_errors([&] {
      if (std::optional<SymInt> simple = simplify(op, a, b)) {
        *result = simple->give();
        return;
      }
      const std::optional<int64_t> x = hint_of(a);
      const std::optional<int64_t> y = hint_of(b);
      std::optional<int64_t> hint;
      if (x && y) hint = fold_sym(op, *x, *y);
      const bool stays_positive = op == kOpwSymAdd || op == kOpwSymMul || op == kOpwSymMin;
      const bool is_positive_value = (stays_positive && is_positive(a) && is_positive(b)) ||
                                     (op == kOpwSymMax && (is_positive(a) || is_positive(b)));
      *result =
          owner_of(a, b)
              .make(expression_text(op, a, b), form_of(op).binding, hint, is_positive_value, a, b)
              .give();
    });
  }

  static int guard(OpwSymWord condition, OpwIfUnknown if_unknown, const char* file, uint32_t line,
                   int* result) {
    return report_errors([&] {
      const Node& node = *node_of(condition);
      if (!node.hint) {
        OPWRIGHT_CHECK(if_unknown != kOpwUnknownIsError, "cannot decide ", node.text,
                       site(file, line),
                       ": the size is known only at run time; use check() or guard_or_false()");
        *result = if_unknown == kOpwUnknownIsTrue ? 1 : 0;
        return;
      }
      *result = *node.hint != 0 ? 1 : 0;
      node.owner->guards.push_back({node.text, file, line, *result != 0});
    });
  }

  static int check(OpwSymWord condition, const char* message, const char* file, uint32_t line) {
    return report_errors([&] {
      const Node& node = *node_of(condition);
      if (!node.hint) {
        node.owner->assertions.push_back({node.text, message, file, line});
        return;
      }
      OPWRIGHT_CHECK_VALUE(*node.hint != 0, message);
      node.owner->guards.push_back({node.text, file, line, true});
    });
  }

  static int specialise(OpwSymWord word, const char* file, uint32_t line, int64_t* result) {
    return report_errors([&] {
      const Node& node = *node_of(word);
      OPWRIGHT_CHECK(node.hint.has_value(), "cannot fix ", node.text, site(file, line),
                     ": the size is known only at run time");
      *result = *node.hint;
      node.owner->specialisations.push_back({node.text, file, line, *node.hint});
    });
  }

  static size_t text(OpwSymWord word, char* buffer, size_t capacity) {
    const std::string whole = text_of(word);
    if (capacity > 0) {
      const size_t length = std::min(whole.size(), capacity - 1);
      std::memcpy(buffer, whole.data(), length);
      buffer[length] = '\0';
    }
    return whole.size();
  }

  static constexpr OpwSymTable kTable = {
      sizeof(OpwSymTable), &retain, &release, &apply, &guard, &check, &specialise, &text};

  std::atomic<int> live_nodes_ = 0;
};

}  // namespace opwright::testing
