// Scope: the owner of registrations made from Python.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bindings/operator/python_function.h"
#include "opwright/dispatch/registry.h"

namespace nanobind {
class module_;
}

namespace opwright::python {

// What it added is removed when it is closed or dies, newest first, and the functions that it
// replaced are restored. The garbage collector sees the callables that it owns.
class Scope {
 public:
  Scope() = default;
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  ~Scope() { close(); }

  // `name_space` is used for a schema without one.
  std::string define(const std::string& schema, Tags tags, const std::string& name_space,
                     SourceSite site);
  // Tokens are for remove().
  uint64_t claim(const std::string& name_space);
  uint64_t implement(const std::string& name, const std::string& slot, PyObject* callable,
                     bool checks_aliases = false);
  // The dtype of floating tensors by the name of their device; replaces an existing rule.
  uint64_t implement_autocast(const std::string& name, const std::map<std::string, DType>& dtypes);
  // The formula gets copies of the arguments at these positions, from before the call.
  uint64_t implement_keep_old(const std::string& name, const std::vector<uint32_t>& positions);
  // A conversion rule (converter.h).
  uint64_t implement_converter(const std::string& name, const std::string& engine,
                               int64_t since_version, PyObject* rule);
  uint64_t set_fallback(const std::string& slot, PyObject* callable);

  void remove(uint64_t token);
  void close();
  [[nodiscard]] bool is_closed() const { return is_closed_; }

  int traverse(visitproc visit, void* arg) const;

 private:
  struct Entry {
    uint64_t token;
    Registration registration;
    PyObject* callable;  // borrowed from the registered function; may be null
  };
  uint64_t add(Registration registration, PyObject* callable);
  void check_open() const;

  std::vector<Entry> entries_;
  uint64_t last_token_ = 0;
  bool is_closed_ = false;
};

void bind_scope(nanobind::module_& m);

}  // namespace opwright::python
