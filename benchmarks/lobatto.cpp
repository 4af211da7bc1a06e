// Lobatto IIIA-IIIB pairs: where they beat compositions of RATTLE and where they lose, what a step costs with each
// matrix of its solver, what is left of a method that stops iterating early, and chains of many links on one and two
// threads. Usage:
//   bench_lobatto [--quick] [race] [counts] [orders] [chains]      (without a name, all of them)
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>

#include "chains.hpp"
#include "holonom/expr/native.hpp"
#include "holonom/model/toml.hpp"
#include "holonom/solve/manifold.hpp"
#include "march.hpp"
#include "search.hpp"

using namespace holonom;
using namespace bench;

namespace {

ModelSystem<double> system_of(Model model) {
  return ModelSystem<double>(compile(std::move(model)), native_available() ? Engine::native : Engine::interpreter);
}
ModelSystem<double> from_models(const std::string& name) {
  return system_of(load_model(std::string(BENCH_MODELS "/") + name + ".toml"));
}
double energy_at_start(const ModelSystem<double>& sys) {
  const State<double> x = initial_state(sys).state;
  return std::fabs(sys.H(x.q, x.p));
}

// --- where Lobatto pairs win ---------------------------------------------------------------------------------------

constexpr const char* lobatto_keys[] = {"lobatto-2", "lobatto-3", "lobatto-4", "lobatto-5",
                                        "lobatto-6", "lobatto-8", "lobatto-11"};
constexpr const char* composition_keys[] = {
    "rattle", "yoshida-4", "suzuki-4", "blanes-moan-4/rattle", "kahan-li-6", "kahan-li-8", "sofroniou-spaletta-10"};

struct Race {
  const char *model, *about, *unit;
  double period;  // a time of the model to count steps in
};
constexpr Race races[] = {
    {"double-pendulum", "n = 4, m = 2, separable", "slow small oscillation", 8.209377223816247},
    {"charged-particle", "n = 3, m = 1, H not separable", "cyclotron period", 3.141592653589793},
    {"slider-crank", "n = 3, m = 2, M(q)", "turn of the crank at its first speed", 0.3141592653589793},
    {"lj-chain", "n = 14, m = 6, separable, 21 pairs", "vibration of a pair", 1.6558},
    {"rigid-body-heavy", "n = 9, m = 6, separable", "turn at the first speed", 5.4278}};

struct Runner {
  Integrator integrator;
  bool is_lobatto;
  std::vector<Reached> reached;  // one for each target
};

void print_runner(const Runner& runner) {
  std::printf("    %-24s", runner.integrator.name.c_str());
  for (const Reached& r : runner.reached) {
    constexpr const char* words[] = {"", "never", "too long", "too long", "not found"};
    if (r.how == Reached::How::met)
      std::printf(" | %9.2f %9.4g", 1e3 * r.outcome.cpu, r.fineness);
    else
      std::printf(" | %9s %9s", words[static_cast<int>(r.how)], "");
  }
  std::printf("\n");
}

const Runner* fastest(const std::vector<Runner>& runners, std::size_t goal, bool lobatto) {
  const Runner* best = nullptr;
  for (const Runner& r : runners)
    if (r.is_lobatto == lobatto && r.reached[goal].how == Reached::How::met &&
        (!best || r.reached[goal].outcome.cpu < best->reached[goal].outcome.cpu))
      best = &r;
  return best;
}

// Returns a line for the table of winners.
std::string race(const Race& race, const std::vector<double>& goals, double periods, double limit) {
  constexpr double coarsest = 1;
  const ModelSystem<double> sys = from_models(race.model);
  std::vector<Runner> runners;
  const auto enter = [&](const char* key, bool is_lobatto) {
    runners.push_back(
        {on_text_model(sys, methods().find(key), race.period, energy_at_start(sys), coarsest), is_lobatto, {}});
  };
  for (const char* key : composition_keys) enter(key, false);
  for (const char* key : lobatto_keys) enter(key, true);
  for (Runner& r : runners) r.reached = reach_all(r.integrator, goals, periods, limit);
  std::vector<Finalist> finalists;
  for (Runner& r : runners)
    for (Reached& reached : r.reached) finalists.push_back({&r.integrator, &reached});
  time_again(finalists, periods);

  std::printf("  %s (%s), %g times %.4g (%s)\n    %-24s", race.model, race.about, periods, race.period, race.unit,
              "largest energy error");
  for (const double goal : goals) std::printf(" | %19.0e", goal);
  std::printf("\n    %-24s", "");
  for (std::size_t k = 0; k < goals.size(); ++k) std::printf(" | %9s %9s", "CPU ms", "steps");
  std::printf("\n");
  for (const Runner& r : runners) print_runner(r);
  std::string line = std::string("| `") + race.model + "` |";
  for (std::size_t k = 0; k < goals.size(); ++k) {
    const Runner *composition = fastest(runners, k, false), *lobatto = fastest(runners, k, true);
    char cell[120] = " - |";
    if (composition && lobatto) {
      const double factor = composition->reached[k].outcome.cpu / lobatto->reached[k].outcome.cpu;
      std::snprintf(cell, sizeof cell, factor > 1 ? " **%.2f** `%s`, `%s` |" : " %.2f `%s`, `%s` |", factor,
                    lobatto->integrator.name.c_str(), composition->integrator.name.c_str());
    }
    line += cell;
  }
  std::printf("    %s\n\n", line.c_str());
  std::fflush(stdout);
  return line;
}

// --- what a step costs ---------------------------------------------------------------------------------------------

struct Matrix {
  const char* name;
  StageMatrix matrix;
};
constexpr Matrix matrices[] = {{"start", StageMatrix::start},
                               {"stages", StageMatrix::stages},
                               {"automatic", StageMatrix::automatic},
                               {"full", StageMatrix::full}};

// The same steps with each solver; times are medians of interleaved rounds.
class Counted {
 public:
  Counted(const ModelSystem<double>& sys, std::string key, const char* matrix, const MethodOptions& options)
      : sys_(sys), key_(std::move(key)), matrix_(matrix), options_(options), method_(make()) {}

