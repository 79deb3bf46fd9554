// The time that each node of a program takes, over several runs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "opwright/ir/graph/node.h"
#include "opwright/run/plan.h"

namespace opwright::command {

class Profile : public StepWatch {
 public:
  // Nanoseconds of a steady clock.
  struct Step {
    const Node* node;
    int64_t began;
    int64_t ended;
  };
  struct Run {
    int64_t began;
    int64_t ended;
  };
  // Totals of one node over all runs.
  struct Row {
    const Node* node;
    int64_t calls = 0;
    int64_t nanoseconds = 0;
  };

  void finish_step(const Node& node, int64_t began, int64_t ended) override;
  void finish_run(int64_t began, int64_t ended) { runs_.push_back({began, ended}); }

  // The first kMostKeptSteps at most.
  [[nodiscard]] std::span<const Step> steps() const noexcept { return steps_; }
  [[nodiscard]] std::span<const Run> runs() const noexcept { return runs_; }
  // Longest first.
  [[nodiscard]] std::vector<Row> rows() const;
  [[nodiscard]] int64_t total_nanoseconds() const noexcept;

  // Larger trace files cannot be viewed.
  static constexpr size_t kMostKeptSteps = 200'000;

 private:
  std::vector<Step> steps_;
  std::vector<Run> runs_;
  std::vector<Row> rows_;
  std::unordered_map<const Node*, size_t> places_;  // in rows_
};

// One line per node, longest first: calls, time, share of all runs, operator, the user's line and
// module. Nodes after the first `most` share a line; time outside operators has its own.
[[nodiscard]] std::string table_of(const Profile& profile, size_t most = 40);

}  // namespace opwright::command
