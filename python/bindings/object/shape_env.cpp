#include "bindings/object/shape_env.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/interpreter/error.h"
#include "bindings/object/sym_int.h"
#include "bindings/object/value.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symbolic/shape_env/sym_program.h"
#include "opwright/symbolic/shape_env/user_question.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

nb::object int_object(SymInt value) { return nb::steal(sym_int_to_python(std::move(value))); }
nb::object condition_object(SymInt value) {
  return nb::steal(sym_bool_to_python(std::move(value)));
}

// ---- Reading arguments ----

SymInt require_sym_int(const nb::object& object, const char* who) {
  const std::optional<SymInt> value = read_sym_int(object.ptr());
  OPWRIGHT_CHECK_TYPE(value, who, ": expected an int or a SymInt, got ", class_name(object.ptr()));
  return *value;
}
SymInt require_condition(const nb::object& object, const char* who) {
  const std::optional<SymInt> value = read_condition(object.ptr());
  OPWRIGHT_CHECK_TYPE(value, who, ": expected a bool or a SymBool, got ", class_name(object.ptr()));
  return *value;
}
SymInt require_either(const nb::object& object, const char* who) {
  const std::optional<SymInt> condition = read_condition(object.ptr());
  return condition ? *condition : require_sym_int(object, who);
}

SymRange range_of(std::optional<int64_t> least, std::optional<int64_t> greatest) {
  SymRange range;
  if (least) range.least = *least;
  if (greatest) range.greatest = *greatest;
  return range;
}
std::pair<std::optional<int64_t>, std::optional<int64_t>> bounds_of(const SymRange& range) {
  std::pair<std::optional<int64_t>, std::optional<int64_t>> bounds;
  if (range.least != INT64_MIN) bounds.first = range.least;
  if (range.greatest != INT64_MAX) bounds.second = range.greatest;
  return bounds;
}

bool is_condition(const SymInt& value) {
  return value.is_symbolic() && expression_of(value.word()).kind >= ExpressionKind::Equal;
}

std::string site_text(const SourceSite& site) { return site.is_known() ? site.text() : ""; }

// ---- The classes ----

// A handle: nanobind owns it, the environment counts its own references.
struct ShapeEnvObject {
  ShapeEnvPtr shape_env;
};

constexpr const char* kSymbolDoc =
    "The current state of a symbol.\n\n"
    ">>> import opwright as ow\n"
    ">>> env = ow.ShapeEnv()\n"
    ">>> n = env.make_size(8, 'x.size(0)')\n"
    ">>> symbol = env.symbols[0]\n"
    ">>> symbol.name, symbol.hint, symbol.range, symbol.source\n"
    "('s0', 8, (2, None), 'x.size(0)')\n";

constexpr const char* kGuardDoc =
    "A condition on sizes that this run depends on.\n\n"
    ">>> import opwright as ow\n"
    ">>> env = ow.ShapeEnv()\n"
    ">>> bool(env.make_size(8) > 4)\n"
    "True\n"
    ">>> env.guards[0].text\n"
    "'s0 >= 5'\n\n"
    "`line` is the user's line, `asked` the one that required it.";

constexpr const char* kRuntimeAssertDoc =
    "A condition that must hold when the program runs.\n\n"
    ">>> import opwright as ow\n"
    ">>> env = ow.ShapeEnv()\n"
    ">>> ow.check(env.make_unbacked() <= 100, 'at most 100 peaks')\n"
    ">>> env.runtime_asserts[0].text, env.runtime_asserts[0].message\n"
    "('u0 <= 100', 'at most 100 peaks')\n";

void bind_records(nb::module_& m) {
  nb::class_<Symbol>(m, "Symbol", kSymbolDoc)
      .def_ro("name", &Symbol::name)
      .def_ro("hint", &Symbol::hint)
      .def_prop_ro("range", [](const Symbol& self) { return bounds_of(self.range); })
      .def_ro("source", &Symbol::source)
      .def_prop_ro("made_at", [](const Symbol& self) { return site_text(self.made_at); })
      .def_prop_ro("equals",
                   [](const Symbol& self) -> nb::object {
                     return self.equals ? int_object(*self.equals) : nb::none();
                   })
      .def("__repr__", [](const Symbol& self) { return self.name; });
  nb::class_<Guard>(m, "Guard", kGuardDoc)
      .def_prop_ro("condition", [](const Guard& self) { return condition_object(self.condition); })
      .def_prop_ro("text", [](const Guard& self) { return concatenate(self.condition); })
      .def_prop_ro("asked", [](const Guard& self) { return site_text(self.asked); })
      .def_prop_ro("line", [](const Guard& self) { return site_text(self.user); })
      .def("__repr__", [](const Guard& self) {
        return concatenate(self.condition, "  # ", self.user.is_known() ? self.user : self.asked);
      });
  nb::class_<RuntimeAssert>(m, "RuntimeAssert", kRuntimeAssertDoc)
      .def_prop_ro("condition",
                   [](const RuntimeAssert& self) { return condition_object(self.condition); })
      .def_prop_ro("text", [](const RuntimeAssert& self) { return concatenate(self.condition); })
      .def_ro("message", &RuntimeAssert::message)
      .def_prop_ro("asked", [](const RuntimeAssert& self) { return site_text(self.asked); })
      .def_prop_ro("line", [](const RuntimeAssert& self) { return site_text(self.user); })
      .def("__repr__", [](const RuntimeAssert& self) {
        return concatenate(self.condition, "  # ", self.message);
      });
}

