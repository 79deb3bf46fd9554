// How authors register operators.
//
//   OPWRIGHT_LIBRARY(audio, m) { m.def("soft_clip(Tensor x, float limit=1.0) -> Tensor"); }
//   OPWRIGHT_LIBRARY_IMPL(audio, CPU, m) { m.impl("soft_clip", &soft_clip_cpu); }
//
// A binary is passive: static initialisers only link the blocks into a list, and the bodies run
// when a host loads the binary. Blocks of the core itself run immediately.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>

#include "opwright/autograd.h"
#include "opwright/fake_tensor.h"
#include "opwright/registration/autocast_rule.h"
#include "opwright/registration/converter_text.h"
#include "opwright/registration/operator_handle.h"
#include "opwright/tag.h"

namespace opwright OPWRIGHT_VISIBILITY {
#ifdef OPWRIGHT_CORE
// Runs the body of a block of the core; defined in src/dispatch.
OPWRIGHT_EXPORT void link_library(OpwLibrary* library);
#else
// The blocks of this binary, newest first.
inline constinit OpwLibrary* first_library = nullptr;

inline void link_library(OpwLibrary* library) {
  library->next = first_library;
  first_library = library;
}

// The devices of this binary (opwright/device_plugin.h).
inline constinit OpwDevicePlugin* first_device = nullptr;

inline const OpwBinary* own_binary() noexcept {
  // Created at the first call: all static initialisers have run by then, so the lists are complete.
  static const OpwBinary binary{.struct_size = sizeof(OpwBinary),
                                .abi_major = OPW_ABI_MAJOR,
                                .abi_minor = OPW_ABI_MINOR,
                                .libraries = first_library,
                                .imports = first_import,
                                .num_imports = first_import ? first_import->index + 1 : 0,
                                .devices = first_device};
  return &binary;
}
#endif

// The batch dimension of an argument; empty: not batched. For a list, `elements` holds one for each
// element and the BatchDim itself is empty.
struct BatchDim : std::optional<int64_t> {
  using std::optional<int64_t>::optional;
  std::vector<std::optional<int64_t>> elements;
};
template <>
struct ValueOf<BatchDim> {
  static BatchDim read(const OpwValue& value) {
    BatchDim dim;
    if (value.tag == kOpwList) {
      dim.elements = ValueOf<std::vector<std::optional<int64_t>>>::read(value);
    } else if (value.tag != kOpwNone) {
      dim.emplace(ValueOf<int64_t>::read(value));
    }
    return dim;
  }
};

// What a vmap rule gets in addition to the arguments.
struct VmapInfo {
  SymInt batch_size;
  std::string_view randomness;    // "error", "same" or "different"
  std::vector<BatchDim> in_dims;  // one for each argument
};
// What a vmap rule returns: the results and their batch dimensions.
template <class R>
struct VmapResult {
  R results;
  std::vector<std::optional<int64_t>> out_dims;
};

// A vmap rule `VmapResult<R> f(const VmapInfo&, args...)` as an OpwFunction.
template <class Signature>
struct VmapAdapter;
template <class R, class... Args>
struct VmapAdapter<VmapResult<R>(const VmapInfo&, Args...)> {
  static int call_function(const OpwRecord* record, const OpwValue* args, uint32_t num_args,
                           OpwValue* results, uint32_t num_results) noexcept {
    try {
      const HostScope scope(record->host);
      constexpr uint32_t kLeading = 3;  // batch size, randomness, in_dims
      if (num_args != kLeading + sizeof...(Args) || num_results != ResultsOf<R>::kCount + 1)
          [[unlikely]] {
        throw_wrong_count(kLeading + sizeof...(Args), num_args, ResultsOf<R>::kCount + 1,
                          num_results);
      }
      const VmapInfo info{ValueOf<SymInt>::read(args[0]), ValueOf<std::string_view>::read(args[1]),
                          ValueOf<std::vector<BatchDim>>::read(args[2])};
      unpack(record, info, args + kLeading, results, std::index_sequence_for<Args...>{});
      return 0;
    } catch (...) {
      return give_current_error(record->host);
    }
  }

