// Checks what the schema says about memory: which arguments are written, which results are views.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "opwright/check/example/check.h"
#include "opwright/check/memory/memory_sharing.h"
#include "opwright/check/memory/unwritten_arguments.h"
#include "opwright/dispatch/rule.h"
#include "opwright/error.h"
#include "opwright/tensor/wrapper.h"

namespace opwright {
namespace {

// A tensor among the results.
struct ResultTensor {
  uint32_t result;
  std::string name;  // "result 1", "result 2 [0]"
  Tensor tensor;
};

std::vector<ResultTensor> list_results(const Outcome& outcome) {
  std::vector<ResultTensor> found;
  for (uint32_t i = 0; i < outcome.results.size(); ++i) {
    const OpwValue& value = outcome.results[i].get();
    uint32_t position = 0;
    visit_tensors(value, [&](OpwTensor* tensor) {
      std::string name = result_name(outcome.after.op(), i);
      if (value.tag != kOpwTensor) name += concatenate(" [", position++, "]");
      found.push_back({i, std::move(name), Tensor::borrow(tensor)});
    });
  }
  return found;
}

// May alias anything: `Tensor(*)`.
bool is_wild(const Operator& op, uint32_t result) {
  return op.schema().returns[result].alias.mentions(kAliasWildcard);
}

bool is_same_memory(const Tensor& a, const Tensor& b) {
  if (&storage_of(a) == &storage_of(b)) return true;
  return a.device() == kCpu && b.device() == kCpu && a.numel() > 0 && b.numel() > 0 &&
         share_memory(a, b);
}

Fault undeclared_alias(const Operator& op, const ResultTensor& result,
                       const std::string& argument) {
  return {"undeclared-alias",
          concatenate(op.name(), ": ", result.name, " shares memory with the argument '", argument,
                      "', which its schema does not declare\n  Return a clone, or declare a view: "
                      "Tensor(a) ",
                      argument, " and -> Tensor(a).")};
}

std::optional<Fault> find_alias_of_arguments(const Operator& op, const Outcome& outcome,
                                             const ResultTensor& result) {
  const std::optional<uint32_t> viewed = find_viewed_argument(op, result.result);
  const std::vector<Tensor> tensors = outcome.after.tensors();
  const std::vector<Example::TensorPlace> places = outcome.after.tensor_places();
  bool is_view = false;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (!is_same_memory(result.tensor, tensors[i])) continue;
    is_view |= viewed == places[i].argument;
    // Through its declared alias, it may be in the memory of another argument.
    if (!viewed) return undeclared_alias(op, result, outcome.after.tensor_name(i));
  }
  if (!viewed || is_view || op.seen_through_body()) return std::nullopt;
  const std::string& argument = op.schema().arguments[*viewed].name;
  return Fault{"view-is-copy",
               concatenate(op.name(), ": ", result.name,
                           " is a copy, but its schema says that it "
                           "is a view of '",
                           argument,
                           "'\n  Whether a write to it is lost would depend on the mode: return a "
                           "view for every input, or declare a result that is not a view.")};
}

std::optional<Fault> find_alias(const Operator& op, const Outcome& outcome) {
  const std::vector<ResultTensor> results = list_results(outcome);
  for (size_t i = 0; i < results.size(); ++i) {
    if (op.gives_argument(results[i].result) || is_wild(op, results[i].result)) continue;
    if (auto fault = find_alias_of_arguments(op, outcome, results[i])) return fault;
    for (size_t j = 0; j < i; ++j) {
      if (find_viewed_argument(op, results[i].result) || is_wild(op, results[j].result)) continue;
      if (results[i].tensor.numel() == 0 || results[j].tensor.numel() == 0) continue;
      if (results[i].tensor.device() != kCpu || results[j].tensor.device() != kCpu) continue;
      if (!share_memory(results[i].tensor, results[j].tensor)) continue;
      return Fault{"results-share-memory",
                   concatenate(op.name(), ": ", results[j].name, " and ", results[i].name,
                               " share memory, which its schema does not declare\n  Return a clone "
                               "of one of them.")};
    }
  }
  return std::nullopt;
}

class SchemaCheck : public Check {
 public:
  std::optional<Fault> look(const CheckInput& input) override {
    const Operator& op = input.op();
    const Example own = input.example().copy();
    const std::vector<OpwValue> args = own.arguments();
    const UnwrittenArguments unwritten(op, args);
    const Outcome outcome = run_example(own);
    if (outcome.is_refused()) throw *outcome.error;
    note_writes(input.example(), outcome.after);
    if (auto change = unwritten.find_change()) return Fault{"undeclared-write", std::move(*change)};
    return find_alias(op, outcome);
  }

  std::vector<Fault> remarks(const Operator& op) override {
    std::vector<Fault> found;
    for (uint32_t i = 0; i < op.num_arguments(); ++i) {
      if ((could_change_ & ~changed_ & op.written_args()) >> i & 1) {
        const std::string& name = op.schema().arguments[i].name;
        found.push_back(
            {"never-written", concatenate(op.name(), ": its schema says that '", name,
                                          "' is written, but no input showed a change\n  If this "
                                          "is correct, remove the mark: it costs time.")});
      }
    }
    return found;
  }

 private:
  void note_writes(const Example& before, const Example& after) {
    const std::vector<Tensor> old = before.tensors();
    const std::vector<Tensor> now = after.tensors();
    const std::vector<Example::TensorPlace> places = before.tensor_places();
    for (size_t i = 0; i < old.size(); ++i) {
      const uint64_t bit = uint64_t{1} << places[i].argument;
      if (!before.is_written(i) || old[i].numel() == 0) continue;
      could_change_ |= bit;
      if (find_difference(now[i], old[i], {.tolerance = Tolerance{}})) changed_ |= bit;
    }
  }

  uint64_t could_change_ = 0;
  uint64_t changed_ = 0;
};

[[maybe_unused]] const bool kIsSchemaCheckRegistered =
    (register_check({.name = "schema",
                     .about = "writes and aliases that the schema does not declare",
                     .make = [] { return std::unique_ptr<Check>(new SchemaCheck); },
                     .place = 20}),
     true);

}  // namespace
}  // namespace opwright
