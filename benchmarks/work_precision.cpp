// Work and precision: CPU seconds to keep the energy within 1e-6, 1e-9 and 1e-12 (of m g l) over many periods, for
// the methods of this library and for its peers. Usage:
//   bench_work_precision [--quick] [--limit SECONDS] [--long-limit SECONDS] [--methods KEY,KEY,...] [--no-peers]
// --limit: CPU seconds that a single run may take; --long-limit: the same for the long runs.
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>

#include "holonom/coefficients/composition.hpp"
#include "holonom/expr/native.hpp"
#include "holonom/methods/explicit_rk.hpp"
#include "holonom/methods/rattle.hpp"
#include "holonom/methods/registry.hpp"
#include "holonom/model/start.hpp"
#include "holonom/model/toml.hpp"
#include "march.hpp"
#include "own_system.hpp"
#include "pendulums.hpp"
#include "search.hpp"
#if BENCH_SUNDIALS
#include "peers/sundials.hpp"
#endif
#if BENCH_SIMBODY
#include "peers/simbody.hpp"
#endif

using namespace holonom;
using namespace bench;

namespace {

constexpr double targets[] = {1e-6, 1e-9, 1e-12};
constexpr double coarsest = 3;  // compositions of order 8 begin to work at some six steps a period

// On the text model, by key. Keys that are not registered are left out with a note.
const char* default_methods =
    "rattle,yoshida-4,kahan-li-6,yoshida-8,suzuki-umeno-8,kahan-li-8,kahan-li-10,sofroniou-spaletta-10,rkf-78";

// And on an own C++ type, beside RATTLE and rkf-78.
constexpr const char* own_type_compositions[] = {"kahan-li-6", "suzuki-umeno-8", "kahan-li-8", "sofroniou-spaletta-10"};

struct Settings {
  double periods = 1000, long_periods = 1e5, limit = 8, long_limit = 20;
  std::vector<std::string> methods;
  bool peers = true;
};

struct Entrant {
  enum class Group { text_model, own_type, peer } group;
  Integrator integrator;
};

// Several steps at once where a method can save work by that.
template <class Method, class Sys, class X>
bool advance(Method& method, const Sys& sys, X& x, double h, long count) {
  if constexpr (requires { method.steps(sys, x, h, count); }) return method.steps(sys, x, h, count).ok();
  for (long k = 0; k < count; ++k)
    if (!method.step(sys, x, h).ok()) return false;
  return true;
}

// The same templates on an own C++ type with compile-time sizes. make(sys): the method.
template <class P, class Sys, class Make>
Integrator on_own_type(const std::string& key, Make make) {
  const auto run = [make](double fineness, double periods, double limit) {
    const Sys sys;
    auto x = make_state(sys);
    start<P>(x.q.data(), x.p.data());
    auto method = make(sys);
    return march(
        P::period, fineness, periods, limit, [&](double h) { return method.begin(sys, x, h).ok(); },
        [&](double h, long count) { return advance(method, sys, x, h, count); },
        [&] { return energy<P>(x.q.data(), x.p.data()); });
  };
  return fixed_step(key + ", own C++ type", methods().find(key).info, coarsest, run);
}

template <class P>
std::vector<Integrator> own_types() {
  std::vector<Integrator> all;
  all.push_back(on_own_type<P, Own<P>>("rattle", [](const Own<P>& sys) { return Rattle<Own<P>>(sys); }));
  for (const char* key : own_type_compositions)
    if (const CompositionScheme* scheme = find_composition(key))
      all.push_back(on_own_type<P, Own<P>>(key, [scheme](const Own<P>& sys) {
        return Composition<Own<P>>(sys, compose(rattle_word<double>(), coefficients<double>(*scheme), false));
      }));
  using Sys = OwnHamiltonian<P>;
  all.push_back(
      on_own_type<P, Sys>("rkf-78", [](const Sys& sys) { return ExplicitRungeKutta<Sys>(sys, fehlberg_tableau()); }));
  return all;
}

template <class P>
std::vector<Entrant> entrants(const ModelSystem<double>& sys, const Settings& settings) {
  std::vector<Entrant> all;
  for (const std::string& key : settings.methods) {
    try {
      all.push_back({Entrant::Group::text_model, on_text_model(sys, methods().find(key), P::period, 1, coarsest)});
    } catch (const std::exception&) {
      std::printf("  (%s is not registered: left out)\n", key.c_str());
    }
  }
  for (Integrator& i : own_types<P>()) all.push_back({Entrant::Group::own_type, std::move(i)});
  if (!settings.peers) return all;
#if BENCH_SUNDIALS
  for (Integrator& i : sundials<P>()) all.push_back({Entrant::Group::peer, std::move(i)});
#else
  std::printf("  (SUNDIALS was not found: left out)\n");
#endif
#if BENCH_SIMBODY
  for (Integrator& i : simbody<P>()) all.push_back({Entrant::Group::peer, std::move(i)});
#else
  std::printf("  (Simbody was not found: left out)\n");
#endif
  return all;
}

struct Row {
  const Entrant* entrant;
  std::vector<Reached> reached;  // one for each target
};

std::string format(const char* pattern, double value) {
  char text[48];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

// CPU seconds, the ratio to the best of ours, and the drift: "<" if no more than its own uncertainty is known.
void print_cell(const Reached& r, double best_of_ours, double limit) {
  std::string seconds, ratio = "-", drift = "-";
  switch (r.how) {
    case Reached::How::met:
      seconds = format("%.3g", r.outcome.cpu);
      if (best_of_ours > 0) ratio = format("%.2g", r.outcome.cpu / best_of_ours);
      if (best_of_ours > 0 && r.outcome.cpu / best_of_ours >= 99.5)
        ratio = format("%.0f", r.outcome.cpu / best_of_ours);
      drift = std::fabs(r.outcome.drift) > 3 * r.outcome.drift_noise ? format("%+.0e", r.outcome.drift)
                                                                     : "<" + format("%.0e", 3 * r.outcome.drift_noise);
      break;
    case Reached::How::over_limit: seconds = "> " + format("%g", limit) + " s"; break;
    case Reached::How::not_found:
      seconds = "not found";
      drift = "(" + format("%.1e", r.best_error) + ")";
      break;
    case Reached::How::not_run: seconds = "not run"; break;
    case Reached::How::never:
      seconds = "never";
      drift = "(" + format("%.1e", r.best_error) + ")";
      break;
  }
  std::printf(" | %9s %5s %9s", seconds.c_str(), ratio.c_str(), drift.c_str());
}

void print_table(const std::vector<Row>& rows, const std::vector<double>& goals, double limit) {
  std::printf("  %-36s", "largest energy error");
  for (const double goal : goals) std::printf(" | %25s", format("%.0e", goal).c_str());
  std::printf("\n  %-36s", "");
  for (std::size_t k = 0; k < goals.size(); ++k) std::printf(" | %9s %5s %9s", "CPU s", "ratio", "drift");
  std::printf("\n");
  std::vector<double> best(goals.size(), 0);
  for (const Row& row : rows)
    for (std::size_t k = 0; k < row.reached.size(); ++k)
      if (row.entrant->group != Entrant::Group::peer && !row.entrant->integrator.drifts &&
          row.reached[k].how == Reached::How::met && (best[k] == 0 || row.reached[k].outcome.cpu < best[k]))
        best[k] = row.reached[k].outcome.cpu;
  for (const Row& row : rows) {
    std::printf("  %-36s", row.entrant->integrator.name.c_str());
    for (std::size_t k = 0; k < row.reached.size(); ++k) print_cell(row.reached[k], best[k], limit);
    std::printf("\n");
  }
  std::printf("\n");
  std::fflush(stdout);
}

// In its group, the fastest without drift; and every fixed-step method with drift, to see what becomes of it.
bool goes_far(const Row& candidate, std::size_t goal, const std::vector<Row>& rows) {
  const auto met = [goal](const Row& row) { return row.reached[goal].how == Reached::How::met; };
  if (!met(candidate) || candidate.entrant->group == Entrant::Group::peer) return false;
  if (candidate.entrant->integrator.drifts) return true;
  for (const Row& row : rows)
    if (met(row) && row.entrant->group == candidate.entrant->group && !row.entrant->integrator.drifts &&
        row.reached[goal].outcome.cpu < candidate.reached[goal].outcome.cpu)
      return false;
  return true;
}

// The long run; the fineness that sufficed for the short one is the first guess.
void go_far(const std::vector<Row>& rows, const std::vector<double>& goals, const Settings& settings) {
  std::printf("  The same over %g periods: the fastest of ours, and fixed steps with drift (others are not run)\n",
              settings.long_periods);
  const double longer = settings.long_periods / settings.periods;
  std::vector<Row> far;
  for (const Row& row : rows) {
    const Integrator& i = row.entrant->integrator;
    Search search(i, settings.long_periods, settings.long_limit);
    Row result{row.entrant, std::vector<Reached>(goals.size(), Reached{Reached::How::not_run, 0, {}, 0})};
    bool any = false;
    for (std::size_t k = 0; k < goals.size(); ++k) {
      if (!goes_far(row, k, rows) || row.reached[k].outcome.cpu * longer > settings.long_limit) continue;
      const double growth = i.drifts ? std::pow(longer, 1 / i.order) : 1.02;
      result.reached[k] = search.reach(goals[k], growth * row.reached[k].fineness);
      any = true;
    }
    if (any) far.push_back(std::move(result));
  }
  print_table(far, goals, settings.long_limit);
}

template <class P>
void compare(const Settings& settings) {
  std::printf("Work and precision: %s, %g periods\n  (period: %s)\n", P::title, settings.periods, P::unit);
  std::printf(
      "  CPU s: of a whole run that keeps the error, or \"> %g s\"; \"not run\": shorter or coarser runs say that it "
      "takes\n"
      "  longer; \"never\": at no setting, \"not found\": at none that was tried (with the smallest error seen)\n"
      "  ratio: to the fastest of ours without drift; drift: of the energy, per period, \"<\": none seen, and how "
      "much\n"
      "  would have been\n",
      settings.limit);
  const ModelSystem<double> sys(compile(load_model(std::string(BENCH_MODELS "/") + P::model)),
                                native_available() ? Engine::native : Engine::interpreter);
  if (!native_available()) std::printf("  (no native code: text models are interpreted)\n");
  const std::vector<Entrant> all = entrants<P>(sys, settings);

  std::vector<double> goals(std::begin(targets), std::end(targets));
  std::vector<Row> rows;
  for (const Entrant& e : all) rows.push_back({&e, reach_all(e.integrator, goals, settings.periods, settings.limit)});
  std::vector<Finalist> finalists;
  for (Row& row : rows)
    for (Reached& r : row.reached) finalists.push_back({&row.entrant->integrator, &r});
  time_again(finalists, settings.periods);
  print_table(rows, goals, settings.limit);

  if (settings.long_periods > settings.periods) go_far(rows, goals, settings);
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  std::stringstream in(list);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  settings.methods = split(default_methods);
  for (int i = 1; i < argc; ++i) {
    const auto value = [&] {
      return i + 1 < argc ? argv[++i] : (std::fprintf(stderr, "%s needs a value\n", argv[i]), std::exit(2), "");
    };
    if (!std::strcmp(argv[i], "--quick"))
      settings.periods = settings.long_periods = 200, settings.limit = 0.5;
    else if (!std::strcmp(argv[i], "--limit"))
      settings.limit = std::atof(value());
    else if (!std::strcmp(argv[i], "--long-limit"))
      settings.long_limit = std::atof(value());
    else if (!std::strcmp(argv[i], "--methods"))
      settings.methods = split(value());
    else if (!std::strcmp(argv[i], "--no-peers"))
      settings.peers = false;
    else
      return std::fprintf(stderr, "unknown option %s\n", argv[i]), 2;
  }
  compare<Pendulum>(settings);
  compare<DoublePendulum>(settings);
}