  Contestant contestant(double h, long steps) {
    return {key_, [this, h, steps] { run(h, steps); }, {}};
  }
  void print(double seconds, long steps) const {
    const Counters& c = counters_;
    const auto each = [&](std::uint64_t count) { return static_cast<double>(count) / static_cast<double>(c.steps); };
    std::printf("    %-10s %-10s", key_.c_str(), matrix_);
    if (!ok_) return std::printf("  failed after %ld steps\n", static_cast<long>(c.steps)), void();
    std::printf(" %8.2f %6d %9.2f %9.2f %9.2f %9.2f %9.1f %10.2f %9.1e\n", each(c.newton_iterations), c.newton_max,
                each(c.force), each(c.constraint), each(c.jacobian), each(c.factorisation), each(c.hessian),
                1e6 * seconds / static_cast<double>(steps), error_);
  }

 private:
  std::unique_ptr<AnyMethod<double>> make() const { return methods().find(key_).make<double>(sys_, options_); }
  void run(double h, long steps) {
    State<double> x = initial_state(sys_).state;
    method_ = make();
    const double H0 = sys_.H(x.q, x.p);
    ok_ = method_->begin(x, h).ok();
    error_ = 0;
    for (long k = 0; ok_ && k < steps; ++k) {
      ok_ = method_->step(x, h).ok();
      error_ = std::fmax(error_, std::fabs(sys_.H(x.q, x.p) / H0 - 1));
    }
    counters_ = method_->counters();
  }

