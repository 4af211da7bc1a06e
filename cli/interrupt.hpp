// SIGINT, SIGTERM and SIGHUP: a run ends after its step, and keeps its state; before that, and in other commands, there
// is nothing to keep. The exit code is that of an interruption in both cases.
#pragma once

#include <atomic>

namespace holonom {

void catch_signals();

// From now on signals only set the flag that is returned.
const std::atomic<bool>& interrupt_after_a_step();

}  // namespace holonom
