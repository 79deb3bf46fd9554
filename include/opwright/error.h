// Errors: an open kind (the name of a Python exception), a text, notes, and the host's own
// exception as payload.
//
// Authors throw with OPWRIGHT_CHECK or `throw Error("ValueError", ...)`; the kernel adapter passes
// any exception to the host, and the outermost caller gets the same error object back.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/visibility.h"

namespace opwright OPWRIGHT_VISIBILITY {
// ---- Text of values in messages. Types of other headers add an overload of append_text. ----

inline void append_text(std::string& out, std::string_view text) { out.append(text); }
inline void append_text(std::string& out, const std::string& text) { out.append(text); }
inline void append_text(std::string& out, const char* text) { out.append(text ? text : "(null)"); }
inline void append_text(std::string& out, char character) { out.push_back(character); }
inline void append_text(std::string& out, bool value) { out.append(value ? "true" : "false"); }
[[gnu::cold]] inline void append_text(std::string& out, double value) {
  char buffer[32];
  for (const int digits : {6, 9, 17}) {  // the shortest of these that reads back
    std::snprintf(buffer, sizeof buffer, "%.*g", digits, value);
    if (std::strtod(buffer, nullptr) == value) break;
  }
  out.append(buffer);
}
[[gnu::cold]] inline void append_text(std::string& out, float value) {
  char buffer[32];
  for (const int digits : {6, 9}) {
    std::snprintf(buffer, sizeof buffer, "%.*g", digits, static_cast<double>(value));
    if (std::strtof(buffer, nullptr) == value) break;
  }
  out.append(buffer);
}
[[gnu::cold, gnu::noinline]] inline void append_integer(std::string& out, bool is_negative,
                                                        unsigned long long magnitude) {
  char digits[24];
  char* first = digits + sizeof digits;
  do {
    *--first = static_cast<char>('0' + magnitude % 10);
  } while ((magnitude /= 10) != 0);
  if (is_negative) *--first = '-';
  out.append(first, static_cast<size_t>(digits + sizeof digits - first));
}
template <class Int>
  requires std::is_integral_v<Int>
void append_text(std::string& out, Int value) {
  const auto word = static_cast<unsigned long long>(value);
  append_integer(out, value < 0, value < 0 ? 0 - word : word);
}

// One part of a text that is assembled out of line, so that each use costs two pointers and no
// code.
struct TextPart {
  const void* part;
  void (*append)(std::string& out, const void* part);

  template <class T>
  static TextPart of(const T& part) {
    return {&part, &append_as<T>};
  }
  static TextPart of(const char* text) { return {text, &append_characters}; }

 private:
  template <class T>
  [[gnu::cold]] static void append_as(std::string& out, const void* part) {
    append_text(out, *static_cast<const T*>(part));
  }
  [[gnu::cold]] static void append_characters(std::string& out, const void* text) {
    append_text(out, static_cast<const char*>(text));
  }
};
[[nodiscard, gnu::cold, gnu::noinline]] inline std::string concatenate_parts(const TextPart* parts,
                                                                             size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) parts[i].append(text, parts[i].part);
  return text;
}
// Concatenates the texts of all arguments.
template <class... Parts>
[[nodiscard]] std::string concatenate(const Parts&... parts) {
  const TextPart all[] = {TextPart::of(parts)...};
  return concatenate_parts(all, sizeof...(Parts));
}

// A reference-counted handle to an OpwError; the exception that C++ code throws. Copies share the
// error.
class OPWRIGHT_EXPORT Error : public std::exception {
 public:
  Error(std::string_view kind, std::string_view text) : error_(make(kind, text)) {}
  // With the host's own exception; `payload_type` is an address that identifies who understands it.
  Error(std::string_view kind, std::string_view text, const void* payload_type, void* payload,
        void (*drop)(void*))
      : error_(make(kind, text)) {
    error_->payload_type = payload_type;
    error_->payload = payload;
    error_->drop_payload = drop;
  }
  // Takes over one count.
  static Error take(OpwError* error) noexcept { return Error(error); }
  Error(const Error& other) noexcept : error_(other.error_) {
    __atomic_fetch_add(&error_->count, 1, __ATOMIC_RELAXED);
  }
  Error& operator=(Error other) noexcept {
    std::swap(error_, other.error_);
    return *this;
  }
  ~Error() override { release(error_); }

  [[nodiscard]] const char* kind() const noexcept { return error_->kind; }
  // The text without the notes.
  [[nodiscard]] const char* text() const noexcept { return error_->text; }
  // Text and notes, one line per note.
  [[nodiscard]] std::string message() const { return error_->message; }
  [[nodiscard]] const char* note(std::string_view note_kind) const noexcept {
    for (uint32_t i = 0; i < error_->num_notes; ++i) {
      if (note_kind == error_->notes[i].kind) return error_->notes[i].text;
    }
    return nullptr;
  }
  const char* what() const noexcept override { return error_->message; }

#ifdef OPWRIGHT_CORE
  // Appends a note. An error of another binary is replaced by a copy that keeps the payload.
  void add_note(std::string_view note_kind, std::string_view note_text) {
    if (!is_made_here() || __atomic_load_n(&error_->count, __ATOMIC_ACQUIRE) != 1)
      error_ = copy_of(error_);
    made_here().strings.reserve(made_here().strings.size() + 2);
    made_here().add(note_kind, note_text);
    made_here().write_message();
  }
#endif

  [[nodiscard]] const OpwError* get() const noexcept { return error_; }
  // A new count for the caller to own; for a host's give_error.
  [[nodiscard]] OpwError* share() const noexcept {
    __atomic_fetch_add(&error_->count, 1, __ATOMIC_RELAXED);
    return error_;
  }

