#include "opwright/ir/graph/text_check.h"

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "opwright/error.h"

namespace opwright {
namespace {

constexpr size_t kMostTextNodes = 100'000;

std::atomic<bool> is_enabled{false};
std::atomic<size_t> num_checked{0};
thread_local bool is_checking = false;  // for graphs that the check itself makes

struct Failures {
  std::mutex mutex;
  std::vector<std::string> texts;
};
Failures& failures() {
  static Failures& kept = *new Failures;  // graphs may outlive static objects
  return kept;
}

void add_failure(std::string text) {
  const std::lock_guard lock(failures().mutex);
  failures().texts.push_back(std::move(text));
}

bool is_whole(const Graph& graph) {
  try {
    verify(graph);
    return true;
  } catch (const Error&) {
    return false;
  }
}

void compare(const Graph& graph) {
  if (!is_whole(graph)) return;
  const std::string text = to_text(graph);
  if (text.find("object(\"") != std::string::npos) return;
  num_checked.fetch_add(1, std::memory_order_relaxed);
  try {
    const GraphPtr again = parse_graph(text);
    if (!is_equal(*again, graph)) {
      add_failure(
          concatenate("a graph and its text differ:\n", text, "read back:\n", to_text(*again)));
    }
  } catch (const Error& error) {
    add_failure(concatenate(error.message(), "\nin the text of a graph:\n", text));
  }
}

}  // namespace

void set_checks_graph_texts(bool enabled) noexcept { is_enabled.store(enabled); }

std::vector<std::string> take_graph_text_failures() {
  const std::lock_guard lock(failures().mutex);
  return std::exchange(failures().texts, {});
}

size_t num_checked_graph_texts() noexcept { return num_checked.load(); }

void check_graph_text(const Graph& graph) noexcept {
  if (!is_enabled.load(std::memory_order_relaxed) || is_checking) [[likely]]
    return;
  if (!graph.output() || graph.num_nodes() > kMostTextNodes) return;
  is_checking = true;
  try {
    compare(graph);
  } catch (const std::exception& error) {
    add_failure(error.what());
  }
  is_checking = false;
}

}  // namespace opwright
