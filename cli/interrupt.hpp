// SIGINT, SIGTERM and SIGHUP: a run ends after its step, and keeps its state; before that, and in other commands, there
// is nothing to keep. The exit code is that of an interruption in both cases.
#pragma once

#include <atomic>

namespace holonom {

void catch_signals();

// Whether there was a signal. From `interrupt_after_a_step` on signals only set this.
const std::atomic<bool>& interrupted();
void interrupt_after_a_step();

}  // namespace holonom
