// c10::Dispatcher: calls of operators whose names are known only at run time. For a name in the
// source, opwright::imported<"ns::name", at::Tensor(const at::Tensor&)>(x) is faster, and a host
// without the operator reports it when it loads the binary.
#pragma once

#include <array>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "opwright/compat/c10/core/DispatchKeySet.h"
#include "opwright/registration/host_functions.h"
#include "opwright/registration/operator_handle.h"

namespace c10 OPWRIGHT_VISIBILITY {
template <class Signature>
class TypedOperatorHandle;

template <class R, class... Args>
class TypedOperatorHandle<R(Args...)> {
 public:
  explicit TypedOperatorHandle(std::string name) : name_(std::move(name)) {}

  // Inside the operator's own kernel for an Autograd key, the call goes on below autograd.
  R call(Args... args) const { return call_values(args...); }
  R redispatch(DispatchKeySet /*keys*/, Args... args) const { return call_values(args...); }

 private:
  using Call = opwright::AnyValue(const std::string&, const opwright::AnyValue&);

  template <class... T>
  R call_values(T&... args) const {
    // The copies live until the end of the statement.
    [[maybe_unused]] const opwright::AnyValue results =
        call_list(std::array<OpwValue, sizeof...(T)>{
            opwright::ArgumentOf<std::remove_cvref_t<T>>(args).value()...});
    if constexpr (std::is_lvalue_reference_v<R>) {
      return opwright::first_of_type<std::remove_reference_t<R>>(args...);
    } else if constexpr (!std::is_void_v<R>) {
      std::vector<opwright::Value> values = values_of(results.get());
      require_count(values.size(), opwright::ResultsOf<R>::kCount);
      return opwright::ResultTaker<R>::take([&](size_t i) { return values[i].give(); });
    }
  }
  template <size_t kCount>
  opwright::AnyValue call_list(const std::array<OpwValue, kCount>& values) const {
    OpwValue list{};
    list.tag = kOpwList;
    list.length = static_cast<uint32_t>(kCount);
    list.as_values = values.data();
    return opwright::imported<"opwright::call_operator", Call>(name_,
                                                               opwright::AnyValue::lend(list));
  }
  static std::vector<opwright::Value> values_of(const OpwValue& list) {
    std::vector<opwright::Value> values;
    for (uint32_t i = 0; i < list.length; ++i) {
      OpwValue element{};
      if (list.tag == kOpwTensorList) {
        element.tag = kOpwTensor;
        element.as_tensor = list.as_tensors[i];
      } else {
        opwright::require_tag(list, kOpwList, "a list of results");
        element = static_cast<const OpwValue*>(list.as_values)[i];
      }
      values.push_back(opwright::Value::copy_of(element));
    }
    return values;
  }
  void require_count(size_t given, size_t wanted) const {
    if (given == wanted) return;
    opwright::throw_error("TypeError", name_, " returns ", given, " results, but typed<>() says ",
                          wanted);
  }

  std::string name_;
};

class OperatorHandle {
 public:
  explicit OperatorHandle(std::string name) : name_(std::move(name)) {}
  template <class Signature>
  [[nodiscard]] auto typed() const {
    return TypedOperatorHandle<typename opwright::SignatureOf<Signature>::Type>(name_);
  }

 private:
  std::string name_;
};

class Dispatcher {
 public:
  static Dispatcher& singleton() {
    static Dispatcher dispatcher;
    return dispatcher;
  }
  // A missing operator is an error of the first call.
  [[nodiscard]] OperatorHandle findSchemaOrThrow(const char* name, const char* overload) const {
    const std::string suffix = *overload ? std::string(".") + overload : std::string();
    return OperatorHandle(name + suffix);
  }
};
}  // namespace c10
namespace at OPWRIGHT_VISIBILITY {
using namespace c10;
}  // namespace at
