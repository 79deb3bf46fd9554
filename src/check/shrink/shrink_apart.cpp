#include "opwright/check/shrink/shrink_apart.h"

#include <sys/mman.h>

#include <cstddef>
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "opwright/check/example/example.h"
#include "opwright/check/memory/forked_run.h"
#include "opwright/check/shrink/shrink.h"

namespace opwright {
namespace {

constexpr int kMostChildren = 8;

// Answers in memory shared by child and parent, in the order of the calls.
class SharedAnswers {
 public:
  explicit SharedAnswers(int most)
      : length_(sizeof(Header) + static_cast<size_t>(most)),
        memory_(mmap(nullptr, length_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
  }
  ~SharedAnswers() { munmap(memory_, length_); }
  SharedAnswers(const SharedAnswers&) = delete;
  SharedAnswers& operator=(const SharedAnswers&) = delete;

  [[nodiscard]] size_t count() const noexcept { return header().count; }
  [[nodiscard]] bool operator[](size_t index) const noexcept { return answers()[index]; }
  void add(bool answer) noexcept {
    answers()[header().count] = answer;
    ++header().count;
  }

 private:
  struct Header {
    size_t count;
  };
  [[nodiscard]] Header& header() const noexcept { return *static_cast<Header*>(memory_); }
  [[nodiscard]] bool* answers() const noexcept { return reinterpret_cast<bool*>(&header() + 1); }

  size_t length_;
  void* memory_;
};

}  // namespace

Example shrink_apart(const Example& example, const std::function<bool(const Example&)>& shows,
                     int most) {
  if (!example.is_on_cpu()) return shrink(example, shows, most);
  SharedAnswers answers(most);
  // Calls of `shows` come in the same order every time, so the answers replay the search.
  const auto go = [&](bool may_ask) {
    size_t next = 0;
    const auto answer = [&](const Example& candidate) {
      if (next == answers.count()) {
        if (!may_ask) return false;
        answers.add(shows(candidate));
      }
      return answers[next++];
    };
    return shrink(example, answer, most);
  };
  for (int child = 0; child < kMostChildren; ++child) {
    const auto ended =
        run_forked(1, [&](size_t /*piece*/) { return go(true), std::string(); }, 20, 1)[0];
    if (!ended || ended->is_late) break;
    if (ended->signal == 0) break;
    if (answers.count() == static_cast<size_t>(most)) break;
    answers.add(false);
  }
  return go(false);
}

}  // namespace opwright
