#include "opwright/check/memory/fault_catcher.h"

#include <csetjmp>
#include <csignal>
#include <functional>
#include <optional>

namespace opwright {
namespace {

struct Watch {
  const std::function<bool(const void*)>* is_protected;
  sigjmp_buf way_out;
  MemoryFault fault;
  struct sigaction previous_segv;
  struct sigaction previous_bus;
};

// For this thread; null on all others.
constinit thread_local Watch* current_watch __attribute__((tls_model("initial-exec"))) = nullptr;
// The watch of the process whose handlers are installed.
constinit Watch* installed_watch = nullptr;

bool is_write([[maybe_unused]] const void* context) {
#if defined(__x86_64__)
  constexpr long long kWrite = 2;  // of the page fault's error code
  return (static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & kWrite) != 0;
#else
  return false;
#endif
}

void put_back(const Watch& watch) {
  sigaction(SIGSEGV, &watch.previous_segv, nullptr);
  sigaction(SIGBUS, &watch.previous_bus, nullptr);
}

void leave_if_protected(int /*signal*/, siginfo_t* information, void* context) {
  Watch* watch = current_watch;
  if (watch && (*watch->is_protected)(information->si_addr)) {
    watch->fault = {information->si_addr, is_write(context)};
    siglongjmp(watch->way_out, 1);
  }
  // The instruction runs again, under the previous handlers.
  put_back(*installed_watch);
}

void install(Watch& watch) {
  struct sigaction action{};
  action.sa_sigaction = &leave_if_protected;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  installed_watch = &watch;
  sigaction(SIGSEGV, &action, &watch.previous_segv);
  sigaction(SIGBUS, &action, &watch.previous_bus);
}

}  // namespace

std::optional<MemoryFault> catch_fault(const std::function<bool(const void*)>& is_protected,
                                       const std::function<void()>& body) {
  Watch watch{};
  watch.is_protected = &is_protected;
  struct Installed {
    explicit Installed(Watch& installed) : of(installed) {
      install(of);
      current_watch = &of;
    }
    ~Installed() {
      current_watch = nullptr;
      put_back(of);
    }
    Watch& of;
  };
  const Installed installed(watch);
  if (sigsetjmp(watch.way_out, 1) != 0) return watch.fault;
  body();
  return std::nullopt;
}

}  // namespace opwright