 private:
  template <size_t... I>
  static void unpack(const OpwRecord* record, const VmapInfo& info, const OpwValue* args,
                     OpwValue* results, std::index_sequence<I...>) {
    const auto function =
        reinterpret_cast<VmapResult<R> (*)(const VmapInfo&, Args...)>(record->self);
    // A single expression: a result may be one of the arguments that are read here.
    give(results, function(info, ValueOfParameter<Args>::read(args[I])...));
  }
  static void give(OpwValue* results, VmapResult<R> mapped) {
    ResultsOf<R>::give(results, std::forward<R>(mapped.results));
    results[ResultsOf<R>::kCount] =
        ValueOf<std::vector<std::optional<int64_t>>>::give(mapped.out_dims);
  }
};

// The `m` of a library block.
class Library {
 public:
  Library(OpwRegistrar* registrar, const OpwLibrary& block)
      : registrar_(registrar), block_(block) {}

  // Adds an operator: "soft_clip(Tensor x, float limit=1.0) -> Tensor".
  Library& def(const std::string& schema, Tags tags = {},
               std::source_location where = std::source_location::current()) {
    require_ok(registrar_->define(registrar_, schema.c_str(), tags.bits(), where.file_name(),
                                  where.line()));
    return *this;
  }
  // Adds an operator with a body for all devices, which transforms see through. If only a name is
  // given, the schema comes from the C++ type.
  template <class F>
    requires Boxable<F>
  Library& def(const std::string& schema_or_name, F body, Tags tags = {},
               std::source_location where = std::source_location::current()) {
    const bool is_name = schema_or_name.find('(') == std::string::npos;
    def(is_name ? schema_or_name + infer_schema(body) : schema_or_name, tags, where);
    implement(schema_or_name.substr(0, schema_or_name.find('(')), "CompositeImplicitAutograd",
              box(std::move(body)), where);
    return *this;
  }

  // Adds a function to a row: to the slot of the block or, in a block without one, as a body for
  // all devices.
  template <class F>
  Library& impl(const std::string& name, F function,
                std::source_location where = std::source_location::current()) {
    implement(name, block_.slot ? block_.slot : "CompositeImplicitAutograd",
              box(std::move(function)), where);
    return *this;
  }

  // Registers the function that computes the shape, dtype and device of the results: over
  // FakeTensor, or over Tensor with sym_size.
  template <class F>
  Library& register_fake(const std::string& name, F function,
                         std::source_location where = std::source_location::current()) {
    implement(name, "Fake", box(std::move(function)), where);
    return *this;
  }

  // `save(AutogradContext&, arguments..., results...)` runs after the call; `backward(const
  // AutogradContext&, gradient of each result...)` returns one gradient for each tensor argument.
  template <class Save, class Backward>
  Library& register_autograd(const std::string& name, Save save, Backward backward,
                             std::source_location where = std::source_location::current()) {
    BoxedFunction boxed_save = box(save);
    boxed_save.signature = nullptr;
    implement(name, "SetupContext", boxed_save, where);
    return register_autograd(name, backward, where);
  }
  template <class Backward>
  Library& register_autograd(const std::string& name, Backward backward,
                             std::source_location where = std::source_location::current()) {
    using Adapter = BackwardAdapter<typename SignatureOf<Backward>::Type>;
    implement(name, "Autograd",
              {&Adapter::call_function, reinterpret_cast<void*>(backward), nullptr, nullptr},
              where);
    return *this;
  }

  // For an in-place operator whose formula needs values from before the call: `save` gets copies of
  // the arguments at these positions instead. m.keep_old("scale_", {0})
  template <class AnyTensor = Tensor>
  Library& keep_old(const std::string& name, std::initializer_list<uint32_t> positions,
                    std::source_location where = std::source_location::current()) {
    uintptr_t bits = 0;
    for (const uint32_t position : positions) bits |= uintptr_t{1} << position;
    const OpwFunction copy = [](const OpwRecord* record, const OpwValue* args, uint32_t num_args,
                                OpwValue* results, uint32_t num_results) noexcept {
      try {
        const HostScope scope(record->host);
        const auto kept = reinterpret_cast<uintptr_t>(record->self);
        for (uint32_t i = 0; i < num_results && i + 1 < num_args; ++i) {
          if ((kept >> i & 1) == 0) continue;
          const auto argument = ValueOf<AnyTensor>::read(args[i + 1]);  // borrowed while in scope
          results[i] = ValueOf<AnyTensor>::give(static_cast<const AnyTensor&>(argument).clone());
        }
        return 0;
      } catch (...) {
        return give_current_error(record->host);
      }
    };
    implement(name, "KeepOld", {copy, reinterpret_cast<void*>(bits), nullptr, nullptr}, where);
    return *this;
  }

