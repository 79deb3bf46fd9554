#include "command/profile.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "opwright/ir/graph/node.h"

namespace opwright::command {
namespace {

struct Line {
  int64_t calls;
  int64_t nanoseconds;
  std::string name;
  std::string site;
  std::string module;
};

Line line_of(const Profile::Row& row) {
  const Node& node = *row.node;
  return {row.calls, row.nanoseconds, node.op().name(),
          node.site().is_known() ? node.site().text() : "", node.module_path()};
}

std::vector<Line> lines_of(const Profile& profile, size_t most) {
  const std::vector<Profile::Row> rows = profile.rows();
  std::vector<Line> lines;
  Line others{0, 0, "", "", ""};
  int64_t in_operators = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    in_operators += rows[i].nanoseconds;
    if (i < most) {
      lines.push_back(line_of(rows[i]));
    } else {
      others.calls += rows[i].calls;
      others.nanoseconds += rows[i].nanoseconds;
    }
  }
  if (rows.size() > most) {
    others.name = fmt::format("({} other nodes)", rows.size() - most);
    lines.push_back(others);
  }
  const auto runs = static_cast<int64_t>(profile.runs().size());
  const int64_t between = std::max<int64_t>(profile.total_nanoseconds() - in_operators, 0);
  lines.push_back({runs, between, "(between operators)", "", ""});
  return lines;
}

}  // namespace

void Profile::finish_step(const Node& node, int64_t began, int64_t ended) {
  const auto [place, is_new] = places_.try_emplace(&node, rows_.size());
  if (is_new) rows_.push_back({&node});
  Row& row = rows_[place->second];
  ++row.calls;
  row.nanoseconds += ended - began;
  if (steps_.size() < kMostKeptSteps) steps_.push_back({&node, began, ended});
}

std::vector<Profile::Row> Profile::rows() const {
  std::vector<Row> sorted = rows_;
  std::ranges::stable_sort(sorted, std::ranges::greater(), &Row::nanoseconds);
  return sorted;
}

int64_t Profile::total_nanoseconds() const noexcept {
  int64_t total = 0;
  for (const Run& run : runs_) total += run.ended - run.began;
  return total;
}

std::string table_of(const Profile& profile, size_t most) {
  const std::vector<Line> lines = lines_of(profile, most);
  size_t name_width = std::string_view("operator").size();
  size_t site_width = std::string_view("line").size();
  for (const Line& line : lines) {
    name_width = std::max(name_width, line.name.size());
    site_width = std::max(site_width, line.site.size());
  }
  const auto total = static_cast<double>(std::max<int64_t>(profile.total_nanoseconds(), 1));
  std::string text;
  const auto append = [&](const std::string& line) {
    text.append(line, 0, line.find_last_not_of(' ') + 1).push_back('\n');
  };
  append(fmt::format("{:>8}  {:>11}  {:>7}  {:<{}}  {:<{}}  module", "calls", "total ms", "share",
                     "operator", name_width, "line", site_width));
  for (const Line& line : lines) {
    const auto time = static_cast<double>(line.nanoseconds);
    append(fmt::format("{:>8}  {:>11.3f}  {:>6.1f}%  {:<{}}  {:<{}}  {}", line.calls, time * 1e-6,
                       100 * time / total, line.name, name_width, line.site, site_width,
                       line.module));
  }
  return text;
}

}  // namespace opwright::command
