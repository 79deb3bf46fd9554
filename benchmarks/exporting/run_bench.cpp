// Measures the time to run a loaded program, and the memory of its process.
//
//   run_bench chain.opw [LOOPS]
//
// The program has one input, a tensor of four floats. Without LOOPS only the memory is printed.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>

#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/program/export/exported_program.h"
#include "opwright/program/export/program_object.h"
#include "opwright/runtime/program.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace {

using opwright::ExportedProgramPtr;
using opwright::Tensor;
using opwright::ValueOf;

// Returns the peak memory of the process, in KiB.
int64_t read_peak() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    int64_t value = 0;
    if (word == "VmHWM:" && status >> value) return value;
  }
  return 0;
}

// CPU time of this thread, which excludes other programs on a busy machine.
int64_t cpu_nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// Returns the nanoseconds of one call of `body`: the median of nine runs of `loops` calls.
template <class Body>
void report(const char* name, int loops, Body body) {
  std::array<double, 9> times{};
  for (int i = 0; i < loops / 4; ++i) body();
  for (double& time : times) {
    const int64_t begin = cpu_nanoseconds();
    for (int i = 0; i < loops; ++i) body();
    time = static_cast<double>(cpu_nanoseconds() - begin) / loops;
  }
  std::ranges::nth_element(times, times.begin() + 4);
  std::printf("%s %.3f\n", name, times[4]);
}

void time_runs(const opwright::Program& program, const Tensor& x, int loops) {
  const ExportedProgramPtr exported = opwright::program_of(program.value().get());
  const OpwValue inputs[] = {ValueOf<Tensor>::lend(x)};
  report("run", loops, [&] { (void)program({x}); });
  report("plan", loops, [&] { (void)exported->plan().run(inputs); });
  // The same operators, called one by one.
  report("eager_step", loops * 100, [&] { (void)(opwright::sin(x)); });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  try {
    const opwright::Program program = opwright::load_program(argv[1]);
    const Tensor x = opwright::ones({4});
    (void)program({x});
    std::printf("peak_kib %lld\n", static_cast<long long>(read_peak()));
    if (argc > 2) time_runs(program, x, std::atoi(argv[2]));
  } catch (const opwright::Error& error) {
    std::fprintf(stderr, "%s: %s\n", error.kind(), error.what());
    return 1;
  }
  return 0;
}