  // Forward mode: `rule(arguments..., tangents of tensor arguments...)` returns the tangents of the
  // results; use std::optional<Tensor> for a tangent that may be missing.
  template <class F>
  Library& register_jvp(const std::string& name, F rule,
                        std::source_location where = std::source_location::current()) {
    BoxedFunction boxed = box(std::move(rule));
    boxed.signature = nullptr;
    implement(name, "Jvp", boxed, where);
    return *this;
  }

  // For a view: `rule(const Tensor& base, const Tensor& value, arguments after the first...)`
  // returns the base after `value` was written to the view. For a list of views, the index in it
  // comes last.
  template <class F>
  Library& register_scatter(const std::string& name, F rule,
                            std::source_location where = std::source_location::current()) {
    implement(name, "Scatter", box(std::move(rule)), where);
    return *this;
  }

  // Under autocast on a device, floating-point tensors of a call are cast to a dtype, and autocast
  // is off inside the call: m.register_autocast("gain", {{kCpu, DType::BFloat16}}).
  template <class AnyTensor = Tensor>
  Library& register_autocast(const std::string& name, std::initializer_list<AutocastTarget> targets,
                             std::source_location where = std::source_location::current()) {
    for (const AutocastTarget& target : targets) {
      if (!is_floating(target.dtype))
        throw_error("ValueError", name, ": autocast casts to a floating dtype, got ", target.dtype);
    }
    using Rule = AutocastRule<AnyTensor>;
    implement(name, "Autocast", {&Rule::call_function, new Rule{targets}, &Rule::drop, nullptr},
              where);
    return *this;
  }
  template <class AnyTensor = Tensor>
  Library& register_autocast(const std::string& name, Device device, DType cast_inputs,
                             std::source_location where = std::source_location::current()) {
    return register_autocast<AnyTensor>(name, {{device, cast_inputs}}, where);
  }

  // The node that represents the operator in a foreign graph, from the given version on:
  // m.register_converter("dual_residual", "onnx", "rknn_cst::cstDualResidual(x, y, alpha=alpha)").
  Library& register_converter(const std::string& name, std::string engine, std::string node,
                              int64_t since_version = 0,
                              std::source_location where = std::source_location::current()) {
    auto* rule = new ConverterText{std::move(engine), std::move(node), since_version};
    implement(name, "Convert", {&ConverterText::call_function, rule, &ConverterText::drop, nullptr},
              where);
    return *this;
  }

  // `rule(const VmapInfo&, arguments...)` returns a VmapResult.
  template <class F>
  Library& register_vmap(const std::string& name, F rule,
                         std::source_location where = std::source_location::current()) {
    using Adapter = VmapAdapter<typename SignatureOf<F>::Type>;
    implement(name, "Vmap",
              {&Adapter::call_function, reinterpret_cast<void*>(rule), nullptr, nullptr}, where);
    return *this;
  }

 private:
  [[gnu::cold, gnu::noinline]] void implement(const std::string& name, const char* slot,
                                              const BoxedFunction& boxed,
                                              std::source_location where) {
    const OpwImplementation implementation{.struct_size = sizeof(OpwImplementation),
                                           .line = where.line(),
                                           .function = boxed.function,
                                           .self = boxed.self,
                                           .drop = boxed.drop,
                                           .name = name.c_str(),
                                           .slot = slot,
                                           .signature = boxed.signature,
                                           .file = where.file_name()};
    require_ok(registrar_->implement(registrar_, &implementation));
  }