 private:
  struct MadeHere : OpwError {
    std::string kind_text, main_text, whole_text;
    OpwError* original = nullptr;  // owns the payload that this copy shows
#ifdef OPWRIGHT_CORE
    std::vector<std::pair<std::string, std::string>> strings;
    std::vector<OpwNote> note_list;

    void add(std::string_view note_kind, std::string_view note_text) {
      strings.emplace_back(note_kind, note_text);
      note_list.clear();
      for (const auto& [k, t] : strings) note_list.push_back({k.c_str(), t.c_str()});
      notes = note_list.data();
      num_notes = static_cast<uint32_t>(note_list.size());
    }
    void write_message() {
      whole_text = main_text;
      for (const auto& [k, t] : strings) whole_text.append("\n  ").append(t);
      message = whole_text.c_str();
    }
#endif
  };

  explicit Error(OpwError* owned) noexcept : error_(owned) {}

  static void destroy(OpwError* error) {
    auto* mine = static_cast<MadeHere*>(error);
    if (mine->original) {
      release(mine->original);
    } else if (mine->payload && mine->drop_payload) {
      mine->drop_payload(mine->payload);
    }
    delete mine;
  }
  static void release(OpwError* error) noexcept {
    if (__atomic_fetch_sub(&error->count, 1, __ATOMIC_ACQ_REL) == 1) error->release(error);
  }
  static OpwError* make(std::string_view kind, std::string_view text) {
    auto* error = new MadeHere{};
    error->struct_size = sizeof(OpwError);
    error->count = 1;
    error->release = &destroy;
    error->kind_text = kind;
    error->main_text = text;
    error->kind = error->kind_text.c_str();
    error->text = error->main_text.c_str();
    error->message = error->text;
    return error;
  }
#ifdef OPWRIGHT_CORE
  static OpwError* copy_of(OpwError* other) {
    auto* copy = static_cast<MadeHere*>(make(other->kind, other->text));
    for (uint32_t i = 0; i < other->num_notes; ++i)
      copy->add(other->notes[i].kind, other->notes[i].text);
    copy->payload_type = other->payload_type;
    copy->payload = other->payload;
    copy->original = other;  // takes over the count
    return copy;
  }
#endif
  [[nodiscard]] bool is_made_here() const noexcept { return error_->release == &destroy; }
  [[nodiscard]] MadeHere& made_here() const noexcept { return *static_cast<MadeHere*>(error_); }

  OpwError* error_;
};

// Throws the error that a function of the host, of a tensor's owner or of a symbol's owner passed
// when it returned 1.
#ifdef OPWRIGHT_CORE
[[noreturn]] OPWRIGHT_EXPORT void throw_given_error();
#else
// The fastest TLS model has room for about 200 libraries in a process, and for none that contains
// the CUDA runtime; such binaries are built with OPWRIGHT_DYNAMIC_TLS, which costs a few ns per
// call.
#ifdef OPWRIGHT_DYNAMIC_TLS
#define OPWRIGHT_TLS_MODEL
#else
#define OPWRIGHT_TLS_MODEL __attribute__((tls_model("initial-exec")))
#endif
// The host whose call this thread is in; set by the kernel adapter.
inline constinit thread_local const OpwHost* current_host OPWRIGHT_TLS_MODEL = nullptr;

[[noreturn]] inline void throw_given_error() {
  OpwError* error = current_host ? current_host->take_error(current_host) : nullptr;
  if (!error) throw Error("RuntimeError", "a host function failed without an error");
  throw Error::take(error);
}
#endif

// Throws that error unless `status` is 0.
inline void require_ok(int status) {
  if (status != 0) [[unlikely]]
    throw_given_error();
}

// Converts the exception that is being handled to an Error.
inline Error current_error() {
  try {
    throw;
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return Error("MemoryError", "out of memory");
  } catch (const std::exception& error) {
    return Error("RuntimeError", error.what());
  } catch (...) {
    return Error("RuntimeError", "an exception that is not a std::exception");
  }
}

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_parts(const char* kind,
                                                               const TextPart* parts,
                                                               size_t count) {
  throw Error(kind, concatenate_parts(parts, count));
}
template <class... Parts>
[[noreturn, gnu::cold]] void throw_error(const char* kind, const Parts&... parts) {
  const TextPart all[] = {TextPart::of(parts)...};
  throw_parts(kind, all, sizeof...(Parts));
}
}  // namespace opwright

// Checks a condition on user input. The message is one sentence in the user's terms: who, what is
// wrong, what it got.
#define OPWRIGHT_CHECK_KIND(kind, condition, ...)               \
  do {                                                          \
    if (!(condition)) [[unlikely]]                              \
      ::opwright::throw_error(kind __VA_OPT__(, ) __VA_ARGS__); \
  } while (false)
#define OPWRIGHT_CHECK(condition, ...) OPWRIGHT_CHECK_KIND("RuntimeError", condition, __VA_ARGS__)
#define OPWRIGHT_CHECK_VALUE(condition, ...) \
  OPWRIGHT_CHECK_KIND("ValueError", condition, __VA_ARGS__)
#define OPWRIGHT_CHECK_TYPE(condition, ...) OPWRIGHT_CHECK_KIND("TypeError", condition, __VA_ARGS__)
#define OPWRIGHT_CHECK_INDEX(condition, ...) \
  OPWRIGHT_CHECK_KIND("IndexError", condition, __VA_ARGS__)

// Checks a condition that only a bug in Opwright can break.
#define OPWRIGHT_ASSERT(condition)                                                             \
  OPWRIGHT_CHECK_KIND("AssertionError", condition,                                             \
                      "internal error, please report it: ", #condition, " at ", __FILE__, ":", \
                      __LINE__)
