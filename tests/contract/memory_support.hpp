// Runs as in processes of their own, with what they remember at some moments.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "choice.hpp"
#include "holonom/methods/rattle_general.hpp"

namespace holonom::contract {

// A method on a system of its own, as in a process of its own.
template <class S>
struct Process {
  Process(const MethodEntry& entry, const std::shared_ptr<const CompiledModel>& compiled, bool compensated,
          Form form = Form::interpreted)
      : sys(compiled, engine_of(form)) {
    MethodOptions options;
    options.compensated = compensated;
    options.fixed_sizes = form != Form::dynamic_sizes;
    method = entry.make<S>(sys, options);
  }

  // How many steps succeeded
  long go(const S& h, long count) {
    for (long k = 0; k < count; ++k)
      if (!method->step(x, h).ok()) return k;
    return count;
  }
  // What it remembers
  std::string memory() {
    MemoryWriter out;
    method->save(out);
    return out.bytes();
  }
  // What can be seen of it
  std::string appearance() {
    MemoryWriter out;
    out("q", x.q);
    out("p", x.p);
    out("counters", method->counters());
    if (const Vec<S>* lambda = method->stage_multipliers()) out("multipliers", *lambda);
    return out.bytes();
  }

  ModelSystem<S> sys;
  std::unique_ptr<AnyMethod<S>> method;
  State<S> x;
};

template <class S>
struct Departure {
  State<S> x;
  S h;
};
template <class S>
Departure<S> departure(const std::shared_ptr<const CompiledModel>& compiled, double longer = 1) {
  const ModelSystem<S> sys(compiled);
  const auto given = initial_state(sys);
  return {given.state, S(longer) * given.step.value()};
}
// A run at some moments, counted in steps. It may fail, with steps that are too long: then up to the last one before.
template <class S>
struct Moment {
  long step = 0;
  State<S> x;
  std::string memory, appearance;
};
template <class S>
std::vector<Moment<S>> whole_run(Process<S>&& process, const Departure<S>& from, const std::vector<long>& steps) {
  std::vector<Moment<S>> moments;
  process.x = from.x;
  if (!process.method->begin(process.x, from.h).ok()) return moments;
  long at = 0;
  for (const long k : steps) {
    if (process.go(from.h, k - at) < k - at) break;
    at = k;
    moments.push_back({k, process.x, process.memory(), process.appearance()});
    EXPECT_TRUE(process.memory() == moments.back().memory) << "saving has changed it";
  }
  return moments;
}

// Separable systems through their general form, too, with redundant and with many constraints.
inline MethodEntry general_form() {
  MethodEntry entry;
  entry.info.key = "rattle-general";
  std::get<Maker<double>>(entry.makers) = [](const AnySystem<double>& sys, const MethodOptions& options) {
    using View = HamiltonianView<double>;
    return make_on<RattleGeneral<View>, View>("rattle-general", sys, options);
  };
  return entry;
}
inline std::vector<MethodEntry> with_general_form(std::vector<MethodEntry> entries) {
  entries.push_back(general_form());
  return entries;
}

}  // namespace holonom::contract
