// A typed handle to an operator of the host: C++ arguments in, C++ results out.
//
// In the core, a handle looks its operator up at the first call, and again whenever the registry
// has changed. In an operator binary it is an import, listed in the binary from the start: a host
// without the operator reports it when it loads the binary, and a call reaches the host that the
// calling thread is in.
#pragma once

#include <array>
#ifdef OPWRIGHT_CORE
#include <atomic>
#endif
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "opwright/registration/kernel.h"

namespace opwright OPWRIGHT_VISIBILITY {
#ifdef OPWRIGHT_CORE

// Constant-initialised. Any thread.
class OPWRIGHT_EXPORT HostOperator {
 public:
  constexpr HostOperator(const char* name, const char* (*signature)())
      : name_(name), signature_(signature) {}
  void call(const OpwValue* args, uint32_t num_args, OpwValue* results, uint32_t num_results);
  // Looks the operator up and compares the signature with its schema; call does it when necessary.
  void resolve();

 private:
  const char* name_;
  const char* (*signature_)();
  std::atomic<uint64_t> epoch_{0};
  std::atomic<const OpwOperator*> op_{nullptr};
};

#else

// The imports of this binary, newest first.
inline constinit OpwImport* first_import = nullptr;

class HostOperator {
 public:
  HostOperator(const char* name, const char* (*signature)())
      : import_{.struct_size = sizeof(OpwImport),
                .index = first_import ? first_import->index + 1 : 0,
                .name = name,
                .signature = signature,
                .next = first_import} {
    first_import = &import_;
  }
  HostOperator(const HostOperator&) = delete;
  HostOperator& operator=(const HostOperator&) = delete;

  void call(const OpwValue* args, uint32_t num_args, OpwValue* results, uint32_t num_results) {
    const OpwHost* host = current_host;
    if (!host) [[unlikely]]
      throw_no_host();
    require_ok(host->call(host, import_.index, args, num_args, results, num_results));
  }

 private:
  [[noreturn, gnu::cold]] void throw_no_host() const {
    throw_error("RuntimeError", import_.name,
                " was called outside of a kernel or rule, where there is no host",
                "\n  In threads of your own use opwright::parallel_for, which carries the host.");
  }

  OpwImport import_;
};

#endif

// An argument of a type whose values cannot be borrowed, such as Tensor?[]: copied for the call.
template <class T>
class CopiedArgument {
 public:
  explicit CopiedArgument(const T& argument) : value_(ValueOf<T>::give(argument)) {}
  CopiedArgument(const CopiedArgument&) = delete;
  CopiedArgument& operator=(const CopiedArgument&) = delete;
  ~CopiedArgument() { release_value(value_); }
  [[nodiscard]] OpwValue value() const { return value_; }

 private:
  OpwValue value_;
};
template <class T>
concept Lendable = requires(const T& argument) { ValueOf<T>::lend(argument); };
template <class T>
class LentArgument {
 public:
  explicit LentArgument(const T& argument) : value_(ValueOf<T>::lend(argument)) {}
  [[nodiscard]] OpwValue value() const { return value_; }

 private:
  OpwValue value_;
};
template <class T>
using ArgumentOf = std::conditional_t<Lendable<T>, LentArgument<T>, CopiedArgument<T>>;

// The results of a call as the C++ type R; `give(i)` gives up the value of result i.
template <class R>
struct ResultTaker {
  template <class Give>
  static R take(Give give) {
    return ValueOfParameter<R>::take(give(0));
  }
};
template <class... T>
struct ResultTaker<std::tuple<T...>> {
  template <class Give>
  static std::tuple<T...> take(Give give) {
    return take(give, std::index_sequence_for<T...>{});
  }
  template <class Give, size_t... I>
  static std::tuple<T...> take(Give& give, std::index_sequence<I...>) {
    return std::tuple<T...>{ValueOfParameter<T>::take(give(I))...};
  }
};

// The first argument of type T: what an operator that returns T& has written.
template <class T, class First, class... Rest>
T& first_of_type(First& first, Rest&... rest) {
  if constexpr (std::is_same_v<First, T>) {
    return first;
  } else {
    return first_of_type<T>(rest...);
  }
}

template <class Signature>
class OperatorHandle;

template <class R, class... Args>
class OperatorHandle<R(Args...)> {
 public:
  // "aten::add.Tensor"; the text must outlive the handle. In a binary, handles are static objects.
  constexpr explicit OperatorHandle(const char* name)
      : operator_(name, &SchemaOf<R(Args...)>::signature) {}

  R operator()(Args... args) {
    std::array<OpwValue, ResultsOf<R>::kCount> results{};
    if constexpr ((Lendable<std::remove_cvref_t<Args>> && ...)) {
      const std::array<OpwValue, sizeof...(Args)> values = {ValueOfParameter<Args>::lend(args)...};
      operator_.call(values.data(), sizeof...(Args), results.data(), ResultsOf<R>::kCount);
    } else {
      // The copies live until the end of the statement.
      operator_.call(
          std::array<OpwValue, sizeof...(Args)>{
              ArgumentOf<std::remove_cvref_t<Args>>(args).value()...}
              .data(),
          sizeof...(Args), results.data(), ResultsOf<R>::kCount);
    }
    if constexpr (std::is_lvalue_reference_v<R>) {
      release_value(results[0]);  // the argument's own handle
      return first_of_type<std::remove_reference_t<R>>(args...);
    } else if constexpr (!std::is_void_v<R>) {
      return ResultTaker<R>::take([&](size_t i) { return results[i]; });
    }
  }

 private:
  HostOperator operator_;
};

// A string as a template argument.
template <size_t N>
struct FixedText {
  char text[N];
  constexpr FixedText(
      const char (&characters)[N]) {  // NOLINT(google-explicit-constructor): from a literal
    for (size_t i = 0; i < N; ++i) text[i] = characters[i];
  }
};

// The handle of one operator; it exists only if some code calls it: imported<"aten::sin",
// Tensor(const Tensor&)>(x).
template <FixedText kName, class Signature>
OPWRIGHT_VISIBILITY inline OperatorHandle<Signature> imported{kName.text};
}  // namespace opwright
