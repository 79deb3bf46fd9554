// The kernel adapter: wraps a typed C++ function as an OpwFunction, and derives the schema that its
// type implies.
//
// Only the adapter turns C++ exceptions into a status. A plain function is the record's `self`; a
// closure is owned by the record.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "opwright/value.h"

namespace opwright OPWRIGHT_VISIBILITY {
// Maps a parameter or result type to its value type: `const Tensor&`, `Tensor&` and `Tensor` are
// all Tensor.
template <class T>
using ValueOfParameter = ValueOf<std::remove_cvref_t<T>>;

// The types of a function, a function pointer or a callable object with one call operator.
template <class F>
struct SignatureOf : SignatureOf<decltype(&F::operator())> {};
template <class R, class... Args>
struct SignatureOf<R(Args...)> {
  using Type = R(Args...);
};
template <class R, class... Args>
struct SignatureOf<R (*)(Args...)> : SignatureOf<R(Args...)> {};
template <class R, class... Args>
struct SignatureOf<R (*)(Args...) noexcept> : SignatureOf<R(Args...)> {};
template <class C, class R, class... Args>
struct SignatureOf<R (C::*)(Args...)> : SignatureOf<R(Args...)> {};
template <class C, class R, class... Args>
struct SignatureOf<R (C::*)(Args...) const> : SignatureOf<R(Args...)> {};

// A function pointer, or an object with one call operator.
template <class F>
concept Boxable = std::is_pointer_v<F> || requires { &F::operator(); };

template <class R>
struct ResultsOf {
  static constexpr uint32_t kCount = 1;
  static void give(OpwValue* results, R result) {
    results[0] = ValueOfParameter<R>::give(std::forward<R>(result));
  }
  static constexpr void write_type(TextWriter& out) { ValueOfParameter<R>::write_type(out); }
};
template <>
struct ResultsOf<void> {
  static constexpr uint32_t kCount = 0;
  static constexpr void write_type(TextWriter& out) { out.put("()"); }
};
template <class... T>
struct ResultsOf<std::tuple<T...>> {
  static constexpr uint32_t kCount = sizeof...(T);
  static void give(OpwValue* results, std::tuple<T...> all) {
    std::apply(
        [&](auto&... each) {
          ((*results++ = ValueOfParameter<T>::give(std::forward<T>(each))), ...);
        },
        all);
  }
  static constexpr void write_type(TextWriter& out) {
    out.put('(');
    const char* before = "";
    ((out.put(before), before = ", ", ValueOfParameter<T>::write_type(out)), ...);
    out.put(')');
  }
};

// Sets the host that this thread is in; nested hosts restore it. The core uses its own thread state
// instead.
class HostScope {
 public:
#ifdef OPWRIGHT_CORE
  explicit HostScope(const OpwHost* /*host*/) noexcept {}
#else
  explicit HostScope(const OpwHost* host) noexcept
      : place_(&current_host), previous_(std::exchange(*place_, host)) {}
  ~HostScope() { *place_ = previous_; }
  HostScope(const HostScope&) = delete;
  HostScope& operator=(const HostScope&) = delete;

 private:
  const OpwHost** place_;  // thread-local; kept because looking it up is a call
  const OpwHost* previous_;
#endif
};

[[gnu::cold, gnu::noinline]] inline int give_current_error(const OpwHost* host) noexcept {
  host->give_error(host, current_error().share());
  return 1;
}
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_wrong_count(uint32_t args,
                                                                     uint32_t num_args,
                                                                     uint32_t results,
                                                                     uint32_t num_results) {
  throw_error("TypeError", "the function takes ", args, " arguments and returns ", results,
              " results, but was called with ", num_args, " and ", num_results);
}

template <class Signature>
struct KernelAdapter;
template <class R, class... Args>
struct KernelAdapter<R(Args...)> {
  // `record->self` is the function.
  static int call_function(const OpwRecord* record, const OpwValue* args, uint32_t num_args,
                           OpwValue* results, uint32_t num_results) noexcept {
    const auto function = reinterpret_cast<R (*)(Args...)>(record->self);
    return call(record, function, args, num_args, results, num_results);
  }