  const ModelSystem<double>& sys_;
  std::string key_;
  const char* matrix_;
  MethodOptions options_;
  std::unique_ptr<AnyMethod<double>> method_;
  Counters counters_;
  bool ok_ = false;
  double error_ = 0;
};

void count(const char* title, const ModelSystem<double>& sys, double period, double periods, int rounds) {
  const Integrator rattle = on_text_model(sys, methods().find("rattle"), period, energy_at_start(sys), 1);
  const Reached percent = Search(rattle, periods, 10).reach(0.01, 10);
  if (percent.how != Reached::How::met) {
    std::printf("  %s: no step with an energy error of 1 %% was found for RATTLE\n", title);
    return;
  }
  const double h = period / percent.fineness;
  const long steps = std::lround(periods * percent.fineness);
  std::printf("  %s: h = %.4g, where RATTLE has an energy error of %.1e of H; %ld steps\n", title, h,
              percent.outcome.error, steps);
  std::printf("    %-10s %-10s %8s %6s %9s %9s %9s %9s %9s %10s %9s\n", "", "matrix", "iterat.", "most", "forces", "g",
              "G", "factoris.", "V_qq u", "us a step", "error");
  std::vector<std::unique_ptr<Counted>> all;
  std::vector<std::string> refused;
  all.push_back(std::make_unique<Counted>(sys, "rattle", "", MethodOptions{}));
  for (const char* key : {"lobatto-3", "lobatto-4"})
    for (const Matrix& m : matrices) {
      MethodOptions options;
      options.newton.matrix = m.matrix;
      try {
        all.push_back(std::make_unique<Counted>(sys, key, m.name, options));
      } catch (const Unsuitable& e) {
        refused.push_back(e.what());
      }
    }
  std::vector<Contestant> contestants;
  for (const auto& one : all) contestants.push_back(one->contestant(h, steps));
  measure(contestants, rounds);
  for (std::size_t k = 0; k < all.size(); ++k) all[k]->print(contestants[k].median(), steps);
  for (const std::string& reason : refused) std::printf("    (%s)\n", reason.c_str());
  std::printf("\n");
  std::fflush(stdout);
}

// --- a method that stops early -------------------------------------------------------------------------------------

// Each step from free flight with so many iterations, and nothing remembered. False if a step fails.
template <class S>
bool advance(
    const ModelSystem<S>& sys, const std::string& key, StageMatrix matrix, int iterations, State<S>& x, const S& h,
    long steps, const std::function<void(const State<S>&)>& see = [](const State<S>&) {}) {
  MethodOptions options;
  options.newton.matrix = matrix;
  options.newton.stage_iterations = iterations;
  const auto method = methods().find(key).make<S>(sys, options);
  for (long k = 0; k < steps; ++k) {
    if (!method->begin(x, h).ok() || !method->step(x, h).ok()) return false;
    see(x);
  }
  return true;
}

void orders(const char* model) {
  const ModelSystem<quad> sys(compile(load_model(std::string(BENCH_MODELS "/") + model + ".toml")));
  const State<quad> start = initial_state(sys).state;
  const quad until = 5;
  constexpr long steps = 320;
  constexpr int most = 7;
  State<quad> exact = start;
  if (!advance<quad>(sys, "lobatto-11", StageMatrix::automatic, 0, exact, until / quad(2 * steps), 2 * steps)) return;
  const auto error = [&](const std::string& key, StageMatrix matrix, int iterations, long count) {
    State<quad> x = start;
    if (!advance<quad>(sys, key, matrix, iterations, x, until / quad(count), count)) return std::nan("");
    quad largest(0);
    for (int i = 0; i < x.q.size(); ++i) keep_largest(largest, quad(magnitude(quad(x.q[i] - exact.q[i]))));
    return to_double(largest);
  };
  std::printf("  %s: order in q after k iterations (%ld and %ld steps to t = 5, quad)\n    %-8s %-10s", model, steps,
              2 * steps, "matrix", "");
  for (int k = 1; k <= most; ++k) std::printf(" %6d", k);
  std::printf("\n");
  for (const Matrix& m : {matrices[0], matrices[1]})
    for (const char* key : {"lobatto-3", "lobatto-4", "lobatto-5", "lobatto-6"}) {
      std::printf("    %-8s %-10s", m.name, key);
      for (int k = 1; k <= most; ++k)
        std::printf(" %6.1f", std::log2(error(key, m.matrix, k, steps) / error(key, m.matrix, k, 2 * steps)));
      std::printf("\n");
      std::fflush(stdout);
    }
}

void drifts(const char* model, double h) {
  const ModelSystem<double> sys = from_models(model);
  constexpr long steps = 5000;
  std::printf("  %s: largest energy error in %ld steps of %g, and its slope, after k iterations of lobatto-3\n", model,
              steps, h);
  for (const Matrix& m : {matrices[0], matrices[1]})
    for (const int k : {1, 2, 3, 4, 6, 8, 10}) {
      State<double> x = initial_state(sys).state;
      const double H0 = sys.H(x.q, x.p);
      double largest = 0, t = 0, sum_t = 0, sum_e = 0, sum_tt = 0, sum_te = 0;
      const bool ok = advance<double>(sys, "lobatto-3", m.matrix, k, x, h, steps, [&](const State<double>& y) {
        const double e = sys.H(y.q, y.p) - H0;
        keep_largest(largest, std::fabs(e));
        t += h;
        sum_t += t, sum_e += e, sum_tt += t * t, sum_te += t * e;
      });
      const double slope = (steps * sum_te - sum_t * sum_e) / (steps * sum_tt - sum_t * sum_t);
      if (ok)
        std::printf("    %-8s %3d  %8.1e  %8.0e\n", m.name, k, largest, slope);
      else
        std::printf("    %-8s %3d  a step fails\n", m.name, k);
    }
}

// --- many links ----------------------------------------------------------------------------------------------------

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool same_bits(const Vec<double>& a, const Vec<double>& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}

// The first steps of one chain on one and on two threads, in turn; every round starts again, so that chains of all
// lengths do the same. The CPU time of the first thread, which does all that is not shared, tells what two threads save
// if nobody else wants the second core; wall time, what they saved.
void on_threads(const char* key, const char* text, long N, double h, int rounds) {
  constexpr long steps = 20;
  const ModelSystem<double> sys = system_of(parse_model(text, "benchmark", {{"N", std::to_string(N)}}));
  const State<double> start = initial_state(sys).state;
  struct Crew {
    std::unique_ptr<AnyMethod<double>> method;
    State<double> x;
    std::vector<double> wall, first;  // seconds; of the first thread alone
  };
  std::vector<Crew> crews;
  for (const int threads : {1, 2}) {
    MethodOptions options;
    options.threads = threads;
    crews.push_back(Crew{methods().find(key).make<double>(sys, options), start, {}, {}});
  }
  for (int round = 0; round < rounds; ++round)
    for (Crew& crew : crews) {
      crew.x = start;
      bool ok = crew.method->begin(crew.x, h).ok();
      const double began = wall_seconds(), cpu_began = cpu_seconds();
      for (long k = 0; ok && k < steps; ++k) ok = crew.method->step(crew.x, h).ok();
      crew.wall.push_back(wall_seconds() - began);
      crew.first.push_back(cpu_seconds() - cpu_began);
      if (!ok) {
        std::printf("  %s, %ld links: a step failed\n", key, N);
        std::exit(1);
      }
    }
  const auto median = [](std::vector<double> all) {
    std::sort(all.begin(), all.end());
    return all[all.size() / 2];
  };
  if (!same_bits(crews[0].x.q, crews[1].x.q) || !same_bits(crews[0].x.p, crews[1].x.p)) {
    std::printf("  %s, %ld links: results depend on the number of threads\n", key, N);
    std::exit(1);
  }
  Manifold<double> manifold(sys);
  const State<double>& x = crews[0].x;
  const Counters& c = crews[0].method->counters();
  const double work = 1e-6 * static_cast<double>(steps * N);
  const double alone = median(crews[0].first), shared = median(crews[1].first);
  std::printf("    %-10s %8ld %8.2f %8.2f %8.2f %8.2f %9.2f %9.1f %10.1e %10.1e\n", key, N, alone / work, shared / work,
              alone / shared, median(crews[0].wall) / median(crews[1].wall),
              static_cast<double>(c.newton_iterations) / static_cast<double>(c.newton_solves),
              static_cast<double>(c.force) / static_cast<double>(c.steps), manifold.position(x.q).absolute,
              manifold.hidden(x.q, x.p).absolute);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  bool quick = false, some = false;
  const auto is = [](const char* a, const char* b) { return std::strcmp(a, b) == 0; };
  for (int i = 1; i < argc; ++i) {
    const bool part = is(argv[i], "race") || is(argv[i], "counts") || is(argv[i], "orders") || is(argv[i], "chains");
    if (!part && !is(argv[i], "--quick")) return std::fprintf(stderr, "unknown argument %s\n", argv[i]), 2;
    (part ? some : quick) = true;
  }
  const auto wanted = [&](const char* name) {
    for (int i = 1; i < argc; ++i)
      if (is(argv[i], name)) return true;
    return !some;
  };
  if (!native_available()) std::printf("(no native code: text models are interpreted)\n");

  if (wanted("race")) {
    std::printf(
        "Lobatto pairs and compositions: CPU ms to keep the energy within a part of its first value, steps a unit of\n"
        "time; \"too long\": over the limit of a run\n\n");
    const std::vector<double> goals{1e-3, 1e-6, 1e-9, 1e-12};
    std::vector<std::string> lines;
    for (const Race& r : races) lines.push_back(race(r, goals, quick ? 40 : 200, quick ? 0.3 : 3));
    std::printf(
        "CPU time of the fastest composition over that of the fastest Lobatto pair; bold where the pair wins\n");
    for (const std::string& line : lines) std::printf("%s\n", line.c_str());
    std::printf("\n");
  }
  if (wanted("counts")) {
    std::printf("What a step of a Lobatto pair costs, counted, with each matrix of its solver\n\n");
    count("double pendulum (Jay's example 2)", from_models("double-pendulum"), races[0].period, 100, quick ? 1 : 11);
    count("50 beads, Lennard-Jones between all pairs", system_of(parse_model(chains::beads, "benchmark")), 1, 20,
          quick ? 1 : 5);
  }
  if (wanted("orders")) {
    std::printf("A pair that stops iterating early\n\n");
    for (const char* model : {"double-pendulum", "charged-particle"})
      if (!quick || is(model, "double-pendulum")) orders(model);
    drifts("double-pendulum", 0.12);
    std::printf("\n");
  }
  if (wanted("chains")) {
    std::printf(
        "Chains with bending and Lennard-Jones forces between neighbours, 20 steps of 0.05 on one and two threads "
        "(states\n"
        "are the same to the last bit). CPU: microseconds of the first thread a link and step, alone and with a "
        "second\n"
        "one; speed-up: by these, and of the wall time; iterations and forces a step, |g| and |G v| at the end\n");
    std::printf("    %-10s %8s %8s %8s %8s %8s %9s %9s %10s %10s\n", "", "links", "CPU, 1", "CPU, 2", "speed-up",
                "wall", "iterat.", "forces", "|g|", "|G v|");
    for (const long N : {1000L, 10000L, 100000L})
      if (!quick || N < 100000) on_threads("lobatto-4", chains::bending, N, 0.05, quick ? 3 : N < 100000 ? 9 : 3);
    on_threads("lobatto-5", chains::bending, 10000, 0.05, quick ? 3 : 9);
    std::printf("  The same for beads with Lennard-Jones forces between all pairs, steps of 0.005\n");
    for (const char* key : {"lobatto-4", "lobatto-5"}) on_threads(key, chains::beads, 400, 0.005, 3);
    std::printf("\n");
  }
}
