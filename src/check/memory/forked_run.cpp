// The child sends frames over a pipe: an answer, an error, or, from a signal handler, what ended
// it.
#include "opwright/check/memory/forked_run.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <poll.h>

#include "opwright/check/memory/clock.h"
#include "opwright/error.h"

namespace opwright {
namespace {

constinit const ForkTable* fork_table = nullptr;

// `length` bytes of text follow a frame.
struct ReportFrame {
  enum class Kind : uint32_t { Answer, LastAnswer, Raised, Ended };
  Kind kind;
  int32_t signal;
  const void* address;
  size_t length;
};

// Set in the child; -1 in the parent.
constinit int answers_to = -1;
constinit bool leaves_after_answer = false;

// ---- The child ----

bool write_all(int to, const void* data, size_t bytes) noexcept {
  const auto* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = write(to, next, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    next += written;
    bytes -= static_cast<size_t>(written);
  }
  return true;
}

[[noreturn]] void leave() noexcept { _exit(0); }

void send(ReportFrame::Kind kind, std::string_view text) {
  const ReportFrame frame{.kind = kind, .signal = 0, .address = nullptr, .length = text.size()};
  if (!write_all(answers_to, &frame, sizeof frame) ||
      !write_all(answers_to, text.data(), text.size()))
    leave();  // the parent stopped reading
}

void report_signal(int signal, siginfo_t* information, void* /*context*/) {
  const ReportFrame frame{.kind = ReportFrame::Kind::Ended,
                          .signal = signal,
                          .address = signal == SIGABRT ? nullptr : information->si_addr,
                          .length = 0};
  write_all(answers_to, &frame, sizeof frame);
  leave();
}

void catch_signals() {
  // A stack overflow is a signal too.
  alignas(64) static std::array<std::byte, size_t{128} << 10> stack;
  const stack_t other{.ss_sp = stack.data(), .ss_flags = 0, .ss_size = stack.size()};
  sigaltstack(&other, nullptr);
  struct sigaction action{};
  action.sa_sigaction = &report_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    sigaction(signal, &action, nullptr);
}

void silence() {
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere < 0) return;
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
}

[[noreturn]] void work_in_child(int to, size_t first, size_t count,
                                const std::function<std::string(size_t)>& work) {
  answers_to = to;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  silence();
  catch_signals();
  for (size_t i = first; i < count && !leaves_after_answer; ++i) {
    try {
      const std::string answer = work(i);
      send(leaves_after_answer ? ReportFrame::Kind::LastAnswer : ReportFrame::Kind::Answer, answer);
    } catch (const Error& error) {
      send(ReportFrame::Kind::Raised, concatenate(error.kind(), '\n', error.message()));
    } catch (const std::exception& error) {
      send(ReportFrame::Kind::Raised, concatenate("RuntimeError\n", error.what()));
    } catch (...) {
      send(ReportFrame::Kind::Raised, "RuntimeError\nthe child threw a non-standard exception");
    }
  }
  leave();
}

// ---- The parent ----

[[noreturn]] void throw_no_child() {
  throw_error("OSError", "cannot start a child process: ",
              std::error_code(errno, std::generic_category()).message());
}

class Child {
 public:
  Child(size_t first, size_t count, const std::function<std::string(size_t)>& work) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw_no_child();
    if (fork_table) fork_table->before();
    pid_ = fork();
    const int problem = errno;
    if (pid_ == 0) {
      if (fork_table) fork_table->after_in_child();
      close(ends[0]);
      work_in_child(ends[1], first, count, work);
    }
    if (fork_table) fork_table->after_in_parent();
    close(ends[1]);
    from_ = ends[0];
    if (pid_ > 0) return;
    close(from_);
    errno = problem;
    throw_no_child();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (!has_ended_) {
      kill(pid_, SIGKILL);
      (void)wait_for_end();
    }
    close(from_);
  }

  enum class News : uint8_t { Answer, LastAnswer, End, Late };
  // The next answer, the signal of a child that ended, or neither.
  News receive(ForkedAnswer& answer, double seconds) {
    const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                          std::chrono::duration<double>(seconds));
    ReportFrame frame{};
    const Reading reading = read_all(&frame, sizeof frame, until);
    if (reading == Reading::Late) return News::Late;
    if (reading == Reading::End) {
      const int status = wait_for_end();
      answer.signal = WIFSIGNALED(status) ? WTERMSIG(status) : kLeftWithoutSignal;
      return News::End;
    }
    if (frame.kind == ReportFrame::Kind::Ended) {
      answer.signal = frame.signal;
      answer.address = frame.address;
      return News::End;
    }
    answer.text.resize(frame.length);
    if (read_all(answer.text.data(), frame.length, until) != Reading::Whole) return News::Late;
    if (frame.kind == ReportFrame::Kind::Raised) {
      const size_t end_of_kind = answer.text.find('\n');
      throw Error(answer.text.substr(0, end_of_kind), answer.text.substr(end_of_kind + 1));
    }
    return frame.kind == ReportFrame::Kind::LastAnswer ? News::LastAnswer : News::Answer;
  }

 private:
  enum class Reading : uint8_t { Whole, End, Late };

  template <class Time>
  Reading read_all(void* data, size_t bytes, Time until) {
    auto* next = static_cast<char*>(data);
    while (bytes > 0) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Time::clock::now());
      pollfd wanted{.fd = from_, .events = POLLIN, .revents = 0};
      const int ready =
          poll(&wanted, 1, static_cast<int>(std::clamp<int64_t>(left.count(), 0, INT32_MAX)));
      if (ready < 0 && errno == EINTR) continue;
      if (ready <= 0) return Reading::Late;
      const ssize_t got = read(from_, next, bytes);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return Reading::End;
      next += got;
      bytes -= static_cast<size_t>(got);
    }
    return Reading::Whole;
  }

  int wait_for_end() {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    has_ended_ = true;
    return status;
  }

  pid_t pid_ = -1;
  int from_ = -1;
  bool has_ended_ = false;
};

// Returns the index of the first remaining work.
size_t run_in_one_child(size_t first, const std::function<std::string(size_t)>& work,
                        double seconds, std::vector<std::optional<ForkedAnswer>>& answers) {
  Child child(first, answers.size(), work);
  for (size_t i = first; i < answers.size(); ++i) {
    ForkedAnswer answer;
    const Child::News news = child.receive(answer, seconds);
    answer.is_late = news == Child::News::Late;
    answers[i] = std::move(answer);
    if (news != Child::News::Answer) return i + 1;
  }
  return answers.size();
}

}  // namespace

std::vector<std::optional<ForkedAnswer>> run_forked(size_t count,
                                                    const std::function<std::string(size_t)>& work,
                                                    double seconds, int most_children) {
  std::vector<std::optional<ForkedAnswer>> answers(count);
  size_t next = 0;
  for (int children = 0; children < most_children && next < count; ++children)
    next = run_in_one_child(next, work, seconds, answers);
  return answers;
}

void leave_child_after_answer() noexcept { leaves_after_answer = answers_to >= 0; }

void set_fork_table(const ForkTable& table) noexcept {
  static const ForkTable kept = table;
  fork_table = &kept;
}

}  // namespace opwright