  // `record->self` is a callable object on the heap.
  template <class F>
  static int call_object(const OpwRecord* record, const OpwValue* args, uint32_t num_args,
                         OpwValue* results, uint32_t num_results) noexcept {
    return call(record, *static_cast<F*>(record->self), args, num_args, results, num_results);
  }

  template <class F>
  static int call(const OpwRecord* record, F& function, const OpwValue* args, uint32_t num_args,
                  OpwValue* results, uint32_t num_results) noexcept {
    try {
      const HostScope scope(record->host);
      if (num_args != sizeof...(Args) || num_results != ResultsOf<R>::kCount) [[unlikely]] {
        throw_wrong_count(sizeof...(Args), num_args, ResultsOf<R>::kCount, num_results);
      }
      unpack(function, args, results, std::index_sequence_for<Args...>{});
      return 0;
    } catch (...) {
      return give_current_error(record->host);
    }
  }

 private:
  template <class F, size_t... I>
  static void unpack(F& function, [[maybe_unused]] const OpwValue* args,
                     [[maybe_unused]] OpwValue* results, std::index_sequence<I...>) {
    if constexpr (std::is_void_v<R>) {
      function(ValueOfParameter<Args>::read(args[I])...);
    } else {
      ResultsOf<R>::give(results, function(ValueOfParameter<Args>::read(args[I])...));
    }
  }
};

// The schema that a function type implies, for the parser: "(Tensor arg0, float arg1) -> Tensor". A
// `Tensor&` parameter is marked as written.
template <class Signature>
struct SchemaOf;
template <class R, class... Args>
struct SchemaOf<R(Args...)> {
  static constexpr const char* signature() { return kText.characters; }

 private:
  static constexpr void write(TextWriter& out) {
    out.put('(');
    [[maybe_unused]] int index = 0;
    [[maybe_unused]] char alias = 'a';
    ((write_parameter<Args>(out, index, alias)), ...);
    out.put(") -> ");
    if constexpr (std::is_lvalue_reference_v<R>) {
      out.put("Tensor(a!)");
    } else {
      ResultsOf<R>::write_type(out);
    }
  }
  template <class Arg>
  static constexpr void write_parameter(TextWriter& out, int& index, char& alias) {
    if (index != 0) out.put(", ");
    ValueOfParameter<Arg>::write_type(out);
    if constexpr (std::is_lvalue_reference_v<Arg> &&
                  !std::is_const_v<std::remove_reference_t<Arg>>) {
      out.put('(');
      out.put(alias++);
      out.put("!)");
    }
    out.put(" arg");
    if (index >= 10) out.put(static_cast<char>('0' + index / 10));  // functions have fewer than 100
    out.put(static_cast<char>('0' + index % 10));
    ++index;
  }
  static constexpr size_t length() {
    TextWriter out;
    write(out);
    return out.size;
  }
  struct Text {
    char characters[length() + 1] = {};
  };
  static constexpr Text make_text() {
    Text text;
    TextWriter out{text.characters};
    write(out);
    return text;
  }
  static constexpr Text kText = make_text();
};
template <class F>
std::string infer_schema(F /*function*/) {
  return SchemaOf<typename SignatureOf<F>::Type>::signature();
}

// What a registration accepts: a function with its state. `drop` is null for plain functions.
struct BoxedFunction {
  OpwFunction function;
  void* self;
  void (*drop)(void* self);
  const char* signature;  // the schema that its C++ type implies, never freed; null: boxed by hand
};

// Boxes a plain function or a callable object of any signature that ValueOf covers.
template <Boxable F>
BoxedFunction box(F function) {
  using Signature = typename SignatureOf<F>::Type;
  if constexpr (std::is_pointer_v<F>) {
    return {&KernelAdapter<Signature>::call_function, reinterpret_cast<void*>(function), nullptr,
            SchemaOf<Signature>::signature()};
  } else {
    return {&KernelAdapter<Signature>::template call_object<F>, new F(std::move(function)),
            [](void* self) { delete static_cast<F*>(self); }, SchemaOf<Signature>::signature()};
  }
}
}  // namespace opwright