  OpwRegistrar* registrar_;
  const OpwLibrary& block_;
};

// Runs the body of a block; an exception becomes the error of the registration.
template <class Body>
[[gnu::cold]] int run_library_body(const OpwLibrary* block, OpwRegistrar* registrar,
                                   const Body& body) noexcept {
  const HostScope scope(registrar->host);
  try {
    Library library(registrar, *block);
    body(library);
    return 0;
  } catch (...) {
    return give_current_error(registrar->host);
  }
}

// Links a constant-initialised block at load.
struct LibraryLink {
  explicit LibraryLink(OpwLibrary* block) { link_library(block); }
};

// Registers functions without a block: static auto registry =
// RegisterOperators().op("cst::dual_residual", &dual_residual);
class RegisterOperators {
 public:
  // The schema comes from the C++ type unless it follows the name; the function is a body for all
  // devices, which transforms see through.
  template <class F>
  RegisterOperators&& op(const char* schema_or_name, F function,
                         std::source_location where = std::source_location::current()) && {
    struct Entry : OpwLibrary {
      std::string name;
      F function;
      std::source_location where;
    };
    auto* entry = new Entry{};  // lives as long as the binary, which is never unloaded
    entry->struct_size = sizeof(OpwLibrary);
    entry->kind = kOpwLibraryFragment;
    entry->name_space = "";  // part of the name
    entry->file = where.file_name();
    entry->line = where.line();
    entry->body = [](const OpwLibrary* block, OpwRegistrar* registrar) {
      const auto* self = static_cast<const Entry*>(block);
      return run_library_body(block, registrar, [&](Library& m) {
        m.def(self->name, self->function, {}, self->where);
      });
    };
    entry->name = schema_or_name;
    entry->function = function;
    entry->where = where;
    link_library(entry);
    return std::move(*this);
  }
};
}  // namespace opwright

#ifndef OPWRIGHT_CORE
// The only exported symbol; the same in every file of the binary.
extern "C" __attribute__((used, visibility("default"))) inline const OpwBinary* opw_binary(void) {
  return opwright::own_binary();
}
#endif

#define OPWRIGHT_CONCATENATE_(a, b) a##b
#define OPWRIGHT_CONCATENATE(a, b) OPWRIGHT_CONCATENATE_(a, b)

// A block `(Library& m) { ... }` follows.
#define OPWRIGHT_LIBRARY_BLOCK_(kind_, name_space_, slot_, id, m)                          \
  [[gnu::cold]] static void OPWRIGHT_CONCATENATE(opwright_library_body_,                   \
                                                 id)(::opwright::Library&);                \
  static int OPWRIGHT_CONCATENATE(opwright_run_library_, id)(const OpwLibrary* block,      \
                                                             OpwRegistrar* registrar) {    \
    return ::opwright::run_library_body(block, registrar,                                  \
                                        OPWRIGHT_CONCATENATE(opwright_library_body_, id)); \
  }                                                                                        \
  static constinit OpwLibrary OPWRIGHT_CONCATENATE(opwright_library_, id){                 \
      .struct_size = sizeof(OpwLibrary),                                                   \
      .kind = kind_,                                                                       \
      .name_space = name_space_,                                                           \
      .slot = slot_,                                                                       \
      .file = __FILE__,                                                                    \
      .line = __LINE__,                                                                    \
      .body = &OPWRIGHT_CONCATENATE(opwright_run_library_, id),                            \
      .context = nullptr,                                                                  \
      .next = nullptr};                                                                    \
  static const ::opwright::LibraryLink OPWRIGHT_CONCATENATE(                               \
      opwright_library_link_, id)(&OPWRIGHT_CONCATENATE(opwright_library_, id));           \
  static void OPWRIGHT_CONCATENATE(opwright_library_body_,                                 \
                                   id)([[maybe_unused]] ::opwright::Library & m)

// Owns the namespace `ns`: at most one such block in the process.
#define OPWRIGHT_LIBRARY(ns, m) \
  OPWRIGHT_LIBRARY_BLOCK_(kOpwLibraryDefinitions, #ns, nullptr, __COUNTER__, m)
// Adds to a namespace that may belong to another binary.
#define OPWRIGHT_LIBRARY_FRAGMENT(ns, m) \
  OPWRIGHT_LIBRARY_BLOCK_(kOpwLibraryFragment, #ns, nullptr, __COUNTER__, m)
// Functions for one slot: CPU, CUDA, Fake, Meta, CompositeImplicitAutograd, ...
#define OPWRIGHT_LIBRARY_IMPL(ns, slot, m) \
  OPWRIGHT_LIBRARY_BLOCK_(kOpwLibraryImplementations, #ns, #slot, __COUNTER__, m)