constexpr const char* kShapeEnvDoc =
    "Owns symbolic sizes, their values in this run, and the guards on them.\n\n"
    "With `duck_shaping` sizes of equal value get one symbol; with `specialises_zero_one` sizes of "
    "0\n"
    "and 1 stay plain ints.\n\n"
    ">>> import opwright as ow\n"
    ">>> env = ow.ShapeEnv()\n"
    ">>> n = env.make_size(8, \"x.size(0)\")\n"
    ">>> if n % 2 == 0:\n"
    "...     n = n // 2\n"
    ">>> [guard.text for guard in env.guards]\n"
    "['s0 % 2 == 0']\n";

void bind_symbols(nb::class_<ShapeEnvObject>& env) {
  env.def(
         "make_size",
         [](ShapeEnvObject& self, int64_t hint, std::string source) {
           return int_object(self.shape_env->make_size(hint, std::move(source)));
         },
         nb::arg("hint"), nb::arg("source") = "",
         "Create the symbol of an input's size; 0 and 1 stay ints.")
      .def(
          "make_backed",
          [](ShapeEnvObject& self, int64_t hint, std::optional<int64_t> least,
             std::optional<int64_t> greatest, std::string source) {
            return int_object(
                self.shape_env->make_backed(hint, range_of(least, greatest), std::move(source)));
          },
          nb::arg("hint"), nb::arg("min") = nb::none(), nb::arg("max") = nb::none(),
          nb::arg("source") = "", "Create a symbol whose value in this run is `hint`.")
      .def(
          "make_unbacked",
          [](ShapeEnvObject& self, std::optional<int64_t> least, std::optional<int64_t> greatest) {
            return int_object(self.shape_env->make_unbacked(range_of(least, greatest)));
          },
          nb::arg("min") = 0, nb::arg("max") = nb::none(),
          "Create a symbol whose value is known at run time only.")
      .def_prop_ro("symbols", [](const ShapeEnvObject& self) { return self.shape_env->symbols(); })
      .def(
          "free_symbols",
          [](const ShapeEnvObject& self, const nb::object& value) {
            return self.shape_env->free_symbols(require_either(value, "free_symbols"));
          },
          nb::arg("value"), "Return the symbols of an expression.");
}

void bind_questions(nb::class_<ShapeEnvObject>& env) {
  env.def(
         "decide",
         [](const ShapeEnvObject& self, const nb::object& condition) {
           return self.shape_env->decide(require_condition(condition, "decide"));
         },
         nb::arg("condition"),
         "Return whether a condition always holds, never, or (None) depends; adds no guard.")
      .def(
          "range",
          [](const ShapeEnvObject& self, const nb::object& value) {
            return bounds_of(self.shape_env->range(require_sym_int(value, "range")));
          },
          nb::arg("value"), "Return the lower and upper bound; None if unbounded.")
      .def(
          "simplify",
          [](const ShapeEnvObject& self, const nb::object& value) {
            const bool is_condition = read_condition(value.ptr()).has_value();
            SymInt simple = self.shape_env->simplify(require_either(value, "simplify"));
            return is_condition ? condition_object(std::move(simple))
                                : int_object(std::move(simple));
          },
          nb::arg("value"), "Simplify an expression with all known facts.")
      .def(
          "learn",
          [](ShapeEnvObject& self, const nb::object& condition) {
            self.shape_env->learn(require_condition(condition, "learn"));
          },
          nb::arg("condition"), "Assume a condition, without a guard.")
      .def(
          "evaluate",
          [](const ShapeEnvObject& /*self*/, const nb::object& value, const nb::dict& given) {
            std::vector<std::string> names;
            std::vector<int64_t> values;
            for (const auto [name, number] : given) {
              names.push_back(nb::cast<std::string>(name));
              values.push_back(nb::cast<int64_t>(number));
            }
            const SymInt wanted = require_either(value, "evaluate");
            int64_t result = 0;
            SymProgram({&wanted, 1}, names).run(values, {&result, 1});
            return result;
          },
          nb::arg("value"), nb::arg("symbols"),
          "Evaluate an expression with values of its symbols, by name.")
      .def(
          "parse",
          [](const ShapeEnvObject& self, const std::string& text) {
            SymInt value = self.shape_env->parse(text);
            return is_condition(value) ? condition_object(std::move(value))
                                       : int_object(std::move(value));
          },
          nb::arg("text"), "Parse an expression.");
}

