#include "interrupt.hpp"

#include <unistd.h>

#include <csignal>

#include "commands.hpp"

namespace holonom {

namespace {

std::atomic<bool> signalled{false}, stepping{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void on_signal(int) {
  if (stepping.load(std::memory_order_relaxed)) {
    signalled.store(true, std::memory_order_relaxed);
    return;
  }
  constexpr char message[] = "holonom: interrupted\n";
  (void)!::write(STDERR_FILENO, message, sizeof message - 1);
  _exit(exit_interrupted);
}

}  // namespace

void catch_signals() {
  for (const int s : {SIGINT, SIGTERM}) std::signal(s, on_signal);
  if (std::signal(SIGHUP, on_signal) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);  // nohup
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files is a full disk
  std::signal(SIGPIPE, SIG_IGN);  // and so is a reader that has gone
}

const std::atomic<bool>& interrupted() { return signalled; }

void interrupt_after_a_step() { stepping.store(true, std::memory_order_relaxed); }

}  // namespace holonom
