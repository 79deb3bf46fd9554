// A timed loop that prints one figure.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

// Returns the nanoseconds of one call of `body`: the median of nine runs of `count` calls.
template <class Body>
double nanoseconds(int count, Body body) {
  std::vector<double> runs;
  for (int i = 0; i < count / 4; ++i) body();
  for (int run = 0; run < 9; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) body();
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
    runs.push_back(time.count() / count);
  }
  std::nth_element(runs.begin(), runs.begin() + 4, runs.end());
  return runs[4];
}

template <class Body>
void report(const char* name, int count, Body body) {
  std::printf("%s %.3f\n", name, nanoseconds(count, body));
}