void bind_decisions(nb::class_<ShapeEnvObject>& env) {
  env.def_prop_ro("guards",
                  [](const ShapeEnvObject& self) {
                    const auto guards = self.shape_env->guards();
                    return std::vector<Guard>(guards.begin(), guards.end());
                  })
      .def_prop_ro("runtime_asserts",
                   [](const ShapeEnvObject& self) {
                     const auto all = self.shape_env->runtime_asserts();
                     return std::vector<RuntimeAssert>(all.begin(), all.end());
                   })
      .def(
          "solve",
          [](const ShapeEnvObject& self) {
            ShapeEnv::Solution solution = self.shape_env->solve();
            return std::pair(std::move(solution.symbols), std::move(solution.rest));
          },
          "Solve the guards; return the symbols with their ranges, and the remaining guards.")
      .def(
          "__eq__",
          [](const ShapeEnvObject& self, const ShapeEnvObject& other) {
            return other.shape_env.get() == self.shape_env.get();
          },
          nb::is_operator())
      .def("__hash__",
           [](const ShapeEnvObject& self) {
             return reinterpret_cast<intptr_t>(self.shape_env.get()) >> 4;
           })
      .def("__repr__", [](const ShapeEnvObject& self) {
        return concatenate("<ShapeEnv of ", self.shape_env->symbols().size(), " symbols, ",
                           self.shape_env->guards().size(), " guards>");
      });
}

// ---- Functions ----

template <OpwSymOp kOp>
nb::object choose(const nb::object& a, const nb::object& b, const char* who) {
  return int_object(apply_sym(kOp, require_sym_int(a, who), require_sym_int(b, who)));
}

std::string message_of(const nb::object& message, const SymInt& condition) {
  if (message.is_none()) return concatenate("check failed: ", condition);
  return nb::cast<std::string>(nb::str(PyCallable_Check(message.ptr()) ? message() : message));
}

void check_condition(const nb::object& given, const nb::object& message) {
  const SymInt condition = require_condition(given, "check");
  if (!condition.is_symbolic() && condition.word() != 0) return;
  check_for_user(condition, condition.is_symbolic() || !message.is_none()
                                ? message_of(message, condition)
                                : "check failed");
}

void check_size(const nb::object& given, int64_t least, std::optional<int64_t> greatest) {
  const SymInt size = require_sym_int(given, "check_size");
  const auto demand = [&](OpwSymOp op, int64_t bound, const char* text) {
    check_for_user(apply_sym(op, size, bound), concatenate("the size ", size, text, bound));
  };
  demand(kOpwSymGe, least, " must be at least ");
  if (greatest) demand(kOpwSymLe, *greatest, " must be at most ");
}

void bind_functions(nb::module_& m) {
  m.def("sym_max", [](const nb::object& a, const nb::object& b) {
    return choose<kOpwSymMax>(a, b, "sym_max");
  });
  m.def("sym_min", [](const nb::object& a, const nb::object& b) {
    return choose<kOpwSymMin>(a, b, "sym_min");
  });
  m.def("sym_not", [](const nb::object& condition) {
    return condition_object(apply_sym(kOpwSymNot, require_condition(condition, "sym_not"), 0));
  });
  m.def("check", &check_condition, nb::arg("condition"), nb::arg("message").none() = nb::none());
  m.def("check_size", &check_size, nb::arg("n"), nb::arg("min") = 0,
        nb::arg("max").none() = nb::none());
  m.def("guard_or_false", [](const nb::object& condition) {
    return guard_for_user(require_condition(condition, "guard_or_false"), kOpwUnknownIsFalse);
  });
  m.def("guard_or_true", [](const nb::object& condition) {
    return guard_for_user(require_condition(condition, "guard_or_true"), kOpwUnknownIsTrue);
  });
  m.def("is_symbolic", [](const nb::object& object) {
    return is_sym_int(object.ptr()) || is_sym_bool(object.ptr());
  });
}

}  // namespace

void bind_shape_env(nb::module_& m) {
  bind_records(m);
  nb::class_<ShapeEnvObject> env(m, "ShapeEnv", kShapeEnvDoc);
  env.def(
      "__init__",
      [](ShapeEnvObject* self, bool duck_shaping, bool specialises_zero_one) {
        new (self) ShapeEnvObject{ShapeEnvPtr::take(new ShapeEnv(
            {.duck_shaping = duck_shaping, .specialises_zero_one = specialises_zero_one}))};
      },
      nb::kw_only(), nb::arg("duck_shaping") = true, nb::arg("specialises_zero_one") = true);
  bind_symbols(env);
  bind_questions(env);
  bind_decisions(env);
  bind_functions(m);
}

nb::object shape_env_object(ShapeEnv& shape_env) {
  return nb::cast(ShapeEnvObject{ShapeEnvPtr::share(&shape_env)});
}

ShapeEnvPtr shape_env_of_object(nb::handle object, const char* who) {
  OPWRIGHT_CHECK_TYPE(nb::isinstance<ShapeEnvObject>(object), who,
                      ": shape_env must be a ShapeEnv, got ", class_name(object.ptr()));
  return nb::inst_ptr<ShapeEnvObject>(object)->shape_env;
}

}  // namespace opwright::python
